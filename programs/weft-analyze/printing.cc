// SPDX-License-Identifier: Apache-2.0
#include "programs/weft-analyze/printing.h"

#include <array>
#include <cstdio>

namespace weft::analyze {

std::string Percent(const std::optional<double>& share) {
  if (!share) return "unknown";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f %%", *share * 100);
  return text.data();
}

std::string Grouped(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string FormatBytes(uint64_t bytes) {
  constexpr std::array<const char*, 5> kUnits = {"kB", "MB", "GB", "TB", "PB"};
  if (bytes < 1000) return std::to_string(bytes) + " bytes";
  double value = static_cast<double>(bytes) / 1000;
  size_t unit = 0;
  for (; value >= 1000 && unit + 1 < kUnits.size(); ++unit) value /= 1000;
  std::array<char, 32> text{};
  const int decimals = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  std::snprintf(text.data(), text.size(), "%.*f %s", decimals, value, kUnits[unit]);
  return text.data();
}

std::optional<double> GoodputBps(const analyzer::FlowStats& flow) {
  const int64_t duration_ns = flow.last_ns - flow.first_ns;
  if (!flow.has_times || duration_ns <= 0) return std::nullopt;
  return static_cast<double>(flow.goodput_bytes) * 8e9 / static_cast<double>(duration_ns);
}

std::string Count(size_t count, const std::string& noun, const std::string& plural) {
  const std::string many = plural.empty() ? noun + "s" : plural;
  return std::to_string(count) + " " + (count == 1 ? noun : many);
}

}  // namespace weft::analyze
