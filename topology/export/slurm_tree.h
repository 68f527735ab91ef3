// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/export/export.h"
#include "topology/fabric/fabric.h"

namespace weft::topology {

// One switch of Slurm's tree: children or machines, never both. It stands for every switch of the
// fabric that does its work: spines that join the same leaves, or the leaves of all rails of the
// same machines.
struct TreeSwitch {
  std::string name;                   // allowed by Slurm, unique
  std::string why;                    // for a comment: what it stands for; empty: for itself alone
  std::vector<uint32_t> children;     // indices of SlurmTree::switches
  std::vector<std::string> machines;  // names that Slurm allows
};

// A fabric as topology/tree and topology/block of Slurm see it. All tiers are kept, and each part
// of the fabric (whatever cables between switches join) has one root, so that no job spans two
// parts.
struct SlurmTree {
  std::vector<TreeSwitch> switches;   // children before parents
  std::vector<uint32_t> roots;        // one per part, in the order of the fabric's switches
  std::vector<std::string> comments;  // what was replaced or left out, a line each
  std::vector<Finding> findings;
};

SlurmTree BuildSlurmTree(const Fabric& fabric);

}  // namespace weft::topology
