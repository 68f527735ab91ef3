// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::wire {

// Writes big-endian fields into a caller's buffer. A write past the end writes nothing and latches
// ok() == false for good. Does not own the bytes.
class ByteWriter {
 public:
  explicit ByteWriter(std::span<std::byte> bytes) : bytes_(bytes) {}

  void U8(uint8_t value) { Number(value, 1); }
  void U16(uint16_t value) { Number(value, 2); }
  void U24(uint32_t value) { Number(value, 3); }
  void U32(uint32_t value) { Number(value, 4); }
  void U64(uint64_t value) { Number(value, 8); }

  void Bytes(std::span<const std::byte> bytes) {
    const std::span<std::byte> out = Grow(bytes.size());
    std::copy_n(bytes.begin(), out.size(), out.begin());
  }
  void Zeroes(size_t size) {
    const std::span<std::byte> out = Grow(size);
    std::fill(out.begin(), out.end(), std::byte{0});
  }

  // Latches ok() == false, for a writer that was given a value which its format cannot hold.
  void Fail() { ok_ = false; }

  size_t written() const { return written_; }
  std::span<std::byte> written_bytes() const { return bytes_.first(written_); }
  bool ok() const { return ok_; }

 private:
  std::span<std::byte> Grow(size_t size) {
    if (!ok_ || size > bytes_.size() - written_) {
      ok_ = false;
      return {};
    }
    const std::span<std::byte> out = bytes_.subspan(written_, size);
    written_ += size;
    return out;
  }
  void Number(uint64_t value, size_t size) {
    const std::span<std::byte> out = Grow(size);
    for (size_t i = 0; i < out.size(); ++i) {
      out[i] = static_cast<std::byte>(value >> (8 * (out.size() - 1 - i)));
    }
  }

  std::span<std::byte> bytes_;
  size_t written_ = 0;
  bool ok_ = true;
};

}  // namespace weft::wire
