// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

#include "tests/wire/hex.h"

namespace weft::wire {

// Field values from a fixed seed.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  uint8_t U8() { return static_cast<uint8_t>(engine_()); }
  uint16_t U16() { return static_cast<uint16_t>(engine_()); }
  uint32_t U24() { return static_cast<uint32_t>(engine_() & 0xffffff); }
  uint32_t U32() { return static_cast<uint32_t>(engine_()); }
  uint64_t U64() { return engine_(); }
  bool Bit() { return engine_() % 2 != 0; }
  size_t Below(size_t bound) { return engine_() % bound; }

  Bytes Octets(size_t size) {
    Bytes bytes(size);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(U8());
    return bytes;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace weft::wire
