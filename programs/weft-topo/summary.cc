// SPDX-License-Identifier: Apache-2.0
#include "programs/weft-topo/summary.h"

#include <algorithm>
#include <utility>

namespace weft::topo {
namespace {

using topology::Fabric;
using topology::NodeIndex;
using topology::NodeKind;

void CountNode(const topology::Node& node, FabricSummary& summary) {
  switch (node.kind) {
    case NodeKind::kHost:
      ++summary.hosts;
      return;
    case NodeKind::kUnknown:
      ++summary.unknown_nodes;
      return;
    case NodeKind::kSwitch:
      break;
  }
  ++summary.switches;
  if (node.tier) {
    ++summary.tiers[*node.tier];
  } else {
    ++summary.switches_without_tier;
  }
}

// Adds one capacity to a sum that is unknown as soon as one of its parts is.
void AddCapacity(const std::optional<double>& capacity, std::optional<double>& sum) {
  sum = sum && capacity ? std::optional(*sum + *capacity) : std::nullopt;
}

LeafSummary SummariseLeaf(const Fabric& fabric, NodeIndex node) {
  LeafSummary leaf{fabric.node(node).name, 0, 0, 0.0, 0.0, std::nullopt};
  for (const topology::Adjacency& adjacency : fabric.adjacencies(node)) {
    const topology::Node& neighbour = fabric.node(adjacency.neighbour);
    const std::optional<double> capacity = fabric.link(adjacency.direction.link).capacity_bps;
    if (neighbour.kind == NodeKind::kHost) {
      ++leaf.hosts;
      AddCapacity(capacity, leaf.down_bps);
    } else if (neighbour.tier.value_or(0) > fabric.node(node).tier.value_or(0)) {
      ++leaf.uplinks;
      AddCapacity(capacity, leaf.up_bps);
    }
  }
  if (leaf.down_bps && leaf.up_bps && *leaf.up_bps > 0) {
    leaf.oversubscription = *leaf.down_bps / *leaf.up_bps;
  }
  return leaf;
}

std::vector<LinkSummary> SummariseLinks(const Fabric& fabric) {
  std::map<std::pair<bool, std::optional<double>>, uint32_t> counts;  // to a host?, capacity
  for (topology::LinkIndex link = 0; link < fabric.links().size(); ++link) {
    ++counts[{!fabric.BetweenSwitches(link), fabric.link(link).capacity_bps}];
  }
  std::vector<LinkSummary> links;
  for (const auto& [sort, count] : counts) links.push_back({!sort.first, sort.second, count});
  return links;
}

}  // namespace

FabricSummary Summarise(const Fabric& fabric) {
  FabricSummary summary;
  for (NodeIndex node = 0; node < fabric.nodes().size(); ++node) {
    CountNode(fabric.node(node), summary);
    if (fabric.node(node).kind != NodeKind::kSwitch) continue;
    LeafSummary leaf = SummariseLeaf(fabric, node);
    if (leaf.hosts > 0) summary.leaves.push_back(std::move(leaf));
  }
  summary.links = SummariseLinks(fabric);
  summary.part_of = fabric.Components();
  for (uint32_t part : summary.part_of) summary.parts = std::max(summary.parts, part + 1);
  return summary;
}

}  // namespace weft::topo
