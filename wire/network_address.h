// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "wire/ip_address.h"

namespace weft::wire {

// Who sends a captured packet, or who is to get it, whatever the network: an IP address (RoCEv2), a
// GID (RoCEv1, InfiniBand with a GRH) or a LID (InfiniBand within one subnet). A value of 24 bytes
// that compares and hashes quickly; orders by kind first.
class NetworkAddress {
 public:
  enum class Kind : uint8_t { kNone, kIpv4, kIpv6, kGid, kLid };

  constexpr NetworkAddress() = default;
  static constexpr NetworkAddress Ipv4(uint32_t host_order) { return {Kind::kIpv4, 0, host_order}; }
  static constexpr NetworkAddress Ipv6(uint64_t high, uint64_t low) {
    return {Kind::kIpv6, high, low};
  }
  static constexpr NetworkAddress Gid(uint64_t high, uint64_t low) {
    return {Kind::kGid, high, low};
  }
  static constexpr NetworkAddress Lid(uint16_t lid) { return {Kind::kLid, 0, lid}; }
  static NetworkAddress Of(const IpAddress& address);
  IpAddress ToIp() const;  // none for GIDs and LIDs, which are no IP addresses

  // "10.1.1.2", "fd00::1"; a GID as an IPv6 address, an IPv4-mapped one as "::ffff:10.1.1.2"; a LID
  // as "lid 18". Empty for none.
  std::string ToString() const;

  constexpr Kind kind() const { return kind_; }
  constexpr uint64_t high() const { return high_; }  // the upper half of IPv6 addresses and GIDs
  constexpr uint64_t low() const { return low_; }    // IPv4: host order; LID: its number
  constexpr bool empty() const { return kind_ == Kind::kNone; }

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the comparison's 0 for a pointer.
  constexpr auto operator<=>(const NetworkAddress&) const = default;

  template <typename H>
  friend H AbslHashValue(H h, const NetworkAddress& a) {
    return H::combine(std::move(h), a.kind_, a.high_, a.low_);
  }

 private:
  constexpr NetworkAddress(Kind kind, uint64_t high, uint64_t low)
      : kind_(kind), high_(high), low_(low) {}

  Kind kind_ = Kind::kNone;
  uint64_t high_ = 0;
  uint64_t low_ = 0;
};

}  // namespace weft::wire
