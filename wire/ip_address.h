// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace weft::wire {

// An IPv4 or IPv6 address, or none (the default). A value type; orders IPv4 before IPv6.
class IpAddress {
 public:
  enum class Family : uint8_t { kNone, kV4, kV6 };

  IpAddress() = default;
  static IpAddress V4(uint32_t host_order);
  static IpAddress V6(const std::array<uint8_t, 16>& network_order);

  // Text as inet_pton(3) takes it, without a prefix length. nullopt: not an address.
  static std::optional<IpAddress> Parse(std::string_view text);
  std::string ToString() const;  // empty for none

  Family family() const { return family_; }
  bool IsV4() const { return family_ == Family::kV4; }
  bool IsV6() const { return family_ == Family::kV6; }
  bool empty() const { return family_ == Family::kNone; }
  uint32_t v4() const;                                             // host order; 0 unless IsV4()
  const std::array<uint8_t, 16>& bytes() const { return bytes_; }  // V4: the first four

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the comparison's 0 for a pointer.
  auto operator<=>(const IpAddress&) const = default;

  template <typename H>
  friend H AbslHashValue(H h, const IpAddress& a) {
    return H::combine(std::move(h), a.family_, a.bytes_);
  }

 private:
  Family family_ = Family::kNone;
  std::array<uint8_t, 16> bytes_{};
};

}  // namespace weft::wire
