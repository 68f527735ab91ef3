// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

#include "topology/records/finding.h"

namespace weft::analyze {

using Json = nlohmann::ordered_json;

Json FindingsJson(std::span<const topology::Finding> findings);  // as in finding records
template <typename T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
void PrintLine(const Json& json);  // one line

std::string CsvField(const std::string& text);  // quoted where it must be
// "12.3 %"; "unknown" where absent.
std::string Percent(const std::optional<double>& share);
// "1 link", "2 links".
std::string Count(size_t count, const std::string& noun);

}  // namespace weft::analyze
