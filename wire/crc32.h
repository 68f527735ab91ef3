// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::wire {

// CRC-32 of Ethernet and zlib: polynomial 0x04C11DB7 (IEEE 802.3, clause 3.2.9), reflected, initial
// value and final inversion all ones. Streams: pieces given to Update() one after the other count
// as their concatenation.
class Crc32 {
 public:
  void Update(std::span<const std::byte> bytes);
  uint32_t value() const { return ~state_; }

 private:
  uint32_t state_ = 0xffffffff;
};

// One of the ways in which Update() moves its state on; for tests and benchmarks that hold them
// together. Others call Crc32, which takes the quickest one for the size.
struct Crc32Method {
  const char* name = "";
  uint32_t (*advance)(uint32_t state, std::span<const std::byte> bytes) = nullptr;
};

// "tables" (sixteen bytes a step, tables made by the compiler) is always there, "isal" (carry-less
// multiplication by ISA-L) where that library was there when this was built.
std::span<const Crc32Method> Crc32Methods();

}  // namespace weft::wire
