// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "topology/fabric/fabric.h"

namespace weft::topo {

// A switch with hosts, and how much more its hosts can send than its way up can carry.
struct LeafSummary {
  std::string name;
  uint32_t hosts = 0;              // links to hosts
  uint32_t uplinks = 0;            // links to switches of a higher tier
  std::optional<double> down_bps;  // of all links to hosts; absent: one of them is not known
  std::optional<double> up_bps;
  std::optional<double> oversubscription;  // down over up; absent: either is not known, or up is 0
};

// Links of one sort, capacity, width and speed.
struct LinkSummary {
  bool between_switches = false;
  // Of the switches at the ends, the lower one first; absent: not both are known.
  std::optional<std::pair<uint32_t, uint32_t>> tiers;
  std::optional<double> capacity_bps;
  std::optional<uint32_t> width;  // lanes
  std::string speed;              // of a lane
  uint32_t links = 0;
  uint32_t pairs = 0;        // of nodes; fewer than links: some cables are parallel
  uint32_t one_or_more = 0;  // of the links: those that stand for at least one cable
};

// Leaves and spines that are linked without a core.
struct PodSummary {
  uint32_t leaves = 0;
  uint32_t spines = 0;
  uint32_t hosts = 0;  // links to hosts
  auto operator<=>(const PodSummary&) const = default;
};

struct FabricSummary {
  uint32_t hosts = 0;
  uint32_t switches = 0;
  uint32_t unknown_nodes = 0;
  uint32_t parts = 0;
  std::map<uint32_t, uint32_t> tiers;  // tier -> switches
  uint32_t switches_without_tier = 0;
  std::vector<LinkSummary> links;       // switch-to-switch first, then by tiers, capacity, width
  std::map<PodSummary, uint32_t> pods;  // shape -> how many; only where there are cores
  std::vector<LeafSummary> leaves;
  std::vector<uint32_t> part_of;  // per node, from 0
};

FabricSummary Summarise(const topology::Fabric& fabric);

}  // namespace weft::topo
