// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topology/fabric/fabric.h"

namespace weft::topology {

// What pictures and trees of a fabric build on, by node index.
struct Structure {
  static constexpr uint32_t kNone = ~uint32_t{0};

  // Of switches: as declared, else counted from the nearest host; absent: no host can be reached.
  std::vector<std::optional<uint32_t>> tier;
  // Leaves and spines that links join without a core, numbered from 0; kNone where the fabric has
  // no third tier, and for other nodes.
  std::vector<uint32_t> pod;
  uint32_t pods = 0;
  // Switches (and nodes of unknown kind) that are joined without going through a host.
  std::vector<uint32_t> network;
  uint32_t networks = 0;
};

Structure StructureOf(const Fabric& fabric);

// InfiniBand switches show their own reduction engine (SHARP) as an HCA; it is no host to place
// jobs on, and a switch is no leaf for having one.
bool IsAggregationNode(const Node& node);

// "leaf", "spine", "core", "tier 3"; "switch": not known.
std::string TierName(const std::optional<uint32_t>& tier);

// The computer that a host's node is, or is in.
const std::string& MachineOf(const Node& node);

}  // namespace weft::topology
