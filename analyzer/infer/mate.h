// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "wire/ip_address.h"

namespace weft::analyzer {

// How a point-to-point link is numbered. IPv4: RFC 3021 gives it two addresses (/31), before that
// it took four (/30), of which the middle two are usable. IPv6: the same sizes, a /127 (RFC 6164)
// and a /126; a /64 whose ends are ::1 and ::2 is told like a /126.
enum class LinkPrefix : uint8_t { k31 = 31, k30 = 30 };

// The other address of the link that `address` is on. nullopt: there is no address, or it is the
// first or last of its /30, which no interface has.
inline std::optional<wire::IpAddress> MateOf(const wire::IpAddress& address, LinkPrefix prefix) {
  if (address.empty()) return std::nullopt;
  const uint8_t low = address.IsV4() ? static_cast<uint8_t>(address.v4()) : address.bytes()[15];
  const uint8_t place = low & 3U;
  if (prefix == LinkPrefix::k30 && (place == 0 || place == 3)) return std::nullopt;
  const uint8_t flip = prefix == LinkPrefix::k31 ? 1 : 3;
  if (address.IsV4()) return wire::IpAddress::V4(address.v4() ^ flip);
  std::array<uint8_t, 16> bytes = address.bytes();
  bytes[15] = static_cast<uint8_t>(bytes[15] ^ flip);
  return wire::IpAddress::V6(bytes);
}

}  // namespace weft::analyzer
