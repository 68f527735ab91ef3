// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "probe/hashing/hop_flow.h"
#include "probe/trace/icmp_budget.h"
#include "probe/trace/probe_runner.h"

namespace weft::probe {

struct HopAskerOptions {
  int64_t timeout_ns = 500'000'000;  // of each try
  double probes_per_second = 2000;   // at most, whatever the budget allows
  uint32_t tries = 3;                // before an answer counts as missing
  uint64_t seed = 1;                 // of the ports that answers are asked to come from
  std::function<bool()> stop{};      // asked between steps: true ends it early; may be empty
};

// Asks where flows are after so many hops: paced by the ICMP budget, repeated when nothing comes
// back. Not for several threads. Does not own endpoint and budget.
class HopAsker {
 public:
  HopAsker(Endpoint* endpoint, IcmpBudget* budget, HopAskerOptions options);

  // One answer per question, in their order. Questions may share a flow: these are asked one after
  // the other. Fails only where the endpoint does. After `stop` nothing is asked any more, and what
  // is in flight has no answer.
  absl::Status AskAll(std::span<const HopQuestion> questions, std::vector<SeenPlace>& answers);

  // One try, as soon as the budget allows it.
  absl::Status AskOnce(const HopQuestion& question, SeenPlace& answer);

  // Lets time pass.
  absl::Status Pause(int64_t duration_ns);

  // Sends so many packets of a flow to its destination at once and waits for what comes back.
  absl::Status Load(const HopFlow& flow, uint32_t packet_count);

  int64_t Now() const { return endpoint_->Now(); }
  uint64_t sent_count() const { return sent_count_; }
  bool stopped();

 private:
  using FlowKey = std::pair<wire::IpAddress, uint16_t>;

  static FlowKey KeyOf(const HopFlow& flow) { return {flow.target.address, flow.udp_src_port}; }
  ProbeRequest RequestFor(const HopQuestion& question, uint32_t tries) const;
  absl::Status AskSome(std::span<const HopQuestion> questions, uint32_t tries,
                       std::vector<SeenPlace>& answers);
  absl::Status WaitForBudget(const HopQuestion& question);
  absl::Status PassTime(int64_t until_ns);

  Endpoint* endpoint_;
  IcmpBudget* budget_;
  HopAskerOptions options_;
  std::vector<uint16_t> reply_ports_;
  ProbeRunner runner_;
  std::vector<Event> unasked_events_;
  uint64_t sent_count_ = 0;
  bool stopped_ = false;
};

}  // namespace weft::probe
