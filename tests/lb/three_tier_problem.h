// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "lb/assign/problem.h"
#include "tests/lb/two_tier_problem.h"

namespace weft::lb {

// A fat tree by hand: leaves are nodes 0.., then the spines pod by pod, then the cores plane by
// plane. Leaf l is in pod l / leaves_per_pod, spine i of every pod in plane i.
struct TreeShape {
  uint32_t pods = 2;
  uint32_t leaves_per_pod = 2;
  uint32_t planes = 2;
  uint32_t cores_per_plane = 2;

  uint32_t Leaves() const { return pods * leaves_per_pod; }
  uint32_t Spine(uint32_t pod, uint32_t plane) const { return Leaves() + pod * planes + plane; }
  uint32_t Core(uint32_t plane, uint32_t core) const {
    return Leaves() + pods * planes + plane * cores_per_plane + core;
  }
};

class TreeBuilder {
 public:
  TreeBuilder(const TreeShape& shape, double leaf_link_bps, double core_link_bps)
      : shape_(shape), leaf_link_bps_(leaf_link_bps), core_link_bps_(core_link_bps) {}

  Problem Build(const std::vector<LeafPair>& flows, double rate_bps) {
    for (const LeafPair& pair : flows) {
      FlowChoices choices;
      choices.rate_bps = rate_bps;
      choices.routes = RoutesOf(pair);
      problem_.flows.push_back(std::move(choices));
    }
    return std::move(problem_);
  }

 private:
  uint32_t Link(uint32_t from, uint32_t to, double capacity_bps) {
    const auto [found, added] =
        links_.emplace(std::pair(from, to), static_cast<uint32_t>(problem_.links.size()));
    if (added) problem_.links.push_back({capacity_bps, from, to, true});
    return found->second;
  }

  std::vector<uint32_t> RoutesOf(const LeafPair& pair) {
    std::vector<uint32_t>& routes = routes_[{pair.source, pair.destination}];
    if (!routes.empty()) return routes;
    const uint32_t up = pair.source / shape_.leaves_per_pod;
    const uint32_t down = pair.destination / shape_.leaves_per_pod;
    for (uint32_t plane = 0; plane < shape_.planes; ++plane) {
      const uint32_t out = Link(pair.source, shape_.Spine(up, plane), leaf_link_bps_);
      const uint32_t in = Link(shape_.Spine(down, plane), pair.destination, leaf_link_bps_);
      if (up == down) Add({out, in}, &routes);
      for (uint32_t core = 0; up != down && core < shape_.cores_per_plane; ++core) {
        const uint32_t node = shape_.Core(plane, core);
        const uint32_t rise = Link(shape_.Spine(up, plane), node, core_link_bps_);
        const uint32_t fall = Link(node, shape_.Spine(down, plane), core_link_bps_);
        Add({out, rise, fall, in}, &routes);
      }
    }
    return routes;
  }

  void Add(std::vector<uint32_t> links, std::vector<uint32_t>* routes) {
    routes->push_back(static_cast<uint32_t>(problem_.routes.size()));
    problem_.routes.push_back({std::move(links)});
  }

  TreeShape shape_;
  double leaf_link_bps_;
  double core_link_bps_;
  Problem problem_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> links_;
  std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> routes_;
};

inline Problem ThreeTierProblem(const TreeShape& shape, const std::vector<LeafPair>& flows,
                                double rate_bps, double leaf_link_bps, double core_link_bps) {
  return TreeBuilder(shape, leaf_link_bps, core_link_bps).Build(flows, rate_bps);
}

}  // namespace weft::lb
