// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lb/assign/port_map.h"
#include "lb/demand/demand.h"
#include "tests/lb/plan_fixture.h"
#include "tests/lb/traced_paths.h"

namespace weft::lb {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using topology::Fabric;
using topology::Flow;
using topology::PathState;
using topology::PathTable;

TEST_F(PlanInTheDefaultFabric, EveryLinkTakesOneFlow) {
  for (uint64_t seed = 1; seed <= 25; ++seed) {
    flows_ = PermutationFlows(fabric_, {16e6, 1, seed}).value();
    Trace({3, {}, seed});
    const Plan plan = PlanIt();
    EXPECT_NEAR(plan.assignment.fullest_link, 0.8, 1e-9);
    EXPECT_NEAR(plan.assignment.lower_bound, 0.8, 1e-9);
    EXPECT_NEAR(plan.assignment.carried_share, 1, 1e-9);
    EXPECT_NEAR(plan.assignment.fits_share, 1, 1e-9);
    EXPECT_EQ(plan.assignment.method, "exact");
    EXPECT_GE(plan.fullest_link_before.value(), 1.6);
    EXPECT_EQ(plan.unplanned, 0U);
    EXPECT_THAT(Codes(plan), IsEmpty());
    ExpectMeasured(plan, tables_, PathState::kAlive);
    size_t loaded = 0;
    for (const topology::LinkLoad& link : plan.assignment.links) {
      if (link.between_switches && link.load == 0.8) ++loaded;
    }
    EXPECT_EQ(loaded, 32U) << "16 uplinks and 16 downlinks";
  }
}

TEST_F(PlanInTheDefaultFabric, ADeadSpineIsAvoidedAndTheRestCarriesAllThatFits) {
  for (uint64_t seed = 1; seed <= 25; ++seed) {
    flows_ = PermutationFlows(fabric_, {16e6, 1, seed}).value();
    Trace({3, {"spine3"}, seed});
    const Plan plan = PlanIt();
    EXPECT_NEAR(plan.assignment.fullest_link, 1.6, 1e-9);
    EXPECT_NEAR(plan.assignment.lower_bound, 1.6, 1e-9);
    EXPECT_NEAR(plan.assignment.carried_share, 0.8125, 1e-9);
    EXPECT_NEAR(plan.assignment.fits_share, 0.8125, 1e-9);
    EXPECT_EQ(plan.assignment.method, "exact");
    ExpectMeasured(plan, tables_, PathState::kAlive);
  }
}

TEST_F(PlanInTheDefaultFabric, AnOptimalPlanIsKept) {
  Trace({});
  const Plan first = PlanIt();
  EXPECT_GT(first.assignment.flows_moved, 0U);
  flows_ = first.assignment.flows;
  const Plan second = PlanIt();
  EXPECT_EQ(second.assignment.flows_moved, 0U);
  EXPECT_EQ(second.assignment.flows, first.assignment.flows);
  EXPECT_NEAR(second.fullest_link_before.value(), 0.8, 1e-9);
}

TEST_F(PlanInTheDefaultFabric, AFlowWhosePortLeadsToItsPathKeepsIt) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    Trace({3, {}, seed});
    const Plan plan = PlanIt();
    uint32_t kept = 0;
    for (size_t i = 0; i < flows_.size(); ++i) {
      const Flow& flow = plan.assignment.flows[i];
      const auto& ports = PathOver(Table(i), flow.path[1]).udp_src_ports;
      const bool leads_there = std::ranges::find(ports, flows_[i].udp_src_port) != ports.end();
      EXPECT_EQ(flow.udp_src_port == flows_[i].udp_src_port, leads_there);
      if (!leads_there) continue;
      EXPECT_EQ(flow.flow_label, flows_[i].flow_label);
      ++kept;
    }
    EXPECT_EQ(plan.assignment.flows_moved, 16 - kept);
    EXPECT_GT(kept, 0U);
  }
}

TEST_F(PlanInTheDefaultFabric, TheOrderOfTheInputMakesNoDifference) {
  flows_ = PermutationFlows(fabric_, {5e6, 3, 1}).value();
  for (size_t i = 0; i < flows_.size(); ++i) flows_[i].rate_bps += static_cast<double>(i % 7) * 1e6;
  Trace({2, {"spine1"}, 1});
  const Plan expected = PlanIt();
  std::mt19937_64 random(1);
  for (int round = 0; round < 5; ++round) {
    std::shuffle(flows_.begin(), flows_.end(), random);
    std::shuffle(tables_.begin(), tables_.end(), random);
    for (PathTable& table : tables_) std::shuffle(table.paths.begin(), table.paths.end(), random);
    auto records = fabric_.ToRecords();
    const auto links = std::find_if(records.begin(), records.end(), [](const auto& record) {
      return std::holds_alternative<topology::Link>(record);
    });
    std::shuffle(records.begin(), links, random);
    std::shuffle(links, records.end(), random);
    const Plan plan = PlanFlows(Fabric::FromRecords(records).value(), flows_, tables_).value();
    EXPECT_EQ(plan.assignment, expected.assignment);
  }
}

TEST_F(PlanInTheDefaultFabric, FlowsOfOnePairOnOnePathGetDifferentPortsWhileThereAreAny) {
  flows_ = PermutationFlows(fabric_, {1e6, 12, 1}).value();
  for (uint32_t ports_per_path : {1U, 2U, 4U}) {
    Trace({ports_per_path, {}, 1});
    const Plan plan = PlanIt();
    std::map<std::pair<std::string, std::vector<std::string>>, std::vector<uint16_t>> used;
    for (const Flow& flow : plan.assignment.flows) {
      used[{flow.source, flow.path}].push_back(flow.udp_src_port);
    }
    for (const auto& [key, ports] : used) {
      const Flow pair = *std::ranges::find(flows_, key.first, &Flow::source);
      const size_t known = PathOver(TableOf(tables_, pair), key.second[1]).udp_src_ports.size();
      EXPECT_EQ(std::set(ports.begin(), ports.end()).size(), std::min(ports.size(), known));
    }
  }
}

TEST_F(PlanInTheDefaultFabric, ALaterTableHasTheLastWordAboutItsPorts) {
  Trace({3, {}, 1});
  PathTable later = Table(0);
  later.measured_at = "2024-05-01T11:00:00Z";
  // All of this pair's ports lead over spine4 by now, and the other paths are dead.
  for (topology::Path& path : later.paths) {
    if (path.hops[1].node == "spine4") continue;
    topology::Path& last = PathOver(later, "spine4");
    last.udp_src_ports.insert(last.udp_src_ports.end(), path.udp_src_ports.begin(),
                              path.udp_src_ports.end());
    path.udp_src_ports.clear();
    path.state = PathState::kDead;
  }
  std::ranges::sort(PathOver(later, "spine4").udp_src_ports);
  tables_.insert(tables_.begin(), later);
  const Plan plan = PlanIt();
  EXPECT_EQ(plan.assignment.flows[0].path[1], "spine4");
  EXPECT_EQ(plan.assignment.flows[0].udp_src_port, flows_[0].udp_src_port);
  EXPECT_THAT(Codes(plan), ElementsAre("single-path"));
}

TEST_F(PlanInTheDefaultFabric, APathOfUnknownStateOrThatDoesNotArriveIsNotUsed) {
  Trace({3, {}, 1});
  for (PathTable& table : tables_) {
    PathOver(table, "spine1").state = PathState::kUnknown;
    PathOver(table, "spine2").reaches_destination = false;
  }
  const Plan plan = PlanIt();
  for (const Flow& flow : plan.assignment.flows) {
    EXPECT_TRUE(flow.path[1] == "spine3" || flow.path[1] == "spine4");
  }
}

TEST_F(PlanInTheDefaultFabric, AMissingLinkIsPlannedAroundByLocalSearch) {
  Trace({3, {}, 1});
  // The link leaf1 - spine1 is dead, both ways.
  for (PathTable& table : tables_) {
    topology::Path& path = PathOver(table, "spine1");
    if (path.hops[0].node == "leaf1" || path.hops[2].node == "leaf1") {
      path.state = PathState::kDead;
    }
  }
  const Plan plan = PlanIt();
  EXPECT_EQ(plan.assignment.method, "local search");
  EXPECT_NEAR(plan.assignment.fullest_link, plan.assignment.lower_bound, 1e-9);
  EXPECT_NEAR(plan.assignment.lower_bound, 1.6, 1e-9);
  EXPECT_GT(plan.assignment.carried_share, plan.assignment.fits_share - 0.05);
  ExpectMeasured(plan, tables_, PathState::kAlive);
}

TEST_F(PlanInTheDefaultFabric, FlowsUnderOneLeafCrossNoSwitchLinkAndNeedNoTable) {
  flows_ = FlowsFromDemands(fabric_, {{{"host1-1", "host1-2", 16e6, 2}}}, 1).value();
  const Plan plan = PlanIt();
  EXPECT_EQ(plan.unplanned, 0U);
  EXPECT_EQ(plan.assignment.flows_moved, 0U);
  EXPECT_THAT(Codes(plan), IsEmpty());
  EXPECT_EQ(plan.assignment.fullest_link, 0);
  EXPECT_EQ(plan.assignment.carried_share, 1);
  EXPECT_THAT(plan.assignment.flows[0].path, ElementsAre("leaf1"));
  EXPECT_EQ(plan.assignment.flows[0].udp_src_port, flows_[0].udp_src_port);
}

TEST_F(PlanInTheDefaultFabric, ThePortMapListsThePortsOfEachPair) {
  flows_ = FlowsFromDemands(fabric_,
                            {{{"host2-1", "host1-1", 1e6, 2}, {"host1-1", "host2-1", 1e6, 1}}}, 1)
               .value();
  Trace({3, {}, 1});
  std::vector<Flow> planned = PlanIt().assignment.flows;
  const auto port = [&](size_t i) { return std::to_string(planned[i].udp_src_port); };
  const std::string host1 = flows_[2].source_address.ToString();
  const std::string host2 = flows_[0].source_address.ToString();
  EXPECT_EQ(PortMapText(planned), host1 + "," + host2 + "=" + port(2) + "\n" + host2 + "," + host1 +
                                      "=" + port(0) + "," + port(1) + "\n");
  planned[2].path.clear();
  EXPECT_EQ(PortMapText(planned), host2 + "," + host1 + "=" + port(0) + "," + port(1) + "\n");
}

}  // namespace
}  // namespace weft::lb
