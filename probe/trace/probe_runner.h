// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "probe/endpoint/endpoint.h"
#include "wire/ip_address.h"

namespace weft::probe {

// Whom to probe.
struct ProbeTarget {
  wire::IpAddress address;
  uint32_t dest_qpn = 0;
  uint32_t q_key = 0;
};

// One question, asked until it is answered or its tries are used up.
struct ProbeRequest {
  uint64_t tag = 0;  // the caller's
  ProbeTarget target;
  uint16_t udp_src_port = 0;
  uint8_t ttl = 64;
  // As in Probe.
  wire::IpAddress source{};
  uint8_t traffic_class = 0;
  uint32_t flow_label = 0;
  uint8_t bth_opcode = 0x64;
  bool wears_live_header = false;
  // The source ports asked of the answers: try n has the n-th, over and over. At least one; the
  // caller keeps them until the outcome.
  std::span<const uint16_t> reply_ports;
  uint32_t tries = 1;
};

struct ProbeOutcome {
  uint64_t tag = 0;
  EventKind kind = EventKind::kLost;  // kReply, kHop, kUnreachable or kLost
  wire::IpAddress hop_address;
  uint8_t icmp_code = 0;
  uint16_t reply_udp_src_port = 0;  // kReply: that the answer really had
  int64_t time_ns = 0;              // when it was known, on the endpoint's clock
  int64_t rtt_ns = 0;               // kReply
  // As in Event.
  std::optional<uint8_t> received_ttl{};
  std::optional<uint8_t> received_traffic_class{};
  std::optional<uint8_t> quoted_traffic_class{};
  std::optional<uint8_t> quoted_ttl{};
  std::optional<uint16_t> answer_ip_id{};
  std::optional<uint8_t> answer_ttl{};
  uint32_t sent_count = 0;  // all but the last of them were lost; with kLost that too
  absl::Status status;      // not ok: it could not be sent (its source port is taken, no route)
};

struct ProbeRunnerOptions {
  int64_t timeout_ns = 500'000'000;  // of each try
  double probes_per_second = 2000;   // at most; less where switches limit their ICMP answers
  size_t burst = 32;
};

// Sends requests through an endpoint: paced, repeated, never more than fit. Where hops answer only
// in part, it slows down: switches police the packets whose TTL ends in them.
class ProbeRunner {
 public:
  ProbeRunner(Endpoint* endpoint, ProbeRunnerOptions options);

  // Callers see to it that one (target, udp_src_port) has at most one request of limited TTL here.
  void Add(const ProbeRequest& request) { waiting_.push_back({request, 0}); }

  int64_t Now() const { return endpoint_->Now(); }
  size_t outstanding() const { return waiting_.size() + in_flight_.size(); }
  uint64_t sent_count() const { return sent_count_; }

  // Lets time pass until at least one request has its outcome, or until `deadline_ns`; appends
  // outcomes. Fails only when the endpoint as a whole does.
  absl::Status Step(int64_t deadline_ns, std::vector<ProbeOutcome>& outcomes);

 private:
  struct Asked {
    ProbeRequest request;
    uint32_t sent_count = 0;
  };

  absl::Status SendWaiting(std::vector<ProbeOutcome>& outcomes);
  absl::Status SendNext(std::vector<ProbeOutcome>& outcomes);
  void OnEvent(const Event& event, std::vector<ProbeOutcome>& outcomes);
  void FillTokens();
  void SlowDown();

  Endpoint* endpoint_;
  ProbeRunnerOptions options_;
  std::deque<Asked> waiting_;
  absl::flat_hash_map<uint64_t, Asked> in_flight_;  // by probe id
  std::vector<Event> events_;
  uint64_t next_id_ = 1;
  uint64_t sent_count_ = 0;
  double rate_;
  double tokens_;
  int64_t tokens_filled_ns_;
  int64_t slowed_down_ns_;
  bool endpoint_full_ = false;
};

}  // namespace weft::probe
