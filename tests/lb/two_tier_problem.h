// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "lb/assign/problem.h"

namespace weft::lb {

// A leaf-spine problem by hand: leaves are nodes 0.., spines follow; link (leaf, spine) up is
// leaf * spines + spine, and the links down come after all links up. The route of (source,
// destination, spine) is (source * leaves + destination) * spines + spine.
struct LeafPair {
  uint32_t source = 0;
  uint32_t destination = 0;
};

inline Problem TwoTierProblem(uint32_t leaves, uint32_t spines, const std::vector<LeafPair>& flows,
                              double rate_bps, double capacity_bps) {
  Problem problem;
  for (bool up : {true, false}) {
    for (uint32_t leaf = 0; leaf < leaves; ++leaf) {
      for (uint32_t spine = 0; spine < spines; ++spine) {
        const uint32_t from = up ? leaf : leaves + spine;
        const uint32_t to = up ? leaves + spine : leaf;
        problem.links.push_back({capacity_bps, from, to, true});
      }
    }
  }
  for (uint32_t source = 0; source < leaves; ++source) {
    for (uint32_t destination = 0; destination < leaves; ++destination) {
      for (uint32_t spine = 0; spine < spines; ++spine) {
        problem.routes.push_back(
            {{source * spines + spine, (leaves + destination) * spines + spine}});
      }
    }
  }
  for (const LeafPair& pair : flows) {
    FlowChoices choices;
    choices.rate_bps = rate_bps;
    for (uint32_t spine = 0; spine < spines; ++spine) {
      choices.routes.push_back((pair.source * leaves + pair.destination) * spines + spine);
    }
    problem.flows.push_back(std::move(choices));
  }
  return problem;
}

inline uint32_t Below(std::mt19937_64& random, uint32_t count) {
  return static_cast<uint32_t>(random() % count);
}

inline std::vector<LeafPair> RandomPairs(uint32_t leaves, uint32_t count, std::mt19937_64& random) {
  std::vector<LeafPair> pairs;
  while (pairs.size() < count) {
    const LeafPair pair{Below(random, leaves), Below(random, leaves)};
    if (pair.source != pair.destination) pairs.push_back(pair);
  }
  return pairs;
}

// One flow from every host to a host under another leaf, every host reached by one.
inline std::vector<LeafPair> PermutationPairs(uint32_t leaves, uint32_t hosts_per_leaf,
                                              std::mt19937_64& random) {
  std::vector<uint32_t> target(size_t{leaves} * hosts_per_leaf);
  for (uint32_t i = 0; i < target.size(); ++i) target[i] = i;
  const auto leaf_of = [&](uint32_t host) { return host / hosts_per_leaf; };
  const auto count = static_cast<uint32_t>(target.size());
  for (uint32_t i = count; i > 1; --i) std::swap(target[i - 1], target[Below(random, i)]);
  std::vector<LeafPair> pairs;
  for (uint32_t i = 0; i < count; ++i) {
    while (leaf_of(target[i]) == leaf_of(i)) {
      const uint32_t other = Below(random, count);
      if (leaf_of(target[other]) == leaf_of(i) || leaf_of(other) == leaf_of(i)) continue;
      std::swap(target[i], target[other]);
    }
  }
  for (uint32_t i = 0; i < count; ++i) pairs.push_back({leaf_of(i), leaf_of(target[i])});
  return pairs;
}

// What ECMP does: an independent random route for every flow.
inline void PlaceAtRandom(std::mt19937_64& random, Problem* problem) {
  for (FlowChoices& flow : problem->flows) {
    flow.present = flow.routes[Below(random, static_cast<uint32_t>(flow.routes.size()))];
  }
}

}  // namespace weft::lb
