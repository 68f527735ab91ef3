// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

// What the solvers see of a plan: links, routes and flows by index. candidates.h makes one of
// records.
namespace weft::lb {

// A directed link that some route or some flow's access crosses, or parallel cables that nobody can
// tell apart, as one link of their summed capacity.
struct ProblemLink {
  double capacity_bps =
      std::numeric_limits<double>::infinity();  // infinite: not known (host links)
  uint32_t from = 0;                            // node, numbered within the problem
  uint32_t to = 0;
  bool between_switches = false;
};

// The directed switch-to-switch links of a path, in order; none where both hosts are under one
// leaf. Where no source port chooses the way, a step of the path is several links, each of which
// takes a share of the flow.
struct Route {
  std::vector<uint32_t> links;   // none twice
  std::vector<double> shares{};  // of the flow, by link, 1 over each step; empty: 1 on every link
  double Share(size_t i) const { return shares.empty() ? 1.0 : shares[i]; }
};

inline constexpr uint32_t kNoRoute = std::numeric_limits<uint32_t>::max();

struct FlowChoices {
  double rate_bps = 0;
  std::vector<uint32_t> routes;        // those it can take, ascending; empty: cannot be planned
  uint32_t present = kNoRoute;         // where its present port leads; may be none of `routes`
  std::vector<uint32_t> access_links;  // the host links it crosses on every route
};

struct Problem {
  std::vector<ProblemLink> links;
  std::vector<Route> routes;
  std::vector<FlowChoices> flows;
};

// One route (or kNoRoute) per flow.
using Placement = std::vector<uint32_t>;

// Loads and rates that differ by less than this share of themselves count as equal.
inline constexpr double kTolerance = 1e-9;
inline bool Less(double a, double b) {
  return a < b - kTolerance * std::max(std::abs(a), std::abs(b));
}

inline bool CanTake(const FlowChoices& flow, uint32_t route) {
  return std::binary_search(flow.routes.begin(), flow.routes.end(), route);
}

}  // namespace weft::lb
