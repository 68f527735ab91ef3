// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "wire/ip_address.h"

namespace weft::analyzer {

// How a point-to-point link is numbered: RFC 3021 gives it two addresses, before that it took four,
// of which the middle two are usable.
enum class LinkPrefix : uint8_t { k31 = 31, k30 = 30 };

// The other address of the link that `address` is on. nullopt: `address` is not IPv4, or it is the
// first or last of its /30, which no interface has.
inline std::optional<wire::IpAddress> MateOf(const wire::IpAddress& address, LinkPrefix prefix) {
  if (!address.IsV4()) return std::nullopt;
  if (prefix == LinkPrefix::k31) return wire::IpAddress::V4(address.v4() ^ 1U);
  const uint32_t place = address.v4() & 3U;
  if (place == 0 || place == 3) return std::nullopt;
  return wire::IpAddress::V4(address.v4() ^ 3U);
}

}  // namespace weft::analyzer
