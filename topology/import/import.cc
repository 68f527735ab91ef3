// SPDX-License-Identifier: Apache-2.0
#include "topology/import/import.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "topology/import/dublin_traceroute.h"
#include "topology/import/flow_tables.h"
#include "topology/import/json_fields.h"
#include "topology/import/scamper.h"

namespace weft::topology {
namespace {

constexpr size_t kMaxDamagedNamed = 100;  // further ones are counted

struct FormatName {
  TraceFormat format;
  const char* name;
};
constexpr std::array<FormatName, 2> kFormatNames = {
    {{TraceFormat::kScamper, "scamper"}, {TraceFormat::kDublinTraceroute, "dublin-traceroute"}}};

absl::Status InvalidFile(const std::string& name, absl::string_view problem) {
  return absl::InvalidArgumentError(absl::StrCat(name, ": ", problem));
}

// One line of scamper's. Other objects than traces are counted; `is_scamper`: one of its own kind.
absl::Status ReadScamperLine(std::string_view line, const std::string& origin, FlowTables& tables,
                             ImportCounts& counts, bool* is_scamper) {
  const absl::StatusOr<Json> object = ParseJson(line);
  if (!object.ok()) return object.status();
  if (!object->is_object()) return absl::InvalidArgumentError("not a JSON object");
  const std::string type = TextField(*object, "type").value_or("");
  if (type == "trace" || type == "tracelb") {
    *is_scamper = true;
    return type == "trace" ? ReadScamperTrace(*object, origin, tables, counts)
                           : ReadScamperGraph(*object, origin, tables, counts);
  }
  if (type.starts_with("cycle-")) *is_scamper = true;
  ++counts.other_objects;
  return absl::OkStatus();
}

bool IsBlank(std::string_view line) {
  return std::ranges::all_of(line, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
}

absl::StatusOr<ImportResult> ImportScamper(std::string_view text, const std::string& name) {
  ImportResult result;
  FlowTables tables;
  bool is_scamper = false;
  std::string first_problem;
  uint64_t line_number = 0;
  while (!text.empty()) {
    ++line_number;
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (IsBlank(line)) continue;
    const std::string origin = absl::StrCat(name, ":", line_number);
    const absl::Status status = ReadScamperLine(line, origin, tables, result.counts, &is_scamper);
    if (status.ok()) continue;
    ++result.counts.damaged;
    if (first_problem.empty()) {
      first_problem = absl::StrCat("; line ", line_number, ": ", status.message());
    }
    if (result.findings.size() < kMaxDamagedNamed) {
      result.findings.push_back(DamagedTrace(origin, std::string(status.message())));
    }
  }
  if (!is_scamper) {
    return InvalidFile(name,
                       absl::StrCat("none of its ", line_number,
                                    " lines is an object of scamper's, expected a JSON object "
                                    "with type \"trace\" or \"tracelb\" a line",
                                    first_problem));
  }
  result.tables = tables.Take();
  return result;
}

absl::StatusOr<ImportResult> ImportDublin(std::string_view text, const std::string& name) {
  const absl::StatusOr<Json> document = ParseJson(text);
  if (!document.ok()) return InvalidFile(name, document.status().message());
  ImportResult result;
  FlowTables tables;
  const absl::Status status =
      ReadDublinTraceroute(*document, name, tables, result.findings, result.counts);
  if (!status.ok()) return InvalidFile(name, status.message());
  result.tables = tables.Take();
  return result;
}

}  // namespace

const char* ToString(TraceFormat format) {
  for (const FormatName& known : kFormatNames) {
    if (known.format == format) return known.name;
  }
  return "unknown";
}

std::optional<TraceFormat> ParseTraceFormat(std::string_view name) {
  for (const FormatName& known : kFormatNames) {
    if (known.name == name) return known.format;
  }
  return std::nullopt;
}

absl::StatusOr<ImportResult> ImportTraces(TraceFormat format, std::string_view text,
                                          const std::string& name) {
  if (IsBlank(text)) return InvalidFile(name, "is empty");
  return format == TraceFormat::kScamper ? ImportScamper(text, name) : ImportDublin(text, name);
}

}  // namespace weft::topology
