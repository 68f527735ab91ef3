// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/fair_share.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/lb/two_tier_problem.h"

namespace weft::lb {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;

struct Case {
  const char* name;
  std::vector<double> capacities;
  struct FlowRow {
    double rate;
    std::vector<uint32_t> links;
  };
  std::vector<FlowRow> flows;
  std::vector<double> expected;
};

class FairRatesTable : public ::testing::TestWithParam<Case> {};

TEST_P(FairRatesTable, SharesLinksMaxMinFairly) {
  Problem problem;
  Placement placement;
  for (double capacity : GetParam().capacities) problem.links.push_back({capacity, 0, 0, true});
  for (const auto& row : GetParam().flows) {
    placement.push_back(static_cast<uint32_t>(problem.routes.size()));
    problem.routes.push_back({row.links});
    FlowChoices flow;
    flow.rate_bps = row.rate;
    problem.flows.push_back(flow);
  }
  EXPECT_THAT(FairRates(problem, placement), Pointwise(DoubleNear(1e-6), GetParam().expected));
}

constexpr double kUnknown = std::numeric_limits<double>::infinity();

INSTANTIATE_TEST_SUITE_P(
    Rules, FairRatesTable,
    ::testing::Values(
        Case{"WhatFitsIsCarriedWhole", {20}, {{8, {0}}, {12, {0}}}, {8, 12}},
        Case{"EqualFlowsShareEqually", {20}, {{16, {0}}, {16, {0}}}, {10, 10}},
        Case{"ASmallFlowLeavesItsRestToTheOthers",
             {20},
             {{2, {0}}, {16, {0}}, {16, {0}}},
             {2, 9, 9}},
        Case{"AFlowHeldElsewhereLeavesItsRestToTheOthers",
             {10, 20},
             {{16, {0, 1}}, {16, {0}}, {16, {1}}},
             {5, 5, 15}},
        Case{"TheClassicChain",
             {1, 2, 1},
             {{9, {0, 1, 2}}, {9, {0}}, {9, {1}}, {9, {2}}},
             {0.5, 0.5, 1.5, 0.5}},
        Case{"AnUnknownCapacityLimitsNothing", {kUnknown}, {{16, {0}}, {16, {0}}}, {16, 16}},
        Case{"ALinkWithoutCapacityCarriesNothing", {0, 9}, {{4, {0, 1}}, {4, {1}}}, {0, 4}},
        Case{"AFlowWithoutSwitchLinksIsCarriedWhole", {1}, {{16, {}}}, {16}}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(FairRates, HostLinksCountAsWell) {
  Problem problem = TwoTierProblem(2, 1, {{0, 1}, {0, 1}}, 16, 100);
  problem.links.push_back({20, 9, 0, false});
  for (FlowChoices& flow : problem.flows) flow.access_links = {4};
  const Placement placement = {problem.flows[0].routes[0], problem.flows[1].routes[0]};
  EXPECT_NEAR(CarriedShare(problem, placement), 20.0 / 32, 1e-9);
  problem.links[4].capacity_bps = 32;
  EXPECT_NEAR(CarriedShare(problem, placement), 1, 1e-9);
}

TEST(FairRates, AFlowWithoutARouteIsOfferedButNotCarried) {
  const Problem problem = TwoTierProblem(2, 1, {{0, 1}, {1, 0}}, 16, 20);
  EXPECT_NEAR(CarriedShare(problem, {problem.flows[0].routes[0], kNoRoute}), 0.5, 1e-9);
}

// Half of the first flow on each of two links of 20; the second is whole on one of them.
TEST(FairRates, AFlowThatIsSpreadTakesItsShareOfEachLink) {
  Problem problem = TwoTierProblem(2, 2, {{0, 1}, {0, 1}}, 16, 20);
  problem.routes.push_back({{0, 1, 6, 7}, {0.5, 0.5, 0.5, 0.5}});
  const auto spread = static_cast<uint32_t>(problem.routes.size() - 1);
  const uint32_t whole = problem.flows[1].routes[0];
  const std::vector<double> shared = FairRates(problem, {spread, whole});
  EXPECT_NEAR(shared[0], 20 / 1.5, 1e-9);
  EXPECT_NEAR(shared[1], 20 / 1.5, 1e-9);
  EXPECT_NEAR(FairRates(problem, {spread, kNoRoute})[0], 16, 1e-9);
  problem.flows[0].rate_bps = 50;
  EXPECT_NEAR(FairRates(problem, {spread, kNoRoute})[0], 40, 1e-9) << "both links together";
}

// Max-min fair means: every flow has its whole rate or crosses a full link on which no other flow
// has more.
TEST(FairRates, EveryFlowIsSatisfiedOrHasABottleneck) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    const uint32_t count = 1 + Below(random, 40);
    Problem problem = TwoTierProblem(4, 3, RandomPairs(4, count, random), 1, 20);
    for (FlowChoices& flow : problem.flows) flow.rate_bps = 1 + Below(random, 16);
    PlaceAtRandom(random, &problem);
    Placement placement;
    for (const FlowChoices& flow : problem.flows) placement.push_back(flow.present);
    const std::vector<double> rates = FairRates(problem, placement);
    std::vector<double> used(problem.links.size(), 0);
    std::vector<double> largest(problem.links.size(), 0);
    for (uint32_t flow = 0; flow < count; ++flow) {
      for (uint32_t link : problem.routes[placement[flow]].links) {
        used[link] += rates[flow];
        largest[link] = std::max(largest[link], rates[flow]);
      }
    }
    for (double bps : used) EXPECT_LE(bps, 20 + 1e-6);
    for (uint32_t flow = 0; flow < count; ++flow) {
      bool explained = rates[flow] > problem.flows[flow].rate_bps - 1e-6;
      for (uint32_t link : problem.routes[placement[flow]].links) {
        explained = explained || (used[link] > 20 - 1e-6 && rates[flow] > largest[link] - 1e-6);
      }
      EXPECT_TRUE(explained) << "flow " << flow << " gets " << rates[flow];
    }
  }
}

}  // namespace
}  // namespace weft::lb
