// SPDX-License-Identifier: Apache-2.0
#include "topology/check/check.h"

#include <cstdio>

#include "programs/command/fabric_input.h"
#include "programs/command/json.h"
#include "programs/command/options.h"
#include "programs/command/output.h"
#include "programs/weft-topo/subcommands.h"

namespace weft::topo {
namespace {

using command::Json;
using topology::CheckResult;

constexpr const char* kName = "weft-topo check";

Json ToJson(const topology::PortRef& port) {
  return {{"node", port.node}, {"interface", port.interface}};
}

Json ToJson(const std::vector<topology::Link>& links) {
  Json array = Json::array();
  for (const topology::Link& link : links) {
    array.push_back({{"a", ToJson(link.a)}, {"b", ToJson(link.b)}});
  }
  return array;
}

void PrintJson(const CheckResult& result) {
  Json json = {{"identical", result.identical}, {"agrees", result.agrees}};
  json["matches"] = Json::array();
  for (const topology::NodeMatch& match : result.matches) {
    json["matches"].push_back({{"blueprint", match.blueprint},
                               {"actual", match.actual},
                               {"by", topology::ToString(match.how)}});
  }
  json["missing_nodes"] = result.missing_nodes;
  json["extra_nodes"] = result.extra_nodes;
  json["not_measured_nodes"] = result.not_measured_nodes;
  json["missing_links"] = ToJson(result.missing_links);
  json["extra_links"] = ToJson(result.extra_links);
  json["not_measured_links"] = ToJson(result.not_measured_links);
  json["not_told_apart_links"] = result.not_told_apart_links;
  json["findings"] = Json::array();
  for (const topology::Finding& finding : result.findings) {
    json["findings"].push_back(
        Json::parse(topology::RecordCodec<topology::Finding>::ToJson(finding)));
  }
  command::PrintJson(json);
}

void PrintCsv(const CheckResult& result) {
  std::printf("severity,code,subject,explanation\n");
  for (const topology::Finding& finding : result.findings) {
    std::printf("%s,%s,%s,%s\n", topology::ToString(finding.severity), finding.code.c_str(),
                command::CsvField(finding.subject).c_str(),
                command::CsvField(finding.explanation).c_str());
  }
}

size_t CountMatches(const CheckResult& result, topology::MatchedBy how) {
  size_t count = 0;
  for (const topology::NodeMatch& match : result.matches) count += match.how == how ? 1 : 0;
  return count;
}

void PrintText(const CheckResult& result) {
  const bool all_told = result.not_told_apart_links == 0;
  std::printf("%s\n", result.identical ? all_told ? "identical" : "identical as far as can be told"
                      : result.agrees  ? "agrees as far as it was measured"
                                       : "different");
  std::printf("nodes matched: %zu by address, %zu by name, %zu by place\n",
              CountMatches(result, topology::MatchedBy::kAddress),
              CountMatches(result, topology::MatchedBy::kName),
              CountMatches(result, topology::MatchedBy::kPlace));
  std::printf("nodes: %zu missing, %zu extra, %zu not measured\n", result.missing_nodes.size(),
              result.extra_nodes.size(), result.not_measured_nodes.size());
  std::printf("links: %zu missing, %zu extra, %zu not measured\n", result.missing_links.size(),
              result.extra_links.size(), result.not_measured_links.size());
  if (!all_told) {
    std::printf("links of one or more cables that stand for several: %u\n",
                result.not_told_apart_links);
  }
  for (const std::string& node : result.not_measured_nodes) {
    std::printf("not measured: %s\n", node.c_str());
  }
  for (const topology::Link& link : result.not_measured_links) {
    std::printf("not measured: %s - %s\n", ToString(link.a).c_str(), ToString(link.b).c_str());
  }
  command::PrintFindings(result.findings);
}

command::ExitCode ExitCodeFor(const CheckResult& result) {
  if (result.identical) return command::ExitCode::kOk;
  return result.agrees ? command::ExitCode::kPartial : command::ExitCode::kFindings;
}

}  // namespace

command::ExitCode Check(const std::vector<std::string>& arguments) {
  std::string blueprint_path;
  std::string actual_path;
  topology::CheckOptions check_options;
  command::Format format = command::Format::kAuto;
  command::Options options(
      kName,
      "Compare a blueprint with the fabric that is there. Exit code 0: identical; "
      "1: different; 4: agrees, but not all of it was measured.");
  options.app()
      .add_option("BLUEPRINT", blueprint_path, "Fabric records of what it should be")
      ->required()
      ->type_name("");
  options.app()
      .add_option("ACTUAL", actual_path, "Fabric records of what it is")
      ->required()
      ->type_name("");
  options.app().add_flag("--from-traces", check_options.from_traces,
                         "ACTUAL is from traces: what lies between no two hosts of it is not "
                         "measured, instead of missing");
  options.AddFormat(&format);
  if (const auto exit = options.Parse(arguments)) return *exit;

  bool partial = false;
  const auto blueprint = command::ReadFabric(kName, blueprint_path, &partial);
  if (!blueprint.ok()) return command::PrintError(kName, blueprint.status());
  const auto actual = command::ReadFabric(kName, actual_path, &partial);
  if (!actual.ok()) return command::PrintError(kName, actual.status());

  const CheckResult result = topology::Check(*blueprint, *actual, check_options);
  switch (command::Resolve(format)) {
    case command::Format::kText:
      PrintText(result);
      break;
    case command::Format::kCsv:
      PrintCsv(result);
      break;
    default:
      PrintJson(result);
  }
  return command::Worse(ExitCodeFor(result),
                        partial ? command::ExitCode::kPartial : command::ExitCode::kOk);
}

}  // namespace weft::topo
