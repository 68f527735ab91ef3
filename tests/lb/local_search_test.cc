// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/local_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>

#include "lb/assign/fair_share.h"
#include "tests/lb/brute_force.h"
#include "tests/lb/two_tier_problem.h"

namespace weft::lb {
namespace {

// A small leaf-spine problem, `missing_percent` of whose routes are taken away at random.
Problem SmallProblem(std::mt19937_64& random, bool equal_rates, uint32_t missing_percent) {
  Problem problem = TwoTierProblem(3, 3, RandomPairs(3, 4 + Below(random, 5), random), 10,
                                   12 + Below(random, 20));
  for (FlowChoices& flow : problem.flows) {
    if (!equal_rates) flow.rate_bps = 1 + Below(random, 12);
    for (uint32_t route : std::vector<uint32_t>(flow.routes)) {
      const bool take_away = flow.routes.size() > 1 && Below(random, 100) < missing_percent;
      if (take_away) std::erase(flow.routes, route);
    }
  }
  PlaceAtRandom(random, &problem);
  return problem;
}

struct Tally {
  int cases = 0;
  int fullest_optimal = 0;
  int carried_optimal = 0;  // of those with the optimal fullest link
};

Tally CompareWithBruteForce(bool equal_rates, uint32_t missing_percent, uint64_t seed, int cases) {
  std::mt19937_64 random(seed);
  Tally tally;
  for (; tally.cases < cases; ++tally.cases) {
    const Problem problem = SmallProblem(random, equal_rates, missing_percent);
    const Bounds bounds = ComputeBounds(problem);
    const Score found = ScoreOf(problem, SolveByLocalSearch(problem, bounds, {}));
    const Score best = BruteForce(problem);
    EXPECT_GE(best.fullest_link, bounds.integral - 1e-9);
    EXPECT_LE(best.carried_share, bounds.fits_share + 1e-9);
    EXPECT_GE(found.fullest_link, best.fullest_link - 1e-9);
    EXPECT_GE(bounds.integral, bounds.fluid - 1e-9);
    if (found.fullest_link > best.fullest_link + 1e-9) continue;
    ++tally.fullest_optimal;
    if (found.carried_share > best.carried_share - 1e-9) ++tally.carried_optimal;
  }
  std::printf(
      "equal rates %d, missing %u %%: fullest link optimal in %d, carried too in %d of %d\n",
      equal_rates, missing_percent, tally.fullest_optimal, tally.carried_optimal, tally.cases);
  return tally;
}

TEST(LocalSearch, FindsTheOptimumOfEqualFlowsWithMissingRoutes) {
  const Tally tally = CompareWithBruteForce(true, 40, 9, 150);
  EXPECT_EQ(tally.fullest_optimal, tally.cases);
  EXPECT_GE(tally.carried_optimal, tally.cases * 95 / 100);
}

TEST(LocalSearch, FindsTheOptimumOfUnequalFlowsNearlyAlways) {
  const Tally tally = CompareWithBruteForce(false, 0, 10, 40);
  EXPECT_GE(tally.fullest_optimal, tally.cases * 95 / 100);
}

TEST(LocalSearch, FindsTheOptimumOfUnequalFlowsWithMissingRoutesNearlyAlways) {
  const Tally tally = CompareWithBruteForce(false, 40, 11, 150);
  EXPECT_GE(tally.fullest_optimal, tally.cases * 95 / 100);
}

// Some flows are spread over all spines by their leaf, others have a choice.
TEST(LocalSearch, PlansAroundFlowsThatASwitchSpreads) {
  std::mt19937_64 random(14);
  int optimal = 0;
  int tight = 0;
  constexpr int kRounds = 100;
  for (int round = 0; round < kRounds; ++round) {
    const auto pairs = RandomPairs(3, 4 + Below(random, 5), random);
    Problem problem = TwoTierProblem(3, 3, pairs, 10, 20);
    for (uint32_t flow = 0; flow < pairs.size(); ++flow) {
      if (Below(random, 3) != 0) continue;
      Route spread;
      for (uint32_t spine = 0; spine < 3; ++spine) {
        spread.links.push_back(pairs[flow].source * 3 + spine);
      }
      for (uint32_t spine = 0; spine < 3; ++spine) {
        spread.links.push_back((3 + pairs[flow].destination) * 3 + spine);
      }
      spread.shares.assign(6, 1.0 / 3);
      problem.flows[flow].routes = {static_cast<uint32_t>(problem.routes.size())};
      problem.routes.push_back(std::move(spread));
    }
    const Bounds bounds = ComputeBounds(problem);
    const double best = LeastFullestLink(problem);
    EXPECT_LE(bounds.integral, best + 1e-9);
    const Score found = ScoreOf(problem, SolveByLocalSearch(problem, bounds, {}));
    EXPECT_GE(found.fullest_link, best - 1e-9);
    EXPECT_LE(found.carried_share, bounds.fits_share + 1e-9);
    optimal += found.fullest_link < best + 1e-9 ? 1 : 0;
    tight += best < bounds.integral + 1e-9 ? 1 : 0;
  }
  std::printf("spread flows: fullest link optimal in %d, bound tight in %d of %d\n", optimal, tight,
              kRounds);
  EXPECT_EQ(optimal, kRounds);
}

TEST(LocalSearch, MeetsTheBoundOfACompleteFabric) {
  std::mt19937_64 random(12);
  for (int round = 0; round < 40; ++round) {
    Problem problem = TwoTierProblem(4, 4, PermutationPairs(4, 4, random), 16, 20);
    PlaceAtRandom(random, &problem);
    const Bounds bounds = ComputeBounds(problem);
    const Score score = ScoreOf(problem, SolveByLocalSearch(problem, bounds, {}));
    EXPECT_NEAR(score.fullest_link, 0.8, 1e-9);
  }
}

TEST(LocalSearch, LeavesAPlacementThatCannotBeBettered) {
  std::mt19937_64 random(13);
  Problem problem = TwoTierProblem(4, 4, PermutationPairs(4, 4, random), 16, 20);
  const Bounds bounds = ComputeBounds(problem);
  const Placement first = SolveByLocalSearch(problem, bounds, {});
  for (uint32_t flow = 0; flow < 16; ++flow) problem.flows[flow].present = first[flow];
  EXPECT_EQ(SolveByLocalSearch(problem, bounds, {}), first);
}

TEST(LocalSearch, FlowsReturnWhereThatCostsNothing) {
  // Both flows fit either spine; nothing need move.
  Problem problem = TwoTierProblem(3, 2, {{0, 1}, {2, 1}}, 1, 4);
  for (FlowChoices& flow : problem.flows) flow.present = flow.routes[1];
  const Bounds bounds = ComputeBounds(problem);
  const Score score = ScoreOf(problem, SolveByLocalSearch(problem, bounds, {}));
  EXPECT_NEAR(score.fullest_link, 0.25, 1e-9);
  EXPECT_EQ(score.moved, 1U) << "one of two flows leaves the spine they shared";
}

TEST(Score, RanksTheFullestLinkBeforeWhatIsCarriedBeforeMoves) {
  EXPECT_TRUE(IsBetter({0.8, 0.5, 9}, {1.6, 1.0, 0}));
  EXPECT_TRUE(IsBetter({0.8, 1.0, 9}, {0.8, 0.9, 0}));
  EXPECT_TRUE(IsBetter({0.8, 1.0, 1}, {0.8, 1.0, 2}));
  EXPECT_FALSE(IsBetter({0.8, 1.0, 1}, {0.8, 1.0, 1}));
}

}  // namespace
}  // namespace weft::lb
