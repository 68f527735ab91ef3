// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "topology/export/export.h"
#include "topology/export/structure.h"
#include "topology/fabric/fabric.h"

namespace weft::topology {

// Slurm refuses names of 64 bytes and more.
inline constexpr size_t kMaxSlurmName = 63;
bool IsSlurmNameCharacter(char c);  // letters, digits, '-', '_', '.'

// Machines that hang on the same switches.
struct MachineGroup {
  std::vector<NodeIndex> switches;    // in order
  std::vector<std::string> machines;  // names that Slurm allows
};

// Each machine with a cable to a switch, in one group. The leaves of several rails or planes are
// one group where more than half of the machines of each are the same.
struct Machines {
  std::vector<MachineGroup> groups;
  std::vector<std::pair<std::string, std::string>> replaced;  // names: the machine's, Slurm's
  Loss several_groups{"machine-in-several-places", "machines on switches of several groups",
                      "Slurm's tree has each node once: it stands where it has most cables"};
  Loss without_switch{"machine-without-switch", "machines without a cable to a switch",
                      "Slurm's tree has nodes by their switch, so these are left out"};
  Loss not_hosts{"aggregation-nodes-left-out", "aggregation nodes of switches",
                 "a switch's own reduction engine is no node to place jobs on"};
};

Machines PlaceMachines(const Fabric& fabric, const Structure& structure);

}  // namespace weft::topology
