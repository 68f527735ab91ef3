// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "lb/assign/bounds.h"
#include "lb/assign/problem.h"

namespace weft::lb {

struct Solution {
  Placement placement;
  const char* method = "";  // "exact", "local search"
};

// The colouring that fits the problem where its fullest link is proven to be as little full as can
// be ("exact"), else local search from the present routes, from nothing, from `starts` and from a
// colouring that could not be proven. `bounds` may be those of a problem with more routes.
Solution Solve(const Problem& problem, const Bounds& bounds, std::span<const Placement> starts);

}  // namespace weft::lb
