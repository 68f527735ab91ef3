// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/bounds.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

#include "lb/assign/cuts.h"

namespace weft::lb {
namespace {

bool EqualRates(const std::vector<double>& descending) {
  return descending.front() - descending.back() <= descending.front() * kTolerance;
}

std::vector<double> Capacities(const Problem& problem, const Cut& cut) {
  std::vector<double> capacities;
  for (uint32_t link : cut.links) capacities.push_back(problem.links[link].capacity_bps);
  return capacities;
}

double DemandBps(const Cut& cut) {
  return std::accumulate(cut.whole_bps.begin(), cut.whole_bps.end(), cut.split_bps);
}

// What flows with a single route put on each link, over its capacity: no assignment can change it.
std::vector<double> FixedLoads(const Problem& problem) {
  std::vector<double> loads(problem.links.size(), 0);
  for (const FlowChoices& flow : problem.flows) {
    if (flow.routes.size() != 1) continue;
    const Route& route = problem.routes[flow.routes.front()];
    for (size_t i = 0; i < route.links.size(); ++i) {
      const uint32_t link = route.links[i];
      loads[link] += flow.rate_bps * route.Share(i) / problem.links[link].capacity_bps;
    }
  }
  return loads;
}

// Gives equal flows, one by one, to the link of the cut that is least full with one more.
double EqualFlowsBound(const Problem& problem, const Cut& cut, const std::vector<double>& fixed) {
  using Entry = std::pair<double, double>;  // load with one more flow, capacity
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  const double rate_bps = cut.free_bps.front();
  for (uint32_t link : cut.links) {
    const double capacity_bps = problem.links[link].capacity_bps;
    queue.emplace(fixed[link] + rate_bps / capacity_bps, capacity_bps);
  }
  double fullest = 0;
  for (size_t flow = 0; flow < cut.free_bps.size(); ++flow) {
    const auto [load, capacity_bps] = queue.top();
    queue.pop();
    fullest = std::max(fullest, load);
    queue.emplace(load + rate_bps / capacity_bps, capacity_bps);
  }
  return fullest;
}

// Of the (links x j + 1) largest flows, some link takes j + 1, at least the j + 1 smallest of them.
double PigeonholeBound(const std::vector<double>& capacities,
                       const std::vector<double>& descending) {
  const double best_bps = *std::max_element(capacities.begin(), capacities.end());
  double bound = 0;
  for (size_t j = 0; capacities.size() * j < descending.size(); ++j) {
    const auto last = descending.begin() + static_cast<std::ptrdiff_t>(capacities.size() * j);
    double sum = 0;
    for (auto rate = last - static_cast<std::ptrdiff_t>(j); rate <= last; ++rate) sum += *rate;
    bound = std::max(bound, sum / best_bps);
  }
  return bound;
}

// The most that the cut's links carry of its flows. Equal flows: one by one to the link that gains
// most, which is optimal because what a link carries is concave in its number of flows.
double CarriedAtMost(const std::vector<double>& capacities, const Cut& cut) {
  const double capacity_bps = std::accumulate(capacities.begin(), capacities.end(), 0.0);
  const bool splits = cut.split_bps > 0 || cut.whole_bps.empty();
  if (splits || !EqualRates(cut.whole_bps)) return std::min(DemandBps(cut), capacity_bps);
  std::priority_queue<double> left_bps(capacities.begin(), capacities.end());
  double carried_bps = 0;
  for (double rate : cut.whole_bps) {
    const double left = left_bps.top();
    const double gain = std::min(rate, left);
    carried_bps += gain;
    left_bps.pop();
    left_bps.push(left - gain);
  }
  return carried_bps;
}

void TightenLoads(const Problem& problem, const Cut& cut, const std::vector<double>& capacities,
                  const std::vector<double>& fixed, Bounds* bounds) {
  const double capacity_bps = std::accumulate(capacities.begin(), capacities.end(), 0.0);
  bounds->fluid = std::max(bounds->fluid, DemandBps(cut) / capacity_bps);
  if (!cut.free_bps.empty() && EqualRates(cut.free_bps)) {
    bounds->integral = std::max(bounds->integral, EqualFlowsBound(problem, cut, fixed));
  }
  if (!cut.whole_bps.empty() && !EqualRates(cut.whole_bps)) {
    bounds->integral = std::max(bounds->integral, PigeonholeBound(capacities, cut.whole_bps));
  }
}

// No flow loads its best route less than this.
double LargestFlowBound(const Problem& problem) {
  double bound = 0;
  for (const FlowChoices& flow : problem.flows) {
    double best = flow.routes.empty() ? 0 : std::numeric_limits<double>::infinity();
    for (uint32_t index : flow.routes) {
      const Route& route = problem.routes[index];
      double load = 0;
      for (size_t i = 0; i < route.links.size(); ++i) {
        load = std::max(
            load, flow.rate_bps * route.Share(i) / problem.links[route.links[i]].capacity_bps);
      }
      best = std::min(best, load);
    }
    bound = std::max(bound, best);
  }
  return bound;
}

}  // namespace

Bounds ComputeBounds(const Problem& problem) {
  double offered_bps = 0;
  double routed_bps = 0;
  for (const FlowChoices& flow : problem.flows) {
    offered_bps += flow.rate_bps;
    if (!flow.routes.empty()) routed_bps += flow.rate_bps;
  }
  const std::vector<double> fixed = FixedLoads(problem);
  Bounds bounds;
  for (double load : fixed) bounds.fluid = std::max(bounds.fluid, load);
  double fits_bps = routed_bps;
  for (const CutSide& side : FindCuts(problem)) {
    double carried_bps = side.elsewhere_bps;
    for (const Cut& cut : side.cuts) {
      const std::vector<double> capacities = Capacities(problem, cut);
      TightenLoads(problem, cut, capacities, fixed, &bounds);
      carried_bps += CarriedAtMost(capacities, cut);
    }
    fits_bps = std::min(fits_bps, carried_bps);
  }
  bounds.fluid = std::max(bounds.fluid, LargestFlowBound(problem));
  bounds.integral = std::max(bounds.integral, bounds.fluid);
  if (offered_bps > 0) bounds.fits_share = fits_bps / offered_bps;
  return bounds;
}

}  // namespace weft::lb
