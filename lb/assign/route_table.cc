// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/route_table.h"

#include <algorithm>
#include <map>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"

namespace weft::lb {

using topology::DirectedLink;
using topology::Direction;
using topology::NodeIndex;

uint32_t RouteTable::RouteOf(RouteKey key) {
  if (!bundled_.empty()) {
    for (Step& step : key.between_switches) step = WithAllCables(step);
  }
  const auto [found, added] = ids_.emplace(std::move(key), static_cast<uint32_t>(keys_.size()));
  if (added) keys_.push_back(found->first);
  return found->second;
}

Step RouteTable::WithAllCables(const Step& step) const {
  Step whole;
  for (Direction direction : step) {
    const std::vector<Direction> cables = CablesOf(direction);
    whole.insert(whole.end(), cables.begin(), cables.end());
  }
  std::sort(whole.begin(), whole.end());
  whole.erase(std::unique(whole.begin(), whole.end()), whole.end());
  return whole;
}

std::vector<Direction> RouteTable::CablesOf(Direction direction) const {
  if (!IsBundled(direction)) return {direction};
  std::vector<Direction> cables;
  for (const topology::Adjacency& adjacency : fabric_->adjacencies(fabric_->From(direction))) {
    if (adjacency.neighbour == fabric_->To(direction)) cables.push_back(adjacency.direction);
  }
  std::sort(cables.begin(), cables.end(), [this](Direction a, Direction b) {
    return fabric_->Describe(a) < fabric_->Describe(b);
  });
  return cables;
}

absl::Status RouteTable::AddLink(std::vector<Direction> cables, Problem* problem) {
  ProblemLink link;
  link.between_switches = fabric_->BetweenSwitches(cables.front().link);
  double sum_bps = 0;
  for (Direction cable : cables) {
    const std::optional<double> capacity_bps = fabric_->link(cable.link).capacity_bps;
    if (link.between_switches && !(capacity_bps && *capacity_bps > 0)) {
      return absl::InvalidArgumentError(
          absl::StrCat("link ", topology::ToString(fabric_->Describe(cable)),
                       ": no capacity_bps: expected one on every link between switches"));
    }
    sum_bps += capacity_bps ? *capacity_bps : link.capacity_bps;
    links_[cable.index()] = static_cast<uint32_t>(problem->links.size());
  }
  link.capacity_bps = sum_bps;
  problem->links.push_back(link);
  cables_.push_back(std::move(cables));
  return absl::OkStatus();
}

absl::Status RouteTable::NumberLinks(Problem* problem) {
  std::map<DirectedLink, std::vector<Direction>> named;
  absl::flat_hash_set<uint32_t> seen;
  const auto note = [&](Direction direction) {
    if (!seen.insert(direction.index()).second) return;
    std::vector<Direction> cables = CablesOf(direction);
    named.emplace(fabric_->Describe(cables.front()), std::move(cables));
  };
  for (const RouteKey& key : keys_) {
    for (const Step& step : key.between_switches) {
      for (Direction direction : step) note(direction);
    }
  }
  for (Direction direction : host_links_) note(direction);

  std::map<std::string, uint32_t> nodes;
  for (const auto& [name, cables] : named) nodes[name.from.node] = nodes[name.to.node] = 0;
  uint32_t next = 0;
  for (auto& [name, id] : nodes) id = next++;
  for (auto& [name, cables] : named) {
    const absl::Status added = AddLink(std::move(cables), problem);
    if (!added.ok()) return added;
    problem->links.back().from = nodes[name.from.node];
    problem->links.back().to = nodes[name.to.node];
  }
  return absl::OkStatus();
}

Route RouteTable::RouteFor(const std::vector<std::vector<uint32_t>>& steps,
                           const Problem& problem) const {
  Route route;
  bool spread = false;
  for (const std::vector<uint32_t>& step : steps) {
    double step_bps = 0;
    for (uint32_t link : step) step_bps += problem.links[link].capacity_bps;
    for (uint32_t link : step) {
      route.links.push_back(link);
      route.shares.push_back(step.size() == 1 ? 1 : problem.links[link].capacity_bps / step_bps);
    }
    spread = spread || step.size() > 1;
  }
  if (!spread) route.shares.clear();
  return route;
}

absl::Status RouteTable::Number(Problem* problem) {
  const absl::Status numbered = NumberLinks(problem);
  if (!numbered.ok()) return numbered;
  struct Named {
    std::vector<std::vector<uint32_t>> steps;
    std::string leaf;
    uint32_t id = 0;
    auto operator<=>(const Named&) const = default;
  };
  std::vector<Named> order;
  for (uint32_t id = 0; id < keys_.size(); ++id) {
    Named named{{}, fabric_->node(keys_[id].leaf).name, id};
    for (const Step& step : keys_[id].between_switches) {
      std::vector<uint32_t>& links = named.steps.emplace_back();
      for (Direction direction : step) links.push_back(links_.at(direction.index()));
      std::sort(links.begin(), links.end());
      links.erase(std::unique(links.begin(), links.end()), links.end());
    }
    order.push_back(std::move(named));
  }
  std::sort(order.begin(), order.end());
  numbers_.resize(order.size());
  for (const Named& named : order) {
    numbers_[named.id] = static_cast<uint32_t>(problem->routes.size());
    std::vector<std::string> switches = {named.leaf};
    for (const std::vector<uint32_t>& step : named.steps) {
      const auto node = [&](uint32_t link) { return fabric_->To(cables_[link].front()); };
      const bool one = std::all_of(step.begin(), step.end(),
                                   [&](uint32_t link) { return node(link) == node(step.front()); });
      switches.push_back(one ? fabric_->node(node(step.front())).name : kAnySwitch);
    }
    problem->routes.push_back(RouteFor(named.steps, *problem));
    switches_.push_back(std::move(switches));
  }
  return absl::OkStatus();
}

}  // namespace weft::lb
