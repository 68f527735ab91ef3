// SPDX-License-Identifier: Apache-2.0
#include "wire/ip_address.h"

#include <arpa/inet.h>

#include <algorithm>

namespace weft::wire {

IpAddress IpAddress::V4(uint32_t host_order) {
  IpAddress address;
  address.family_ = Family::kV4;
  for (size_t i = 0; i < 4; ++i) {
    address.bytes_[i] = static_cast<uint8_t>(host_order >> (24 - 8 * i));
  }
  return address;
}

IpAddress IpAddress::V6(const std::array<uint8_t, 16>& network_order) {
  IpAddress address;
  address.family_ = Family::kV6;
  address.bytes_ = network_order;
  return address;
}

std::optional<IpAddress> IpAddress::Parse(std::string_view text) {
  const std::string terminated(text);
  std::array<uint8_t, 16> bytes{};
  if (inet_pton(AF_INET, terminated.c_str(), bytes.data()) == 1) {
    IpAddress address;
    address.family_ = Family::kV4;
    address.bytes_ = bytes;
    return address;
  }
  if (inet_pton(AF_INET6, terminated.c_str(), bytes.data()) == 1) return V6(bytes);
  return std::nullopt;
}

std::string IpAddress::ToString() const {
  if (empty()) return "";
  std::array<char, INET6_ADDRSTRLEN> text{};
  inet_ntop(IsV4() ? AF_INET : AF_INET6, bytes_.data(), text.data(), text.size());
  return text.data();
}

uint32_t IpAddress::v4() const {
  if (!IsV4()) return 0;
  return static_cast<uint32_t>(bytes_[0]) << 24 | static_cast<uint32_t>(bytes_[1]) << 16 |
         static_cast<uint32_t>(bytes_[2]) << 8 | bytes_[3];
}

}  // namespace weft::wire
