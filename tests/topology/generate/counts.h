// SPDX-License-Identifier: Apache-2.0
// What a generated fabric consists of, counted from its nodes and links.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "topology/fabric/fabric.h"

namespace weft::topology {

using Tier = std::optional<uint32_t>;  // none: hosts

inline std::map<Tier, uint32_t> NodesPerTier(const Fabric& fabric) {
  std::map<Tier, uint32_t> counts;
  for (const Node& node : fabric.nodes()) ++counts[node.tier];
  return counts;
}

struct LinkSum {
  uint32_t cables = 0;
  double bps = 0;  // of one direction, all together
  bool operator==(const LinkSum&) const = default;
};

// By the tiers of both ends, the lower one first (hosts are lowest).
inline std::map<std::pair<Tier, Tier>, LinkSum> LinksPerTier(const Fabric& fabric) {
  std::map<std::pair<Tier, Tier>, LinkSum> sums;
  for (const Link& link : fabric.links()) {
    Tier a = fabric.node(*fabric.FindNode(link.a.node)).tier;
    Tier b = fabric.node(*fabric.FindNode(link.b.node)).tier;
    if (b < a) std::swap(a, b);
    LinkSum& sum = sums[{a, b}];
    ++sum.cables;
    sum.bps += link.capacity_bps.value_or(0);
  }
  return sums;
}

inline size_t PartCount(const Fabric& fabric) {
  const std::vector<uint32_t> parts = fabric.Components();
  return std::set<uint32_t>(parts.begin(), parts.end()).size();
}

}  // namespace weft::topology
