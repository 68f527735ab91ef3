// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "probe/endpoint/endpoint.h"
#include "topology/records/probe_record.h"
#include "topology/records/target.h"

namespace weft::probe {

struct PingOptions {
  std::string source_name;  // for the records; may be empty
  topology::Target target;
  uint32_t count = 10;
  int64_t interval_ns = 100'000'000;
  int64_t timeout_ns = 1'000'000'000;
  // Probe i takes port i modulo their number; neither may be empty.
  std::vector<uint16_t> udp_src_ports;
  std::vector<uint16_t> reply_udp_src_ports;
  uint8_t traffic_class = 0;
  uint32_t flow_label = 0;   // IPv6, 20 bits
  wire::IpAddress source{};  // none: as the endpoint sends there
};

// The round trip is from leaving to arriving, without the time that the responder took.
struct PingResult {
  uint32_t sent = 0;
  uint32_t received = 0;
  uint32_t lost = 0;  // ended without an answer
  // Absent: no answer.
  std::optional<double> rtt_us_min;
  std::optional<double> rtt_us_median;
  std::optional<double> rtt_us_p99;
  std::optional<double> responder_delay_us_median;
  // Who said that the destination cannot be reached, or is farther than 64 hops; empty: nobody.
  wire::IpAddress refused_by{};
  bool reply_port_was_other = false;  // some answer had another source port than was asked for
};

// Asks one target at a steady pace. A state machine over any endpoint: call Step() until done().
class Pinger {
 public:
  // `endpoint` outlives the pinger and is used by nobody else meanwhile.
  Pinger(Endpoint& endpoint, const PingOptions& options);

  // Sends what is due, then lets time pass until something happens or is due, or `deadline_ns`.
  absl::Status Step(int64_t deadline_ns);
  bool done() const { return sent_ == options_.count && ended_ == sent_; }

  PingResult Result() const;
  // One a probe, in the order of sending; those in flight have an unknown outcome.
  const std::vector<topology::ProbeRecord>& records() const { return records_; }

 private:
  absl::Status SendOne(int64_t now_ns);
  void OnEvent(const Event& event);

  Endpoint& endpoint_;
  PingOptions options_;
  wire::IpAddress source_address_;
  int64_t next_send_ns_;
  uint32_t sent_ = 0;
  uint32_t ended_ = 0;
  wire::IpAddress refused_by_{};
  bool reply_port_was_other_ = false;
  std::vector<Event> events_;
  std::vector<topology::ProbeRecord> records_;
};

// The value at `share` (in [0, 1]) of sorted values by the nearest-rank rule; `values` not empty.
double Quantile(const std::vector<double>& sorted_values, double share);

}  // namespace weft::probe
