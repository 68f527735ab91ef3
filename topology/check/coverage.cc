// SPDX-License-Identifier: Apache-2.0
#include "topology/check/coverage.h"

#include <map>

#include "topology/route/route.h"

namespace weft::topology {
namespace {

// Marks the shortest paths from several hosts to one.
void Mark(const Router& router, const std::vector<NodeIndex>& from, NodeIndex to,
          Coverage& coverage) {
  std::vector<NodeIndex> pending = from;
  std::vector<bool> visited(router.fabric().nodes().size());
  while (!pending.empty()) {
    const NodeIndex node = pending.back();
    pending.pop_back();
    if (visited[node]) continue;
    visited[node] = true;
    for (Direction direction : router.NextHops(node, to)) {
      coverage.nodes[node] = true;
      coverage.links[direction.link] = true;
      coverage.nodes[router.fabric().To(direction)] = true;
      pending.push_back(router.fabric().To(direction));
    }
  }
}

// Hosts on the same switches see the same of the fabric, apart from their own links: one of them
// walks for all.
void MarkAllPairs(const Router& router, const std::vector<NodeIndex>& seen, Coverage& coverage) {
  std::map<std::vector<NodeIndex>, NodeIndex> by_place;
  for (NodeIndex host : seen) {
    std::vector<NodeIndex> neighbours;
    for (const Adjacency& adjacency : router.fabric().adjacencies(host)) {
      neighbours.push_back(adjacency.neighbour);
      if (seen.size() < 2) continue;
      coverage.nodes[host] = true;
      coverage.nodes[adjacency.neighbour] = true;
      coverage.links[adjacency.direction.link] = true;
    }
    by_place.emplace(std::move(neighbours), host);
  }
  std::vector<NodeIndex> walkers;
  for (const auto& [place, host] : by_place) walkers.push_back(host);
  for (NodeIndex to : walkers) Mark(router, walkers, to, coverage);
}

}  // namespace

Coverage CoveredByTraces(const Fabric& blueprint, const std::vector<NodeIndex>& seen,
                         const CheckOptions& options) {
  Coverage coverage{std::vector<bool>(blueprint.nodes().size()),
                    std::vector<bool>(blueprint.links().size())};
  const Router router(&blueprint, std::vector<HashModel>(blueprint.nodes().size()), {});
  if (options.traced_pairs.empty()) {
    MarkAllPairs(router, seen, coverage);
    return coverage;
  }
  std::map<NodeIndex, std::vector<NodeIndex>> sources;  // destination -> from whom
  for (const auto& [from, to] : options.traced_pairs) {
    const std::optional<NodeIndex> source = blueprint.FindNode(from);
    const std::optional<NodeIndex> destination = blueprint.FindNode(to);
    if (source && destination) sources[*destination].push_back(*source);
  }
  for (const auto& [to, from] : sources) Mark(router, from, to, coverage);
  return coverage;
}

}  // namespace weft::topology
