// SPDX-License-Identifier: Apache-2.0
#include "programs/weft-topo/path_text.h"

#include <algorithm>
#include <set>

namespace weft::topo {
namespace {

using topology::Direction;
using topology::Fabric;
using topology::NodeIndex;

constexpr size_t kNamed = 4;  // more nodes than this are not named one by one

bool HasParallel(const Fabric& fabric, Direction direction) {
  const NodeIndex to = fabric.To(direction);
  const auto adjacencies = fabric.adjacencies(fabric.From(direction));
  return std::count_if(adjacencies.begin(), adjacencies.end(),
                       [&](const auto& adjacency) { return adjacency.neighbour == to; }) > 1;
}

std::string NodesText(const Fabric& fabric, const std::set<NodeIndex>& nodes) {
  if (nodes.size() > kNamed) {
    return fabric.node(*nodes.begin()).name + " .. " + fabric.node(*nodes.rbegin()).name + " (" +
           std::to_string(nodes.size()) + ")";
  }
  std::string text;
  for (NodeIndex node : nodes) text += (text.empty() ? "" : ", ") + fabric.node(node).name;
  return text;
}

}  // namespace

std::string PathText(const Fabric& fabric, std::span<const Direction> path) {
  std::string text;
  for (Direction direction : path) {
    text += fabric.node(fabric.From(direction)).name;
    if (HasParallel(fabric, direction)) text += ":" + fabric.Describe(direction).from.interface;
    text += " -> ";
  }
  return text + fabric.node(fabric.To(path.back())).name;
}

std::vector<std::string> HopTexts(const Fabric& fabric,
                                  std::span<const std::vector<Direction>> paths) {
  std::vector<std::set<NodeIndex>> hops(paths.front().size() - 1);
  for (const std::vector<Direction>& path : paths) {
    for (size_t hop = 0; hop < hops.size(); ++hop) hops[hop].insert(fabric.To(path[hop]));
  }
  std::vector<std::string> texts;
  for (const std::set<NodeIndex>& nodes : hops) texts.push_back(NodesText(fabric, nodes));
  return texts;
}

}  // namespace weft::topo
