// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lb/assign/candidates.h"
#include "lb/assign/problem.h"

namespace weft::lb {

// Gives every flow with a route the switches of its path and a port that was measured to lead
// there; the label folds to the port. A flow whose port leads there already keeps it. Flows of one
// pair on one path get different ports while there are any, then share them evenly. A flow between
// hosts under one leaf keeps its port; one without a route keeps its port and has no path.
void ChoosePorts(const Placement& placement, Candidates* candidates);

}  // namespace weft::lb
