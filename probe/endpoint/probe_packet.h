// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "probe/endpoint/endpoint.h"
#include "wire/ip_address.h"
#include "wire/probe.h"
#include "wire/roce.h"

// Probes and their answers as packets: a UD SEND Only with a DETH and our payload
// (docs/wire-probe.md), from the BTH to the ICRC. All endpoints and responders build and read them
// here.
namespace weft::probe {

// A probe's length tells its TTL: 40 bytes of payload and 4 for each unit of TTL modulo 64. An ICMP
// error that quotes no more than 28 bytes still shows the UDP length, so it names the probe.
inline constexpr size_t kProbeTtlValues = 64;
constexpr size_t ProbePayloadBytesFor(uint8_t ttl) {
  return wire::kProbePayloadBytes + 4 * (ttl % kProbeTtlValues);
}
inline constexpr size_t kMaxProbeBytes = wire::kBthBytes + wire::kDethBytes +
                                         wire::kProbePayloadBytes + 4 * (kProbeTtlValues - 1) +
                                         wire::kIcrcBytes;

// The TTL, modulo 64, of a probe whose UDP header has this length. nullopt: no probe of ours.
std::optional<uint8_t> TtlFromUdpLength(size_t udp_length);

// Writes the datagram of `probe`, which CheckProbe() accepts: the DETH and our payload stand behind
// the BTH whatever its opcode, and a live header gets an ICRC that is wrong in every bit.
// `source` is of the destination's family. `session` and `sequence` come back in the answer, which
// goes to `reply_udp_dst_port` of `source` and, when it is an InfiniBand stack that reads it, to
// `source_qpn`. Returns the bytes written, 0 where `out` is smaller than kMaxProbeBytes may need.
size_t BuildProbe(const Probe& probe, const wire::IpAddress& source, uint32_t session,
                  uint32_t sequence, uint32_t source_qpn, uint16_t reply_udp_dst_port,
                  std::span<std::byte> out);

// A probe or an answer, read from a datagram.
struct ProbePacket {
  wire::ProbePayload payload;
  size_t payload_bytes = 0;  // with the zeroes after our 40 bytes
  uint32_t dest_qpn = 0;
  uint32_t source_qpn = 0;
  uint32_t q_key = 0;
  uint32_t psn = 0;
};

enum class PacketFault : uint8_t {
  kNone,
  kMalformed,  // not a UD SEND Only that carries our payload
  kBadIcrc,
};

// The same from a datagram whose ICRC is checked elsewhere. nullopt: malformed.
std::optional<ProbePacket> ReadProbePacket(const wire::RoceDatagram& datagram);

// Reads a whole datagram and checks its ICRC. `packet` is valid only with kNone.
PacketFault ParseProbePacket(const wire::RoceEndpoints& endpoints,
                             std::span<const std::byte> datagram, ProbePacket& packet);

// Reads session and sequence from the front part of a probe as an ICMP error quotes it: from the
// BTH on, with any opcode, cut anywhere, so without an ICRC to check. nullopt: too short, or not a
// probe of ours.
std::optional<wire::ProbePayload> ParseQuotedProbe(std::span<const std::byte> quote);

// What a responder adds to a question.
struct AnswerDetails {
  uint16_t udp_src_port = 0;         // that the answer really has
  bool reply_port_was_busy = false;  // it is not the one asked for
  uint8_t received_ttl = 0;          // 0: not known
  uint8_t received_traffic_class = 0;
  uint64_t responder_delay_ns = 0;
};

// Writes the answer to `question`, which `source` sent to `destination`; as long as the question
// was, never longer. Returns the bytes written, 0 where `out` is too small.
size_t BuildAnswer(const ProbePacket& question, const wire::IpAddress& responder,
                   const wire::IpAddress& prober, const AnswerDetails& details,
                   std::span<std::byte> out);

}  // namespace weft::probe
