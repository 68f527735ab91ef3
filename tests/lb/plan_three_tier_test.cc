// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "lb/assign/plan.h"
#include "lb/demand/demand.h"
#include "tests/lb/plan_fixture.h"
#include "tests/lb/traced_paths.h"
#include "topology/generate/three_tier.h"

namespace weft::lb {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using topology::Addressing;
using topology::Fabric;
using topology::Flow;
using topology::LinkLoad;

// 2 pods of 2 leaves and 2 spines, 2 hosts a leaf that send as much as a link of 20 Mbit/s takes at
// 0.8; `cores` in all.
class PlanOnThreeTiers : public ::testing::Test {
 protected:
  void Make(uint32_t cores, Addressing addressing = {}, uint32_t parallel = 1) {
    topology::ThreeTierOptions options;
    options.cores = cores;
    options.uplink_bps = options.core_bps = 20e6;
    options.addressing = addressing;
    options.parallel = parallel;
    fabric_ = topology::GenerateThreeTier(options).value();
    Use(1);
  }
  void Use(uint64_t seed) {
    flows_ = PermutationFlows(fabric_, {16e6, 1, seed}).value();
    tables_ = TracePairs(fabric_, flows_, {3, {}, seed});
  }
  void UseDemands(std::vector<topology::Demand> demands) {
    flows_ = FlowsFromDemands(fabric_, demands, 1).value();
    tables_ = TracePairs(fabric_, flows_, {3, {}, 1});
  }
  Plan PlanIt() const { return PlanFlows(fabric_, flows_, tables_).value(); }

  // Every flow's port was measured to lead where its path says.
  void ExpectPortsLeadThere(const Plan& plan) {
    for (const Flow& flow : plan.assignment.flows) {
      const topology::PathTable& table = TableOf(tables_, flow);
      const auto path = std::ranges::find_if(table.paths, [&](const topology::Path& known) {
        return std::ranges::find(known.udp_src_ports, flow.udp_src_port) !=
               known.udp_src_ports.end();
      });
      ASSERT_NE(path, table.paths.end());
      std::vector<std::string> switches;
      for (const topology::Hop& hop : path->hops) switches.push_back(hop.node);
      EXPECT_EQ(flow.path, switches);
      EXPECT_EQ(wire::UdpSourcePortOf(flow.flow_label), flow.udp_src_port);
    }
  }

  Fabric fabric_;
  std::vector<Flow> flows_;
  std::vector<topology::PathTable> tables_;
};

double LoadOf(const Plan& plan, const std::string& link) {
  double load = -1;
  for (const LinkLoad& known : plan.assignment.links) {
    if (topology::ToString(known.link) == link) load = std::max(load, *known.load);
  }
  return load;
}

struct AddressingCase {
  const char* name;
  Addressing addressing;
};

class PlanWithAnyAddresses : public PlanOnThreeTiers,
                             public ::testing::WithParamInterface<AddressingCase> {};

TEST_P(PlanWithAnyAddresses, EveryLinkTakesOneFlow) {
  Make(4, GetParam().addressing);
  for (uint64_t seed = 1; seed <= 15; ++seed) {
    Use(seed);
    const Plan plan = PlanIt();
    EXPECT_EQ(plan.assignment.method, "exact");
    EXPECT_NEAR(plan.assignment.fullest_link, 0.8, 1e-9);
    EXPECT_NEAR(plan.assignment.lower_bound, 0.8, 1e-9);
    EXPECT_NEAR(plan.assignment.carried_share, 1, 1e-9);
    EXPECT_THAT(Codes(plan), IsEmpty());
    ExpectPortsLeadThere(plan);
  }
}

INSTANTIATE_TEST_SUITE_P(Addresses, PlanWithAnyAddresses,
                         ::testing::Values(AddressingCase{"IPv4", {false, false}},
                                           AddressingCase{"IPv6", {true, false}},
                                           AddressingCase{"IPv4Unnumbered", {false, true}},
                                           AddressingCase{"IPv6Unnumbered", {true, true}}),
                         [](const auto& row) { return std::string(row.param.name); });

TEST_F(PlanOnThreeTiers, AnOptimalPlanIsKept) {
  Make(4);
  const Plan first = PlanIt();
  EXPECT_GT(first.assignment.flows_moved, 0U);
  flows_ = first.assignment.flows;
  const Plan second = PlanIt();
  EXPECT_EQ(second.assignment.flows_moved, 0U);
  EXPECT_EQ(second.assignment.flows, first.assignment.flows);
}

TEST_F(PlanOnThreeTiers, TheOrderOfTheInputMakesNoDifference) {
  Make(4, {true, true}, 2);
  tables_[1].hop_behaviours = {
      {2, {}, tables_[1].paths[0].hops[1].node, 2, topology::HopMode::kPerPacket, 9, {}}};
  const Plan expected = PlanIt();
  std::mt19937_64 random(1);
  for (int round = 0; round < 5; ++round) {
    std::shuffle(flows_.begin(), flows_.end(), random);
    std::shuffle(tables_.begin(), tables_.end(), random);
    for (auto& table : tables_) std::shuffle(table.paths.begin(), table.paths.end(), random);
    auto records = fabric_.ToRecords();
    const auto links = std::ranges::find_if(
        records, [](const auto& record) { return std::holds_alternative<topology::Link>(record); });
    std::shuffle(records.begin(), links, random);
    std::shuffle(links, records.end(), random);
    const Plan plan = PlanFlows(Fabric::FromRecords(records).value(), flows_, tables_).value();
    EXPECT_EQ(plan.assignment, expected.assignment);
  }
}

// Two of three flows must share one of the pod's two core uplinks.
TEST_F(PlanOnThreeTiers, ANarrowUpperTierIsBoundedByItsPods) {
  Make(2);
  UseDemands({{"host1-1", "host3-1", 16e6, 1},
              {"host1-2", "host4-1", 16e6, 1},
              {"host2-1", "host3-2", 16e6, 1}});
  const Plan plan = PlanIt();
  EXPECT_NEAR(plan.assignment.lower_bound, 1.6, 1e-9);
  EXPECT_NEAR(plan.assignment.fullest_link, 1.6, 1e-9);
  EXPECT_NEAR(plan.assignment.fits_share, 36.0 / 48, 1e-9);
}

TEST_F(PlanOnThreeTiers, ADeadCoreIsPlannedAroundAndNotCalledComplete) {
  Make(4);
  tables_ = TracePairs(fabric_, flows_, {3, {"core1"}, 1});
  const Plan plan = PlanIt();
  EXPECT_EQ(plan.assignment.method, "local search");
  EXPECT_GE(plan.assignment.fullest_link, plan.assignment.lower_bound - 1e-9);
  for (const Flow& flow : plan.assignment.flows) {
    EXPECT_THAT(flow.path, ::testing::Not(::testing::Contains("core1")));
  }
}

TEST_F(PlanOnThreeTiers, ParallelCablesWithoutAddressesCountAsOneLink) {
  Make(4, {false, true}, 2);
  const Plan plan = PlanIt();
  EXPECT_EQ(plan.assignment.method, "exact");
  EXPECT_NEAR(plan.assignment.fullest_link, 0.4, 1e-9) << "16 on two cables of 20";
  EXPECT_NEAR(plan.assignment.lower_bound, 0.4, 1e-9);
  EXPECT_THAT(Codes(plan), ElementsAre("cables-not-told-apart"));
  EXPECT_EQ(plan.assignment.findings[0].evidence[0].value, 2);
  for (const LinkLoad& link : plan.assignment.links) {
    if (!link.between_switches || link.flows.empty()) continue;
    EXPECT_NEAR(link.offered_bps, 8e6, 1) << "half of a flow on each cable";
  }
}

TEST_F(PlanOnThreeTiers, ParallelCablesWithAddressesAreToldApart) {
  Make(4, {false, false}, 2);
  const Plan plan = PlanIt();
  EXPECT_NEAR(plan.assignment.fullest_link, 0.8, 1e-9) << "a whole flow on one cable";
  EXPECT_THAT(Codes(plan), IsEmpty());
}

TEST_F(PlanOnThreeTiers, ALinkOfOneOrMoreCablesIsSaidToBe) {
  Make(4, {false, true});
  auto records = fabric_.ToRecords();
  for (auto& record : records) {
    auto* link = std::get_if<topology::Link>(&record);
    if (link != nullptr && link->a.node == "leaf1" && link->b.node == "spine1") {
      link->one_or_more = true;
    }
  }
  fabric_ = Fabric::FromRecords(records).value();
  const Plan plan = PlanIt();
  EXPECT_THAT(Codes(plan), ElementsAre("cables-not-told-apart"));
  EXPECT_EQ(plan.assignment.findings[0].evidence[0].unit, "cable or more");
  EXPECT_NEAR(plan.assignment.fullest_link, 0.8, 1e-9);
}

topology::HopBehaviour PerPacket(const std::string& node, uint32_t hop, uint32_t ways) {
  return {hop, {}, node, ways, topology::HopMode::kPerPacket, 24, {}};
}

// Flows from leaf1 to leaf3; leaf1 sends each packet where it likes.
TEST_F(PlanOnThreeTiers, WhereALeafSpreadsPacketsItsUplinksCountAsOne) {
  Make(4);
  UseDemands({{"host1-1", "host3-1", 16e6, 1}, {"host1-2", "host3-2", 8e6, 1}});
  const Plan steered = PlanIt();
  EXPECT_THAT(Codes(steered), IsEmpty());
  EXPECT_NEAR(steered.assignment.fullest_link, 0.8, 1e-9);

  tables_[0].hop_behaviours = {PerPacket("leaf1", 1, 2)};
  const Plan plan = PlanIt();
  EXPECT_NEAR(plan.assignment.fullest_link, 24.0 / 40, 1e-9);
  EXPECT_NEAR(plan.assignment.lower_bound, 24.0 / 40, 1e-9);
  EXPECT_NEAR(LoadOf(plan, "leaf1 -> spine1"), 24.0 / 40, 1e-9);
  EXPECT_NEAR(LoadOf(plan, "spine2 -> core4"), 24.0 / 80, 1e-9);
  EXPECT_NEAR(plan.assignment.carried_share, 1, 1e-9);
  EXPECT_EQ(plan.assignment.flows_moved, 0U);
  EXPECT_EQ(plan.unplanned, 0U);
  for (size_t i = 0; i < flows_.size(); ++i) {
    const Flow& flow = plan.assignment.flows[i];
    EXPECT_EQ(flow.udp_src_port, flows_[i].udp_src_port) << "no port is invented";
    EXPECT_THAT(flow.path, ElementsAre("leaf1", "*", "*", "*", "leaf3"));
  }
  ASSERT_THAT(Codes(plan), ElementsAre("steering-no-effect"));
  const topology::Finding& finding = plan.assignment.findings[0];
  EXPECT_EQ(finding.subject, "leaf1");
  EXPECT_EQ(finding.severity, topology::Severity::kInfo);
  EXPECT_THAT(finding.evidence[0].what, HasSubstr("per-packet"));
  EXPECT_EQ(finding.evidence[0].value, 24);
  EXPECT_EQ(finding.evidence[2].value, 2) << "links that count as one";
  EXPECT_EQ(finding.evidence[3].value, 2) << "flows, also of the pair that was not asked";
}

// The leaf still chooses by port, so flows are spread over the spines, and each spine's cores count
// as one link.
TEST_F(PlanOnThreeTiers, WhatComesBeforeASpreadingSwitchIsStillSteered) {
  Make(4);
  UseDemands({{"host1-1", "host3-1", 16e6, 1}, {"host1-2", "host3-2", 16e6, 1}});
  tables_[0].hop_behaviours = {PerPacket("spine1", 2, 2), PerPacket("spine2", 2, 2)};
  const Plan plan = PlanIt();
  EXPECT_NEAR(plan.assignment.fullest_link, 0.8, 1e-9);
  EXPECT_NEAR(LoadOf(plan, "leaf1 -> spine1"), 0.8, 1e-9);
  EXPECT_NEAR(LoadOf(plan, "spine2 -> core3"), 0.4, 1e-9);
  EXPECT_NE(plan.assignment.flows[0].path[1], plan.assignment.flows[1].path[1]);
  EXPECT_THAT(Codes(plan), ElementsAre("steering-no-effect", "steering-no-effect"));
}

TEST_F(PlanOnThreeTiers, TheLatestWordAboutASwitchCounts) {
  Make(4);
  UseDemands({{"host1-1", "host3-1", 16e6, 1}, {"host1-2", "host3-2", 16e6, 1}});
  tables_[0].hop_behaviours = {PerPacket("leaf1", 1, 2)};
  tables_[1].hop_behaviours = {PerPacket("leaf1", 1, 2)};
  tables_[1].hop_behaviours[0].mode = topology::HopMode::kHashed;
  tables_[1].measured_at = "2024-05-01T11:00:00Z";
  EXPECT_THAT(Codes(PlanIt()), IsEmpty());
  tables_[1].measured_at = "2024-05-01T09:00:00Z";
  EXPECT_THAT(Codes(PlanIt()), ElementsAre("steering-no-effect"));
}

struct Word {
  const char* name;
  topology::HopMode mode;
  topology::FieldUse source_port;
  uint32_t next_hops;
  bool steers;
};

class PlanAtAHop : public PlanOnThreeTiers, public ::testing::WithParamInterface<Word> {};

TEST_P(PlanAtAHop, SteersWhereThePortChooses) {
  Make(4);
  UseDemands({{"host1-1", "host3-1", 16e6, 2}});
  tables_[0].hop_behaviours = {
      {1,
       tables_[0].paths[0].hops[0].address,
       "",
       GetParam().next_hops,
       GetParam().mode,
       24,
       {{topology::HashedField::kUdpSrcPort, GetParam().source_port, 8, 1}}}};
  const Plan plan = PlanIt();
  EXPECT_EQ(Codes(plan).empty(), GetParam().steers);
  EXPECT_EQ(plan.assignment.flows[0].path[1] == "*", !GetParam().steers);
}

INSTANTIATE_TEST_SUITE_P(
    Words, PlanAtAHop,
    ::testing::Values(
        Word{"Hashed", topology::HopMode::kHashed, topology::FieldUse::kHashed, 2, true},
        Word{"Unknown", topology::HopMode::kUnknown, topology::FieldUse::kUnknown, 2, true},
        Word{"PerPacket", topology::HopMode::kPerPacket, topology::FieldUse::kUnknown, 2, false},
        Word{"Flowlet", topology::HopMode::kFlowlet, topology::FieldUse::kHashed, 2, false},
        Word{"Adaptive", topology::HopMode::kAdaptive, topology::FieldUse::kUnknown, 2, false},
        Word{"PortIgnored", topology::HopMode::kHashed, topology::FieldUse::kIgnored, 2, false},
        Word{"OneWayOn", topology::HopMode::kHashed, topology::FieldUse::kIgnored, 1, true}),
    [](const auto& row) { return std::string(row.param.name); });

TEST_F(PlanOnThreeTiers, AnOverlayHidesThePathsOfItsPair) {
  Make(4);
  tables_[0].hidden_reason = "a tunnel from leaf1: one hop for every TTL";
  const Plan plan = PlanIt();
  EXPECT_THAT(Codes(plan), ElementsAre("paths-hidden"));
  EXPECT_THAT(plan.assignment.findings[0].evidence[0].what, HasSubstr("a tunnel from leaf1"));
  EXPECT_EQ(plan.unplanned, 1U);
  const Flow& flow = plan.assignment.flows[0];
  EXPECT_THAT(flow.path, IsEmpty());
  EXPECT_EQ(flow.udp_src_port, flows_[0].udp_src_port);
}

TEST_F(PlanOnThreeTiers, ComputedPortsAreUsedWhenTheMeasuredOnesRunOut) {
  Make(4);
  UseDemands({{"host1-1", "host2-1", 1e6, 6}});
  for (topology::Path& path : tables_[0].paths) {
    path.udp_src_ports = {static_cast<uint16_t>(50000 + 10 * (&path - tables_[0].paths.data()))};
    const auto base = static_cast<uint16_t>(path.udp_src_ports.front() + 10000);
    path.computed_udp_src_ports = {base, static_cast<uint16_t>(base + 1),
                                   static_cast<uint16_t>(base + 2)};
  }
  const Plan plan = PlanIt();
  ASSERT_THAT(Codes(plan), ElementsAre("computed-ports"));
  EXPECT_EQ(plan.assignment.findings[0].evidence[0].value, 4) << "six flows, two measured ports";
  std::map<uint16_t, int> users;
  for (const Flow& flow : plan.assignment.flows) ++users[flow.udp_src_port];
  EXPECT_EQ(users.size(), 6U);
  for (const topology::Path& path : tables_[0].paths) {
    EXPECT_EQ(users[path.udp_src_ports.front()], 1) << "measured ones first";
  }

  for (topology::Path& path : tables_[0].paths) path.udp_src_ports.clear();
  EXPECT_EQ(PlanIt().unplanned, 0U) << "computed ports alone will do";
}

}  // namespace
}  // namespace weft::lb
