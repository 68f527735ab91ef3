// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/bounds.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <utility>
#include <vector>

namespace weft::lb {
namespace {

// Flows that all have to cross one of the same few links.
struct Cut {
  std::vector<double> rates_bps;
  std::vector<uint32_t> links;  // none twice
};

bool EqualRates(const std::vector<double>& descending) {
  return descending.front() - descending.back() <= descending.front() * kTolerance;
}

std::vector<double> Capacities(const Problem& problem, const Cut& cut) {
  std::vector<double> capacities;
  for (uint32_t link : cut.links) capacities.push_back(problem.links[link].capacity_bps);
  return capacities;
}

// Gives equal flows, one by one, to the link that is least full with one more.
double EqualFlowsBound(const std::vector<double>& capacities, double rate_bps, size_t flow_count) {
  using Entry = std::pair<double, double>;  // load with one more flow, capacity
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (double capacity : capacities) queue.emplace(rate_bps / capacity, capacity);
  double fullest = 0;
  for (size_t flow = 0; flow < flow_count; ++flow) {
    const auto [load, capacity] = queue.top();
    queue.pop();
    fullest = std::max(fullest, load);
    queue.emplace(load + rate_bps / capacity, capacity);
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
double CarriedAtMost(const std::vector<double>& capacities, const std::vector<double>& descending) {
  double demand_bps = 0;
  for (double rate : descending) demand_bps += rate;
  double capacity_bps = 0;
  for (double capacity : capacities) capacity_bps += capacity;
  if (!EqualRates(descending)) return std::min(demand_bps, capacity_bps);
  std::priority_queue<double> left_bps(capacities.begin(), capacities.end());
  double carried_bps = 0;
  for (double rate : descending) {
    const double left = left_bps.top();
    const double gain = std::min(rate, left);
    carried_bps += gain;
    left_bps.pop();
    left_bps.push(left - gain);
  }
  return carried_bps;
}

void TightenLoads(const Problem& problem, const Cut& cut, Bounds* bounds) {
  const std::vector<double> capacities = Capacities(problem, cut);
  double demand_bps = 0;
  for (double rate : cut.rates_bps) demand_bps += rate;
  double capacity_bps = 0;
  for (double capacity : capacities) capacity_bps += capacity;
  bounds->fluid = std::max(bounds->fluid, demand_bps / capacity_bps);
  const double integral =
      EqualRates(cut.rates_bps)
          ? EqualFlowsBound(capacities, cut.rates_bps.front(), cut.rates_bps.size())
          : PigeonholeBound(capacities, cut.rates_bps);
  bounds->integral = std::max(bounds->integral, integral);
}

// No flow loads its best route less than this.
double LargestFlowBound(const Problem& problem) {
  double bound = 0;
  for (const FlowChoices& flow : problem.flows) {
    double best = flow.routes.empty() ? 0 : std::numeric_limits<double>::infinity();
    for (uint32_t route : flow.routes) {
      double load = 0;
      for (uint32_t link : problem.routes[route].links) {
        load = std::max(load, flow.rate_bps / problem.links[link].capacity_bps);
      }
      best = std::min(best, load);
    }
    bound = std::max(bound, best);
  }
  return bound;
}

void Add(uint32_t link, std::vector<uint32_t>* links) {
  if (std::find(links->begin(), links->end(), link) == links->end()) links->push_back(link);
}

// A cut's name on each of the three sides: source leaf, destination leaf, or both.
using CutKey = std::pair<uint32_t, uint32_t>;
constexpr uint32_t kAnyLeaf = kNoRoute;

}  // namespace

Bounds ComputeBounds(const Problem& problem) {
  std::array<std::map<CutKey, Cut>, 3> sides;
  std::vector<bool> seen(problem.routes.size(), false);
  double offered_bps = 0;
  double local_bps = 0;
  for (const FlowChoices& flow : problem.flows) {
    offered_bps += flow.rate_bps;
    if (flow.routes.empty()) continue;
    const std::vector<uint32_t>& first = problem.routes[flow.routes.front()].links;
    if (first.empty()) {
      local_bps += flow.rate_bps;
      continue;
    }
    const uint32_t source = problem.links[first.front()].from;
    const uint32_t destination = problem.links[first.back()].to;
    Cut& up = sides[0][{source, kAnyLeaf}];
    Cut& down = sides[1][{kAnyLeaf, destination}];
    Cut& pair = sides[2][{source, destination}];
    for (Cut* cut : {&up, &down, &pair}) cut->rates_bps.push_back(flow.rate_bps);
    for (uint32_t route : flow.routes) {
      if (seen[route]) continue;  // a route belongs to one pair of leaves
      seen[route] = true;
      const std::vector<uint32_t>& links = problem.routes[route].links;
      Add(links.front(), &up.links);
      Add(links.back(), &down.links);
      Add(links.front(), &pair.links);
    }
  }

  Bounds bounds;
  double fits_bps = offered_bps;
  for (auto& side : sides) {
    double carried_bps = local_bps;
    for (auto& [key, cut] : side) {
      std::sort(cut.rates_bps.begin(), cut.rates_bps.end(), std::greater<>());
      TightenLoads(problem, cut, &bounds);
      carried_bps += CarriedAtMost(Capacities(problem, cut), cut.rates_bps);
    }
    fits_bps = std::min(fits_bps, carried_bps);
  }
  bounds.fluid = std::max(bounds.fluid, LargestFlowBound(problem));
  bounds.integral = std::max(bounds.integral, bounds.fluid);
  if (offered_bps > 0) bounds.fits_share = fits_bps / offered_bps;
  return bounds;
}

}  // namespace weft::lb
