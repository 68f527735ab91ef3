// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/ip_address.h"
#include "wire/ipv6.h"
#include "wire/udp.h"

namespace weft::wire {

inline constexpr size_t kIcmpv6HeaderBytes = 8;
// A whole error fits the smallest MTU (RFC 4443, section 2.4(c)).
inline constexpr size_t kIcmpv6LongestQuoteBytes =
    kIpv6MinMtu - kIpv6HeaderBytes - kIcmpv6HeaderBytes;

enum class Icmpv6Type : uint8_t {
  kDestinationUnreachable = 1,
  kPacketTooBig = 2,
  kTimeExceeded = 3
};
inline constexpr uint8_t kIcmpv6CodeNoRoute = 0;  // of kDestinationUnreachable
inline constexpr uint8_t kIcmpv6CodeAddressUnreachable = 3;
inline constexpr uint8_t kIcmpv6CodePortUnreachable = 4;
inline constexpr uint8_t kIcmpv6CodeHopLimitExceeded = 0;  // of kTimeExceeded

// An error of the Internet Control Message Protocol for IPv6: destination unreachable, packet too
// big or time exceeded, with the packet that it is about. RFC 4443, sections 2 and 3.
//   +---------------+---------------+-------------------------------+
//   |     type      |     code      |           checksum            |
//   +---------------+---------------+-------------------------------+
//   |                  MTU, or (of others) unused                   |
//   +---------------------------------------------------------------+
//   |   quote: IPv6 header, as much as fits of what follows ...     |
//   +---------------------------------------------------------------+
// Unused bytes are written as zero and ignored on receipt. The length of RFC 4884 is ignored too:
// extensions stand behind the quote. The checksum covers a pseudo header of the carrying packet.
struct Icmpv6Error {
  Icmpv6Type type = Icmpv6Type::kTimeExceeded;
  uint8_t code = 0;
  uint32_t mtu = 0;    // packet too big; else 0
  Ipv6Header carrier;  // source is the router or host that says so
  size_t carrier_extension_bytes = 0;
  // The quoted packet, as the router saw it. Its lengths may exceed what the quote holds.
  Ipv6Header quoted_ip;
  Ipv6Extensions quoted_extensions;
  std::optional<UdpHeader> quoted_udp;  // protocol UDP, and no later fragment
  std::span<const std::byte>
      quoted_payload;  // what is there after quoted_udp (else after the extension headers)
};

// Reads a whole IPv6 packet that carries an error. nullopt: cut, not ICMPv6, a fragment, a wrong
// checksum, another type, or a quote of less than the IPv6 header, its extension headers and eight
// bytes. The span points into `packet`. Allocates nothing.
std::optional<Icmpv6Error> ParseIcmpv6Error(std::span<const std::byte> packet);

// The same from the ICMPv6 message alone, as raw sockets hand it out, with what they tell of the
// header that carried it: source and destination, which the checksum covers, and the rest as far as
// known. Its payload_bytes and next_header do not count.
std::optional<Icmpv6Error> ParseIcmpv6Message(const Ipv6Header& carrier,
                                              std::span<const std::byte> message);

struct Icmpv6ErrorOptions {
  Icmpv6Type type = Icmpv6Type::kTimeExceeded;
  uint8_t code = 0;
  uint32_t mtu = 0;    // written with kPacketTooBig only
  IpAddress router{};  // IPv6
  uint8_t hop_limit = 64;
  // How much of the original is quoted; brought into its headers and eight bytes to
  // kIcmpv6LongestQuoteBytes, and to what the original has.
  size_t quote_bytes = kIcmpv6LongestQuoteBytes;
};

// What a router answers to `original` (a whole IPv6 packet): writes the IPv6 packet with the error,
// for original's source. Returns its bytes; 0 where `out` is too small, the router's address is not
// IPv6, or original is one that RFC 4443 (section 2.4(e)) forbids to answer: itself an ICMPv6 error
// or a redirect, from no single node, or to a group (unless it is too big); also where it is a
// later fragment or shorter than its headers and eight bytes. Allocates nothing.
size_t BuildIcmpv6Error(const Icmpv6ErrorOptions& options, std::span<const std::byte> original,
                        std::span<std::byte> out);

}  // namespace weft::wire
