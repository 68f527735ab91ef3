// SPDX-License-Identifier: Apache-2.0
#include "analyzer/locate/locate.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analyzer/infer/path_links.h"
#include "analyzer/infer/table_index.h"

namespace weft::analyzer {
namespace {

using topology::Fabric;
using topology::Finding;
using topology::Path;
using topology::PathState;
using topology::PathTable;
using topology::Severity;

// A switch, or one direction of a link: what can be at fault.
struct Component {
  bool is_switch = false;
  std::string name;
  auto operator<=>(const Component&) const = default;
};

// Who crosses a component.
struct Crossing {
  std::set<size_t> dead;  // indices into the dead paths
  uint32_t living = 0;
};

class Locator {
 public:
  explicit Locator(const Fabric& fabric) : fabric_(fabric) {}

  void Add(const PathTable& table) {
    if (!table.void_reason.empty()) {
      ++result_.void_tables;
      return;
    }
    for (const Path& path : table.paths) Count(table, path);
  }

  LocateResult Finish() {
    SortDead();
    Tally();
    Choose();
    DropRedundant();
    for (const Component& component : chosen_) Accuse(component);
    SayUnexplained();
    return std::move(result_);
  }

 private:
  struct Measured {
    DeadPath dead;  // for dead paths
    std::vector<Component> components;
    bool operator<(const Measured& other) const {
      const auto key = [](const DeadPath& path) {
        return std::tie(path.source, path.destination, path.hops, path.udp_src_ports);
      };
      return key(dead) < key(other.dead);
    }
  };

  void Count(const PathTable& table, const Path& path) {
    ++result_.paths;
    const PlacedPath placed = PlacePath(fabric_, table, path);
    if (path.state == PathState::kAlive || path.state == PathState::kLossy) {
      ++(path.state == PathState::kAlive ? result_.alive : result_.lossy);
      for (const Component& component : ComponentsOf(placed)) ++crossings_[component].living;
    } else if (path.state == PathState::kDead) {
      ++result_.dead;
      Measured measured;
      measured.components = ComponentsOf(placed);
      measured.dead.source = EndName(fabric_, table.source, table.source_address);
      measured.dead.destination = EndName(fabric_, table.destination, table.destination_address);
      for (size_t i = 0; i < path.hops.size(); ++i) {
        measured.dead.hops.push_back(HopName(fabric_, placed, path, i));
      }
      measured.dead.udp_src_ports = path.udp_src_ports;
      dead_.push_back(std::move(measured));
    } else {
      ++result_.unknown;
    }
  }

  std::vector<Component> ComponentsOf(const PlacedPath& placed) const {
    std::set<Component> components;
    for (const auto& node : placed.switches) {
      if (node) components.insert({true, fabric_.node(*node).name});
    }
    for (size_t i = 0; i < placed.links.size(); ++i) {
      if (placed.links[i]) components.insert({false, LinkName(*placed.links[i], placed.cables[i])});
    }
    return {components.begin(), components.end()};
  }

  // By its nodes, and by its interfaces too where several links run between the two and `cables`,
  // as PlacedPath has them, is 1: the path crossed this one.
  std::string LinkName(topology::Direction direction, uint32_t cables) const {
    const topology::DirectedLink link = fabric_.Describe(direction);
    if (cables != 1) {
      return cables == 0 ? ToString(link) : absl::StrCat(ToString(link), " (", cables, " cables)");
    }
    uint32_t parallel = 0;
    for (const topology::Adjacency& adjacency : fabric_.adjacencies(fabric_.From(direction))) {
      if (adjacency.neighbour == fabric_.To(direction)) ++parallel;
    }
    return parallel < 2 ? ToString(link)
                        : absl::StrCat(ToString(link.from), " -> ", ToString(link.to));
  }

  void SortDead() {
    std::sort(dead_.begin(), dead_.end());
    for (size_t i = 0; i < dead_.size(); ++i) {
      for (const Component& component : dead_[i].components) crossings_[component].dead.insert(i);
      result_.dead_paths.push_back(dead_[i].dead);
      open_.insert(i);
    }
  }

  void Tally() {
    for (const topology::Node& node : fabric_.nodes()) {
      const auto found = crossings_.find({true, node.name});
      if (found == crossings_.end()) continue;
      const auto dead = static_cast<uint32_t>(found->second.dead.size());
      result_.by_switch.push_back({node.name, found->second.living + dead, dead});
    }
  }

  bool IsCandidate(const Crossing& crossing) const {
    if (crossing.living > 0 || crossing.dead.size() < 2) return false;
    std::set<std::pair<std::string, std::string>> pairs;
    for (const size_t i : crossing.dead)
      pairs.emplace(dead_[i].dead.source, dead_[i].dead.destination);
    return pairs.size() >= 2;
  }

  // Greedy: the candidate with the most dead paths that none before it explains. Among equals a
  // switch, as its links cannot be told from it then; then by name.
  void Choose() {
    std::vector<Component> candidates;
    for (const auto& [component, crossing] : crossings_) {
      if (IsCandidate(crossing)) candidates.push_back(component);
    }
    while (!open_.empty()) {
      std::tuple<size_t, bool> best = {0, false};
      const Component* pick = nullptr;
      for (const Component& candidate : candidates) {
        const std::set<size_t>& dead = crossings_.at(candidate).dead;
        const auto explained = static_cast<size_t>(std::count_if(
            dead.begin(), dead.end(), [this](size_t i) { return open_.contains(i); }));
        const std::tuple<size_t, bool> rank = {explained, candidate.is_switch};
        if (explained == 0 || (pick != nullptr && rank <= best)) continue;
        best = rank;
        pick = &candidate;
      }
      if (pick == nullptr) return;
      for (const size_t i : crossings_.at(*pick).dead) open_.erase(i);
      chosen_.push_back(*pick);
    }
  }

  // What later choices explain together need not be blamed by itself.
  void DropRedundant() {
    for (size_t i = 0; i < chosen_.size();) {
      const std::set<size_t>& own = crossings_.at(chosen_[i]).dead;
      const bool needed = std::any_of(own.begin(), own.end(), [&](size_t path) {
        return std::none_of(chosen_.begin(), chosen_.end(), [&](const Component& other) {
          return other != chosen_[i] && crossings_.at(other).dead.contains(path);
        });
      });
      if (needed) {
        ++i;
      } else {
        chosen_.erase(chosen_.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }

  void Accuse(const Component& component) {
    const Crossing& crossing = crossings_.at(component);
    Suspect suspect;
    suspect.name = component.name;
    suspect.is_switch = component.is_switch;
    suspect.dead_paths = static_cast<uint32_t>(crossing.dead.size());
    suspect.living_elsewhere = result_.alive + result_.lossy;
    suspect.dead_elsewhere = result_.dead - suspect.dead_paths;
    std::set<std::pair<std::string, std::string>> pairs;
    for (const size_t i : crossing.dead) {
      DeadPath& path = result_.dead_paths[i];
      pairs.emplace(path.source, path.destination);
      if (path.suspect.empty()) path.suspect = component.name;
    }
    for (const auto& [source, destination] : pairs) {
      suspect.both_directions |= pairs.contains({destination, source});
    }
    for (const auto& [other, its] : crossings_) {
      if (other != component && its.living == 0 && its.dead == crossing.dead) {
        suspect.alternatives.push_back(other.name);
      }
    }
    result_.findings.push_back(FindingOf(suspect, pairs.size()));
    result_.suspects.push_back(std::move(suspect));
  }

  Finding FindingOf(const Suspect& suspect, size_t pairs) const {
    const uint32_t others = result_.alive + result_.lossy + suspect.dead_elsewhere;
    Finding finding{"path-dead-cause", Severity::kError, suspect.name, {}, "", ""};
    finding.evidence = {
        {absl::StrCat("dead paths through it",
                      suspect.both_directions ? ", in both directions" : "", "; living ones: 0"),
         static_cast<double>(suspect.dead_paths), "paths", "path tables"},
        {"directions of pairs with such a path", static_cast<double>(pairs), "directions",
         "path tables"},
        {absl::StrCat("against it: dead among the ", others, " other paths"),
         static_cast<double>(suspect.dead_elsewhere), "paths", "path tables"}};
    finding.explanation = absl::StrCat(suspect.dead_paths, " of ", suspect.dead_paths,
                                       " paths through ", suspect.name, " are dead",
                                       suspect.both_directions ? " in both directions" : "", ", ",
                                       suspect.dead_elsewhere, " of ", others, " others.");
    if (!suspect.alternatives.empty()) {
      absl::StrAppend(&finding.explanation, " The same paths cross ",
                      absl::StrJoin(suspect.alternatives, "; "),
                      ": which of them it is cannot be told from these tables.");
    }
    finding.what_to_do =
        suspect.is_switch ? "Take the switch out of service and look at its forwarding and links."
                          : "Look at the transmitter, cable and receiver of this direction.";
    return finding;
  }

  void SayUnexplained() {
    if (open_.empty()) return;
    constexpr size_t kMaxNamed = 20;
    Finding finding{"path-dead-unexplained",
                    Severity::kError,
                    absl::StrCat(open_.size(), open_.size() == 1 ? " path" : " paths"),
                    {},
                    "",
                    ""};
    for (const size_t i : open_) {
      if (finding.evidence.size() == kMaxNamed) {
        finding.evidence.push_back({"more dead paths",
                                    static_cast<double>(open_.size() - kMaxNamed), "paths",
                                    "path tables"});
        break;
      }
      const DeadPath& path = dead_[i].dead;
      finding.evidence.push_back({absl::StrCat(path.source, " -> ", path.destination, " through ",
                                               absl::StrJoin(path.hops, ", ")),
                                  std::nullopt, "", "path tables"});
    }
    finding.explanation =
        "These paths are dead, but no switch or link is crossed by at least two "
        "dead paths of different pairs and by no living one.";
    finding.what_to_do = "Trace more pairs, both ways, so that more paths cross the same links.";
    result_.findings.push_back(std::move(finding));
  }

  const Fabric& fabric_;
  std::vector<Measured> dead_;
  std::map<Component, Crossing> crossings_;
  std::set<size_t> open_;  // dead paths not yet explained
  std::vector<Component> chosen_;
  LocateResult result_;
};

}  // namespace

LocateResult LocateDeadPaths(const Fabric& fabric, std::span<const PathTable> tables) {
  Locator locator(fabric);
  const TableIndex index(fabric, tables);
  for (const PathTable* table : index.tables()) locator.Add(*table);
  return locator.Finish();
}

}  // namespace weft::analyzer
