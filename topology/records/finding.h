// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topology/records/record_codec.h"

namespace weft::topology {

enum class Severity : uint8_t { kUnknown, kInfo, kWarning, kError };
const char* ToString(Severity severity);  // "unknown", "info", "warning", "error"

// A number with its unit, or a fact in words (no value), and where it came from.
struct Evidence {
  std::string what;
  std::optional<double> value;
  std::string unit;
  std::string origin;
  bool operator==(const Evidence&) const = default;
};

// One shape for every problem that any program reports. Never without evidence.
struct Finding {
  std::string code;  // stable, kebab-case
  Severity severity = Severity::kUnknown;
  std::string subject;  // link, port, host, QP or flow
  std::vector<Evidence> evidence;
  std::string explanation;
  std::string what_to_do;
  bool operator==(const Finding&) const = default;
};
template <>
inline constexpr RecordKind kRecordKind<Finding> = {"finding", 1};

}  // namespace weft::topology
