// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "analyzer/infer/infer.h"
#include "analyzer/infer/naming.h"
#include "programs/command/fabric_input.h"
#include "programs/command/json.h"
#include "programs/command/options.h"
#include "programs/command/output.h"
#include "programs/weft-analyze/inputs.h"
#include "programs/weft-analyze/printing.h"
#include "programs/weft-analyze/subcommands.h"
#include "topology/check/check.h"

namespace weft::analyze {
namespace {

using topology::Fabric;
using topology::NodeKind;
using topology::PathTable;

constexpr const char* kName = "weft-analyze topology";

struct Inputs {
  std::vector<std::string> paths;
  std::string blueprint;
  std::string names;
  std::string known;
  std::vector<std::string> ip_ids;
};

struct Result {
  Fabric fabric;
  std::vector<analyzer::InterfaceJoin> joins;
  analyzer::InferCounts counts;
  size_t one_or_more = 0;  // links of one or more cables, before a blueprint tells how many
  std::optional<topology::CheckResult> check;  // with a blueprint
  std::vector<std::string> not_measured;
  std::vector<topology::Finding> findings;
};

// The pairs that were traced, by the blueprint's names.
topology::CheckOptions TracedPairs(const Fabric& blueprint, std::span<const PathTable> tables) {
  topology::CheckOptions options;
  options.from_traces = true;
  for (const PathTable& table : tables) {
    if (!table.void_reason.empty() || table.paths.empty()) continue;
    const auto from = blueprint.FindAddress(table.source_address);
    const auto to = blueprint.FindAddress(table.destination_address);
    if (!from || !to) continue;
    options.traced_pairs.emplace_back(blueprint.node(*from).name, blueprint.node(*to).name);
  }
  return options;
}

absl::Status CompareWith(const Fabric& blueprint, std::span<const PathTable> tables,
                         const analyzer::InferredFabric& inferred, Result* result) {
  result->check = topology::Check(blueprint, result->fabric, TracedPairs(blueprint, tables));
  analyzer::SetSilentApart(inferred, blueprint, &*result->check);
  auto named = analyzer::NameByBlueprint(result->fabric, blueprint, result->check->matches);
  if (!named.ok()) return named.status();
  result->fabric = *std::move(named);
  for (const std::string& node : result->check->not_measured_nodes) {
    result->not_measured.push_back(node);
  }
  for (const topology::Link& link : result->check->not_measured_links) {
    result->not_measured.push_back(ToString(link.a) + " - " + ToString(link.b));
  }
  // The check says by itself whether the fabric is in parts that the blueprint joins.
  std::erase_if(result->findings, [](const auto& f) { return f.code == "fabric-in-parts"; });
  result->findings.insert(result->findings.end(), result->check->findings.begin(),
                          result->check->findings.end());
  return absl::OkStatus();
}

size_t CountNodes(const Fabric& fabric, NodeKind kind, std::optional<uint32_t> tier) {
  return static_cast<size_t>(
      std::count_if(fabric.nodes().begin(), fabric.nodes().end(), [&](const topology::Node& node) {
        return node.kind == kind && (!tier || node.tier == tier);
      }));
}

size_t CountMatches(const Result& result, bool by_place) {
  if (!result.check) return 0;
  return static_cast<size_t>(std::count_if(
      result.check->matches.begin(), result.check->matches.end(),
      [&](const auto& match) { return (match.how == topology::MatchedBy::kPlace) == by_place; }));
}

// Joins by the sign that made them.
std::map<std::string, size_t> CountJoins(const std::vector<analyzer::InterfaceJoin>& joins) {
  std::map<std::string, size_t> counts;
  for (const analyzer::InterfaceJoin& join : joins) ++counts[ToString(join.sign)];
  return counts;
}

command::Json JoinsJson(const std::vector<analyzer::InterfaceJoin>& joins) {
  command::Json json = command::Json::array();
  for (const analyzer::InterfaceJoin& join : joins) {
    json.push_back({{"a", join.seen.ToString()},
                    {"b", join.mate.ToString()},
                    {"sign", ToString(join.sign)},
                    {"reason", join.reason}});
  }
  return json;
}

void PrintJson(const Result& result) {
  const Fabric& fabric = result.fabric;
  command::PrintJson(
      command::Json{{"leaves", CountNodes(fabric, NodeKind::kSwitch, 0)},
                    {"spines", CountNodes(fabric, NodeKind::kSwitch, 1)},
                    {"cores", CountNodes(fabric, NodeKind::kSwitch, 2)},
                    {"switches", CountNodes(fabric, NodeKind::kSwitch, std::nullopt)},
                    {"hosts", CountNodes(fabric, NodeKind::kHost, std::nullopt)},
                    {"links", fabric.links().size()},
                    {"links_one_or_more", result.one_or_more},
                    {"fabric_identical", result.check ? command::Json(result.check->identical)
                                                      : command::Json(nullptr)},
                    {"fabric_agrees",
                     result.check ? command::Json(result.check->agrees) : command::Json(nullptr)},
                    {"matched_by_identity", CountMatches(result, false)},
                    {"matched_by_structure", CountMatches(result, true)},
                    {"not_measured", result.not_measured},
                    {"paths", result.counts.paths},
                    {"silent_hops", result.counts.silent_hops},
                    {"node_addresses", result.counts.node_addresses},
                    {"joins", JoinsJson(result.joins)},
                    {"joins_refused", result.counts.joins_refused},
                    {"void_tables", result.counts.void_tables},
                    {"hidden_tables", result.counts.hidden_tables},
                    {"findings", command::FindingsJson(result.findings)}});
}

std::string Verdict(const Result& result) {
  if (!result.check) return "no blueprint to compare with";
  if (result.check->identical && result.one_or_more > 0) {
    return "identical to the blueprint as far as can be told: " +
           Count(result.one_or_more, "link is", "links are") +
           " one or more (parallel ones are not told apart)";
  }
  if (result.check->identical) return "identical to the blueprint";
  if (result.check->agrees) {
    return "agrees with the blueprint as far as it was measured";
  }
  return "not what the blueprint says: " +
         Count(static_cast<size_t>(std::count_if(
                   result.check->findings.begin(), result.check->findings.end(),
                   [](const auto& f) { return f.severity == topology::Severity::kError; })),
               "difference");
}

std::string Interfaces(const topology::Node& node) {
  std::string text;
  for (const topology::Interface& interface : node.interfaces) {
    const std::string address = interface.address.ToString();
    text += (text.empty() ? "" : ", ") + interface.name;
    if (!address.empty() && address != interface.name) text += " " + address;
  }
  for (size_t i = 0; i < node.addresses.size(); ++i) {
    const char* before = i > 0 ? " " : text.empty() ? "itself " : ", itself ";
    text += before + node.addresses[i].ToString();
  }
  return text;
}

void PrintSwitches(const Fabric& fabric) {
  std::vector<std::vector<std::string>> rows = {{"switch", "tier", "hosts", "links"}};
  std::vector<std::string> interfaces = {"interfaces"};
  for (topology::NodeIndex i = 0; i < fabric.nodes().size(); ++i) {
    const topology::Node& node = fabric.node(i);
    if (node.kind != NodeKind::kSwitch) continue;
    size_t hosts = 0;
    for (const topology::Adjacency& adjacency : fabric.adjacencies(i)) {
      if (fabric.node(adjacency.neighbour).kind == NodeKind::kHost) ++hosts;
    }
    rows.push_back({node.name, node.tier ? std::to_string(*node.tier) : "?", std::to_string(hosts),
                    std::to_string(fabric.adjacencies(i).size() - hosts)});
    interfaces.push_back(Interfaces(node));
  }
  // Addresses begin with a digit, yet are no numbers to align: they stand behind the table.
  std::istringstream table(command::FormatTable(rows));
  std::printf("\n");
  for (const std::string& text : interfaces) {
    std::string row;
    std::getline(table, row);
    std::printf("%s  %s\n", row.c_str(), text.c_str());
  }
}

void PrintText(const Result& result) {
  const Fabric& fabric = result.fabric;
  const size_t leaves = CountNodes(fabric, NodeKind::kSwitch, 0);
  std::printf("%zu %s, %s, ", leaves, leaves == 1 ? "leaf" : "leaves",
              Count(CountNodes(fabric, NodeKind::kSwitch, 1), "spine").c_str());
  for (uint32_t tier = 2; CountNodes(fabric, NodeKind::kSwitch, tier) > 0; ++tier) {
    std::printf("%s, ", Count(CountNodes(fabric, NodeKind::kSwitch, tier),
                              tier == 2 ? "core" : "switch above tier " + std::to_string(tier - 1))
                            .c_str());
  }
  std::printf("%s, %s; %s\n",
              Count(CountNodes(fabric, NodeKind::kHost, std::nullopt), "host").c_str(),
              Count(fabric.links().size(), "link").c_str(), Verdict(result).c_str());
  if (result.counts.silent_hops > 0) {
    std::printf("%s on %s did not answer\n", Count(result.counts.silent_hops, "hop").c_str(),
                Count(result.counts.paths, "path").c_str());
  }
  if (result.counts.node_addresses > 0) {
    std::printf("%s of nodes, not of interfaces; links without addresses are one or more cables\n",
                Count(result.counts.node_addresses, "address", "addresses").c_str());
  }
  std::string signs;
  for (const auto& [sign, count] : CountJoins(result.joins)) {
    signs += (signs.empty() ? "" : ", ") + std::to_string(count) + " by " + sign;
  }
  if (!signs.empty()) std::printf("addresses joined: %s\n", signs.c_str());
  if (result.counts.void_tables > 0) {
    std::printf("%s void and not used\n", Count(result.counts.void_tables, "table").c_str());
  }
  command::PrintFindings(result.findings);
  constexpr size_t kMaxShown = 20;
  for (size_t i = 0; i < std::min(result.not_measured.size(), kMaxShown); ++i) {
    std::printf("not measured: %s\n", result.not_measured[i].c_str());
  }
  if (result.not_measured.size() > kMaxShown) {
    std::printf("not measured: %zu more\n", result.not_measured.size() - kMaxShown);
  }
  PrintSwitches(fabric);
}

void PrintCsv(const Fabric& fabric) {
  std::printf("a_node,a_interface,b_node,b_interface\n");
  for (const topology::Link& link : fabric.links()) {
    std::printf("%s,%s,%s,%s\n", command::CsvField(link.a.node).c_str(),
                command::CsvField(link.a.interface).c_str(), command::CsvField(link.b.node).c_str(),
                command::CsvField(link.b.interface).c_str());
  }
}

command::ExitCode ExitCodeFor(const Result& result) {
  command::ExitCode code = command::ExitCodeOf(result.findings);
  if (!result.check) return code;
  if (!result.check->agrees) return command::Worse(code, command::ExitCode::kFindings);
  return result.check->identical ? code : command::Worse(code, command::ExitCode::kPartial);
}

absl::StatusOr<Result> Analyze(const Inputs& inputs, bool* partial) {
  const auto tables = ReadTables(kName, inputs.paths, partial);
  if (!tables.ok()) return tables.status();
  const auto read_fabric = [&](const std::string& path) -> absl::StatusOr<std::optional<Fabric>> {
    if (path.empty()) return std::optional<Fabric>();
    auto read = command::ReadFabric(kName, path, partial);
    if (!read.ok()) return read.status();
    return std::optional<Fabric>(*std::move(read));
  };
  const auto blueprint = read_fabric(inputs.blueprint);
  if (!blueprint.ok()) return blueprint.status();
  const auto known = read_fabric(inputs.known);
  if (!known.ok()) return known.status();
  const auto ip_ids =
      command::ReadRecordFiles<topology::ProbeRecord>(kName, inputs.ip_ids, partial);
  if (!ip_ids.ok()) return ip_ids.status();
  auto names = ReadNames(inputs.names);
  if (!names.ok()) return names.status();
  analyzer::JoinSigns signs;
  signs.names = *std::move(names);
  if (*known) signs.known = &**known;
  signs.ip_ids = *ip_ids;
  auto inferred = analyzer::InferFabric(*tables, signs);
  if (!inferred.ok()) return inferred.status();
  Result result;
  result.fabric = std::move(inferred->fabric);
  result.counts = inferred->counts;
  result.joins = std::move(inferred->joins);
  result.findings = std::move(inferred->findings);
  result.one_or_more = static_cast<size_t>(
      std::ranges::count_if(result.fabric.links(), &topology::Link::one_or_more));
  if (*blueprint) {
    absl::Status status = CompareWith(**blueprint, *tables, *inferred, &result);
    if (!status.ok()) return status;
  } else {
    result.not_measured = analyzer::NotMeasured(result.fabric, *tables);
  }
  return result;
}

}  // namespace

command::ExitCode Topology(const std::vector<std::string>& arguments) {
  Inputs inputs;
  std::string output;
  command::Format format = command::Format::kAuto;
  command::Options options(
      kName,
      "Infer the fabric from path tables: interfaces joined into switches, tiers, links. Exit code "
      "with a blueprint: 0 identical, 1 different, 4 agrees but not all of it was measured.");
  options.app()
      .add_option("PATHS", inputs.paths, "Path tables, as `weft-probe trace` writes them")
      ->required()
      ->type_name("");
  options.app()
      .add_option("--blueprint", inputs.blueprint,
                  "Fabric records of what it should be; gives the names")
      ->type_name("FILE");
  options.app()
      .add_option("--names", inputs.names,
                  "Names of addresses, as in /etc/hosts: addresses of one name are one switch")
      ->type_name("FILE");
  options.app()
      .add_option("--known", inputs.known,
                  "Fabric records (LLDP, inventory): addresses of one node are one switch")
      ->type_name("FILE");
  options.app()
      .add_option("--ip-ids", inputs.ip_ids,
                  "Probe records with IP IDs: addresses that share a counter are one switch")
      ->type_name("FILE");
  options.AddOutput(&output);
  options.AddFormat(&format);
  if (const auto exit = options.Parse(arguments)) return *exit;

  bool partial = false;
  const absl::StatusOr<Result> result = Analyze(inputs, &partial);
  if (!result.ok()) return command::PrintError(kName, result.status());
  if (!output.empty()) {
    const absl::Status written =
        topology::WriteRecords<topology::FabricRecord>(output, result->fabric.ToRecords());
    if (!written.ok()) return command::PrintError(kName, written);
  }
  if (output != "-") {
    switch (command::Resolve(format)) {
      case command::Format::kText:
        PrintText(*result);
        break;
      case command::Format::kCsv:
        PrintCsv(result->fabric);
        break;
      default:
        PrintJson(*result);
    }
  }
  return command::Worse(ExitCodeFor(*result),
                        partial ? command::ExitCode::kPartial : command::ExitCode::kOk);
}

}  // namespace weft::analyze
