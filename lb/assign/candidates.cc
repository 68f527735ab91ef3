// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/candidates.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lb/assign/pair_findings.h"
#include "lb/assign/pair_table.h"
#include "lb/assign/path_links.h"
#include "lb/assign/plan_findings.h"
#include "lb/assign/route_table.h"
#include "lb/assign/spread.h"

namespace weft::lb {
namespace {

using topology::Direction;
using topology::Fabric;
using topology::Flow;
using topology::NodeIndex;
using topology::Path;
using topology::PathState;

bool IsUsable(PathState state) { return state == PathState::kAlive || state == PathState::kLossy; }

bool Contains(const std::vector<uint16_t>& ports, uint16_t port) {
  return std::binary_search(ports.begin(), ports.end(), port);
}

void AddPorts(const std::vector<uint16_t>& more, std::vector<uint16_t>* ports) {
  ports->insert(ports->end(), more.begin(), more.end());
  std::sort(ports->begin(), ports->end());
  ports->erase(std::unique(ports->begin(), ports->end()), ports->end());
}

class Builder {
 public:
  Builder(const Fabric& fabric, std::span<const topology::PathTable> tables)
      : fabric_(fabric),
        path_links_(&fabric),
        tables_(MergeTables(tables)),
        part_of_node_(fabric.Components()),
        routes_(&fabric),
        spread_(&fabric, tables_) {}

  absl::StatusOr<Candidates> Build(std::span<const Flow> flows);

 private:
  // A pair's routes while routes are still numbered in the order of their discovery.
  struct FoundPair {
    std::vector<PlacedPath> paths;
    std::vector<PairRoute> routes;
    std::set<uint32_t> unsteered;       // routes that meet a switch at which no port chooses
    std::optional<std::string> misfit;  // why a living path could not be placed
  };
  // A switch at which no port chooses the way of some pairs.
  struct Meeting {
    UnsteeredHop hop;
    std::set<PairKey> pairs;
  };

  absl::Status TakeFlows(std::span<const Flow> flows);
  void NumberPairs();
  void PlaceTable(const PairKey& key, const PairTable& table);
  void NoteBundles(const std::vector<Step>& steps);
  void CollectRoutes(const PairKey& key, FoundPair* found);
  absl::Status NumberRoutes();
  void NoteLivingRoutes();
  void AddPair(const PairKey& key);
  void AddMeasuredRoutes(const PairKey& key, FlowPair* pair);
  void AddFlow(uint32_t index);
  void AddSharedLinkFindings();

  std::string NameOf(const wire::IpAddress& address, const std::string& given) const;
  NodeIndex LeafOf(const wire::IpAddress& nic) const {
    return fabric_.From(*path_links_.Into(nic));
  }

  const Fabric& fabric_;
  PathLinks path_links_;
  std::map<PairKey, PairTable> tables_;
  std::vector<uint32_t> part_of_node_;

  RouteTable routes_;
  Spread spread_;
  std::map<PairKey, FoundPair> found_;
  std::map<NodeIndex, Meeting> unsteered_;
  std::map<std::pair<NodeIndex, NodeIndex>, std::set<uint32_t>> living_;  // by leaves
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

void Builder::NoteBundles(const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    const bool many = step.size() > 1 || fabric_.link(step.front().link).one_or_more;
    if (many) routes_.Bundle(fabric_.From(step.front()), fabric_.To(step.front()));
  }
}

void Builder::PlaceTable(const PairKey& key, const PairTable& table) {
  FoundPair& found = found_[key];
  if (!table.hidden_reason.empty()) return;
  for (const Path& path : table.paths) {
    const bool lives = IsUsable(path.state) && path.reaches_destination;
    absl::StatusOr<std::vector<Step>> links = path_links_.Of(key.first, key.second, path);
    if (!links.ok()) {
      const std::string reason(links.status().message());
      if (lives && (!found.misfit || reason < *found.misfit)) found.misfit = reason;
      continue;
    }
    PlacedPath placed;
    placed.leaf = fabric_.To(links->front().front());
    placed.steps.assign(links->begin() + 1, links->end() - 1);
    placed.state = path.reaches_destination ? path.state : PathState::kDead;
    placed.udp_src_ports = path.udp_src_ports;
    placed.computed_udp_src_ports = path.computed_udp_src_ports;
    NoteBundles(placed.steps);
    if (lives) spread_.Learn(placed);
    found.paths.push_back(std::move(placed));
  }
}

void Builder::CollectRoutes(const PairKey& key, FoundPair* found) {
  for (PlacedPath& path : found->paths) {
    const std::optional<UnsteeredHop> met =
        IsUsable(path.state) ? spread_.Apply(tables_.at(key), &path) : std::nullopt;
    const uint32_t id = routes_.RouteOf({path.leaf, path.steps});
    if (met) {
      found->unsteered.insert(id);
      Meeting& meeting = unsteered_.try_emplace(met->node, Meeting{*met, {}}).first->second;
      meeting.hop.ways_known = std::max(meeting.hop.ways_known, met->ways_known);
      meeting.pairs.insert(key);
    }
    const auto same = std::find_if(found->routes.begin(), found->routes.end(),
                                   [id](const PairRoute& known) { return known.route == id; });
    if (same == found->routes.end()) {
      found->routes.push_back(
          {id, path.state, std::move(path.udp_src_ports), std::move(path.computed_udp_src_ports)});
      continue;
    }
    // Told twice, say once with a silent hop: the worse word counts, as enumerated by PathState.
    same->state = std::max(same->state, path.state);
    AddPorts(path.udp_src_ports, &same->udp_src_ports);
    AddPorts(path.computed_udp_src_ports, &same->computed_udp_src_ports);
  }
  found->paths.clear();
}

absl::Status Builder::NumberRoutes() {
  for (const auto& [key, id] : pair_ids_) {
    for (const wire::IpAddress& nic : {key.first, key.second}) {
      const std::optional<Direction> into = path_links_.Into(nic);
      if (!into) continue;
      routes_.AddHostLink(*into);
      routes_.AddHostLink({into->link, !into->reversed});
    }
  }
  const absl::Status status = routes_.Number(&out_.problem);
  if (!status.ok()) return status;
  out_.switches_of_route = routes_.switches();
  out_.cables_of_link = routes_.cables();
  for (auto& [key, found] : found_) {
    for (PairRoute& route : found.routes) route.route = routes_.NumberOf(route.route);
    std::set<uint32_t> unsteered;
    for (uint32_t route : found.unsteered) unsteered.insert(routes_.NumberOf(route));
    found.unsteered = std::move(unsteered);
    std::sort(found.routes.begin(), found.routes.end(),
              [](const PairRoute& a, const PairRoute& b) { return a.route < b.route; });
  }
  return absl::OkStatus();
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
  if (table != tables_.end() && !table->second.hidden_reason.empty()) {
    out_.findings.push_back(PathsHidden(*pair, table->second.hidden_reason));
    return;
  }
  if (found != found_.end()) pair->routes = found->second.routes;
  if (found != found_.end() && found->second.misfit) {
    out_.findings.push_back(PathNotInFabric(*pair, *found->second.misfit));
  }
  for (PathState wanted : {PathState::kAlive, PathState::kLossy}) {
    if (!choices.empty()) break;
    for (const PairRoute& route : pair->routes) {
      if (route.state == wanted && route.HasPorts()) choices.push_back(route.route);
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
                            (IsUsable(known->state) && !known->HasPorts());
    if (unmeasured) pair->routes_without_port.push_back(route);
  }
  if (choices.size() != 1 || !pair->routes_without_port.empty()) return;
  if (found->second.unsteered.contains(choices.front())) {
    pair->keeps_ports = true;
  } else {
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
  if (LeafOf(key.first) == LeafOf(key.second)) {
    pair.keeps_ports = true;
    choices_of_pair_.back() = {routes_.NumberOf(RouteKey{LeafOf(key.first), {}})};
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
  for (const PairRoute& route : pair.routes) {
    if (Contains(route.computed_udp_src_ports, flow.udp_src_port)) choices.present = route.route;
  }
  for (const PairRoute& route : pair.routes) {
    if (Contains(route.udp_src_ports, flow.udp_src_port)) choices.present = route.route;
  }
  if (pair.keeps_ports) choices.present = choices.routes.front();
  const std::optional<Direction> source = path_links_.Into(flow.source_address);
  const std::optional<Direction> destination = path_links_.Into(flow.destination_address);
  if (source && destination) {
    const Direction out{source->link, !source->reversed};
    choices.access_links = {routes_.LinkOf(out), routes_.LinkOf(*destination)};
  }
  out_.problem.flows.push_back(std::move(choices));
  out_.pair_of_flow.push_back(pair_id);
}

void Builder::AddSharedLinkFindings() {
  std::map<std::string, topology::Finding> by_name;
  for (const auto& [node, meeting] : unsteered_) {
    size_t flows = 0;
    for (const uint32_t pair : out_.pair_of_flow) {
      const FlowPair& known = out_.pairs[pair];
      if (meeting.pairs.contains(known.key) && !choices_of_pair_[pair].empty()) ++flows;
    }
    if (flows == 0) continue;
    const std::string& name = fabric_.node(node).name;
    by_name.emplace(name,
                    SteeringNoEffect(name, meeting.hop.behaviour, meeting.hop.ways_known, flows));
  }
  for (auto& [name, finding] : by_name) out_.findings.push_back(std::move(finding));

  std::vector<CableBundle> bundles;
  for (const std::vector<Direction>& cables : out_.cables_of_link) {
    if (!routes_.IsBundled(cables.front())) continue;
    const bool or_more = std::any_of(cables.begin(), cables.end(), [this](Direction cable) {
      return fabric_.link(cable.link).one_or_more;
    });
    bundles.push_back(
        {topology::ToString(fabric_.Describe(cables.front())), cables.size(), or_more});
  }
  if (!bundles.empty()) out_.findings.push_back(CablesNotToldApart(bundles));
}

void Builder::NumberPairs() {
  // By address, which is the order of the map.
  out_.pairs.resize(pair_ids_.size());
  uint32_t next = 0;
  for (auto& [key, id] : pair_ids_) {
    id = next++;
    out_.pairs[id].key = key;
  }
  for (const Flow& flow : out_.flows) {
    FlowPair& pair = out_.pairs[pair_ids_.at({flow.source_address, flow.destination_address})];
    pair.source = NameOf(flow.source_address, flow.source);
    pair.destination = NameOf(flow.destination_address, flow.destination);
  }
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
      routes_.RouteOf({fabric_.From(*source), {}});
    }
  }
  for (const auto& [key, table] : tables_) PlaceTable(key, table);
  for (auto& [key, found] : found_) CollectRoutes(key, &found);
  status = NumberRoutes();
  if (!status.ok()) return status;
  NoteLivingRoutes();
  NumberPairs();
  for (const auto& [key, id] : pair_ids_) AddPair(key);
  for (uint32_t index = 0; index < out_.flows.size(); ++index) AddFlow(index);
  AddSharedLinkFindings();
  return std::move(out_);
}

}  // namespace

absl::StatusOr<Candidates> FindCandidates(const Fabric& fabric, std::span<const Flow> flows,
                                          std::span<const topology::PathTable> tables) {
  return Builder(fabric, tables).Build(flows);
}

}  // namespace weft::lb
