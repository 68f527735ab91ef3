// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/even_colouring.h"

#include <algorithm>
#include <numeric>

#include "lb/assign/problem.h"

namespace weft::lb {
namespace {

uint32_t LargestDegree(const EvenColouring& problem) {
  std::vector<uint32_t> left(problem.left_count, 0);
  std::vector<uint32_t> right(problem.right_count, 0);
  uint32_t largest = 0;
  for (const EdgeColouring::Edge& edge : problem.edges) {
    largest = std::max({largest, ++left[edge.left], ++right[edge.right]});
  }
  return largest;
}

// How many edges of one vertex each group may take: its colours.
std::vector<uint32_t> SlotsPerGroup(const EvenColouring& problem) {
  const uint32_t degree = LargestDegree(problem);
  const uint32_t most = (degree + problem.group_count - 1) / problem.group_count;
  const uint32_t surplus = degree % problem.group_count;
  std::vector<uint32_t> slots(problem.group_count, most);
  const bool fits = most * problem.edge_load <= 1 + kTolerance;
  if (fits || most == 1 || surplus == 0) return slots;

  // The surplus goes where most edges are now, so that few have to move.
  std::vector<uint32_t> present(problem.group_count, 0);
  for (uint32_t group : problem.preferred) {
    if (group != EdgeColouring::kNone) ++present[group];
  }
  std::vector<uint32_t> order(problem.group_count);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return present[a] > present[b]; });
  for (uint32_t rank = surplus; rank < problem.group_count; ++rank) --slots[order[rank]];
  return slots;
}

}  // namespace

std::vector<uint32_t> SpreadEvenly(const EvenColouring& problem) {
  if (problem.edges.empty()) return {};
  // Colours go round the groups, so that the lowest free colour evens out their use.
  const std::vector<uint32_t> slots = SlotsPerGroup(problem);
  std::vector<std::vector<uint32_t>> colours_of_group(problem.group_count);
  std::vector<uint32_t> group_of_colour;
  for (uint32_t slot = 0; slot < *std::max_element(slots.begin(), slots.end()); ++slot) {
    for (uint32_t group = 0; group < problem.group_count; ++group) {
      if (slot >= slots[group]) continue;
      colours_of_group[group].push_back(static_cast<uint32_t>(group_of_colour.size()));
      group_of_colour.push_back(group);
    }
  }

  EdgeColouring colouring(problem.edges, problem.left_count, problem.right_count,
                          static_cast<uint32_t>(group_of_colour.size()));
  for (uint32_t edge = 0; edge < problem.edges.size(); ++edge) {
    const uint32_t group = problem.preferred[edge];
    if (group != EdgeColouring::kNone) colouring.TryColour(edge, colours_of_group[group]);
  }
  for (uint32_t edge = 0; edge < problem.edges.size(); ++edge) {
    if (colouring.colour(edge) == EdgeColouring::kNone) colouring.Colour(edge);
  }

  std::vector<uint32_t> groups;
  for (uint32_t edge = 0; edge < problem.edges.size(); ++edge) {
    groups.push_back(group_of_colour[colouring.colour(edge)]);
  }
  return groups;
}

}  // namespace weft::lb
