// SPDX-License-Identifier: Apache-2.0
#include "analyzer/polarisation/flow_groups.h"

#include <algorithm>

#include "analyzer/infer/path_links.h"

namespace weft::analyzer {

using topology::Direction;
using topology::Fabric;
using topology::HopBehaviour;
using topology::HopMode;
using topology::NodeIndex;
using topology::Path;
using topology::PathTable;

namespace {

// The member that stands for this way out: itself where an address tells it from its neighbours.
std::pair<Direction, uint32_t> MemberOf(const Fabric& fabric, Direction direction) {
  const NodeIndex to = fabric.To(direction);
  const topology::Link& link = fabric.link(direction.link);
  const topology::PortRef& end = direction.reversed ? link.a : link.b;
  if (!fabric.FindInterface(to, end.interface)->address.empty()) return {direction, 1};
  const auto bundle = BundleBetween(fabric, fabric.From(direction), to);
  return {bundle->first, bundle->cables};
}

}  // namespace

FlowGroups::FlowGroups(const Fabric& fabric)
    : fabric_(fabric),
      router_(&fabric, std::vector<topology::HashModel>(fabric.nodes().size()), {}) {}

void FlowGroups::NoteModes(const PathTable& table) {
  for (const HopBehaviour& hop : table.hop_behaviours) {
    if (hop.mode == HopMode::kUnknown || hop.mode == HopMode::kHashed) continue;
    std::optional<NodeIndex> node;
    if (!hop.address.empty()) node = fabric_.FindAddress(hop.address);
    if (!node && !hop.node.empty()) node = fabric_.FindNode(hop.node);
    if (node) not_hashed_.insert(*node);
  }
}

void FlowGroups::Follow(const PathTable& table, const std::set<uint16_t>* ports) {
  const auto host =
      fabric_.FindNode(EndName(fabric_, table.destination, table.destination_address));
  for (const Path& path : table.paths) {
    const auto flows = static_cast<uint32_t>(
        std::count_if(path.udp_src_ports.begin(), path.udp_src_ports.end(),
                      [&](uint16_t port) { return ports == nullptr || ports->contains(port); }));
    if (flows == 0) continue;
    bool unplaced = !host;
    std::vector<Choice> choices;
    const PlacedPath placed = PlacePath(fabric_, table, path);
    for (size_t i = 0; i < placed.switches.size() && !unplaced; ++i) {
      if (!placed.switches[i]) continue;  // silent: what it chose shows only in what follows
      const auto& taken = placed.links[i + 1];
      if (!taken) continue;
      const auto choice = ChoiceAt(*placed.switches[i], *host, *taken, &unplaced);
      if (choice) choices.push_back(*choice);
      // Behind a switch that places packets one by one, a path's hops are not one flow's.
      if (!Hashes(*placed.switches[i])) break;
    }
    flow_count_ += flows;
    if (unplaced) {
      unplaced_ += flows;
    } else {
      Count(choices, flows);
    }
  }
}

std::optional<FlowGroups::Choice> FlowGroups::ChoiceAt(NodeIndex node, NodeIndex host,
                                                       Direction taken, bool* unplaced) {
  const std::span<const Direction> next_hops = router_.NextHops(node, host);
  if (next_hops.empty()) {
    *unplaced = true;
    return std::nullopt;
  }
  const size_t group = GroupOf(node, next_hops);
  const std::vector<Direction>& members = groups_[group].members;
  const auto member = std::find(members.begin(), members.end(), MemberOf(fabric_, taken).first);
  if (member == members.end()) {
    *unplaced = true;  // the fabric knows a shorter way than the one that was taken
    return std::nullopt;
  }
  if (members.size() < 2) return std::nullopt;
  return Choice{group, static_cast<size_t>(member - members.begin())};
}

size_t FlowGroups::GroupOf(NodeIndex node, std::span<const Direction> next_hops) {
  const auto [known, is_new] =
      group_by_span_.emplace(std::pair(next_hops.data(), next_hops.size()), groups_.size());
  if (!is_new) return known->second;
  GroupFlows group;
  group.node = node;
  for (const Direction next : next_hops) {
    const auto [member, cables] = MemberOf(fabric_, next);
    if (std::find(group.members.begin(), group.members.end(), member) != group.members.end()) {
      continue;
    }
    group.members.push_back(member);
    group.cables.push_back(cables);
  }
  const auto [same, added] = by_members_.emplace(std::pair(node, group.members), groups_.size());
  known->second = same->second;
  if (added) {
    group.flows.resize(group.members.size());
    groups_.push_back(std::move(group));
  }
  return same->second;
}

void FlowGroups::Count(const std::vector<Choice>& choices, uint32_t flows) {
  for (size_t i = 0; i < choices.size(); ++i) {
    const Choice& then = choices[i];
    groups_[then.group].flows[then.member] += flows;
    if (!Hashes(groups_[then.group].node)) continue;
    for (size_t j = 0; j < i; ++j) {
      const auto [entry, added] =
          cases_.emplace(CaseKey{choices[j].group, choices[j].member, then.group}, CaseFlows{});
      CaseFlows& counts = entry->second;
      if (added) counts = {std::vector<uint32_t>(groups_[then.group].members.size()), i - j - 1};
      counts.flows[then.member] += flows;
      counts.choices_between = std::min(counts.choices_between, i - j - 1);
    }
  }
}

}  // namespace weft::analyzer
