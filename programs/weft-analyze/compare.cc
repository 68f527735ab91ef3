// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/compare.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>

#include "programs/command/json.h"
#include "programs/command/options.h"
#include "programs/command/output.h"
#include "programs/weft-analyze/inputs.h"
#include "programs/weft-analyze/printing.h"
#include "programs/weft-analyze/subcommands.h"

namespace weft::analyze {
namespace {

using analyzer::Round;
using analyzer::RoundSummary;

constexpr const char* kName = "weft-analyze compare";

// Files of a folder whose name begins so and ends like a record file, in order.
absl::StatusOr<std::vector<std::string>> FindRecordFiles(const std::string& folder,
                                                         const std::string& prefix) {
  std::vector<std::string> files;
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  if (error) {
    return absl::NotFoundError(folder + ": " + error.message() + ": expected a folder of a round");
  }
  for (const std::filesystem::directory_entry& entry : entries) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && (name.ends_with(".jsonl") || name.ends_with(".binpb"))) {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string BaseName(std::string folder) {
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  const std::string name = std::filesystem::path(folder).filename().string();
  return name.empty() ? folder : name;
}

absl::StatusOr<Round> ReadRound(const std::string& folder, bool* partial) {
  Round round;
  round.name = BaseName(folder);
  const auto reports = FindRecordFiles(folder, "reports");
  if (!reports.ok()) return reports.status();
  if (reports->empty()) {
    return absl::NotFoundError(folder + ": no reports*.jsonl: expected flow reports of a round");
  }
  auto read = command::ReadRecordFiles<topology::FlowReport>(kName, *reports, partial);
  if (!read.ok()) return read.status();
  round.reports = *std::move(read);
  const auto paths = FindRecordFiles(folder, "paths");
  if (!paths.ok()) return paths.status();
  auto tables = command::ReadRecordFiles<topology::PathTable>(kName, *paths, partial);
  if (!tables.ok()) return tables.status();
  round.tables = *std::move(tables);
  return round;
}

// Without a file, what the tables of all rounds together show; without any table, nothing.
absl::StatusOr<topology::Fabric> FabricOf(const std::string& path, const std::vector<Round>& rounds,
                                          bool* partial) {
  std::vector<topology::PathTable> tables;
  for (const Round& round : rounds) {
    tables.insert(tables.end(), round.tables.begin(), round.tables.end());
  }
  if (path.empty() && tables.empty()) return topology::Fabric();
  return ReadOrInferFabric(kName, path, tables, partial);
}

void PrintJson(const std::vector<RoundSummary>& rounds) {
  command::Json json = {{"rounds", command::Json::array()}};
  for (const RoundSummary& round : rounds) {
    const auto named = [](bool known, const std::string& name) {
      return known ? command::Json(name) : command::Json(nullptr);
    };
    json["rounds"].push_back(
        {{"name", round.name},
         {"goodput_share", command::OrNull(round.goodput_share)},
         {"received_bytes", round.received_bytes},
         {"sent_bytes", round.sent_bytes},
         {"offered_bps", round.offered_bps},
         {"min_flow_share", command::OrNull(round.min_flow_share)},
         {"min_flow", named(round.min_flow_share.has_value(), round.min_flow)},
         {"jain_index", command::OrNull(round.jain_index)},
         {"fullest_link", command::OrNull(round.fullest_link)},
         {"fullest_link_name", named(round.fullest_link.has_value(), round.fullest_link_name)},
         {"idle_links", command::OrNull(round.idle_links)},
         {"flows", round.flows},
         {"flows_without_report", round.flows_without_report},
         {"flows_without_path", round.flows_without_path},
         {"flows_moved", command::OrNull(round.flows_moved)}});
  }
  command::PrintJson(json);
}

std::string Decimal(const std::optional<double>& value) {
  if (!value) return "unknown";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3f", *value);
  return text.data();
}

std::string Whole(const std::optional<uint32_t>& value, const char* absent) {
  return value ? std::to_string(*value) : absent;
}

void PrintText(const std::vector<RoundSummary>& rounds) {
  std::vector<std::vector<std::string>> table;
  const auto row = [&](const char* name,
                       const std::function<std::string(const RoundSummary&)>& cell) {
    table.push_back({name});
    for (const RoundSummary& round : rounds) table.back().push_back(cell(round));
  };
  row("", [](const RoundSummary& r) { return r.name; });
  row("goodput share", [](const RoundSummary& r) { return Percent(r.goodput_share); });
  row("slowest flow", [](const RoundSummary& r) { return Percent(r.min_flow_share); });
  row("fullest link", [](const RoundSummary& r) { return Percent(r.fullest_link); });
  row("idle links", [](const RoundSummary& r) { return Whole(r.idle_links, "unknown"); });
  row("flows moved", [](const RoundSummary& r) { return Whole(r.flows_moved, ""); });
  row("Jain index", [](const RoundSummary& r) { return Decimal(r.jain_index); });
  const auto any = [&](uint32_t RoundSummary::*count) {
    return std::any_of(rounds.begin(), rounds.end(),
                       [count](const RoundSummary& r) { return r.*count > 0; });
  };
  if (any(&RoundSummary::flows_without_report)) {
    row("without report",
        [](const RoundSummary& r) { return std::to_string(r.flows_without_report); });
  }
  if (any(&RoundSummary::flows_without_path)) {
    row("path not known",
        [](const RoundSummary& r) { return std::to_string(r.flows_without_path); });
  }
  std::fputs(command::FormatTable(table).c_str(), stdout);
}

void PrintCsv(const std::vector<RoundSummary>& rounds) {
  std::printf(
      "round,goodput_share,min_flow_share,fullest_link,idle_links,flows_moved,jain_index\n");
  const auto number = [](const std::optional<double>& value) {
    std::array<char, 32> text{};
    if (value) std::snprintf(text.data(), text.size(), "%.17g", *value);
    return std::string(text.data());
  };
  for (const RoundSummary& round : rounds) {
    std::printf("%s,%s,%s,%s,%s,%s,%s\n", command::CsvField(round.name).c_str(),
                number(round.goodput_share).c_str(), number(round.min_flow_share).c_str(),
                number(round.fullest_link).c_str(), Whole(round.idle_links, "").c_str(),
                Whole(round.flows_moved, "").c_str(), number(round.jain_index).c_str());
  }
}

absl::StatusOr<std::vector<RoundSummary>> Analyze(const std::vector<std::string>& folders,
                                                  const std::string& fabric_path, bool* partial) {
  std::vector<Round> rounds;
  for (const std::string& folder : folders) {
    auto round = ReadRound(folder, partial);
    if (!round.ok()) return round.status();
    rounds.push_back(*std::move(round));
  }
  const auto fabric = FabricOf(fabric_path, rounds, partial);
  if (!fabric.ok()) return fabric.status();
  return analyzer::CompareRounds(*fabric, rounds);
}

}  // namespace

command::ExitCode Compare(const std::vector<std::string>& arguments) {
  std::vector<std::string> folders;
  std::string fabric_path;
  command::Format format = command::Format::kAuto;
  command::Options options(kName,
                           "Rounds of measurement side by side. Each folder is a round named after "
                           "it and holds reports*.jsonl (flow reports) and paths*.jsonl (path "
                           "tables). Exit code 4: some flow has no report.");
  options.app()
      .add_option("DIR", folders, "Folders, the first is the one to compare with")
      ->required()
      ->type_name("");
  options.AddFabric(&fabric_path);
  options.AddFormat(&format);
  if (const auto exit = options.Parse(arguments)) return *exit;

  bool partial = false;
  const auto rounds = Analyze(folders, fabric_path, &partial);
  if (!rounds.ok()) return command::PrintError(kName, rounds.status());
  switch (command::Resolve(format)) {
    case command::Format::kText:
      PrintText(*rounds);
      break;
    case command::Format::kCsv:
      PrintCsv(*rounds);
      break;
    default:
      PrintJson(*rounds);
  }
  for (const RoundSummary& round : *rounds) partial |= round.flows_without_report > 0;
  return partial ? command::ExitCode::kPartial : command::ExitCode::kOk;
}

}  // namespace weft::analyze
