// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "lb/assign/problem.h"

namespace weft::lb {

// Equal flows on a complete fat tree of three tiers: pods of leaves, one spine per pod and plane,
// the same number of cores in every plane; every flow has all routes that the tree offers between
// its leaves (one per plane inside its pod, one per core to another), and all links of one tier
// have one capacity. Solved by two nested colourings (fat_tree.h), which reach the lower bound
// wherever the upper tier has as much capacity as the lower one. Where it has less they may not:
// compare the fullest link with the bound before calling the result exact. Flows stay on their
// present routes where a place is free for them. nullopt: the problem is not of this kind.
std::optional<Placement> SolveThreeTier(const Problem& problem);

}  // namespace weft::lb
