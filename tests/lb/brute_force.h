// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lb/assign/load_state.h"
#include "lb/assign/local_search.h"
#include "lb/assign/problem.h"

namespace weft::lb {

// The best placement by trying all of them. Every flow has a route.
inline Score BruteForce(const Problem& problem) {
  std::vector<size_t> digits(problem.flows.size(), 0);
  Score best{1e300, 0, 0};
  while (true) {
    Placement placement;
    for (size_t flow = 0; flow < digits.size(); ++flow) {
      placement.push_back(problem.flows[flow].routes[digits[flow]]);
    }
    const Score score = ScoreOf(problem, placement);
    if (IsBetter({score.fullest_link, score.carried_share, 0},
                 {best.fullest_link, best.carried_share, 0})) {
      best = score;
    }
    size_t flow = 0;
    while (flow < digits.size() && ++digits[flow] == problem.flows[flow].routes.size()) {
      digits[flow++] = 0;
    }
    if (flow == digits.size()) return best;
  }
}

// The least fullest link of all placements, by trying them depth first and leaving off where one is
// no better than the best so far.
inline void LeastFullestLink(LoadState* state, uint32_t flow, double fullest, double* best) {
  if (fullest >= *best) return;
  if (flow == state->problem().flows.size()) {
    *best = fullest;
    return;
  }
  for (uint32_t route : state->problem().flows[flow].routes) {
    const double after = std::max(fullest, state->FullestAfter(flow, route));
    state->Move(flow, route);
    LeastFullestLink(state, flow + 1, after, best);
    state->Move(flow, kNoRoute);
  }
}
inline double LeastFullestLink(const Problem& problem) {
  LoadState state(&problem, Placement(problem.flows.size(), kNoRoute));
  double best = 1e300;
  LeastFullestLink(&state, 0, 0, &best);
  return best;
}

}  // namespace weft::lb
