// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

namespace weft::probe {

// RoCEv2's source ports.
inline constexpr uint16_t kFirstRocePort = 0xc000;
inline constexpr uint16_t kLastRocePort = 0xffff;

// RoCEv2's source ports in an order that the seed gives, none twice.
class PortSource {
 public:
  PortSource(uint64_t seed, std::span<const uint16_t> avoid);

  std::optional<uint16_t> Next();  // nullopt: those were all

 private:
  std::vector<bool> used_;  // by port, from kFirstRocePort
  size_t left_;
  std::mt19937_64 random_;
};

}  // namespace weft::probe
