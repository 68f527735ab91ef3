// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>

namespace weft::probe {

// Random numbers that are the same for one seed on every machine and standard library (whose
// distributions are not).
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  uint64_t Bits() { return engine_(); }
  double Unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }  // [0, 1)
  // [0, bound), bound at least 1. The bias is below bound / 2^53.
  uint64_t Below(uint64_t bound) {
    return static_cast<uint64_t>(Unit() * static_cast<double>(bound));
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace weft::probe
