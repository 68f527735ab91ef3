// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/bth.h"
#include "wire/deth.h"
#include "wire/ip_address.h"
#include "wire/udp.h"

// A whole RoCEv2 datagram, put together and taken apart: what stands in UDP from the BTH to the
// ICRC. InfiniBand Architecture Specification, volume 1, annex A17 (RoCEv2).
//   | IP | UDP, destination port 4791 | BTH | [DETH] | payload | pad 0-3 | ICRC |
// An ordinary UDP socket sends and receives just this part; the ICRC covers the IP and UDP headers
// too, so both directions need the addresses, ports, and what the kernel puts into the IP header:
// ID 0 and DF set (IP_PMTUDISC_DO on a socket that is not connected), no options. Over IPv6 there
// is no such condition: what a kernel may choose there (the flow label) is not covered.
namespace weft::wire {

inline constexpr uint16_t kRoceUdpPort = 4791;
inline constexpr size_t kIcrcBytes = 4;

// Who sends to whom: all that the ICRC needs from the headers below the BTH. The addresses are of
// one family, IPv4 or IPv6: with others nothing is built and no ICRC matches.
struct RoceEndpoints {
  IpAddress source;
  IpAddress destination;
  uint16_t udp_src_port = 0;
  uint16_t udp_dst_port = kRoceUdpPort;
};

// Whether a DETH follows the BTH: the opcodes of unreliable datagrams.
bool HasDeth(uint8_t opcode);

// Bytes of a datagram with this much payload, from the BTH through the ICRC.
size_t RoceDatagramBytes(size_t payload_bytes, bool has_deth);

// Writes the datagram; sets bth.pad from the payload's length. The payload begins with the
// immediate data where the opcode has them. Returns the bytes written, 0 where `out` is too small,
// the addresses are not of one family, or an IP packet cannot hold it. Allocates nothing.
size_t BuildRoceDatagram(const RoceEndpoints& endpoints, Bth bth, const std::optional<Deth>& deth,
                         std::span<const std::byte> payload, std::span<std::byte> out);

struct RoceDatagram {
  Bth bth;
  std::optional<Deth> deth;            // UD opcodes
  std::span<const std::byte> payload;  // without pad and ICRC; points into the input
  uint32_t icrc = 0;
};

// Reads a whole (not cut) datagram. nullopt: shorter than its headers, pad and ICRC say. Says
// nothing about the ICRC: see IcrcMatches. Of the headers after the BTH only the DETH is taken
// apart; any other one, immediate data too, stands at the head of the payload.
std::optional<RoceDatagram> ParseRoceDatagram(std::span<const std::byte> udp_payload);

// Whether the last four bytes of the datagram are the ICRC of the rest. False where it is shorter
// than a BTH and an ICRC, or the addresses are not of one family.
bool IcrcMatches(const RoceEndpoints& endpoints, std::span<const std::byte> udp_payload);

}  // namespace weft::wire
