// SPDX-License-Identifier: Apache-2.0
#include "analyzer/capture/time_unit.h"

#include <limits>

namespace weft::analyzer {
namespace {

constexpr uint8_t kNanoseconds = 9;
constexpr int64_t kNsPerSecond = 1'000'000'000;
// Beyond, a time of 64 bits is less than a nanosecond: 2^64 < 10^20, 2^64 * 10^9 < 2^94.
constexpr uint8_t kMaxDecimal = kNanoseconds + 19;
constexpr uint8_t kMaxBinary = 93;
// About 146 years each way, for the sums that need no check.
constexpr int64_t kHalfRangeNs = std::numeric_limits<int64_t>::max() / 2;

constexpr uint64_t PowerOfTen(unsigned exponent) {
  uint64_t power = 1;
  for (unsigned i = 0; i < exponent; ++i) power *= 10;
  return power;
}

}  // namespace

TimeUnit::TimeUnit(uint8_t tsresol, int64_t offset_s)
    : exponent_(tsresol & 0x7f), is_base_two_((tsresol & kBaseTwo) != 0), offset_s_(offset_s) {
  constexpr int64_t kMaxOffset = kHalfRangeNs / kNsPerSecond;
  // 10^0 and 2^0 are both whole seconds; other binary units are no whole nanoseconds.
  const bool is_whole = is_base_two_ ? exponent_ == 0 : exponent_ <= kNanoseconds;
  if (!is_whole || offset_s < -kMaxOffset || offset_s > kMaxOffset) return;
  ns_ = is_base_two_ ? static_cast<uint64_t>(kNsPerSecond) : PowerOfTen(9u - exponent_);
  simple_offset_ns_ = offset_s * kNsPerSecond;
  simple_end_ = static_cast<uint64_t>(kHalfRangeNs) / ns_;
}

std::optional<int64_t> TimeUnit::ToNsExactly(uint64_t time) const {
  unsigned __int128 ns = 0;
  if (is_base_two_) {
    if (exponent_ <= kMaxBinary) {
      ns = static_cast<unsigned __int128>(time) * static_cast<uint64_t>(kNsPerSecond) >> exponent_;
    }
  } else if (exponent_ <= kNanoseconds) {
    ns = static_cast<unsigned __int128>(time) * PowerOfTen(9u - exponent_);
  } else if (exponent_ <= kMaxDecimal) {
    ns = time / PowerOfTen(exponent_ - 9u);
  }
  const __int128 sum = static_cast<__int128>(ns) + static_cast<__int128>(offset_s_) * kNsPerSecond;
  if (sum < std::numeric_limits<int64_t>::min() || sum > std::numeric_limits<int64_t>::max()) {
    return std::nullopt;
  }
  return static_cast<int64_t>(sum);
}

}  // namespace weft::analyzer
