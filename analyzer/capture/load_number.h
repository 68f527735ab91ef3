// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

// Capture files are in the byte order of the machine that wrote them. `kSwap`: not in ours.
namespace weft::analyzer {

template <bool kSwap>
inline uint32_t Load32(const std::byte* at) {
  uint32_t number = 0;
  std::memcpy(&number, at, sizeof number);
  return kSwap ? __builtin_bswap32(number) : number;
}

template <bool kSwap>
inline uint16_t Load16(const std::byte* at) {
  uint16_t number = 0;
  std::memcpy(&number, at, sizeof number);
  return kSwap ? __builtin_bswap16(number) : number;
}

inline uint32_t Load32(const std::byte* at, bool swap) {
  return swap ? Load32<true>(at) : Load32<false>(at);
}
inline uint16_t Load16(const std::byte* at, bool swap) {
  return swap ? Load16<true>(at) : Load16<false>(at);
}
inline uint64_t Load64(const std::byte* at, bool swap) {
  uint64_t number = 0;
  std::memcpy(&number, at, sizeof number);
  return swap ? __builtin_bswap64(number) : number;
}

}  // namespace weft::analyzer
