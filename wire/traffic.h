// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>

namespace weft::wire {

// Our own payload of elephants: docs/wire-traffic.md. Data packets are UC SENDs (First, Middle,
// Last, Only), so that a capture shows messages with PSNs; control packets are UD SEND Only with a
// DETH. Every one begins, in its payload, with
//    0  magic "WFTE"   4
//    4  version 1      1
//    5  type           1
//    6  reserved       2
//    8  token          8   the sender's name for the flow; answers repeat it
// and goes on with the fields of its type's struct, in the struct's order and sizes (a refusal has
// seven reserved bytes after the reason). Reserved bytes are written as zero and ignored on
// receipt. Control packets are asked again until answered, on changing source ports, so that
// neither a full nor a dead path stops them.
inline constexpr size_t kTrafficHeaderBytes = 16;

enum class TrafficType : uint8_t {
  kOffer = 1,      // sender: may I?
  kAccept = 2,     // responder: yes, to this QPN
  kRefuse = 3,     // responder: no, because
  kData = 4,       // sender
  kHeartbeat = 5,  // responder, while it receives
  kDone = 6,       // sender: that was all, what came?
  kReport = 7,     // responder
};

struct TrafficOffer {
  uint64_t rate_bps = 0;  // payload
  uint32_t duration_ms = 0;
  uint32_t packet_payload_bytes = 0;  // of the largest packet
  uint32_t window_start_ms = 0;       // the counted window, since the first packet's send time
  uint32_t window_end_ms = 0;
  uint32_t first_psn = 0;
  uint16_t reply_udp_dst_port = 0;  // where accept, heartbeats and report go
  uint16_t reply_udp_src_port = 0;  // the source port that this answer shall have
  bool operator==(const TrafficOffer&) const = default;
};

struct TrafficAccept {
  uint32_t dest_qpn = 0;
  bool operator==(const TrafficAccept&) const = default;
};

enum class TrafficRefusal : uint8_t {
  kTooManyFlows = 1,
  kRateTooHigh = 2,
  kTooLong = 3,
  kPacketTooLarge = 4
};

struct TrafficRefuse {
  TrafficRefusal reason = TrafficRefusal::kTooManyFlows;
  uint64_t limit = 0;  // what would have been accepted, in the reason's unit
  bool operator==(const TrafficRefuse&) const = default;
};

struct TrafficData {
  uint64_t sent_ns = 0;  // since the flow's start, on the sender's clock
  bool operator==(const TrafficData&) const = default;
};

struct TrafficHeartbeat {
  uint64_t received_packets = 0;
  bool operator==(const TrafficHeartbeat&) const = default;
};

struct TrafficDone {
  uint64_t sent_packets = 0;
  uint16_t reply_udp_dst_port = 0;
  uint16_t reply_udp_src_port = 0;
  bool operator==(const TrafficDone&) const = default;
};

struct TrafficReport {
  uint64_t received_packets = 0;
  uint64_t received_bytes = 0;  // payload, whole flow
  uint64_t window_packets = 0;
  uint64_t window_bytes = 0;  // payload of packets sent inside the window
  uint64_t lost_packets = 0;
  uint64_t reordered_packets = 0;
  uint64_t duplicate_packets = 0;
  bool operator==(const TrafficReport&) const = default;
};

// In the order of TrafficType.
using TrafficBody = std::variant<TrafficOffer, TrafficAccept, TrafficRefuse, TrafficData,
                                 TrafficHeartbeat, TrafficDone, TrafficReport>;

struct TrafficMessage {
  uint64_t token = 0;
  TrafficBody body;
  bool operator==(const TrafficMessage&) const = default;
};

TrafficType TypeOf(const TrafficMessage& message);
size_t TrafficMessageBytes(TrafficType type);  // header and body

// nullopt: shorter than its type needs, another magic, a version or type that we do not know. Bytes
// after the message are allowed (a data packet's filling).
std::optional<TrafficMessage> ParseTrafficMessage(std::span<const std::byte> payload);

// Writes the message; returns its bytes, 0 where `out` is too small. Allocates nothing.
size_t WriteTrafficMessage(const TrafficMessage& message, std::span<std::byte> out);

}  // namespace weft::wire
