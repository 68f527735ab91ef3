// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lb/assign/colouring.h"

namespace weft::lb {

// Edges of a bipartite multigraph that are to be spread evenly: flows between leaves over spines,
// or between pods over the cores of one plane.
struct EvenColouring {
  std::span<const EdgeColouring::Edge> edges;
  uint32_t left_count = 0;
  uint32_t right_count = 0;
  uint32_t group_count = 0;             // spines or cores
  std::span<const uint32_t> preferred;  // by edge: the group it is in now, or EdgeColouring::kNone
  double edge_load = 0;                 // what one edge puts on a link, over its capacity
};

// The group of every edge: no vertex has more than ceil(largest degree / groups) edges in one
// group, which nothing can beat. Where so many do not fit a link, the surplus goes to the same
// groups at every vertex: flows that share one link then share the other too, and no second link is
// filled for them. Edges stay in their preferred group where a place is free for them.
std::vector<uint32_t> SpreadEvenly(const EvenColouring& problem);

}  // namespace weft::lb
