// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/ip_address.h"
#include "wire/ipv4.h"
#include "wire/udp.h"

namespace weft::wire {

inline constexpr size_t kIcmpHeaderBytes = 8;
// A quote is the IPv4 header and at least eight bytes of what follows (RFC 792), as far as the
// whole error stays within 576 bytes (RFC 1812, section 4.3.2.3).
inline constexpr size_t kIcmpShortestQuoteBytes = kIpv4HeaderBytes + 8;
inline constexpr size_t kIcmpLongestQuoteBytes = 576 - kIpv4HeaderBytes - kIcmpHeaderBytes;

enum class IcmpType : uint8_t { kDestinationUnreachable = 3, kTimeExceeded = 11 };
inline constexpr uint8_t kIcmpCodeTtlExceeded = 0;     // of kTimeExceeded
inline constexpr uint8_t kIcmpCodeNetUnreachable = 0;  // of kDestinationUnreachable
inline constexpr uint8_t kIcmpCodeHostUnreachable = 1;
inline constexpr uint8_t kIcmpCodePortUnreachable = 3;
inline constexpr uint8_t kIcmpCodeFragmentationNeeded = 4;

// An error of the Internet Control Message Protocol: destination unreachable or time exceeded, with
// the packet that it is about. RFC 792; next-hop MTU: RFC 1191, section 4.
//   +---------------+---------------+-------------------------------+
//   |     type      |     code      |           checksum            |
//   +---------------+---------------+-------------------------------+
//   |            reserved           |         next-hop MTU          |
//   +-------------------------------+-------------------------------+
//   |      quote: IPv4 header, first bytes of what follows ...      |
//   +---------------------------------------------------------------+
// Reserved bytes are written as zero and ignored on receipt; the MTU is one of them except with
// "fragmentation needed". The length of RFC 4884 is ignored too: extensions stand behind the quote.
struct IcmpError {
  IcmpType type = IcmpType::kTimeExceeded;
  uint8_t code = 0;
  uint16_t next_hop_mtu = 0;  // destination unreachable, code 4; else 0
  IpAddress router;           // who says so: the carrier's source
  Ipv4Header carrier;         // the header of the packet that carries the error
  // The quoted packet, as the router saw it. Its lengths may exceed what the quote holds.
  Ipv4Header quoted_ip;
  std::optional<UdpHeader> quoted_udp;  // protocol UDP, and no later fragment
  std::span<const std::byte>
      quoted_payload;  // what is there after quoted_udp (else after quoted_ip)
  // Compares what is said, not how it was carried; and bytes, not where they are.
  bool operator==(const IcmpError& other) const;
};

// Reads a whole IPv4 packet that carries an error. nullopt: cut, not ICMP, a fragment, a wrong ICMP
// checksum, another type, or a quote of less than the IPv4 header and eight bytes. The spans point
// into `packet`. Allocates nothing.
std::optional<IcmpError> ParseIcmpError(std::span<const std::byte> packet);

struct IcmpErrorOptions {
  IcmpType type = IcmpType::kTimeExceeded;
  uint8_t code = 0;
  uint16_t next_hop_mtu = 0;  // written with destination unreachable, code 4, only
  IpAddress router{};         // IPv4
  uint8_t ttl = 64;
  uint16_t identification = 0;
  // How much of the original is quoted; brought into kIcmpShortestQuoteBytes (more where it has
  // options) to kIcmpLongestQuoteBytes, and to what the original has.
  size_t quote_bytes = kIcmpLongestQuoteBytes;
};

// What a router answers to `original` (a whole IPv4 packet): writes the IPv4 packet with the error,
// for original's source. Returns its bytes; 0 where `out` is too small, the router's address is not
// IPv4, or original is one that RFC 1122 (section 3.2.2) forbids to answer: itself an ICMP error or
// a later fragment, or shorter than its header and eight bytes. Allocates nothing.
size_t BuildIcmpError(const IcmpErrorOptions& options, std::span<const std::byte> original,
                      std::span<std::byte> out);

}  // namespace weft::wire
