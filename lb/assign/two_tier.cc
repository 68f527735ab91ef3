// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/two_tier.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "lb/assign/even_colouring.h"

namespace weft::lb {
namespace {

bool Near(double a, double b) { return std::abs(a - b) <= kTolerance * std::max(a, b); }

// The problem as a bipartite multigraph: leaves, an edge per flow, spines numbered from 0.
struct TwoTier {
  std::vector<uint32_t> flows;  // edge -> flow
  std::vector<EdgeColouring::Edge> edges;
  std::vector<uint32_t> spine_of_route;  // kNoRoute where it does not apply
  uint32_t spine_count = 0;
  uint32_t left_count = 0;
  uint32_t right_count = 0;
  double flow_load = 0;  // what one flow puts on a link
};

// Numbers nodes from 0 in the order in which they are first asked for.
class Numbering {
 public:
  uint32_t Of(uint32_t node) {
    if (node >= numbers_.size()) numbers_.resize(node + 1, kNoRoute);
    if (numbers_[node] == kNoRoute) numbers_[node] = count_++;
    return numbers_[node];
  }
  uint32_t count() const { return count_; }

 private:
  std::vector<uint32_t> numbers_;
  uint32_t count_ = 0;
};

// The spine of every route; empty where some route is not leaf-spine-leaf, or capacities differ.
std::vector<uint32_t> FindSpines(const Problem& problem, Numbering* spines, double* capacity_bps) {
  std::vector<uint32_t> spine_of_route(problem.routes.size(), kNoRoute);
  *capacity_bps = 0;
  for (const FlowChoices& flow : problem.flows) {
    for (uint32_t route : flow.routes) {
      const std::vector<uint32_t>& links = problem.routes[route].links;
      if (links.empty() || spine_of_route[route] != kNoRoute) continue;
      if (links.size() != 2 || !problem.routes[route].shares.empty()) return {};
      for (uint32_t link : links) {
        if (*capacity_bps == 0) *capacity_bps = problem.links[link].capacity_bps;
        if (!Near(problem.links[link].capacity_bps, *capacity_bps)) return {};
      }
      spine_of_route[route] = spines->Of(problem.links[links.front()].to);
    }
  }
  return spine_of_route;
}

// Whether the routes lead over every spine, each once.
bool CoversSpines(const std::vector<uint32_t>& routes, const TwoTier& graph,
                  std::vector<uint32_t>* seen, uint32_t stamp) {
  if (routes.size() != graph.spine_count) return false;
  for (uint32_t route : routes) {
    if (std::exchange((*seen)[graph.spine_of_route[route]], stamp) == stamp) return false;
  }
  return true;
}

std::optional<TwoTier> Recognise(const Problem& problem) {
  TwoTier graph;
  Numbering spines;
  Numbering left;
  Numbering right;
  double capacity_bps = 0;
  double rate_bps = 0;
  graph.spine_of_route = FindSpines(problem, &spines, &capacity_bps);
  graph.spine_count = spines.count();
  if (graph.spine_of_route.empty() || graph.spine_count == 0) return std::nullopt;
  std::vector<uint32_t> seen(graph.spine_count, kNoRoute);
  for (uint32_t index = 0; index < problem.flows.size(); ++index) {
    const FlowChoices& flow = problem.flows[index];
    if (flow.routes.empty() || problem.routes[flow.routes.front()].links.empty()) continue;
    if (!CoversSpines(flow.routes, graph, &seen, index)) return std::nullopt;
    if (rate_bps == 0) rate_bps = flow.rate_bps;
    if (!Near(flow.rate_bps, rate_bps)) return std::nullopt;
    const std::vector<uint32_t>& links = problem.routes[flow.routes.front()].links;
    graph.edges.push_back(
        {left.Of(problem.links[links.front()].from), right.Of(problem.links[links.back()].to)});
    graph.flows.push_back(index);
  }
  graph.left_count = left.count();
  graph.right_count = right.count();
  graph.flow_load = rate_bps / capacity_bps;
  return graph;
}

}  // namespace

std::optional<Placement> SolveTwoTier(const Problem& problem) {
  const std::optional<TwoTier> graph = Recognise(problem);
  if (!graph) return std::nullopt;

  std::vector<uint32_t> present;
  for (uint32_t index : graph->flows) {
    const FlowChoices& flow = problem.flows[index];
    present.push_back(CanTake(flow, flow.present) ? graph->spine_of_route[flow.present]
                                                  : EdgeColouring::kNone);
  }
  const std::vector<uint32_t> spines =
      SpreadEvenly({graph->edges, graph->left_count, graph->right_count, graph->spine_count,
                    present, graph->flow_load});

  Placement placement(problem.flows.size(), kNoRoute);
  for (uint32_t flow = 0; flow < placement.size(); ++flow) {
    if (!problem.flows[flow].routes.empty()) placement[flow] = problem.flows[flow].routes.front();
  }
  for (uint32_t edge = 0; edge < graph->edges.size(); ++edge) {
    for (uint32_t route : problem.flows[graph->flows[edge]].routes) {
      if (graph->spine_of_route[route] == spines[edge]) placement[graph->flows[edge]] = route;
    }
  }
  return placement;
}

}  // namespace weft::lb
