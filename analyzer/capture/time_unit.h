// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace weft::analyzer {

// Turns the 64-bit times of one pcapng interface into nanoseconds since 1970, by integers alone.
// draft-ietf-opsawg-pcapng, section 4.2: if_tsresol is a negative power of 10, or of 2 where its
// highest bit is set; if_tsoffset is added, in seconds. What is finer than a nanosecond is cut off.
class TimeUnit {
 public:
  static constexpr uint8_t kMicroseconds = 6;  // the default of if_tsresol
  static constexpr uint8_t kBaseTwo = 0x80;

  explicit TimeUnit(uint8_t tsresol = kMicroseconds, int64_t offset_s = 0);

  // nullopt: outside of what 64 bits of nanoseconds can tell (the year 2262).
  std::optional<int64_t> ToNs(uint64_t time) const {
    if (time < simple_end_) return static_cast<int64_t>(time * ns_) + simple_offset_ns_;
    return ToNsExactly(time);
  }

 private:
  std::optional<int64_t> ToNsExactly(uint64_t time) const;

  uint8_t exponent_;
  bool is_base_two_;
  int64_t offset_s_;
  // For units of whole nanoseconds, up to times whose product and sum surely fit.
  uint64_t simple_end_ = 0;  // the first time that is none of them
  uint64_t ns_ = 0;
  int64_t simple_offset_ns_ = 0;
};

}  // namespace weft::analyzer
