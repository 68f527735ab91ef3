// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

// Loads of big-endian fields for hot paths that have checked the size once, where byte_reader.h
// checks each field. The caller guarantees that the bytes are there, at any alignment.
namespace weft::wire {

static_assert(std::endian::native == std::endian::little ||
              std::endian::native == std::endian::big);

inline uint8_t LoadBig8(const std::byte* bytes) { return static_cast<uint8_t>(*bytes); }

inline uint16_t LoadBig16(const std::byte* bytes) {
  uint16_t value = 0;
  std::memcpy(&value, bytes, sizeof(value));
  return std::endian::native == std::endian::little ? __builtin_bswap16(value) : value;
}

inline uint32_t LoadBig32(const std::byte* bytes) {
  uint32_t value = 0;
  std::memcpy(&value, bytes, sizeof(value));
  return std::endian::native == std::endian::little ? __builtin_bswap32(value) : value;
}

inline uint64_t LoadBig64(const std::byte* bytes) {
  uint64_t value = 0;
  std::memcpy(&value, bytes, sizeof(value));
  return std::endian::native == std::endian::little ? __builtin_bswap64(value) : value;
}

}  // namespace weft::wire
