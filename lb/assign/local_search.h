// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "lb/assign/bounds.h"
#include "lb/assign/problem.h"

namespace weft::lb {

// How good a placement is: less full fullest link first, then more carried, then fewer flows moved.
struct Score {
  double fullest_link = 0;
  double carried_share = 0;
  uint32_t moved = 0;
};
Score ScoreOf(const Problem& problem, const Placement& placement);
bool IsBetter(const Score& a, const Score& b);

// The flows that `kept` gives a route that they can take stay there; the others are placed longest
// first, each where the fullest link it crosses, up or down, is least full; on its present route
// where that is no worse.
Placement PlaceLongestFirst(const Problem& problem, const Placement& kept);

// Betters a placement in the order of Score: chains of moves on the fullest links until none helps
// or the bound is met; then moves and swaps that raise the carried rate; then moves back to the
// present routes where that costs nothing. Bounded work.
Placement Improve(const Problem& problem, Placement placement, const Bounds& bounds);

// Any topology, rates and capacities: the best of several starts (the present routes, nothing, and
// each of `starts`), improved.
Placement SolveByLocalSearch(const Problem& problem, const Bounds& bounds,
                             std::span<const Placement> starts);

}  // namespace weft::lb
