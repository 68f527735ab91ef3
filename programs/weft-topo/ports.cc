// SPDX-License-Identifier: Apache-2.0
#include "topology/route/ports.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "programs/command/fabric_input.h"
#include "programs/command/json.h"
#include "programs/command/options.h"
#include "programs/command/output.h"
#include "programs/weft-topo/host_pair.h"
#include "programs/weft-topo/path_text.h"
#include "programs/weft-topo/subcommands.h"
#include "topology/route/table_fit.h"

namespace weft::topo {
namespace {

using command::Json;
using topology::Direction;
using topology::Fabric;
using topology::GroupFit;
using topology::HashModel;
using topology::NodeIndex;

constexpr const char* kName = "weft-topo ports";
constexpr size_t kMaxPaths = 4096;
constexpr uint32_t kFirstPort = 0xc000;
constexpr uint32_t kLastPort = 0xffff;

struct PortsOptions {
  std::string fabric;
  std::string from;
  std::string to;
  std::vector<std::string> tables;
  std::string hash;
  uint32_t hash_seed = 0;
  std::string hash_choice = "scaled";
  uint32_t fit_seeds = 1;
  std::vector<size_t> paths;  // by number, from 1; empty: all
  std::string via;
  size_t count = 16;
  command::Format format = command::Format::kAuto;
};

struct PathPorts {
  size_t number = 0;  // as `weft-topo path` counts
  std::vector<Direction> links;
  std::vector<uint16_t> ports;
};

// How a switch on the way hashes.
struct HopHash {
  std::string node;
  std::string model;
  GroupFit fit;  // where it was fitted
};

struct Answer {
  std::vector<PathPorts> paths;
  std::vector<HopHash> hops;  // by name; fitted ones only
  size_t all_paths = 0;
};

using GroupKey = std::pair<NodeIndex, std::vector<Direction>>;

// What is known of how switches choose.
class Hashes {
 public:
  Hashes(const topology::Router& router, std::span<const topology::PathTable> tables,
         uint32_t fit_seeds, bool fit)
      : router_(router), fit_(fit) {
    options_.seeds.clear();
    for (uint32_t seed = 0; seed < fit_seeds; ++seed) options_.seeds.push_back(seed);
    for (topology::GroupSamples& group : topology::SamplesOf(router, tables)) {
      const GroupKey key = {group.node, group.members};
      groups_.emplace(key, std::move(group));
    }
  }

  // Whether ports choose among these next hops, and how. FailedPrecondition: they do not, or it is
  // not known how.
  absl::Status Check(NodeIndex node, std::span<const Direction> members) {
    const std::string& name = router_.fabric().node(node).name;
    const auto group = groups_.find({node, {members.begin(), members.end()}});
    if (group != groups_.end() && group->second.mode != topology::HopMode::kUnknown &&
        group->second.mode != topology::HopMode::kHashed) {
      return absl::FailedPreconditionError(
          absl::StrCat(name, " does not hash (", ToString(group->second.mode), " among ",
                       members.size(), " next hops): no source port chooses a path there"));
    }
    if (!fit_) return absl::OkStatus();
    if (group == groups_.end()) {
      return absl::FailedPreconditionError(
          absl::StrCat(name, ": how it hashes is not known: the path tables show nothing of its ",
                       members.size(), " next hops; trace more pairs, or give --hash"));
    }
    const auto [fit, fresh] = fits_.try_emplace(group->first);
    if (fresh) fit->second = topology::FitGroup(group->second, options_);
    if (fit->second.known()) return absl::OkStatus();
    return absl::FailedPreconditionError(
        absl::StrCat(name, ": how it hashes is not known: ", fit->second.reason));
  }

  // After Check() was ok.
  bool Takes(NodeIndex node, std::span<const Direction> members, Direction member,
             const topology::HashedHeaders& headers) const {
    return fits_.at({node, {members.begin(), members.end()}}).hash.Predict(headers) ==
           topology::MemberName(router_.fabric(), members, member);
  }

  std::vector<HopHash> Used() const {
    std::vector<HopHash> used;
    for (const auto& [key, fit] : fits_) {
      used.push_back({router_.fabric().node(key.first).name, topology::ModelText(fit.hash), fit});
    }
    return used;
  }

 private:
  const topology::Router& router_;
  bool fit_;
  topology::FitOptions options_;
  std::map<GroupKey, topology::GroupSamples> groups_;
  std::map<GroupKey, GroupFit> fits_;
};

// One place on a path where there is a choice.
struct Fork {
  NodeIndex node = 0;
  std::span<const Direction> members;
  Direction taken;
};

std::vector<Fork> ForksOf(const topology::Router& router, const std::vector<Direction>& path) {
  const NodeIndex host = router.fabric().To(path.back());
  std::vector<Fork> forks;
  for (Direction link : path) {
    const NodeIndex node = router.fabric().From(link);
    const std::span<const Direction> members = router.NextHops(node, host);
    if (members.size() > 1) forks.push_back({node, members, link});
  }
  return forks;
}

std::vector<uint16_t> SearchPorts(const Hashes& hashes, const std::vector<Fork>& forks,
                                  topology::HashedHeaders headers, size_t count) {
  std::vector<uint16_t> ports;
  for (uint32_t port = kFirstPort; port <= kLastPort && ports.size() < count; ++port) {
    headers.udp_src_port = static_cast<uint16_t>(port);
    if (std::ranges::all_of(forks, [&](const Fork& fork) {
          return hashes.Takes(fork.node, fork.members, fork.taken, headers);
        })) {
      ports.push_back(headers.udp_src_port);
    }
  }
  return ports;
}

bool Crosses(const Fabric& fabric, const std::vector<Direction>& path, NodeIndex node) {
  return std::ranges::any_of(path, [&](Direction link) { return fabric.To(link) == node; });
}

// The wanted paths of the pair, in the order of `weft-topo path`.
absl::StatusOr<Answer> WantedPaths(const topology::Router& router, const PortsOptions& options,
                                   HostPair pair) {
  const Fabric& fabric = router.fabric();
  const auto all = router.AllPaths(pair.from, pair.to, kMaxPaths);
  if (all.empty()) {
    return absl::FailedPreconditionError("no path from " + options.from + " to " + options.to +
                                         ": no links and switches join them");
  }
  std::optional<NodeIndex> via;
  if (!options.via.empty()) {
    via = fabric.FindNode(options.via);
    if (!via) {
      return absl::FailedPreconditionError("--via " + options.via + ": there is no such node");
    }
  }
  Answer answer;
  answer.all_paths = all.size();
  for (size_t number : options.paths) {
    if (number > all.size()) {
      return absl::FailedPreconditionError(
          absl::StrCat("--path ", number, ": the pair has ", all.size(), " shortest paths"));
    }
  }
  for (size_t i = 0; i < all.size(); ++i) {
    const bool wanted = options.paths.empty() || std::ranges::count(options.paths, i + 1) > 0;
    if (wanted && (!via || Crosses(fabric, all[i], *via)))
      answer.paths.push_back({i + 1, all[i], {}});
  }
  if (answer.paths.empty()) {
    return absl::FailedPreconditionError("--via " + options.via +
                                         ": no wanted path crosses this node");
  }
  return answer;
}

// The pair's headers: as its own table wore them, else as the first table did.
absl::StatusOr<topology::HashedHeaders> HeadersFor(const Fabric& fabric, HostPair pair,
                                                   std::span<const topology::PathTable> tables) {
  auto headers = HeadersBetween(fabric, pair);
  if (!headers.ok() || tables.empty()) return headers;
  const auto own = std::ranges::find_if(tables, [&](const topology::PathTable& table) {
    return fabric.FindAddress(table.source_address) == pair.from &&
           fabric.FindAddress(table.destination_address) == pair.to;
  });
  topology::HashedHeaders worn =
      topology::HeadersOf(own == tables.end() ? tables.front() : *own, 0);
  if (own == tables.end()) {
    worn.source = headers->source;
    worn.destination = headers->destination;
  }
  return worn;
}

absl::StatusOr<Answer> FindPorts(const topology::Router& router, const PortsOptions& options,
                                 HostPair pair, std::span<const topology::PathTable> tables) {
  absl::StatusOr<Answer> answer = WantedPaths(router, options, pair);
  if (!answer.ok()) return answer;
  const auto headers = HeadersFor(router.fabric(), pair, tables);
  if (!headers.ok()) return headers.status();
  const bool fit = options.hash.empty();
  Hashes hashes(router, tables, options.fit_seeds, fit);
  for (PathPorts& path : answer->paths) {
    const std::vector<Fork> forks = ForksOf(router, path.links);
    for (const Fork& fork : forks) {
      const absl::Status status = hashes.Check(fork.node, fork.members);
      if (!status.ok()) return status;
    }
    path.ports = fit ? SearchPorts(hashes, forks, *headers, options.count)
                     : topology::PortsFor(router, *headers, path.links, {.limit = options.count});
  }
  answer->hops = hashes.Used();
  return answer;
}

std::string Basis(const PortsOptions& options, const Answer& answer) {
  if (answer.all_paths == 1) return "single path: every port takes it";
  if (!options.hash.empty()) {
    return absl::StrCat("if every switch hashes with ", options.hash, ", seed ", options.hash_seed,
                        ", choice ", options.hash_choice);
  }
  return "by models fitted to the path tables";
}

void PrintText(const Fabric& fabric, const PortsOptions& options, const Answer& answer) {
  std::printf("%s to %s: %zu of %zu shortest %s; %s\n", options.from.c_str(), options.to.c_str(),
              answer.paths.size(), answer.all_paths, answer.all_paths == 1 ? "path" : "paths",
              Basis(options, answer).c_str());
  for (const HopHash& hop : answer.hops) {
    std::printf("  %s: %s (fitted to %u ports, verified on %u of %u others)\n", hop.node.c_str(),
                hop.model.c_str(), hop.fit.fitted, hop.fit.right, hop.fit.checked);
  }
  for (const PathPorts& path : answer.paths) {
    std::printf("%zu  %s\n   %s\n", path.number, PathText(fabric, path.links).c_str(),
                path.ports.empty() ? "no source port of 49152-65535 takes it"
                                   : absl::StrJoin(path.ports, " ").c_str());
  }
}

void PrintJson(const Fabric& fabric, const PortsOptions& options, const Answer& answer) {
  Json json = {{"source", options.from},         {"destination", options.to},
               {"path_count", answer.all_paths}, {"basis", Basis(options, answer)},
               {"fitted", Json::array()},        {"paths", Json::array()}};
  for (const HopHash& hop : answer.hops) {
    json["fitted"].push_back({{"node", hop.node},
                              {"model", hop.model},
                              {"fitted_ports", hop.fit.fitted},
                              {"checked_ports", hop.fit.checked},
                              {"right_ports", hop.fit.right}});
  }
  for (const PathPorts& path : answer.paths) {
    json["paths"].push_back({{"path", path.number},
                             {"switches", PathText(fabric, path.links)},
                             {"udp_src_ports", path.ports}});
  }
  command::PrintJson(json);
}

void PrintCsv(const Fabric& fabric, const Answer& answer) {
  std::printf("path,switches,udp_src_port\n");
  for (const PathPorts& path : answer.paths) {
    for (uint16_t port : path.ports) {
      std::printf("%zu,%s,%u\n", path.number,
                  command::CsvField(PathText(fabric, path.links)).c_str(), port);
    }
  }
}

std::optional<command::ExitCode> ParsePortsOptions(const std::vector<std::string>& arguments,
                                                   PortsOptions* out) {
  command::Options options(
      kName,
      "UDP source ports that take a wanted path, computed and not traced: under a hash model that "
      "is known (--hash), or one that is fitted to path tables and verified on ports of theirs "
      "that "
      "were kept out (--paths). Exit code 1: a switch does not hash, it is not known how it does, "
      "or a path has no port.");
  CLI::App& app = options.app();
  app.add_option("FABRIC", out->fabric, "Fabric records")->required()->type_name("");
  app.add_option("FROM", out->from, "A host's name or address")->required()->type_name("");
  app.add_option("TO", out->to, "Another host's")->required()->type_name("");
  options.AddPaths(&out->tables);
  CLI::Option* hash = app.add_option("--hash", out->hash, "Hash of every switch: crc32, mixed")
                          ->check(CLI::IsMember({"crc32", "mixed"}))
                          ->type_name("MODEL");
  app.add_option("--hash-seed", out->hash_seed, "Seed of every switch's hash")
      ->capture_default_str()
      ->needs(hash)
      ->type_name("SEED");
  app.add_option("--hash-choice", out->hash_choice,
                 "How the hash picks a next hop: scaled (its high bits), modulo")
      ->capture_default_str()
      ->check(CLI::IsMember({"scaled", "modulo"}))
      ->needs(hash)
      ->type_name("HOW");
  app.add_option("--fit-seeds", out->fit_seeds,
                 "Seeds to try, from 0, for hashes that are another hash with another seed")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 16))
      ->excludes(hash)
      ->type_name("N");
  app.add_option("--path", out->paths,
                 "Only this path, as `weft-topo path` counts them (repeatable)")
      ->allow_extra_args(false)
      ->check(CLI::Range(1, static_cast<int>(kMaxPaths)))
      ->type_name("N");
  app.add_option("--via", out->via, "Only paths that cross this node")->type_name("NODE");
  app.add_option("--count", out->count, "Ports per path, at most")
      ->capture_default_str()
      ->check(CLI::Range(1, 16384))
      ->type_name("N");
  options.AddFormat(&out->format);
  if (const auto exit = options.Parse(arguments)) return exit;
  if (out->hash.empty() && out->tables.empty()) {
    return command::UsageError(kName,
                               "how the switches hash is not known: expected --hash MODEL, or "
                               "--paths with the path tables to learn it from");
  }
  return std::nullopt;
}

}  // namespace

command::ExitCode Ports(const std::vector<std::string>& arguments) {
  PortsOptions options;
  if (const auto exit = ParsePortsOptions(arguments, &options)) return *exit;
  bool partial = false;
  const auto fabric = command::ReadFabric(kName, options.fabric, &partial);
  if (!fabric.ok()) return command::PrintError(kName, fabric.status());
  const auto tables =
      command::ReadRecordFiles<topology::PathTable>(kName, options.tables, &partial);
  if (!tables.ok()) return command::PrintError(kName, tables.status());
  const auto pair = FindPair(*fabric, options.from, options.to);
  if (!pair.ok()) return command::UsageError(kName, std::string(pair.status().message()));

  const HashModel model = {
      options.hash == "mixed" ? HashModel::Function::kMixed : HashModel::Function::kCrc32,
      options.hash_seed,
      options.hash_choice == "modulo" ? HashModel::Choice::kModulo : HashModel::Choice::kScaled};
  const topology::Router router(&*fabric, std::vector<HashModel>(fabric->nodes().size(), model),
                                {});
  const absl::StatusOr<Answer> answer = FindPorts(router, options, *pair, *tables);
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
  const bool all =
      std::ranges::none_of(answer->paths, [](const PathPorts& path) { return path.ports.empty(); });
  return command::Worse(all ? command::ExitCode::kOk : command::ExitCode::kFindings,
                        partial ? command::ExitCode::kPartial : command::ExitCode::kOk);
}

}  // namespace weft::topo
