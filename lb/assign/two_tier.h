// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "lb/assign/problem.h"

namespace weft::lb {

// The exact solution for equal flows on a complete leaf-spine fabric: every flow that leaves its
// leaf has one route over each of the same S spines, all their links have one capacity, all flows
// one rate. Then no link takes more than ceil(largest degree / S) flows, which nothing can beat
// (the degree of a leaf is the number of flows that leave it, or arrive). Where so many do not fit
// a link, the surplus goes over the same spines at every leaf: flows that share an uplink then
// share a downlink too, and no second link is filled for them. Flows stay on their present route
// where a place is free for them. nullopt: the problem is not of this kind.
std::optional<Placement> SolveTwoTier(const Problem& problem);

}  // namespace weft::lb
