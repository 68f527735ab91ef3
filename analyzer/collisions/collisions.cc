// SPDX-License-Identifier: Apache-2.0
#include "analyzer/collisions/collisions.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analyzer/collisions/hashing.h"
#include "analyzer/infer/path_links.h"
#include "analyzer/infer/table_index.h"

namespace weft::analyzer {
namespace {

using topology::Direction;
using topology::Fabric;
using topology::Finding;
using topology::Flow;
using topology::LinkLoad;
using topology::Path;
using topology::PathState;
using topology::PathTable;
using topology::Severity;

// Links that some pair could use in each other's stead: they stand at one place of its paths.
class Choices {
 public:
  void Together(Direction a, Direction b) { parent_[Root(a)] = Root(b); }
  Direction Root(Direction link) {
    auto found = parent_.emplace(link, link).first;
    while (found->second != found->first) found = parent_.find(found->second);
    return found->first;
  }

 private:
  std::map<Direction, Direction> parent_;
};

std::string Words(const Fabric& fabric, const PathTable& table, const Path& path) {
  const PlacedPath placed = PlacePath(fabric, table, path);
  std::string words;
  for (size_t i = 0; i < path.hops.size(); ++i) {
    absl::StrAppend(&words, i > 0 ? ", " : "", HopName(fabric, placed, path, i));
  }
  return words;
}

// Why no port chooses a path of this table; empty: ports do.
std::string ModeWords(const PathTable& table) {
  for (const topology::HopBehaviour& hop : table.hop_behaviours) {
    if (hop.mode == topology::HopMode::kUnknown || hop.mode == topology::HopMode::kHashed) continue;
    return absl::StrCat("no source port chooses its path: hop ", hop.hop_index, " (",
                        !hop.node.empty()      ? hop.node
                        : !hop.address.empty() ? hop.address.ToString()
                                               : "silent",
                        ") is ", ToString(hop.mode));
  }
  return "";
}

class Collider {
 public:
  Collider(const Fabric& fabric, std::span<const PathTable> tables)
      : fabric_(fabric), index_(fabric, tables) {
    for (const PathTable* table : index_.tables()) {
      if (table->void_reason.empty()) AddTable(*table);
    }
  }

  CollisionReport Run(std::span<const Flow> flows) {
    report_.flow_count = static_cast<uint32_t>(flows.size());
    for (const Flow& flow : flows) Place(flow);
    Collect();
    for (const LinkLoad& link : report_.links) Judge(link);
    SayBundles();
    SayUnplaced();
    return std::move(report_);
  }

 private:
  void AddTable(const PathTable& table) {
    std::vector<std::optional<Direction>> first;  // a link seen at each place of this pair's paths
    for (const Path& path : table.paths) {
      const PlacedPath placed = PlacePath(fabric_, table, path);
      const bool living = IsLiving(path);
      first.resize(std::max(first.size(), placed.links.size()));
      for (size_t i = 0; i < placed.links.size(); ++i) {
        if (!placed.links[i]) continue;
        if (placed.cables[i] != 1) cables_[*placed.links[i]] = placed.cables[i];
        if (living) living_[*placed.links[i]];
        if (path.state == PathState::kDead) on_dead_.insert(*placed.links[i]);
        if (!living) continue;
        if (first[i]) choices_.Together(*first[i], *placed.links[i]);
        first[i] = placed.links[i];
      }
    }
  }

  void Place(const Flow& flow) {
    const PathTable* table = index_.Find(flow);
    if (table == nullptr) return Unplaced(flow, "its pair has no path table", false);
    if (!table->void_reason.empty()) {
      return Unplaced(flow, "its path table is void: " + table->void_reason, false);
    }
    if (!table->hidden_reason.empty()) {
      return Unplaced(flow, "an overlay hides its pair's paths: " + table->hidden_reason, false);
    }
    if (const std::string mode = ModeWords(*table); !mode.empty()) {
      return Unplaced(flow, mode, false);
    }
    const auto path = std::find_if(table->paths.begin(), table->paths.end(), [&](const Path& p) {
      const auto has = [&](const std::vector<uint16_t>& ports) {
        return std::find(ports.begin(), ports.end(), flow.udp_src_port) != ports.end();
      };
      return has(p.udp_src_ports) || has(p.computed_udp_src_ports);
    });
    if (path == table->paths.end()) {
      return Unplaced(
          flow, absl::StrCat("source port ", flow.udp_src_port, " was not measured for its pair"),
          false);
    }
    const std::string words = Words(fabric_, *table, *path);
    if (path->state == PathState::kDead) {
      return Unplaced(flow, "the path is dead: " + words, true);
    }
    const PlacedPath placed = PlacePath(fabric_, *table, *path);
    if (!placed.complete) {
      return Unplaced(flow, "the fabric lacks a link of its path: " + words, false);
    }
    if (!IsLiving(*path)) {
      return Unplaced(flow, "it is not known whether packets arrive by its path: " + words, false);
    }
    for (const std::optional<Direction>& link : placed.links) living_[*link].push_back(&flow);
  }

  void Unplaced(const Flow& flow, std::string reason, bool dead) {
    report_.unplaced.push_back({flow.id, std::move(reason), dead});
  }

  // Of a direction; of all cables together where they are not told apart.
  std::optional<double> CapacityOf(Direction direction) const {
    const auto bundle = cables_.find(direction);
    if (bundle == cables_.end()) return fabric_.link(direction.link).capacity_bps;
    if (bundle->second == 0) return std::nullopt;
    double sum = 0;
    for (const topology::Adjacency& adjacency : fabric_.adjacencies(fabric_.From(direction))) {
      if (adjacency.neighbour != fabric_.To(direction)) continue;
      const std::optional<double> one = fabric_.link(adjacency.direction.link).capacity_bps;
      if (!one) return std::nullopt;
      sum += *one;
    }
    return sum;
  }

  LinkLoad Load(Direction direction, const std::vector<const Flow*>& flows) const {
    LinkLoad load;
    load.link = fabric_.Describe(direction);
    load.capacity_bps = CapacityOf(direction);
    load.between_switches = fabric_.BetweenSwitches(direction.link);
    for (const Flow* flow : flows) {
      load.offered_bps += flow->rate_bps;
      load.flows.push_back(flow->id);
    }
    if (load.capacity_bps && *load.capacity_bps > 0) {
      load.load = load.offered_bps / *load.capacity_bps;
    }
    return load;
  }

  void Collect() {
    std::vector<std::pair<LinkLoad, Direction>> loads;
    for (const auto& [direction, flows] : living_) {
      loads.emplace_back(Load(direction, flows), direction);
    }
    std::sort(loads.begin(), loads.end(), [](const auto& x, const auto& y) {
      const auto key = [](const LinkLoad& load) {
        return std::make_tuple(-load.load.value_or(0), -load.offered_bps,
                               -static_cast<double>(load.flows.size()));
      };
      return std::make_pair(key(x.first), x.first.link) <
             std::make_pair(key(y.first), y.first.link);
    });
    for (auto& [load, direction] : loads) {
      if (!load.between_switches) {
        report_.host_links.push_back(std::move(load));
        continue;
      }
      if (load.flows.empty()) ++report_.idle_links;
      if (load.flows.size() >= 2) ++report_.links_with_several;
      if (load.load && (!report_.fullest_link || *load.load > *report_.fullest_link)) {
        report_.fullest_link = load.load;
        report_.fullest_link_name = ToString(load.link);
      }
      const auto bundle = cables_.find(direction);
      if (bundle != cables_.end() && !load.flows.empty()) {
        report_.bundles.push_back({load.link, bundle->second});
      }
      groups_[choices_.Root(direction)].push_back(load);
      group_of_.emplace(load.link, choices_.Root(direction));
      report_.links.push_back(std::move(load));
    }
    for (const Direction direction : on_dead_) {
      if (living_.contains(direction) || !fabric_.BetweenSwitches(direction.link)) continue;
      report_.dead_links.push_back(fabric_.Describe(direction));
    }
    std::sort(report_.dead_links.begin(), report_.dead_links.end());
  }

  void Judge(const LinkLoad& link) {
    const std::vector<LinkLoad>& group = groups_.at(group_of_.at(link.link));
    uint32_t flows = 0;
    std::vector<std::string> idle;
    for (const LinkLoad& other : group) {
      flows += static_cast<uint32_t>(other.flows.size());
      if (other.flows.empty()) idle.push_back(ToString(other.link));
    }
    const bool too_full = link.load && *link.load > 1 + kRounding;
    const auto count = static_cast<uint32_t>(link.flows.size());
    const auto bundle = std::find_if(report_.bundles.begin(), report_.bundles.end(),
                                     [&](const LinkBundle& b) { return b.link == link.link; });
    const uint32_t cables = bundle == report_.bundles.end() ? 1 : bundle->cables;
    // Flows beside each other on cables of their own share nothing.
    if (!too_full && (count < 2 || count <= cables || idle.empty())) return;

    Finding finding{"elephant-collision",
                    too_full ? Severity::kError : Severity::kWarning,
                    ToString(link.link),
                    {},
                    "",
                    ""};
    finding.evidence.push_back({"flows: " + absl::StrJoin(link.flows, ", "),
                                static_cast<double>(count), "flows", "flows and path tables"});
    finding.evidence.push_back({"offered", link.offered_bps / 1e6, "Mbit/s", "flows"});
    if (link.capacity_bps) {
      finding.evidence.push_back({"capacity", *link.capacity_bps / 1e6, "Mbit/s", "fabric"});
    }
    if (!idle.empty()) {
      finding.evidence.push_back({"equal choices without a flow: " + absl::StrJoin(idle, ", "),
                                  static_cast<double>(idle.size()), "links", "path tables"});
    }
    const auto links = static_cast<uint32_t>(group.size());
    const std::optional<double> chance = FullestLinkProbability(flows, links, count);
    if (links > 1 && count > 1 && chance) {
      finding.evidence.push_back({absl::StrCat("chance that hashing ", flows, " flows over ", links,
                                               " links puts ", count, " or more on one"),
                                  *chance, "probability", "computed"});
    }
    if (cables != 1) {
      finding.evidence.push_back({cables == 0 ? "cables: one or more, not told apart by traces"
                                              : "cables beside each other",
                                  cables == 0 ? std::nullopt : std::optional<double>(cables),
                                  cables == 0 ? "" : "cables", "fabric"});
    }
    finding.explanation =
        too_full ? "More is offered than the link carries: every flow on it is slowed or loses "
                   "packets."
                 : "Several flows share this link while an equal choice carries none.";
    finding.what_to_do =
        idle.empty() && links <= 1
            ? "Only one living link leads there: lower the rates, or repair or add a link."
            : "Move flows to other source ports: weft-lb plan.";
    report_.findings.push_back(std::move(finding));
  }

  void SayBundles() {
    if (report_.bundles.empty()) return;
    constexpr size_t kMaxNamed = 10;
    const size_t unknown = static_cast<size_t>(
        std::count_if(report_.bundles.begin(), report_.bundles.end(),
                      [](const LinkBundle& bundle) { return bundle.cables == 0; }));
    Finding finding{
        "cables-not-told-apart",
        Severity::kInfo,
        absl::StrCat(report_.bundles.size(), report_.bundles.size() == 1 ? " link" : " links"),
        {},
        "",
        ""};
    for (const LinkBundle& bundle : report_.bundles) {
      if (finding.evidence.size() == kMaxNamed) break;
      finding.evidence.push_back(
          {ToString(bundle.link),
           bundle.cables == 0 ? std::nullopt : std::optional<double>(bundle.cables),
           bundle.cables == 0 ? "" : "cables", "fabric"});
    }
    finding.explanation =
        "Links without addresses: which cable a flow takes is not known, so its load is counted on "
        "all cables between the two together, and a single one may be fuller.";
    if (unknown > 0) {
      absl::StrAppend(&finding.explanation, " Of ", unknown, unknown == 1 ? " link" : " links",
                      " not even the number of cables is known, nor the capacity.");
      finding.what_to_do = "Give the number of cables with --fabric.";
    }
    report_.findings.push_back(std::move(finding));
  }

  void SayUnplaced() {
    for (const bool dead : {true, false}) {
      Finding finding{dead ? "flow-path-dead" : "flow-path-unknown",
                      dead ? Severity::kError : Severity::kWarning,
                      "",
                      {},
                      "",
                      ""};
      size_t count = 0;
      for (const UnplacedFlow& flow : report_.unplaced) {
        if (flow.dead != dead) continue;
        ++count;
        finding.evidence.push_back(
            {flow.flow + ": " + flow.reason, std::nullopt, "", "flows and path tables"});
      }
      if (count == 0) continue;
      finding.subject = absl::StrCat(count, count == 1 ? " flow" : " flows");
      finding.explanation = dead ? "Nothing of these flows arrives; they load no link here."
                                 : "It is not known which links these flows load; no link was "
                                   "charged for them.";
      finding.what_to_do = dead ? "Move them to other source ports: weft-lb plan."
                                : "Trace their pairs with their source ports: weft-probe trace.";
      report_.findings.push_back(std::move(finding));
    }
  }

  static constexpr double kRounding = 1e-9;

  const Fabric& fabric_;
  TableIndex index_;
  std::map<Direction, std::vector<const Flow*>> living_;
  std::set<Direction> on_dead_;
  std::map<Direction, uint32_t> cables_;  // where not 1: as PlacedPath has it
  Choices choices_;
  std::map<Direction, std::vector<LinkLoad>> groups_;  // between switches, by root
  std::map<topology::DirectedLink, Direction> group_of_;
  CollisionReport report_;
};

}  // namespace

absl::StatusOr<CollisionReport> FindCollisions(const Fabric& fabric, std::span<const Flow> flows,
                                               std::span<const PathTable> tables) {
  std::set<std::string> ids;
  for (const Flow& flow : flows) {
    if (ids.insert(flow.id).second) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("flow id \"", flow.id, "\" is used twice: expected unique ids"));
  }
  return Collider(fabric, tables).Run(flows);
}

}  // namespace weft::analyzer
