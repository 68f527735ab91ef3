// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/solve.h"

#include <optional>
#include <utility>
#include <vector>

#include "lb/assign/load_state.h"
#include "lb/assign/local_search.h"
#include "lb/assign/three_tier.h"
#include "lb/assign/two_tier.h"

namespace weft::lb {
namespace {

bool MeetsBound(const Problem& problem, const Placement& placement, const Bounds& bounds) {
  const double fullest = LoadState(&problem, placement).FullestLink();
  // The bound of a problem with more routes may be lower than this one's own.
  return !Less(bounds.integral, fullest) || !Less(ComputeBounds(problem).integral, fullest);
}

}  // namespace

Solution Solve(const Problem& problem, const Bounds& bounds, std::span<const Placement> starts) {
  if (std::optional<Placement> exact = SolveTwoTier(problem)) {
    return {Improve(problem, *std::move(exact), bounds), "exact"};
  }
  std::vector<Placement> all(starts.begin(), starts.end());
  if (std::optional<Placement> nested = SolveThreeTier(problem)) {
    if (MeetsBound(problem, *nested, bounds)) {
      return {Improve(problem, *std::move(nested), bounds), "exact"};
    }
    all.push_back(*std::move(nested));
  }
  return {SolveByLocalSearch(problem, bounds, all), "local search"};
}

}  // namespace weft::lb
