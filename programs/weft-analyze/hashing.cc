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
#include "topology/route/table_fit.h"

namespace weft::analyze {
namespace {

using analyzer::HashGroup;
using analyzer::HashReport;
using analyzer::HashVerdict;
using analyzer::TierPair;

constexpr const char* kName = "weft-analyze hashing";

// Which hash one switch's choice among one group follows.
struct FittedGroup {
  std::string node;
  std::vector<std::string> members;
  topology::GroupFit fit;
};

struct Result {
  HashReport report;
  std::optional<std::vector<FittedGroup>> models;  // where they were asked for
};

command::Json ModelsJson(const std::vector<FittedGroup>& models) {
  command::Json json = command::Json::array();
  for (const FittedGroup& group : models) {
    json.push_back({{"node", group.node},
                    {"members", group.members},
                    {"model", group.fit.known() ? topology::ModelText(group.fit.hash) : "unknown"},
                    {"fitted_ports", group.fit.fitted},
                    {"checked_ports", group.fit.checked},
                    {"right_ports", group.fit.right},
                    {"alternatives", group.fit.hash.alternatives()},
                    {"reason", group.fit.reason}});
  }
  return json;
}

void PrintModels(const std::vector<FittedGroup>& models) {
  constexpr size_t kMaxModels = 40;
  for (size_t i = 0; i < std::min(models.size(), kMaxModels); ++i) {
    const FittedGroup& group = models[i];
    std::printf("%snext hops of %s (%s%s): ", i == 0 ? "\n" : "", group.node.c_str(),
                group.members.front().c_str(),
                group.members.size() > 2
                    ? (" and " + std::to_string(group.members.size() - 1) + " others").c_str()
                    : (", " + group.members.back()).c_str());
    if (!group.fit.known()) {
      std::printf("model unknown: %s\n", group.fit.reason.c_str());
      continue;
    }
    std::printf("follow %s (fitted to %u ports, verified on %u of %u others)\n",
                topology::ModelText(group.fit.hash).c_str(), group.fit.fitted, group.fit.right,
                group.fit.checked);
  }
  if (models.size() > kMaxModels) {
    std::printf("and %zu more switches\n", models.size() - kMaxModels);
  }
  if (models.empty()) std::printf("\nno measured port met a choice that a model could explain\n");
}

void PrintJson(const Result& result) {
  const HashReport& report = result.report;
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
  if (result.models) json["models"] = ModelsJson(*result.models);
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

void PrintText(const Result& result) {
  const HashReport& report = result.report;
  std::printf("%s in %s of equal ways", Count(report.flow_count, "distinct flow").c_str(),
              Count(report.groups.size(), "group").c_str());
  if (report.unplaced > 0) std::printf("; %u could not be followed", report.unplaced);
  std::printf("\n");
  command::PrintFindings(report.findings);
  PrintTiers(report);
  PrintGroups(report);
  if (result.models) PrintModels(*result.models);
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
  bool fit = false;
  uint32_t fit_seeds = 1;
  command::Format format = command::Format::kAuto;
};

std::vector<FittedGroup> FitModels(const topology::Fabric& fabric,
                                   std::span<const topology::PathTable> tables, uint32_t seeds) {
  const topology::Router router(&fabric, std::vector<topology::HashModel>(fabric.nodes().size()),
                                {});
  topology::FitOptions options;
  options.seeds.clear();
  for (uint32_t seed = 0; seed < seeds; ++seed) options.seeds.push_back(seed);
  std::vector<FittedGroup> models;
  for (const topology::GroupSamples& group : topology::SamplesOf(router, tables)) {
    FittedGroup fitted = {fabric.node(group.node).name, {}, topology::FitGroup(group, options)};
    for (topology::Direction member : group.members) {
      fitted.members.push_back(topology::MemberName(fabric, group.members, member));
    }
    models.push_back(std::move(fitted));
  }
  return models;
}

absl::StatusOr<Result> Analyze(const HashingOptions& options, bool* partial) {
  const auto tables = ReadTables(kName, options.paths, partial);
  if (!tables.ok()) return tables.status();
  const auto fabric = ReadOrInferFabric(kName, options.fabric, *tables, partial);
  if (!fabric.ok()) return fabric.status();
  std::optional<std::vector<topology::Flow>> flows;
  if (!options.flows.empty()) {
    auto read = command::ReadRecordFiles<topology::Flow>(kName, {options.flows}, partial);
    if (!read.ok()) return read.status();
    flows = *std::move(read);
  }
  auto report = analyzer::JudgeHashing(*fabric, *tables, flows);
  if (!report.ok()) return report.status();
  Result result = {*std::move(report), std::nullopt};
  if (options.fit) result.models = FitModels(*fabric, *tables, options.fit_seeds);
  return result;
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
  CLI::Option* fit =
      options.app().add_flag("--fit", chosen.fit,
                             "Fit a hash model to every switch's choices, and verify it on ports "
                             "that were kept out");
  options.app()
      .add_option("--fit-seeds", chosen.fit_seeds,
                  "Seeds to try, from 0, for hashes that are another hash with another seed")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 16))
      ->needs(fit)
      ->type_name("N");
  options.AddFormat(&chosen.format);
  if (const auto exit = options.Parse(arguments)) return *exit;

  bool partial = false;
  const absl::StatusOr<Result> result = Analyze(chosen, &partial);
  if (!result.ok()) return command::PrintError(kName, result.status());
  const HashReport& report = result->report;
  switch (command::Resolve(chosen.format)) {
    case command::Format::kText:
      PrintText(*result);
      break;
    case command::Format::kCsv:
      PrintCsv(report);
      break;
    default:
      PrintJson(*result);
  }
  partial |= report.unplaced > 0;
  return command::Worse(command::ExitCodeOf(report.findings),
                        partial ? command::ExitCode::kPartial : command::ExitCode::kOk);
}

}  // namespace weft::analyze
