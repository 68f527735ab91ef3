// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "lb/assign/problem.h"

namespace weft::lb {

// Flows that all have to cross the same few links, once each.
struct Cut {
  std::vector<double> whole_bps;  // rates of the flows that stay whole, descending
  std::vector<double> free_bps;   // of these, rates of the flows with several routes, descending
  double split_bps = 0;           // offered by flows that are spread over several links
  std::vector<uint32_t> links;    // none twice
};

// Cuts of one kind, no flow in two of them.
struct CutSide {
  std::vector<Cut> cuts;
  double elsewhere_bps = 0;  // offered by flows that have a route and are in none of the cuts
};

// By source leaf, destination leaf and both; where flows go over three tiers also by source pod,
// destination pod and both, and by the spine of either pod for the flows that have one only there.
// A pod is what the first and last links of all routes join. In the order of the nodes.
std::vector<CutSide> FindCuts(const Problem& problem);

}  // namespace weft::lb
