// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/local_search.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "lb/assign/fair_share.h"
#include "lb/assign/load_state.h"
#include "lb/assign/polish.h"
#include "lb/assign/relief.h"

namespace weft::lb {
namespace {

constexpr size_t kReliefSteps = 1'000'000;

void LowerFullestLink(LoadState* state, double bound) {
  Relief relief(state, kReliefSteps);
  while (relief.budget_left()) {
    const double fullest = state->FullestLink();
    if (!Less(bound, fullest)) return;
    const double limit = fullest * (1 - kTolerance);
    for (uint32_t link = 0; link < state->problem().links.size(); ++link) {
      if (state->Load(link) > limit && !relief.Run(link, limit)) return;
    }
  }
}

}  // namespace

Score ScoreOf(const Problem& problem, const Placement& placement) {
  const LoadState state(&problem, placement);
  return {state.FullestLink(), CarriedShare(problem, placement), state.MovedCount()};
}

bool IsBetter(const Score& a, const Score& b) {
  if (Less(a.fullest_link, b.fullest_link)) return true;
  if (Less(b.fullest_link, a.fullest_link)) return false;
  if (Less(b.carried_share, a.carried_share)) return true;
  if (Less(a.carried_share, b.carried_share)) return false;
  return a.moved < b.moved;
}

Placement PlaceLongestFirst(const Problem& problem, const Placement& kept) {
  Placement start(problem.flows.size(), kNoRoute);
  std::vector<uint32_t> order;
  for (uint32_t flow = 0; flow < problem.flows.size(); ++flow) {
    if (CanTake(problem.flows[flow], kept[flow])) {
      start[flow] = kept[flow];
    } else {
      order.push_back(flow);
    }
  }
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return problem.flows[a].rate_bps > problem.flows[b].rate_bps;
  });
  LoadState state(&problem, std::move(start));
  for (uint32_t flow : order) {
    const FlowChoices& choices = problem.flows[flow];
    uint32_t best = kNoRoute;
    double best_load = 0;
    for (uint32_t route : choices.routes) {
      const double load = state.FullestAfter(flow, route);
      const bool tie = best != kNoRoute && !Less(best_load, load) && !Less(load, best_load);
      if (best == kNoRoute || Less(load, best_load) || (tie && route == choices.present)) {
        best = route;
        best_load = load;
      }
    }
    state.Move(flow, best);
  }
  return state.placement();
}

Placement Improve(const Problem& problem, Placement placement, const Bounds& bounds) {
  LoadState state(&problem, std::move(placement));
  LowerFullestLink(&state, bounds.integral);
  RaiseCarried(&state, bounds.fits_share);
  ReturnToPresent(&state);
  return state.placement();
}

Placement SolveByLocalSearch(const Problem& problem, const Bounds& bounds,
                             std::span<const Placement> starts) {
  const Placement nothing(problem.flows.size(), kNoRoute);
  Placement present = nothing;
  for (uint32_t flow = 0; flow < present.size(); ++flow) {
    present[flow] = problem.flows[flow].present;
  }
  std::vector<Placement> all = {std::move(present), nothing};
  all.insert(all.end(), starts.begin(), starts.end());

  Placement best;
  Score best_score;
  for (const Placement& start : all) {
    Placement placement = Improve(problem, PlaceLongestFirst(problem, start), bounds);
    const Score score = ScoreOf(problem, placement);
    if (!best.empty() && !IsBetter(score, best_score)) continue;
    best = std::move(placement);
    best_score = score;
  }
  return best;
}

}  // namespace weft::lb
