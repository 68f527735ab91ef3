// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/three_tier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "lb/assign/bounds.h"
#include "lb/assign/local_search.h"
#include "lb/assign/solve.h"
#include "tests/lb/brute_force.h"
#include "tests/lb/three_tier_problem.h"

namespace weft::lb {
namespace {

double Fullest(const Problem& problem, const Placement& placement) {
  return ScoreOf(problem, placement).fullest_link;
}

void ExpectOwnRoutes(const Problem& problem, const Placement& placement) {
  for (uint32_t flow = 0; flow < placement.size(); ++flow) {
    EXPECT_TRUE(CanTake(problem.flows[flow], placement[flow]));
  }
}

// ceil(largest degree of a leaf / planes), which no placement can be below.
uint32_t LeafShare(const TreeShape& shape, const std::vector<LeafPair>& pairs) {
  std::vector<uint32_t> out(shape.Leaves(), 0);
  std::vector<uint32_t> in(shape.Leaves(), 0);
  uint32_t largest = 0;
  for (const LeafPair& pair : pairs) {
    largest = std::max({largest, ++out[pair.source], ++in[pair.destination]});
  }
  return (largest + shape.planes - 1) / shape.planes;
}

TEST(SolveThreeTier, IsExactWhereTheUpperTierIsAsWideAsTheLower) {
  std::mt19937_64 random(21);
  for (int round = 0; round < 150; ++round) {
    TreeShape shape{1 + Below(random, 4), 1 + Below(random, 4), 1 + Below(random, 4), 0};
    if (shape.Leaves() < 2) shape.pods = 2;
    shape.cores_per_plane = shape.leaves_per_pod + Below(random, 2);
    const auto pairs = RandomPairs(shape.Leaves(), 1 + Below(random, 80), random);
    // Flows of 1 on links of 4 or 80: some rounds do not fit, the others do.
    const double link_bps = round % 4 < 2 ? 4 : 80;
    Problem problem = ThreeTierProblem(shape, pairs, 1, link_bps, link_bps);
    if (round % 2 == 0) PlaceAtRandom(random, &problem);
    const std::optional<Placement> placement = SolveThreeTier(problem);
    ASSERT_TRUE(placement);
    ExpectOwnRoutes(problem, *placement);
    EXPECT_NEAR(Fullest(problem, *placement), LeafShare(shape, pairs) / link_bps, 1e-9);
    const Bounds bounds = ComputeBounds(problem);
    EXPECT_NEAR(bounds.integral, LeafShare(shape, pairs) / link_bps, 1e-9);
    if (link_bps < 80) continue;
    const Solution solution = Solve(problem, bounds, {});
    EXPECT_STREQ(solution.method, "exact");
    EXPECT_NEAR(Fullest(problem, solution.placement), bounds.integral, 1e-9);
  }
}

TEST(SolveThreeTier, APermutationFillsEveryLinkOnceWhereGreedyDoesNot) {
  std::mt19937_64 random(22);
  const TreeShape shape{4, 4, 4, 4};
  double worst_greedy = 0;
  for (int round = 0; round < 20; ++round) {
    const auto pairs = PermutationPairs(shape.Leaves(), 4, random);
    Problem problem = ThreeTierProblem(shape, pairs, 1, 1, 1);
    PlaceAtRandom(random, &problem);
    EXPECT_NEAR(Fullest(problem, *SolveThreeTier(problem)), 1.0, 1e-9);
    const Placement greedy = PlaceLongestFirst(problem, Placement(pairs.size(), kNoRoute));
    worst_greedy = std::max(worst_greedy, Fullest(problem, greedy));
  }
  EXPECT_GE(worst_greedy, 2.0);
}

// Where the upper tier is narrow the nested colourings prove nothing by themselves: what is called
// exact must be the optimum all the same, and no bound may be above it.
TEST(SolveThreeTier, WhatIsCalledExactIsTheOptimumOfAllPlacements) {
  std::mt19937_64 random(23);
  int exact = 0;
  int optimal = 0;
  int tight = 0;
  constexpr int kRounds = 120;
  for (int round = 0; round < kRounds; ++round) {
    const TreeShape shape{2, 2 + Below(random, 2), 2, 1};
    const auto pairs = RandomPairs(shape.Leaves(), 3 + Below(random, 10), random);
    const double core_bps = 1 + Below(random, 3);
    const Problem problem = ThreeTierProblem(shape, pairs, 1, 1, core_bps);
    const Bounds bounds = ComputeBounds(problem);
    const double best = LeastFullestLink(problem);
    EXPECT_LE(bounds.integral, best + 1e-9);
    const Solution solution = Solve(problem, bounds, {});
    const double found = Fullest(problem, solution.placement);
    EXPECT_GE(found, best - 1e-9);
    const bool says_exact = std::string(solution.method) == "exact";
    EXPECT_TRUE(!says_exact || found < best + 1e-9);
    exact += says_exact ? 1 : 0;
    optimal += found < best + 1e-9 ? 1 : 0;
    tight += best < bounds.integral + 1e-9 ? 1 : 0;
  }
  std::printf("narrow upper tier: exact in %d, optimal in %d, bound tight in %d of %d\n", exact,
              optimal, tight, kRounds);
  EXPECT_GE(exact, kRounds / 2);
  EXPECT_EQ(optimal, kRounds);
  EXPECT_GE(tight, kRounds * 8 / 10);
}

// Two planes with one core uplink each per pod; leaves A, B, V | W, X, Y and flows A-V, A-Y, B-X,
// W-X, W-V. Every count bounds the fullest link by 1, and the optimum is 2.
TEST(SolveThreeTier, ANarrowUpperTierWhereEveryBoundIsOneAndTheOptimumTwo) {
  const Problem problem =
      ThreeTierProblem({2, 3, 2, 1}, {{0, 2}, {0, 5}, {1, 4}, {3, 4}, {3, 2}}, 1, 1, 1);
  const Bounds bounds = ComputeBounds(problem);
  EXPECT_NEAR(bounds.integral, 1, 1e-9);
  EXPECT_NEAR(LeastFullestLink(problem), 2, 1e-9);
  const Solution solution = Solve(problem, bounds, {});
  EXPECT_STREQ(solution.method, "local search");
  EXPECT_NEAR(Fullest(problem, solution.placement), 2, 1e-9);
}

TEST(SolveThreeTier, OneCoreMoreInEveryPlaneMakesTheSameFlowsFit) {
  const Problem problem =
      ThreeTierProblem({2, 3, 2, 2}, {{0, 2}, {0, 5}, {1, 4}, {3, 4}, {3, 2}}, 1, 1, 1);
  const Solution solution = Solve(problem, ComputeBounds(problem), {});
  EXPECT_STREQ(solution.method, "exact");
  EXPECT_NEAR(Fullest(problem, solution.placement), 1, 1e-9);
}

TEST(SolveThreeTier, AnOptimalPlacementIsKeptWhole) {
  std::mt19937_64 random(24);
  const TreeShape shape{4, 2, 3, 2};
  Problem problem = ThreeTierProblem(shape, PermutationPairs(8, 3, random), 1, 1, 1);
  PlaceAtRandom(random, &problem);
  const Placement first = *SolveThreeTier(problem);
  for (uint32_t flow = 0; flow < first.size(); ++flow) problem.flows[flow].present = first[flow];
  EXPECT_EQ(*SolveThreeTier(problem), first);
}

TEST(SolveThreeTier, PodsThatNoFlowLeavesMayHaveSpinesOfTheirOwn) {
  // One flow crosses between pods 0 and 1, two stay inside pod 2.
  const Problem problem = ThreeTierProblem({3, 2, 2, 2}, {{0, 2}, {4, 5}, {4, 5}}, 1, 1, 1);
  ASSERT_TRUE(SolveThreeTier(problem));
  EXPECT_NEAR(Fullest(problem, *SolveThreeTier(problem)), 1, 1e-9);
}

struct NotThisKind {
  const char* name;
  void (*change)(Problem*);
};

class SolveThreeTierRefuses : public ::testing::TestWithParam<NotThisKind> {};

TEST_P(SolveThreeTierRefuses, WhatIsNoCompleteFatTreeOfEqualFlows) {
  Problem problem = ThreeTierProblem({2, 2, 2, 2}, {{0, 1}, {0, 2}, {1, 3}, {3, 0}}, 1, 1, 1);
  ASSERT_TRUE(SolveThreeTier(problem));
  GetParam().change(&problem);
  EXPECT_FALSE(SolveThreeTier(problem));
  const Bounds bounds = ComputeBounds(problem);
  const Solution solution = Solve(problem, bounds, {});
  EXPECT_STREQ(solution.method, "local search");
  ExpectOwnRoutes(problem, solution.placement);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, SolveThreeTierRefuses,
    ::testing::Values(
        NotThisKind{"UnequalRates", [](Problem* p) { p->flows[1].rate_bps = 2; }},
        NotThisKind{"AMissingCoreLink", [](Problem* p) { p->flows[1].routes.pop_back(); }},
        NotThisKind{"AMissingPlaneInsideAPod", [](Problem* p) { p->flows[0].routes.pop_back(); }},
        NotThisKind{"ASlowerCoreLink",
                    [](Problem* p) {
                      p->links[p->routes[p->flows[1].routes[0]].links[1]].capacity_bps = 0.5;
                    }},
        NotThisKind{"ASlowerLeafLink",
                    [](Problem* p) {
                      p->links[p->routes[p->flows[1].routes[0]].links[0]].capacity_bps = 0.5;
                    }},
        NotThisKind{"ACoreThatTwoPlanesShare",
                    [](Problem* p) {
                      const uint32_t core = p->links[p->routes[p->flows[1].routes[0]].links[1]].to;
                      p->links[p->routes[p->flows[1].routes[3]].links[1]].to = core;
                    }},
        NotThisKind{"AFlowThatASwitchSpreads",
                    [](Problem* p) {
                      Route& route = p->routes[p->flows[1].routes[0]];
                      route.shares.assign(route.links.size(), 1);
                    }}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(ThreeTierBounds, CountWhatAPodCannotAvoid) {
  // Six flows leave pod 0 from three leaves over two core uplinks of 2; each leaf alone has room.
  const std::vector<LeafPair> pairs = {{0, 3}, {0, 4}, {1, 4}, {1, 5}, {2, 5}, {2, 3}};
  const Bounds narrow = ComputeBounds(ThreeTierProblem({2, 3, 2, 1}, pairs, 1, 2, 2));
  EXPECT_NEAR(narrow.fluid, 6.0 / 4, 1e-9);
  EXPECT_NEAR(narrow.integral, 3.0 / 2, 1e-9);
  EXPECT_NEAR(narrow.fits_share, 4.0 / 6, 1e-9);
  const Bounds wide = ComputeBounds(ThreeTierProblem({2, 3, 2, 3}, pairs, 1, 2, 2));
  EXPECT_NEAR(wide.integral, 1.0 / 2, 1e-9);
  EXPECT_NEAR(wide.fits_share, 1, 1e-9);
}

TEST(ThreeTierBounds, CountWhatASpineCannotAvoidWhereFlowsHaveNoOther) {
  Problem problem = ThreeTierProblem({2, 2, 2, 2}, {{0, 2}, {0, 2}, {1, 3}, {1, 3}}, 1, 4, 1);
  EXPECT_NEAR(ComputeBounds(problem).integral, 1, 1e-9);
  for (FlowChoices& flow : problem.flows) flow.routes.resize(2);  // plane 0 alone
  EXPECT_NEAR(ComputeBounds(problem).integral, 2, 1e-9) << "four flows on two core links";
}

}  // namespace
}  // namespace weft::lb
