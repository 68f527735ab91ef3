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

std::string Count(size_t count, const std::string& noun, const std::string& plural) {
  const std::string many = plural.empty() ? noun + "s" : plural;
  return std::to_string(count) + " " + (count == 1 ? noun : many);
}

}  // namespace weft::analyze
