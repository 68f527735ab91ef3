// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "topology/records/record_codec.h"
#include "wire/ip_address.h"

namespace weft::topology {

enum class ProbeOutcome : uint8_t { kUnknown, kReply, kHop, kLost };

// One probe and what came of it.
struct ProbeRecord {
  std::string source;
  wire::IpAddress source_address;
  std::string destination;
  wire::IpAddress destination_address;
  uint32_t sequence = 0;
  uint16_t udp_src_port = 0;
  uint16_t reply_udp_src_port = 0;
  uint8_t ttl = 0;
  ProbeOutcome outcome = ProbeOutcome::kUnknown;
  wire::IpAddress hop_address;               // kHop: who answered
  std::optional<double> rtt_us;              // send to receive, as the prober saw it
  std::optional<double> responder_delay_us;  // the part of rtt_us that the responder took
  std::optional<uint16_t> hop_ip_id{};       // kHop: IPv4 ID of the answer
  double time_s = 0;                         // when it was answered, since the file's first probe
  bool operator==(const ProbeRecord&) const = default;
};
template <>
inline constexpr RecordKind kRecordKind<ProbeRecord> = {"probe", 1};

}  // namespace weft::topology
