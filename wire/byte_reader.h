// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::wire {

// Reads big-endian fields from received bytes. A read past the end returns zeroes and latches
// ok() == false for good, so a parser follows its diagram and checks once, before it uses a value
// in a branch or a loop. Does not own the bytes.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  uint8_t U8() { return static_cast<uint8_t>(Number(1)); }
  uint16_t U16() { return static_cast<uint16_t>(Number(2)); }
  uint32_t U24() { return static_cast<uint32_t>(Number(3)); }
  uint32_t U32() { return static_cast<uint32_t>(Number(4)); }
  uint64_t U64() { return Number(8); }

  // The next `size` bytes, or an empty span (and not ok()) where there are fewer. The only way to
  // follow a length field or to skip.
  std::span<const std::byte> Take(size_t size) {
    if (size > bytes_.size()) {
      Fail();
      return {};
    }
    const std::span<const std::byte> taken = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return taken;
  }

  std::span<const std::byte> Rest() { return Take(bytes_.size()); }
  size_t remaining() const { return bytes_.size(); }
  bool ok() const { return ok_; }

  // Latches ok() == false, for a parser that found a value which its format forbids.
  void Fail() {
    ok_ = false;
    bytes_ = {};
  }

 private:
  uint64_t Number(size_t size) {
    uint64_t value = 0;
    for (const std::byte byte : Take(size)) value = value << 8 | static_cast<uint8_t>(byte);
    return value;
  }

  std::span<const std::byte> bytes_;
  bool ok_ = true;
};

}  // namespace weft::wire
