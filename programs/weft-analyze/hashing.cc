// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>

#include "analyzer/polarisation/polarisation.h"
#include "programs/command/json.h"
#include "programs/command/options.h"
#include "programs/command/output.h"
#include "programs/weft-analyze/inputs.h"
#include "programs/weft-analyze/printing.h"
#include "programs/weft-analyze/subcommands.h"

namespace weft::analyze {
namespace {

using analyzer::HashGroup;
using analyzer::HashReport;
using analyzer::HashVerdict;
using analyzer::TierPair;

constexpr const char* kName = "weft-analyze hashing";

void PrintJson(const HashReport& report) {
  command::Json json = {{"flows", report.flow_count},
                        {"flows_not_followed", report.unplaced},
                        {"groups", command::Json::array()},
                        {"tiers", command::Json::array()},
                        {"findings", command::FindingsJson(report.findings)}};
  for (const HashGroup& group : report.groups) {
    json["groups"].push_back({{"node", group.node},
                              {"tier", command::OrNull(group.tier)},
                              {"members", group.members},
                              {"flows_per_member", group.flows},
                              {"flows", group.flow_count},
                              {"members_used", group.members_used},
                              {"members_expected", group.members_expected},
                              {"p_value", command::OrNull(group.p_value)},
                              {"fullest_probability", command::OrNull(group.fullest_probability)},
                              {"hashed", group.hashed},
                              {"verdict", ToString(group.verdict)}});
  }
  for (const TierPair& tiers : report.tiers) {
    json["tiers"].push_back({{"lower", tiers.lower},
                             {"upper", tiers.upper},
                             {"groups", tiers.groups},
                             {"flows", tiers.flow_count},
                             {"members", tiers.members},
                             {"members_used", tiers.members_used},
                             {"members_expected", tiers.members_expected},
                             {"p_value", tiers.p_value},
                             {"never_used_share", tiers.never_used_share},
                             {"verdict", ToString(tiers.verdict)}});
  }
  command::PrintJson(json);
}

std::string Number(double value, const char* format) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

// Of all groups of a tier. The worst verdict, and unknown only where no group could be judged.
struct TierSummary {
  uint32_t groups = 0;
  uint32_t members = 0;
  uint32_t used = 0;
  uint64_t flows = 0;
  std::map<HashVerdict, uint32_t> verdicts;
};

std::string Verdict(const TierSummary& tier) {
  std::string text;
  for (const HashVerdict verdict :
       {HashVerdict::kPolarised, HashVerdict::kUneven, HashVerdict::kEven, HashVerdict::kUnknown}) {
    const auto found = tier.verdicts.find(verdict);
    if (found == tier.verdicts.end()) continue;
    text += (text.empty() ? "" : ", ") +
            (tier.verdicts.size() == 1 ? "" : std::to_string(found->second) + " ") +
            ToString(verdict);
  }
  return text;
}

void PrintTiers(const HashReport& report) {
  std::map<std::optional<uint32_t>, TierSummary> tiers;
  for (const HashGroup& group : report.groups) {
    TierSummary& tier = tiers[group.tier];
    ++tier.groups;
    tier.members += static_cast<uint32_t>(group.members.size());
    tier.used += group.members_used;
    tier.flows += group.flow_count;
    ++tier.verdicts[group.verdict];
  }
  std::vector<std::vector<std::string>> rows = {
      {"tier", "groups", "flows", "members used", "of", "verdict"}};
  for (const auto& [number, tier] : tiers) {
    rows.push_back({number ? std::to_string(*number) : "?", std::to_string(tier.groups),
                    std::to_string(tier.flows), std::to_string(tier.used),
                    std::to_string(tier.members), Verdict(tier)});
  }
  if (rows.size() > 1) std::printf("\n%s", command::FormatTable(rows).c_str());
  rows = {{"tiers", "flows", "members used", "of", "expected", "p", "never used", "verdict"}};
  for (const TierPair& pair : report.tiers) {
    rows.push_back({std::to_string(pair.lower) + " then " + std::to_string(pair.upper),
                    std::to_string(pair.flow_count), std::to_string(pair.members_used),
                    std::to_string(pair.members), Number(pair.members_expected, "%.1f"),
                    Number(pair.p_value, "%.2g"), Percent(pair.never_used_share),
                    pair.verdict == HashVerdict::kEven ? "independent" : ToString(pair.verdict)});
  }
  if (rows.size() > 1) std::printf("\n%s", command::FormatTable(rows).c_str());
}

std::string Shares(const HashGroup& group) {
  constexpr size_t kMaxMembers = 8;
  std::string text;
  for (size_t i = 0; i < std::min(group.members.size(), kMaxMembers); ++i) {
    text += (i > 0 ? ", " : "") + group.members[i] + " " + std::to_string(group.flows[i]);
  }
  if (group.members.size() > kMaxMembers) {
    text += ", and " + std::to_string(group.members.size() - kMaxMembers) + " more";
  }
  return text;
}

void PrintGroups(const HashReport& report) {
  constexpr size_t kMaxRows = 40;
  std::vector<std::vector<std::string>> rows = {
      {"switch", "tier", "flows", "used", "of", "verdict", "p", "flows per member"}};
  for (const HashGroup& group : report.groups) {
    if (rows.size() > kMaxRows) break;
    const std::optional<double> p = group.p_value ? group.p_value : group.fullest_probability;
    rows.push_back({group.node, group.tier ? std::to_string(*group.tier) : "?",
                    std::to_string(group.flow_count), std::to_string(group.members_used),
                    std::to_string(group.members.size()),
                    group.hashed ? ToString(group.verdict) : "not hashed",
                    p ? Number(*p, "%.2g") : "-", Shares(group)});
  }
  if (rows.size() > 1) std::printf("\n%s", command::FormatTable(rows).c_str());
  if (report.groups.size() > kMaxRows) {
    std::printf("and %zu more groups\n", report.groups.size() - kMaxRows);
  }
}

void PrintText(const HashReport& report) {
  std::printf("%s in %s of equal ways", Count(report.flow_count, "distinct flow").c_str(),
              Count(report.groups.size(), "group").c_str());
  if (report.unplaced > 0) std::printf("; %u could not be followed", report.unplaced);
  std::printf("\n");
  command::PrintFindings(report.findings);
  PrintTiers(report);
  PrintGroups(report);
}

void PrintCsv(const HashReport& report) {
  std::printf("switch,tier,member,flows,group_flows,verdict\n");
  for (const HashGroup& group : report.groups) {
    for (size_t i = 0; i < group.members.size(); ++i) {
      std::printf("%s,%s,%s,%u,%u,%s\n", command::CsvField(group.node).c_str(),
                  group.tier ? std::to_string(*group.tier).c_str() : "",
                  command::CsvField(group.members[i]).c_str(), group.flows[i], group.flow_count,
                  ToString(group.verdict));
    }
  }
}

struct HashingOptions {
  std::vector<std::string> paths;
  std::string fabric;
  std::string flows;
  command::Format format = command::Format::kAuto;
};

absl::StatusOr<HashReport> Analyze(const HashingOptions& options, bool* partial) {
  const auto tables = ReadTables(kName, options.paths, partial);
  if (!tables.ok()) return tables.status();
  const auto fabric = ReadOrInferFabric(kName, options.fabric, *tables, partial);
  if (!fabric.ok()) return fabric.status();
  if (options.flows.empty()) return analyzer::JudgeHashing(*fabric, *tables, std::nullopt);
  const auto flows = command::ReadRecordFiles<topology::Flow>(kName, {options.flows}, partial);
  if (!flows.ok()) return flows.status();
  return analyzer::JudgeHashing(*fabric, *tables, *flows);
}

}  // namespace

command::ExitCode Hashing(const std::vector<std::string>& arguments) {
  HashingOptions chosen;
  command::Options options(
      kName,
      "Judge by distinct flows how evenly switches spread them over equal ways, and whether tiers "
      "choose alike, so that some paths are never used. Exit code 4: some flow could not be "
      "followed.");
  options.app()
      .add_option("TABLES", chosen.paths, "Path tables, as `weft-probe trace` writes them")
      ->required()
      ->type_name("");
  options.AddFabric(&chosen.fabric);
  options.app()
      .add_option("--flows", chosen.flows, "Judge these flows only, not all measured ports")
      ->type_name("FILE");
  options.AddFormat(&chosen.format);
  if (const auto exit = options.Parse(arguments)) return *exit;

  bool partial = false;
  const absl::StatusOr<HashReport> report = Analyze(chosen, &partial);
  if (!report.ok()) return command::PrintError(kName, report.status());
  switch (command::Resolve(chosen.format)) {
    case command::Format::kText:
      PrintText(*report);
      break;
    case command::Format::kCsv:
      PrintCsv(*report);
      break;
    default:
      PrintJson(*report);
  }
  partial |= report->unplaced > 0;
  return command::Worse(command::ExitCodeOf(report->findings),
                        partial ? command::ExitCode::kPartial : command::ExitCode::kOk);
}

}  // namespace weft::analyze
