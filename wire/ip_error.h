// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/ip.h"
#include "wire/ip_address.h"
#include "wire/ipv6.h"
#include "wire/udp.h"

// ICMP errors of either version: what a router or host says about a packet that it could not pass
// on. icmp.h and icmpv6.h have the formats.
namespace weft::wire {

enum class IpErrorKind : uint8_t {
  kTimeExceeded,  // the TTL (hop limit) ran out
  kUnreachable,   // no way there
  kPortClosed,    // the destination itself: nobody listens
  kPacketTooBig,  // IPv4: fragmentation needed
};

struct IpError {
  IpErrorKind kind = IpErrorKind::kTimeExceeded;
  uint8_t code = 0;  // of its version's type
  uint32_t mtu = 0;  // kPacketTooBig: of the next hop
  IpHeader carrier;  // the header of the packet that carries the error: source is who says so
  // The quoted packet as the router saw it. Its lengths may exceed what the quote holds.
  IpHeader quoted_ip;
  std::optional<UdpHeader> quoted_udp;        // protocol UDP, and no later fragment
  std::span<const std::byte> quoted_payload;  // what is there after quoted_udp
};

// Reads a whole packet that carries an error. nullopt: cut, not an ICMP error of these kinds, a
// fragment, a wrong ICMP checksum, or a quote of less than the IP header and eight bytes. The span
// points into `packet`. Allocates nothing.
std::optional<IpError> ParseIpError(std::span<const std::byte> packet);

// The same of an ICMPv6 message without its IPv6 header, of which `carrier` has what is known:
// source and destination, which the checksum covers, at least.
std::optional<IpError> ParseIpv6Error(const Ipv6Header& carrier,
                                      std::span<const std::byte> message);

struct IpErrorOptions {
  IpErrorKind kind = IpErrorKind::kTimeExceeded;
  uint32_t mtu = 0;             // kPacketTooBig
  IpAddress router{};           // of the family of the packet that it is about
  uint8_t ttl = 64;             // of the packet that carries the error
  uint16_t identification = 0;  // IPv4, of the same
  // How much of the original is quoted; brought into what the version allows (IPv4 28 to 548, IPv6
  // as much as 1,280 bytes in all hold) and to what the original has.
  size_t quote_bytes = 1280;
};

// What a router answers to `original`, a whole packet, for original's source. Returns the bytes
// written; 0 where `out` is too small, the families differ, or the original may not be answered (an
// ICMP error, a later fragment, cut). Allocates nothing.
size_t BuildIpError(const IpErrorOptions& options, std::span<const std::byte> original,
                    std::span<std::byte> out);

}  // namespace weft::wire
