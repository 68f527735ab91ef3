// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "lb/assign/candidates.h"
#include "lb/assign/problem.h"

namespace weft::lb {

// Gives every flow with a route the switches of its path and a port that leads there; the label
// folds to the port. A flow whose port leads there already keeps it. Flows of one pair on one path
// get different ports while there are any, measured ones first, then computed ones; then they share
// them evenly. Flows of a pair that keeps its ports keep theirs; one without a route keeps its port
// and has no path. Returns the flows that have a computed port now.
std::vector<uint32_t> ChoosePorts(const Placement& placement, Candidates* candidates);

}  // namespace weft::lb
