// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/three_tier.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "lb/assign/fat_tree.h"
#include "lb/assign/node_groups.h"

namespace weft::lb {
namespace {

constexpr uint32_t kNone = FatTreeFlow::kNone;

bool Near(double a, double b) { return std::abs(a - b) <= kTolerance * std::max(a, b); }

// Numbers from 0 in the order in which they are first asked for.
class Numbering {
 public:
  uint32_t Of(uint32_t thing) {
    const auto [found, added] = numbers_.emplace(thing, static_cast<uint32_t>(numbers_.size()));
    return found->second;
  }
  uint32_t count() const { return static_cast<uint32_t>(numbers_.size()); }

 private:
  std::map<uint32_t, uint32_t> numbers_;
};

// Recognises the tree in a problem's routes, step by step; a step that finds something else says
// false.
class Recogniser {
 public:
  explicit Recogniser(const Problem& problem)
      : problem_(problem), pods_(problem.links), planes_(problem.links) {}

  bool Run() {
    return FindUsedRoutes() && FindGroups() && NumberSpines() && NumberCores() && FindWays() &&
           TakeFlows();
  }

  FatTree tree;
  std::vector<FatTreeFlow> flows;
  std::vector<uint32_t> index_of_flow;  // in the problem
  // By route: the plane, and the core within it (kNone inside a pod).
  std::vector<std::pair<uint32_t, uint32_t>> way_of_route;

 private:
  const ProblemLink& LinkOf(uint32_t route, size_t step) const {
    return problem_.links[problem_.routes[route].links[step]];
  }
  size_t Steps(uint32_t route) const { return problem_.routes[route].links.size(); }

  bool SameCapacity(double* all_bps, double bps) const {
    if (*all_bps == 0) *all_bps = bps;
    return Near(*all_bps, bps);
  }

  bool FindUsedRoutes() {
    std::vector<bool> seen(problem_.routes.size(), false);
    for (const FlowChoices& flow : problem_.flows) {
      for (uint32_t route : flow.routes) {
        if (Steps(route) == 0 || seen[route]) continue;
        seen[route] = true;
        const bool straight = problem_.routes[route].shares.empty();
        if (!straight || (Steps(route) != 2 && Steps(route) != 4)) return false;
        used_.push_back(route);
      }
    }
    return !used_.empty();
  }

  bool FindGroups() {
    for (uint32_t route : used_) {
      const size_t last = Steps(route) - 1;
      for (size_t step : {size_t{0}, last}) {
        const ProblemLink& link = LinkOf(route, step);
        pods_.Join(link.from, link.to);
        if (!SameCapacity(&leaf_link_bps_, link.capacity_bps)) return false;
      }
      for (size_t step = 1; step < last && last == 3; ++step) {
        const ProblemLink& link = LinkOf(route, step);
        planes_.Join(link.from, link.to);
        if (!SameCapacity(&core_link_bps_, link.capacity_bps)) return false;
      }
    }
    return true;
  }

  // Every pod has one spine in each plane. In a pod that no flow leaves, nobody sees which plane a
  // spine is in, and it makes no difference: its spines are numbered as they come.
  bool NumberSpines() {
    std::map<uint32_t, std::vector<uint32_t>> spines;  // by pod
    Numbering planes;
    for (uint32_t route : used_) {
      for (uint32_t spine : {LinkOf(route, 0).to, LinkOf(route, Steps(route) - 1).from}) {
        spines[pods_.Of(spine)].push_back(spine);
        if (Steps(route) == 4) planes.Of(planes_.Of(spine));
        if (Steps(route) == 4) crosses_[pods_.Of(spine)] = true;
      }
    }
    for (auto& [pod, of_pod] : spines) {
      std::sort(of_pod.begin(), of_pod.end());
      of_pod.erase(std::unique(of_pod.begin(), of_pod.end()), of_pod.end());
      if (tree.plane_count == 0) tree.plane_count = static_cast<uint32_t>(of_pod.size());
      if (of_pod.size() != tree.plane_count) return false;
      std::vector<bool> taken(tree.plane_count, false);
      for (uint32_t i = 0; i < of_pod.size(); ++i) {
        const uint32_t plane = crosses_[pod] ? planes.Of(planes_.Of(of_pod[i])) : i;
        if (plane >= tree.plane_count || taken[plane]) return false;
        taken[plane] = true;
        plane_of_spine_[of_pod[i]] = plane;
      }
    }
    return true;
  }

  bool NumberCores() {
    std::map<uint32_t, Numbering> cores;  // by plane
    for (uint32_t route : used_) {
      if (Steps(route) != 4) continue;
      const uint32_t core = LinkOf(route, 1).to;
      const uint32_t plane = plane_of_spine_.at(LinkOf(route, 0).to);
      if (plane_of_spine_.at(LinkOf(route, 3).from) != plane) return false;
      core_of_node_[core] = cores[plane].Of(core);
    }
    for (const auto& [plane, of_plane] : cores) {
      if (tree.cores_per_plane == 0) tree.cores_per_plane = of_plane.count();
      if (of_plane.count() != tree.cores_per_plane) return false;
    }
    return cores.empty() || cores.size() == tree.plane_count;
  }

  bool FindWays() {
    way_of_route.assign(problem_.routes.size(), {kNone, kNone});
    for (uint32_t route : used_) {
      const bool crosses = Steps(route) == 4;
      const uint32_t source_pod = pods_.Of(LinkOf(route, 0).from);
      const uint32_t destination_pod = pods_.Of(LinkOf(route, Steps(route) - 1).to);
      if (crosses != (source_pod != destination_pod)) return false;
      way_of_route[route] = {plane_of_spine_.at(LinkOf(route, 0).to),
                             crosses ? core_of_node_.at(LinkOf(route, 1).to) : kNone};
    }
    return true;
  }

  // Every flow has all the ways, each once.
  bool Covers(const FlowChoices& flow, uint32_t stamp) {
    const bool crosses = Steps(flow.routes.front()) == 4;
    const uint32_t cores = crosses ? tree.cores_per_plane : 1;
    if (flow.routes.size() != size_t{tree.plane_count} * cores) return false;
    seen_.resize(std::max(seen_.size(), flow.routes.size()), kNone);
    for (uint32_t route : flow.routes) {
      const auto& [plane, core] = way_of_route[route];
      if (crosses != (core != kNone)) return false;
      if (std::exchange(seen_[plane * cores + (crosses ? core : 0)], stamp) == stamp) return false;
    }
    return true;
  }

  bool TakeFlows() {
    Numbering leaves;
    Numbering pods;
    double rate_bps = 0;
    const auto leaf = [&](uint32_t node) {
      const uint32_t number = leaves.Of(node);
      if (number == tree.pod_of_leaf.size()) tree.pod_of_leaf.push_back(pods.Of(pods_.Of(node)));
      return number;
    };
    for (uint32_t index = 0; index < problem_.flows.size(); ++index) {
      const FlowChoices& flow = problem_.flows[index];
      if (flow.routes.empty() || Steps(flow.routes.front()) == 0) continue;
      if (!Covers(flow, index) || !SameCapacity(&rate_bps, flow.rate_bps)) return false;
      const uint32_t first = flow.routes.front();
      FatTreeFlow taken;
      taken.source_leaf = leaf(LinkOf(first, 0).from);
      taken.destination_leaf = leaf(LinkOf(first, Steps(first) - 1).to);
      if (CanTake(flow, flow.present)) {
        std::tie(taken.plane, taken.core) = way_of_route[flow.present];
      }
      flows.push_back(taken);
      index_of_flow.push_back(index);
    }
    tree.pod_count = pods.count();
    tree.leaf_link_load = rate_bps / leaf_link_bps_;
    tree.core_link_load = core_link_bps_ > 0 ? rate_bps / core_link_bps_ : 0;
    return true;
  }

  const Problem& problem_;
  NodeGroups pods_;
  NodeGroups planes_;
  std::vector<uint32_t> used_;        // routes with links
  std::map<uint32_t, bool> crosses_;  // pods that a flow leaves or comes to
  std::map<uint32_t, uint32_t> plane_of_spine_;
  std::map<uint32_t, uint32_t> core_of_node_;  // within its plane
  double leaf_link_bps_ = 0;
  double core_link_bps_ = 0;
  std::vector<uint32_t> seen_;  // by way: the last flow that has it
};

}  // namespace

std::optional<Placement> SolveThreeTier(const Problem& problem) {
  Recogniser found(problem);
  if (!found.Run()) return std::nullopt;
  ColourFatTree(found.tree, found.flows);

  Placement placement(problem.flows.size(), kNoRoute);
  for (uint32_t flow = 0; flow < placement.size(); ++flow) {
    if (!problem.flows[flow].routes.empty()) placement[flow] = problem.flows[flow].routes.front();
  }
  for (size_t i = 0; i < found.flows.size(); ++i) {
    const std::pair<uint32_t, uint32_t> way(found.flows[i].plane, found.flows[i].core);
    for (uint32_t route : problem.flows[found.index_of_flow[i]].routes) {
      if (found.way_of_route[route] == way) placement[found.index_of_flow[i]] = route;
    }
  }
  return placement;
}

}  // namespace weft::lb
