// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/bounds.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/lb/two_tier_problem.h"

namespace weft::lb {
namespace {

struct Case {
  const char* name;
  std::vector<double> rates;       // flows from leaf 0 to leaf 1
  std::vector<double> capacities;  // of the spines' links
  double fluid;
  double integral;
  double fits_share;
};

class BoundsTable : public ::testing::TestWithParam<Case> {};

TEST_P(BoundsTable, CountsWhatALeafCannotAvoid) {
  const auto spines = static_cast<uint32_t>(GetParam().capacities.size());
  const std::vector<LeafPair> pairs(GetParam().rates.size(), LeafPair{0, 1});
  Problem problem = TwoTierProblem(2, spines, pairs, 1, 1);
  for (size_t i = 0; i < problem.links.size(); ++i) {
    problem.links[i].capacity_bps = GetParam().capacities[i % spines];
  }
  for (size_t i = 0; i < pairs.size(); ++i) problem.flows[i].rate_bps = GetParam().rates[i];
  const Bounds bounds = ComputeBounds(problem);
  EXPECT_NEAR(bounds.fluid, GetParam().fluid, 1e-9);
  EXPECT_NEAR(bounds.integral, GetParam().integral, 1e-9);
  EXPECT_NEAR(bounds.fits_share, GetParam().fits_share, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(
    Leaves, BoundsTable,
    ::testing::Values(
        Case{"FourFlowsOnFourLinks", {16, 16, 16, 16}, {20, 20, 20, 20}, 0.8, 0.8, 1},
        Case{"FourFlowsOnThreeLinks", {16, 16, 16, 16}, {20, 20, 20}, 64.0 / 60, 1.6, 0.8125},
        Case{"EqualFlowsGoToTheWiderLink", {10, 10, 10}, {10, 20}, 1, 1, 1},
        Case{"TheLargestFlowOnItsBestLink", {18, 1}, {20, 10}, 0.9, 0.9, 1},
        // Two of the three largest flows share a link: 7 + 6.
        Case{"ThePigeonholeOfUnequalFlows", {8, 7, 6}, {20, 20}, 21.0 / 40, 13.0 / 20, 1},
        Case{"UnequalFlowsBeyondTheCapacity", {30, 20}, {20, 20}, 1.5, 1.5, 0.8},
        Case{"OneLink", {4, 4}, {16}, 0.5, 0.5, 1}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Bounds, CountTheSideOfTheDestinationToo) {
  // Leaves 0 and 1 each send two flows to leaf 2, which has two links.
  const Problem problem = TwoTierProblem(3, 2, {{0, 2}, {0, 2}, {1, 2}, {1, 2}}, 1, 1);
  EXPECT_NEAR(ComputeBounds(problem).integral, 2, 1e-9);
  EXPECT_NEAR(ComputeBounds(problem).fits_share, 0.5, 1e-9);
}

TEST(Bounds, CountThePairsOwnRoutes) {
  // Each leaf could spread its flows, but these two have one spine in common only.
  Problem problem = TwoTierProblem(3, 2, {{0, 1}, {0, 1}, {0, 2}, {2, 1}}, 1, 4);
  problem.flows[0].routes.pop_back();
  problem.flows[1].routes.pop_back();
  EXPECT_NEAR(ComputeBounds(problem).integral, 0.5, 1e-9);
}

TEST(Bounds, CountWhatFlowsWithoutAChoiceLeave) {
  // One flow is spread over both spines whatever is done; the other comes whole on top of a half.
  Problem problem = TwoTierProblem(2, 2, {{0, 1}, {0, 1}}, 1, 1);
  problem.routes.push_back({{0, 1, 6, 7}, {0.5, 0.5, 0.5, 0.5}});
  problem.flows[0].routes = {static_cast<uint32_t>(problem.routes.size() - 1)};
  EXPECT_NEAR(ComputeBounds(problem).fluid, 1, 1e-9);
  EXPECT_NEAR(ComputeBounds(problem).integral, 1.5, 1e-9);
  // Spread itself, the other would fit.
  problem.flows[1].routes = problem.flows[0].routes;
  EXPECT_NEAR(ComputeBounds(problem).integral, 1, 1e-9);
  // Two whole flows on one spine.
  for (FlowChoices& flow : problem.flows) flow.routes = {2};
  EXPECT_NEAR(ComputeBounds(problem).integral, 2, 1e-9);
}

TEST(Bounds, FlowsWithoutARouteFitNowhereAndThoseUnderOneLeafAlways) {
  Problem problem = TwoTierProblem(2, 1, {{0, 1}, {0, 1}, {0, 1}, {0, 1}}, 1, 1);
  problem.routes.push_back({});
  problem.flows[0].routes = {static_cast<uint32_t>(problem.routes.size() - 1)};
  problem.flows[1].routes.clear();
  EXPECT_NEAR(ComputeBounds(problem).integral, 2, 1e-9);
  EXPECT_NEAR(ComputeBounds(problem).fits_share, 0.5, 1e-9) << "one inside the leaf, one across";
}

}  // namespace
}  // namespace weft::lb
