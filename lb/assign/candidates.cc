// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/candidates.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "lb/assign/pair_findings.h"
#include "lb/assign/pair_table.h"
#include "lb/assign/path_links.h"

namespace weft::lb {
namespace {

using topology::DirectedLink;
using topology::Direction;
using topology::Fabric;
using topology::Flow;
using topology::NodeIndex;
using topology::Path;
using topology::PathState;

using Directions = std::vector<Direction>;

// The way over the switches, without the host links; the leaf tells routes without links apart.
struct RouteKey {
  NodeIndex leaf = 0;
  Directions between_switches;
  bool operator==(const RouteKey&) const = default;
  template <typename H>
  friend H AbslHashValue(H h, const RouteKey& key) {
    h = H::combine(std::move(h), key.leaf, key.between_switches.size());
    for (Direction direction : key.between_switches)
      h = H::combine(std::move(h), direction.index());
    return h;
  }
};

bool IsUsable(PathState state) { return state == PathState::kAlive || state == PathState::kLossy; }

// Numbers routes and links by name, so that the order of the input does not show in a plan.
class Builder {
 public:
  Builder(const Fabric& fabric, std::span<const topology::PathTable> tables)
      : fabric_(fabric),
        path_links_(&fabric),
        tables_(MergeTables(tables)),
        part_of_node_(fabric.Components()) {}

  absl::StatusOr<Candidates> Build(std::span<const Flow> flows);

 private:
  // A pair's routes while routes are still numbered in the order of their discovery.
  struct FoundPair {
    std::vector<PairRoute> routes;
    std::optional<std::string> misfit;  // why a living path could not be placed
  };

  absl::Status TakeFlows(std::span<const Flow> flows);
  uint32_t RouteOf(const RouteKey& key);
  FoundPair PlaceTable(const PairKey& key, const PairTable& table);
  absl::Status NumberLinks();
  void NumberRoutes();
  void NoteLivingRoutes();
  void AddPair(const PairKey& key);
  void AddMeasuredRoutes(const PairKey& key, FlowPair* pair);
  void AddFlow(uint32_t index);

  std::string NameOf(const wire::IpAddress& address, const std::string& given) const;
  NodeIndex LeafOf(const wire::IpAddress& nic) const {
    return fabric_.From(*path_links_.Into(nic));
  }

  const Fabric& fabric_;
  PathLinks path_links_;
  std::map<PairKey, PairTable> tables_;
  std::vector<uint32_t> part_of_node_;

  std::vector<RouteKey> route_keys_;
  absl::flat_hash_map<RouteKey, uint32_t> route_ids_;
  std::map<PairKey, FoundPair> found_;
  std::map<std::pair<NodeIndex, NodeIndex>, std::set<uint32_t>> living_;  // by leaves
  absl::flat_hash_map<uint32_t, uint32_t> link_ids_;                      // direction -> link
  std::map<PairKey, uint32_t> pair_ids_;
  std::vector<std::vector<uint32_t>> choices_of_pair_;
  Candidates out_;
};

std::string Builder::NameOf(const wire::IpAddress& address, const std::string& given) const {
  if (!given.empty()) return given;
  const std::optional<NodeIndex> node = fabric_.FindAddress(address);
  return node ? fabric_.node(*node).name : address.ToString();
}

absl::Status Builder::TakeFlows(std::span<const Flow> flows) {
  out_.flows.assign(flows.begin(), flows.end());
  std::sort(out_.flows.begin(), out_.flows.end(),
            [](const Flow& a, const Flow& b) { return a.id < b.id; });
  for (size_t i = 0; i < out_.flows.size(); ++i) {
    const Flow& flow = out_.flows[i];
    if (i > 0 && flow.id == out_.flows[i - 1].id) {
      return absl::InvalidArgumentError(
          absl::StrCat("flow \"", flow.id, "\": the id is used twice"));
    }
    if (!(flow.rate_bps > 0)) {
      return absl::InvalidArgumentError(absl::StrCat("flow \"", flow.id, "\": rate_bps ",
                                                     flow.rate_bps, ": expected more than 0"));
    }
  }
  return absl::OkStatus();
}

uint32_t Builder::RouteOf(const RouteKey& key) {
  const auto [found, added] = route_ids_.emplace(key, static_cast<uint32_t>(route_keys_.size()));
  if (added) route_keys_.push_back(key);
  return found->second;
}

Builder::FoundPair Builder::PlaceTable(const PairKey& key, const PairTable& table) {
  FoundPair found;
  for (const Path& path : table.paths) {
    const bool lives = IsUsable(path.state) && path.reaches_destination;
    const absl::StatusOr<Directions> links = path_links_.Of(key.first, key.second, path);
    if (!links.ok()) {
      const std::string reason(links.status().message());
      if (lives && (!found.misfit || reason < *found.misfit)) found.misfit = reason;
      continue;
    }
    RouteKey route{fabric_.To(links->front()), {links->begin() + 1, links->end() - 1}};
    const uint32_t id = RouteOf(route);
    const PathState state = path.reaches_destination ? path.state : PathState::kDead;
    const auto same = std::find_if(found.routes.begin(), found.routes.end(),
                                   [id](const PairRoute& known) { return known.route == id; });
    if (same == found.routes.end()) {
      found.routes.push_back({id, state, path.udp_src_ports});
      continue;
    }
    // Told twice, say once with a silent hop: the worse word counts, as enumerated by PathState.
    same->state = std::max(same->state, state);
    same->udp_src_ports.insert(same->udp_src_ports.end(), path.udp_src_ports.begin(),
                               path.udp_src_ports.end());
    std::sort(same->udp_src_ports.begin(), same->udp_src_ports.end());
  }
  return found;
}

absl::Status Builder::NumberLinks() {
  std::set<std::pair<DirectedLink, uint32_t>> named;
  const auto note = [&](Direction direction) {
    if (!link_ids_.emplace(direction.index(), 0).second) return;
    named.emplace(fabric_.Describe(direction), direction.index());
  };
  for (const RouteKey& key : route_keys_) {
    for (Direction direction : key.between_switches) note(direction);
  }
  for (const auto& [key, id] : pair_ids_) {
    for (const wire::IpAddress& nic : {key.first, key.second}) {
      const std::optional<Direction> into = path_links_.Into(nic);
      if (!into) continue;
      note(*into);
      note({into->link, !into->reversed});
    }
  }
  std::map<std::string, uint32_t> node_ids;
  for (const auto& [name, index] : named) node_ids[name.from.node] = node_ids[name.to.node] = 0;
  uint32_t next = 0;
  for (auto& [name, id] : node_ids) id = next++;
  for (const auto& [name, index] : named) {
    const Direction direction{index / 2, index % 2 == 1};
    ProblemLink link;
    link.from = node_ids[name.from.node];
    link.to = node_ids[name.to.node];
    link.between_switches = fabric_.BetweenSwitches(direction.link);
    const std::optional<double> capacity_bps = fabric_.link(direction.link).capacity_bps;
    if (link.between_switches && !(capacity_bps && *capacity_bps > 0)) {
      return absl::InvalidArgumentError(
          absl::StrCat("link ", topology::ToString(name),
                       ": no capacity_bps: expected one on every link between switches"));
    }
    if (capacity_bps) link.capacity_bps = *capacity_bps;
    link_ids_[index] = static_cast<uint32_t>(out_.problem.links.size());
    out_.problem.links.push_back(link);
    out_.direction_of_link.push_back(direction);
  }
  return absl::OkStatus();
}

void Builder::NumberRoutes() {
  struct Named {
    std::vector<uint32_t> links;
    std::string leaf;
    uint32_t id;
    auto operator<=>(const Named&) const = default;
  };
  std::vector<Named> order;
  for (uint32_t id = 0; id < route_keys_.size(); ++id) {
    Named named{{}, fabric_.node(route_keys_[id].leaf).name, id};
    for (Direction direction : route_keys_[id].between_switches) {
      named.links.push_back(link_ids_.at(direction.index()));
    }
    order.push_back(std::move(named));
  }
  std::sort(order.begin(), order.end());
  std::vector<uint32_t> new_ids(order.size());
  for (const Named& named : order) {
    new_ids[named.id] = static_cast<uint32_t>(out_.problem.routes.size());
    std::vector<std::string> switches = {named.leaf};
    for (uint32_t link : named.links) {
      switches.push_back(fabric_.node(fabric_.To(out_.direction_of_link[link])).name);
    }
    out_.problem.routes.push_back({named.links});
    out_.switches_of_route.push_back(std::move(switches));
  }
  for (auto& [key, id] : route_ids_) id = new_ids[id];
  for (auto& [key, found] : found_) {
    for (PairRoute& route : found.routes) route.route = new_ids[route.route];
    std::sort(found.routes.begin(), found.routes.end(),
              [](const PairRoute& a, const PairRoute& b) { return a.route < b.route; });
  }
}

void Builder::NoteLivingRoutes() {
  for (const auto& [key, found] : found_) {
    if (!path_links_.Into(key.first) || !path_links_.Into(key.second)) continue;
    std::set<uint32_t>& living = living_[{LeafOf(key.first), LeafOf(key.second)}];
    for (const PairRoute& route : found.routes) {
      if (route.state == PathState::kAlive) living.insert(route.route);
    }
  }
}

void Builder::AddMeasuredRoutes(const PairKey& key, FlowPair* pair) {
  std::vector<uint32_t>& choices = choices_of_pair_.back();
  const auto table = tables_.find(key);
  const auto found = found_.find(key);
  if (found != found_.end()) pair->routes = found->second.routes;
  if (found != found_.end() && found->second.misfit) {
    out_.findings.push_back(PathNotInFabric(*pair, *found->second.misfit));
  }
  for (PathState wanted : {PathState::kAlive, PathState::kLossy}) {
    if (!choices.empty()) break;
    for (const PairRoute& route : pair->routes) {
      if (route.state == wanted && !route.udp_src_ports.empty()) choices.push_back(route.route);
    }
    if (wanted == PathState::kLossy && !choices.empty()) {
      out_.findings.push_back(OnlyLossyPaths(*pair, choices.size()));
    }
  }
  if (choices.empty()) {
    out_.findings.push_back(NoPath(*pair, table == tables_.end() ? nullptr : &table->second));
    return;
  }
  for (uint32_t route : living_[{LeafOf(key.first), LeafOf(key.second)}]) {
    const auto known = std::find_if(pair->routes.begin(), pair->routes.end(),
                                    [route](const PairRoute& own) { return own.route == route; });
    const bool unmeasured = known == pair->routes.end() || known->state == PathState::kUnknown ||
                            (IsUsable(known->state) && known->udp_src_ports.empty());
    if (unmeasured) pair->routes_without_port.push_back(route);
  }
  if (choices.size() == 1 && pair->routes_without_port.empty()) {
    out_.findings.push_back(SinglePath(*pair, out_.switches_of_route[choices.front()]));
  }
}

void Builder::AddPair(const PairKey& key) {
  FlowPair& pair = out_.pairs[pair_ids_.at(key)];
  choices_of_pair_.emplace_back();
  for (const wire::IpAddress& nic : {key.first, key.second}) {
    if (path_links_.Into(nic)) continue;
    out_.findings.push_back(NotInFabric(pair, nic));
    return;
  }
  pair.under_one_leaf = LeafOf(key.first) == LeafOf(key.second);
  if (pair.under_one_leaf) {
    choices_of_pair_.back() = {route_ids_.at({LeafOf(key.first), {}})};
  } else if (part_of_node_[LeafOf(key.first)] != part_of_node_[LeafOf(key.second)]) {
    out_.findings.push_back(InDifferentParts(pair));
  } else {
    AddMeasuredRoutes(key, &pair);
  }
}

void Builder::AddFlow(uint32_t index) {
  const Flow& flow = out_.flows[index];
  const uint32_t pair_id = pair_ids_.at({flow.source_address, flow.destination_address});
  const FlowPair& pair = out_.pairs[pair_id];
  FlowChoices choices;
  choices.rate_bps = flow.rate_bps;
  choices.routes = choices_of_pair_[pair_id];
  if (pair.under_one_leaf) choices.present = choices.routes.front();
  for (const PairRoute& route : pair.routes) {
    if (std::binary_search(route.udp_src_ports.begin(), route.udp_src_ports.end(),
                           flow.udp_src_port)) {
      choices.present = route.route;
    }
  }
  const std::optional<Direction> source = path_links_.Into(flow.source_address);
  const std::optional<Direction> destination = path_links_.Into(flow.destination_address);
  if (source && destination) {
    const Direction out{source->link, !source->reversed};
    choices.access_links = {link_ids_.at(out.index()), link_ids_.at(destination->index())};
  }
  out_.problem.flows.push_back(std::move(choices));
  out_.pair_of_flow.push_back(pair_id);
}

absl::StatusOr<Candidates> Builder::Build(std::span<const Flow> flows) {
  absl::Status status = TakeFlows(flows);
  if (!status.ok()) return status;
  for (const Flow& flow : out_.flows) {
    const PairKey key(flow.source_address, flow.destination_address);
    if (!pair_ids_.emplace(key, 0).second) continue;
    const auto source = path_links_.Into(key.first);
    const auto destination = path_links_.Into(key.second);
    if (source && destination && fabric_.From(*source) == fabric_.From(*destination)) {
      RouteOf({fabric_.From(*source), {}});
    }
  }
  for (const auto& [key, table] : tables_) found_.emplace(key, PlaceTable(key, table));
  status = NumberLinks();
  if (!status.ok()) return status;
  NumberRoutes();
  NoteLivingRoutes();

  // Pairs are numbered by address, which is the order of the map.
  out_.pairs.resize(pair_ids_.size());
  uint32_t next = 0;
  for (auto& [key, id] : pair_ids_) id = next++;
  for (const Flow& flow : out_.flows) {
    FlowPair& pair = out_.pairs[pair_ids_.at({flow.source_address, flow.destination_address})];
    pair.source = NameOf(flow.source_address, flow.source);
    pair.destination = NameOf(flow.destination_address, flow.destination);
  }
  for (const auto& [key, id] : pair_ids_) AddPair(key);
  for (uint32_t index = 0; index < out_.flows.size(); ++index) AddFlow(index);
  return std::move(out_);
}

}  // namespace

absl::StatusOr<Candidates> FindCandidates(const Fabric& fabric, std::span<const Flow> flows,
                                          std::span<const topology::PathTable> tables) {
  return Builder(fabric, tables).Build(flows);
}

}  // namespace weft::lb
