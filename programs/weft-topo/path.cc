// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <optional>

#include "programs/command/fabric_input.h"
#include "programs/command/json.h"
#include "programs/command/options.h"
#include "programs/command/output.h"
#include "programs/weft-topo/host_pair.h"
#include "programs/weft-topo/path_text.h"
#include "programs/weft-topo/subcommands.h"
#include "topology/route/route.h"

namespace weft::topo {
namespace {

using command::Json;
using topology::Direction;
using topology::Fabric;
using topology::NodeIndex;

constexpr const char* kName = "weft-topo path";
constexpr size_t kListed = 16;  // in text, unless a limit is given

struct PathOptions {
  std::string fabric;
  std::string from;
  std::string to;
  std::optional<uint16_t> udp_src_port;
  std::string hash;
  uint32_t hash_seed = 0;
  size_t limit = 1024;
  bool list_all = false;  // a limit was asked for: text lists as many as it allows
  command::Format format = command::Format::kAuto;
};

struct Answer {
  std::vector<std::vector<Direction>> paths;
  bool more = false;             // than the limit
  std::optional<size_t> chosen;  // under the hash model
};

std::optional<command::ExitCode> ParsePathOptions(const std::vector<std::string>& arguments,
                                                  PathOptions* out) {
  command::Options options(
      kName,
      "All shortest paths between two hosts. Which of them a packet takes is the switches' own "
      "choice, so a source port's path is measured (weft-probe trace) or computed under a hash "
      "model. Exit code 1: there is no path.");
  CLI::App& app = options.app();
  app.add_option("FABRIC", out->fabric, "Fabric records")->required()->type_name("");
  app.add_option("FROM", out->from, "A host's name or address")->required()->type_name("");
  app.add_option("TO", out->to, "Another host's")->required()->type_name("");
  app.add_option("--udp-src-port", out->udp_src_port, "The packet's UDP source port")
      ->type_name("PORT");
  CLI::Option* hash = app.add_option("--hash", out->hash, "Hash model of every switch: crc32")
                          ->check(CLI::IsMember({"crc32"}))
                          ->needs("--udp-src-port")
                          ->type_name("MODEL");
  app.add_option("--hash-seed", out->hash_seed, "Seed of every switch's hash")
      ->capture_default_str()
      ->needs(hash)
      ->type_name("SEED");
  app.add_option("--limit", out->limit,
                 "Print at most this many paths; unless it is given, text lists 16")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 20))
      ->type_name("N");
  options.AddFormat(&out->format);
  const auto exit = options.Parse(arguments);
  out->list_all = app.count("--limit") > 0;
  return exit;
}

absl::StatusOr<Answer> FindPaths(const topology::Router& router, const PathOptions& options,
                                 NodeIndex from, NodeIndex to) {
  Answer answer;
  answer.paths = router.AllPaths(from, to, options.limit + 1);
  answer.more = answer.paths.size() > options.limit;
  if (answer.more) answer.paths.pop_back();
  if (answer.paths.empty()) {
    return absl::FailedPreconditionError("no path from " + options.from + " to " + options.to +
                                         ": no links and switches join them");
  }
  if (options.hash.empty()) return answer;
  absl::StatusOr<topology::HashedHeaders> headers = HeadersBetween(router.fabric(), {from, to});
  if (!headers.ok()) return headers.status();
  headers->udp_src_port = *options.udp_src_port;
  const auto route = router.Route(*headers);
  if (!route.ok()) return route.status();
  const auto found = std::find(answer.paths.begin(), answer.paths.end(), *route);
  if (found == answer.paths.end()) {
    answer.paths.push_back(*route);  // beyond the limit
    answer.chosen = answer.paths.size() - 1;
  } else {
    answer.chosen = static_cast<size_t>(found - answer.paths.begin());
  }
  return answer;
}

std::string Note(const PathOptions& options, const Answer& answer) {
  if (answer.paths.size() == 1 && !answer.more) return "single path: nothing to balance";
  if (options.udp_src_port && options.hash.empty()) {
    return "which of them UDP source port " + std::to_string(*options.udp_src_port) +
           " takes, the fabric alone does not tell: trace it (weft-probe trace), or predict it "
           "under "
           "a hash model (--hash crc32 --hash-seed SEED)";
  }
  if (answer.chosen) {
    return "UDP source port " + std::to_string(*options.udp_src_port) + " takes path " +
           std::to_string(*answer.chosen + 1) + " if every switch hashes with " + options.hash +
           " and seed " + std::to_string(options.hash_seed);
  }
  return "";
}

// What many paths have in common, for these are too many to read.
void PrintHops(const Fabric& fabric, const Answer& answer) {
  std::vector<std::vector<std::string>> rows = {{"hop", "switches"}};
  for (const std::string& text : HopTexts(fabric, answer.paths)) {
    rows.push_back({std::to_string(rows.size()), text});
  }
  std::printf("%s\n", command::FormatTable(rows).c_str());
}

void PrintText(const Fabric& fabric, const PathOptions& options, const Answer& answer) {
  std::printf("%s to %s: %zu shortest %s%s\n", options.from.c_str(), options.to.c_str(),
              answer.paths.size(), answer.paths.size() == 1 ? "path" : "paths",
              answer.more ? " shown, there are more (--limit)" : "");
  const bool many = answer.paths.size() > kListed;
  if (many) PrintHops(fabric, answer);
  size_t left_out = 0;
  for (size_t i = 0; i < answer.paths.size(); ++i) {
    if (many && !options.list_all && i >= kListed && answer.chosen != i) {
      ++left_out;
      continue;
    }
    std::printf("%c %zu  %s\n", answer.chosen == i ? '*' : ' ', i + 1,
                PathText(fabric, answer.paths[i]).c_str());
  }
  if (left_out > 0) {
    std::printf("  and %zu more paths: --limit %zu lists them\n", left_out, answer.paths.size());
  }
  const std::string note = Note(options, answer);
  if (!note.empty()) std::printf("%s\n", note.c_str());
}

void PrintJson(const Fabric& fabric, const PathOptions& options, const Answer& answer) {
  Json json = {{"source", fabric.node(fabric.From(answer.paths[0].front())).name},
               {"destination", fabric.node(fabric.To(answer.paths[0].back())).name},
               {"path_count", answer.paths.size()},
               {"more_paths", answer.more},
               {"chosen", nullptr},
               {"note", Note(options, answer)}};
  if (answer.chosen) json["chosen"] = *answer.chosen;
  for (const std::vector<Direction>& path : answer.paths) {
    Json nodes = {fabric.node(fabric.From(path.front())).name};
    Json links = Json::array();
    for (Direction direction : path) {
      nodes.push_back(fabric.node(fabric.To(direction)).name);
      const topology::DirectedLink link = fabric.Describe(direction);
      links.push_back({{"from", {{"node", link.from.node}, {"interface", link.from.interface}}},
                       {"to", {{"node", link.to.node}, {"interface", link.to.interface}}}});
    }
    json["paths"].push_back({{"nodes", nodes}, {"links", links}});
  }
  command::PrintJson(json);
}

void PrintCsv(const Fabric& fabric, const Answer& answer) {
  std::printf("path,link,from_node,from_interface,to_node,to_interface\n");
  for (size_t path = 0; path < answer.paths.size(); ++path) {
    for (size_t i = 0; i < answer.paths[path].size(); ++i) {
      const topology::DirectedLink link = fabric.Describe(answer.paths[path][i]);
      std::printf(
          "%zu,%zu,%s,%s,%s,%s\n", path + 1, i + 1, command::CsvField(link.from.node).c_str(),
          command::CsvField(link.from.interface).c_str(), command::CsvField(link.to.node).c_str(),
          command::CsvField(link.to.interface).c_str());
    }
  }
}

}  // namespace

command::ExitCode Path(const std::vector<std::string>& arguments) {
  PathOptions options;
  if (const auto exit = ParsePathOptions(arguments, &options)) return *exit;
  bool partial = false;
  const auto fabric = command::ReadFabric(kName, options.fabric, &partial);
  if (!fabric.ok()) return command::PrintError(kName, fabric.status());
  const auto pair = FindPair(*fabric, options.from, options.to);
  if (!pair.ok()) return command::UsageError(kName, std::string(pair.status().message()));

  const std::vector<topology::HashModel> hashes(
      fabric->nodes().size(), {topology::HashModel::Function::kCrc32, options.hash_seed});
  const topology::Router router(&*fabric, hashes, {});
  const absl::StatusOr<Answer> answer = FindPaths(router, options, pair->from, pair->to);
  if (!answer.ok()) return command::PrintError(kName, answer.status());
  switch (command::Resolve(options.format)) {
    case command::Format::kText:
      PrintText(*fabric, options, *answer);
      break;
    case command::Format::kCsv:
      PrintCsv(*fabric, *answer);
      break;
    default:
      PrintJson(*fabric, options, *answer);
  }
  return partial ? command::ExitCode::kPartial : command::ExitCode::kOk;
}

}  // namespace weft::topo
