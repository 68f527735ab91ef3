// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

#include "topology/records/finding.h"

// JSON results that are not records: one object, keys in the order they are given.
namespace weft::command {

using Json = nlohmann::ordered_json;

template <typename T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json FindingsJson(std::span<const topology::Finding> findings);  // as in finding records

// One line. Bytes that are not UTF-8 (names come from files and arguments) are replaced.
std::string JsonText(const Json& json);
void PrintJson(const Json& json);  // on stdout, with an end of line

}  // namespace weft::command
