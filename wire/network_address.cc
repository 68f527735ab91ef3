// SPDX-License-Identifier: Apache-2.0
#include "wire/network_address.h"

#include <array>
#include <cstddef>

namespace weft::wire {
namespace {

std::array<uint8_t, 16> OctetsOf(uint64_t high, uint64_t low) {
  std::array<uint8_t, 16> octets{};
  for (size_t i = 0; i < 8; ++i) {
    octets[i] = static_cast<uint8_t>(high >> (56 - 8 * i));
    octets[8 + i] = static_cast<uint8_t>(low >> (56 - 8 * i));
  }
  return octets;
}

uint64_t NumberOf(const std::array<uint8_t, 16>& octets, size_t start) {
  uint64_t number = 0;
  for (size_t i = start; i < start + 8; ++i) number = number << 8 | octets[i];
  return number;
}

}  // namespace

NetworkAddress NetworkAddress::Of(const IpAddress& address) {
  if (address.empty()) return {};
  if (address.IsV4()) return Ipv4(address.v4());
  return Ipv6(NumberOf(address.bytes(), 0), NumberOf(address.bytes(), 8));
}

IpAddress NetworkAddress::ToIp() const {
  if (kind_ == Kind::kIpv4) return IpAddress::V4(static_cast<uint32_t>(low_));
  return kind_ == Kind::kIpv6 ? IpAddress::V6(OctetsOf(high_, low_)) : IpAddress();
}

std::string NetworkAddress::ToString() const {
  switch (kind_) {
    case Kind::kNone:
      return "";
    case Kind::kIpv4:
    case Kind::kIpv6:
      return ToIp().ToString();
    case Kind::kGid:
      return IpAddress::V6(OctetsOf(high_, low_)).ToString();
    case Kind::kLid:
      return "lid " + std::to_string(low_);
  }
  return "";
}

}  // namespace weft::wire
