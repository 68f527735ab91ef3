// SPDX-License-Identifier: Apache-2.0
#include "programs/weft-analyze/printing.h"

#include <array>
#include <cstdio>

namespace weft::analyze {

Json FindingsJson(std::span<const topology::Finding> findings) {
  Json array = Json::array();
  for (const topology::Finding& finding : findings) {
    array.push_back(Json::parse(topology::RecordCodec<topology::Finding>::ToJson(finding)));
  }
  return array;
}

void PrintLine(const Json& json) {
  // Names come from files: bytes that are not UTF-8 are replaced, not thrown about.
  std::printf("%s\n", json.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
}

std::string CsvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c;
    if (c == '"') quoted += c;
  }
  return quoted + "\"";
}

std::string Percent(const std::optional<double>& share) {
  if (!share) return "unknown";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f %%", *share * 100);
  return text.data();
}

std::string Count(size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace weft::analyze
