// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/two_tier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "lb/assign/bounds.h"
#include "lb/assign/fair_share.h"
#include "lb/assign/local_search.h"
#include "tests/lb/two_tier_problem.h"

namespace weft::lb {
namespace {

std::vector<uint32_t> FlowsPerLink(const Problem& problem, const Placement& placement) {
  std::vector<uint32_t> flows(problem.links.size(), 0);
  for (uint32_t route : placement) {
    for (uint32_t link : problem.routes[route].links) ++flows[link];
  }
  return flows;
}

uint32_t LargestDegree(uint32_t leaves, const std::vector<LeafPair>& pairs) {
  std::vector<uint32_t> out(leaves, 0);
  std::vector<uint32_t> in(leaves, 0);
  uint32_t largest = 0;
  for (const LeafPair& pair : pairs) {
    largest = std::max({largest, ++out[pair.source], ++in[pair.destination]});
  }
  return largest;
}

TEST(SolveTwoTier, NoLinkTakesMoreThanItsShareOfTheLargestDegree) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 400; ++round) {
    const uint32_t leaves = 2 + Below(random, 9);
    const uint32_t spines = 1 + Below(random, 9);
    const auto pairs = RandomPairs(leaves, 1 + Below(random, 150), random);
    // Flows of 1 on links of 1 to 40: some rounds fit, others do not.
    Problem problem = TwoTierProblem(leaves, spines, pairs, 1, 1 + Below(random, 40));
    if (round % 2 == 0) PlaceAtRandom(random, &problem);
    const std::optional<Placement> placement = SolveTwoTier(problem);
    ASSERT_TRUE(placement);
    const std::vector<uint32_t> flows = FlowsPerLink(problem, *placement);
    const uint32_t share = (LargestDegree(leaves, pairs) + spines - 1) / spines;
    EXPECT_EQ(*std::max_element(flows.begin(), flows.end()), share);
    EXPECT_NEAR(ScoreOf(problem, *placement).fullest_link, ComputeBounds(problem).integral, 1e-9);
  }
}

// Where flows do not fit, the surplus must share its down link as it shares its uplink.
TEST(SolveTwoTier, SurplusGoesOverTheSameSpinesAtEveryLeaf) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 100; ++round) {
    Problem problem = TwoTierProblem(4, 3, PermutationPairs(4, 4, random), 16, 20);
    if (round % 2 == 0) PlaceAtRandom(random, &problem);
    const std::optional<Placement> placement = SolveTwoTier(problem);
    ASSERT_TRUE(placement);
    EXPECT_NEAR(CarriedShare(problem, *placement), 0.8125, 1e-9);
    EXPECT_NEAR(ComputeBounds(problem).fits_share, 0.8125, 1e-9);
  }
}

// Placements with the same fullest link whose leaves double up on spines as chance has it. They
// carry less, so the test above can fail.
TEST(SolveTwoTier, MisalignedSurplusCarriesLess) {
  std::mt19937_64 random(6);
  std::vector<double> carried;
  while (carried.size() < 50) {
    Problem problem = TwoTierProblem(4, 3, PermutationPairs(4, 4, random), 16, 20);
    PlaceAtRandom(random, &problem);
    Placement placement;
    for (const FlowChoices& flow : problem.flows) placement.push_back(flow.present);
    if (ScoreOf(problem, placement).fullest_link > 1.6 + 1e-9) continue;
    carried.push_back(CarriedShare(problem, placement));
    EXPECT_LE(carried.back(), 0.8125 + 1e-9);
  }
  EXPECT_LT(*std::min_element(carried.begin(), carried.end()), 0.65);
  EXPECT_LT(std::accumulate(carried.begin(), carried.end(), 0.0) / 50, 0.72);
}

TEST(SolveTwoTier, AnOptimalPlacementIsKeptWhole) {
  std::mt19937_64 random(7);
  for (uint32_t spines : {3U, 4U}) {
    Problem problem = TwoTierProblem(4, spines, PermutationPairs(4, 4, random), 16, 20);
    PlaceAtRandom(random, &problem);
    const Placement first = *SolveTwoTier(problem);
    for (uint32_t flow = 0; flow < 16; ++flow) problem.flows[flow].present = first[flow];
    EXPECT_EQ(*SolveTwoTier(problem), first);
  }
}

// ALGORITHMS: one full-rate flow per host, random host permutation. Choosing the least loaded spine
// by both its links ends at 2.00; the exact colouring at 1.00.
TEST(SolveTwoTier, ReachesOneWhereGreedyEndsAtTwo) {
  std::mt19937_64 random(8);
  for (uint32_t size : {16U, 64U}) {
    Problem problem = TwoTierProblem(size, size, PermutationPairs(size, size, random), 1, 1);
    PlaceAtRandom(random, &problem);
    const Placement greedy = PlaceLongestFirst(problem, Placement(size * size, kNoRoute));
    EXPECT_NEAR(ScoreOf(problem, greedy).fullest_link, 2.0, 1e-9);
    Placement hashed;
    for (const FlowChoices& flow : problem.flows) hashed.push_back(flow.present);
    EXPECT_GE(ScoreOf(problem, hashed).fullest_link, 3.0);
    EXPECT_NEAR(ScoreOf(problem, *SolveTwoTier(problem)).fullest_link, 1.0, 1e-9);
  }
}

struct NotThisKind {
  const char* name;
  void (*change)(Problem*);
};

class SolveTwoTierRefuses : public ::testing::TestWithParam<NotThisKind> {};

TEST_P(SolveTwoTierRefuses, WhatItCannotSolveExactly) {
  Problem problem = TwoTierProblem(3, 2, {{0, 1}, {1, 2}, {2, 0}}, 1, 10);
  ASSERT_TRUE(SolveTwoTier(problem));
  GetParam().change(&problem);
  EXPECT_FALSE(SolveTwoTier(problem));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, SolveTwoTierRefuses,
    ::testing::Values(
        NotThisKind{"UnequalRates", [](Problem* p) { p->flows[1].rate_bps = 2; }},
        NotThisKind{"UnequalCapacities", [](Problem* p) { p->links[0].capacity_bps = 5; }},
        NotThisKind{"AMissingRoute", [](Problem* p) { p->flows[1].routes.pop_back(); }},
        NotThisKind{"ThreeTiers",
                    [](Problem* p) { p->routes[p->flows[0].routes[0]].links.push_back(0); }}),
    [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace weft::lb
