// SPDX-License-Identifier: Apache-2.0
#include "topology/export/structure.h"

#include <algorithm>
#include <array>

namespace weft::topology {
namespace {

constexpr uint32_t kNone = Structure::kNone;

bool IsSwitch(const Fabric& fabric, NodeIndex node) {
  return fabric.node(node).kind == NodeKind::kSwitch;
}

bool IsEndHost(const Fabric& fabric, NodeIndex node) {
  return fabric.node(node).kind == NodeKind::kHost && !IsAggregationNode(fabric.node(node));
}

// Switches next to a host are in tier 0, their neighbours in tier 1, and so on.
std::vector<std::optional<uint32_t>> CountedTiers(const Fabric& fabric) {
  std::vector<std::optional<uint32_t>> tier(fabric.nodes().size());
  std::vector<NodeIndex> wave;
  for (NodeIndex node = 0; node < tier.size(); ++node) {
    if (!IsSwitch(fabric, node)) continue;
    for (const Adjacency& adjacency : fabric.adjacencies(node)) {
      if (!IsEndHost(fabric, adjacency.neighbour) || tier[node]) continue;
      tier[node] = 0;
      wave.push_back(node);
    }
  }
  for (uint32_t next = 1; !wave.empty(); ++next) {
    std::vector<NodeIndex> reached;
    for (NodeIndex node : wave) {
      for (const Adjacency& adjacency : fabric.adjacencies(node)) {
        if (!IsSwitch(fabric, adjacency.neighbour) || tier[adjacency.neighbour]) continue;
        tier[adjacency.neighbour] = next;
        reached.push_back(adjacency.neighbour);
      }
    }
    wave = std::move(reached);
  }
  return tier;
}

// Numbers what is joined by links between nodes that `member` takes.
template <typename Member>
uint32_t NumberParts(const Fabric& fabric, const Member& member, std::vector<uint32_t>& part) {
  part.assign(fabric.nodes().size(), kNone);
  uint32_t parts = 0;
  std::vector<NodeIndex> pending;
  for (NodeIndex start = 0; start < part.size(); ++start) {
    if (part[start] != kNone || !member(start)) continue;
    part[start] = parts;
    pending.push_back(start);
    while (!pending.empty()) {
      const NodeIndex node = pending.back();
      pending.pop_back();
      for (const Adjacency& adjacency : fabric.adjacencies(node)) {
        const NodeIndex neighbour = adjacency.neighbour;
        if (part[neighbour] != kNone || !member(neighbour)) continue;
        part[neighbour] = parts;
        pending.push_back(neighbour);
      }
    }
    ++parts;
  }
  return parts;
}

}  // namespace

Structure StructureOf(const Fabric& fabric) {
  Structure structure;
  structure.tier = CountedTiers(fabric);
  for (NodeIndex node = 0; node < fabric.nodes().size(); ++node) {
    if (!IsSwitch(fabric, node)) continue;
    if (fabric.node(node).tier) structure.tier[node] = fabric.node(node).tier;
  }
  const auto& tier = structure.tier;
  structure.networks = NumberParts(
      fabric, [&](NodeIndex node) { return fabric.node(node).kind != NodeKind::kHost; },
      structure.network);
  const auto above_pod = [](const std::optional<uint32_t>& t) { return t && *t > 1; };
  if (std::any_of(tier.begin(), tier.end(), above_pod)) {
    structure.pods = NumberParts(
        fabric, [&](NodeIndex node) { return tier[node].value_or(2) <= 1; }, structure.pod);
  } else {
    structure.pod.assign(fabric.nodes().size(), kNone);
  }
  return structure;
}

bool IsAggregationNode(const Node& node) {
  return node.kind == NodeKind::kHost &&
         (node.name.find("Aggregation Node") != std::string::npos ||
          node.description.find("Aggregation Node") != std::string::npos);
}

std::string TierName(const std::optional<uint32_t>& tier) {
  constexpr std::array kNames = {"leaf", "spine", "core"};
  if (!tier) return "switch";
  return *tier < kNames.size() ? kNames[*tier] : "tier " + std::to_string(*tier);
}

const std::string& MachineOf(const Node& node) {
  return node.machine.empty() ? node.name : node.machine;
}

}  // namespace weft::topology
