// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/records/record_codec.h"
#include "wire/ip_address.h"

namespace weft::topology {

// A rate from one NIC to another, split over flow_count flows.
struct Demand {
  std::string source;
  std::string destination;
  double rate_bps = 0;
  uint32_t flow_count = 1;
  bool operator==(const Demand&) const = default;
};
template <>
inline constexpr RecordKind kRecordKind<Demand> = {"demand", 1};

// One QP's traffic in one direction between two NICs. Moving it to another path changes its port.
struct Flow {
  std::string id;  // unique in a file
  std::string source;
  wire::IpAddress source_address;
  std::string destination;
  wire::IpAddress destination_address;
  double rate_bps = 0;      // payload offered
  uint32_t source_qpn = 0;  // 24 bits
  uint32_t dest_qpn = 0;    // 24 bits
  uint16_t udp_src_port = 0;
  uint32_t flow_label = 0;        // 20 bits, folds to udp_src_port
  std::vector<std::string> path;  // switches planned to be crossed ("*": any of several); or empty
  bool operator==(const Flow&) const = default;
};
template <>
inline constexpr RecordKind kRecordKind<Flow> = {"flow", 1};

// What one flow sent and what arrived. Both byte counts are of packets sent inside the window,
// which is told by the send time that each packet carries, so packets under way at its ends are not
// lost.
struct FlowReport {
  Flow flow;
  std::string started_at;     // RFC 3339, UTC
  double window_start_s = 0;  // since the flow's start
  double window_seconds = 0;
  double sent_bytes = 0;      // payload, in the window
  double received_bytes = 0;  // payload, in the window
  uint32_t sent_packets = 0;  // these four: the whole flow
  uint32_t received_packets = 0;
  uint32_t lost_packets = 0;
  uint32_t reordered_packets = 0;
  uint32_t duplicate_packets = 0;
  double dropped_debt_bytes = 0;  // not sent, because the sender was more than 2 ms late
  std::string stopped_because;    // "done", or why it ended early
  bool report_received = false;   // false: what was received is not known
  bool operator==(const FlowReport&) const = default;
};
template <>
inline constexpr RecordKind kRecordKind<FlowReport> = {"flow-report", 1};

}  // namespace weft::topology
