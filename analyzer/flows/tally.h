// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace weft::analyzer {

// How often something was seen, and where first: the evidence that a finding quotes.
struct Tally {
  static constexpr size_t kKept = 4;

  uint64_t count = 0;
  std::array<uint64_t, kKept> packets{};  // numbers of the first ones; 0 where there are fewer

  void Note(uint64_t packet_number) {
    if (count < kKept) packets[count] = packet_number;
    ++count;
  }
  bool operator==(const Tally&) const = default;
};

}  // namespace weft::analyzer
