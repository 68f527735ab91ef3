// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace weft::wire {

// Our own payload of probes and their answers: docs/wire-probe.md. It stands in a UD SEND Only,
// after the DETH. Version 1, 40 bytes, then zeroes up to the length that the prober chose (the
// length tells probes of one source port apart in an ICMP quote of 28 bytes).
//    0  magic "WFTP"                        4
//    4  version 1                           1
//    5  type: 1 question, 2 answer          1
//    6  flags: bit 0 reply port was busy    2
//    8  session: which prober               4
//   12  sequence: which probe of it         4
//   16  source port that the answer has     2   (question: asked for; answer: used)
//   18  destination port of the answer      2
//   20  TTL with which the question came    1   (answer; 0: not known)
//   21  traffic class with which it came    1   (answer)
//   22  reserved                            2
//   24  responder's delay, ns               8   (answer: from receiving to sending)
//   32  reserved                            8
// Reserved bytes and flags are written as zero and ignored on receipt.
inline constexpr size_t kProbePayloadBytes = 40;

enum class ProbeType : uint8_t { kQuestion = 1, kAnswer = 2 };

struct ProbePayload {
  ProbeType type = ProbeType::kQuestion;
  bool reply_port_was_busy = false;
  uint32_t session = 0;
  uint32_t sequence = 0;
  uint16_t reply_udp_src_port = 0;
  uint16_t reply_udp_dst_port = 0;
  uint8_t received_ttl = 0;
  uint8_t received_traffic_class = 0;
  uint64_t responder_delay_ns = 0;
  bool operator==(const ProbePayload&) const = default;
};

// nullopt: shorter, another magic, a version or type that we do not know.
std::optional<ProbePayload> ParseProbePayload(std::span<const std::byte> payload);

// Writes kProbePayloadBytes bytes; false where `out` is smaller.
bool WriteProbePayload(const ProbePayload& probe, std::span<std::byte> out);

}  // namespace weft::wire
