// SPDX-License-Identifier: Apache-2.0
#include "programs/weft-topo/summary.h"

#include <algorithm>
#include <set>
#include <tuple>
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
  using Tiers = std::optional<std::pair<uint32_t, uint32_t>>;
  struct Count {
    uint32_t links = 0;
    uint32_t one_or_more = 0;
    std::set<std::pair<NodeIndex, NodeIndex>> pairs;
  };
  using Sort = std::tuple<bool, Tiers, std::optional<double>, std::optional<uint32_t>, std::string>;
  std::map<Sort, Count> counts;  // to a host?, ..
  for (topology::LinkIndex link = 0; link < fabric.links().size(); ++link) {
    const std::pair<NodeIndex, NodeIndex> ends =
        std::minmax({fabric.From({link, false}), fabric.From({link, true})});
    const bool between_switches = fabric.BetweenSwitches(link);
    const std::optional<uint32_t> a = fabric.node(ends.first).tier;
    const std::optional<uint32_t> b = fabric.node(ends.second).tier;
    Tiers tiers;
    if (between_switches && a && b) tiers = std::minmax({*a, *b});
    const topology::Link& record = fabric.link(link);
    Count& count =
        counts[{!between_switches, tiers, record.capacity_bps, record.width, record.speed}];
    ++count.links;
    count.one_or_more += record.one_or_more ? 1U : 0U;
    count.pairs.insert(ends);
  }
  std::vector<LinkSummary> links;
  for (const auto& [sort, count] : counts) {
    const auto& [to_host, tiers, capacity_bps, width, speed] = sort;
    links.push_back({!to_host, tiers, capacity_bps, width, speed, count.links,
                     static_cast<uint32_t>(count.pairs.size()), count.one_or_more});
  }
  return links;
}

// The pod of a switch, all of which are marked.
PodSummary VisitPod(const Fabric& fabric, NodeIndex start, std::vector<bool>& visited) {
  PodSummary pod;
  std::vector<NodeIndex> pending = {start};
  visited[start] = true;
  while (!pending.empty()) {
    const NodeIndex node = pending.back();
    pending.pop_back();
    ++(fabric.node(node).tier == 0u ? pod.leaves : pod.spines);
    for (const topology::Adjacency& adjacency : fabric.adjacencies(node)) {
      const topology::Node& neighbour = fabric.node(adjacency.neighbour);
      if (neighbour.kind == NodeKind::kHost) ++pod.hosts;
      if (visited[adjacency.neighbour] || neighbour.tier.value_or(2) > 1) continue;
      visited[adjacency.neighbour] = true;
      pending.push_back(adjacency.neighbour);
    }
  }
  return pod;
}

std::map<PodSummary, uint32_t> SummarisePods(const Fabric& fabric) {
  std::map<PodSummary, uint32_t> pods;
  std::vector<bool> visited(fabric.nodes().size());
  for (NodeIndex node = 0; node < fabric.nodes().size(); ++node) {
    if (visited[node] || fabric.node(node).tier.value_or(2) > 1) continue;
    ++pods[VisitPod(fabric, node, visited)];
  }
  return pods;
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
  if (summary.tiers.contains(2)) summary.pods = SummarisePods(fabric);
  summary.part_of = fabric.Components();
  for (uint32_t part : summary.part_of) summary.parts = std::max(summary.parts, part + 1);
  return summary;
}

}  // namespace weft::topo
