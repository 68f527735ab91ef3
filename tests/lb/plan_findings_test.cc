// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "lb/assign/plan.h"
#include "tests/lb/plan_fixture.h"
#include "tests/lb/traced_paths.h"
#include "topology/generate/leaf_spine.h"

namespace weft::lb {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using topology::Fabric;
using topology::Finding;
using topology::Flow;
using topology::PathState;
using topology::PathTable;

TEST_F(PlanInTheDefaultFabric, AFlowStaysAsItIsWhereNothingOfItsPairLives) {
  Trace({3, {}, 1});
  for (topology::Path& path : Table(5).paths) path.state = PathState::kDead;
  const Plan plan = PlanIt();
  EXPECT_EQ(plan.unplanned, 1U);
  EXPECT_THAT(Codes(plan), ElementsAre("no-path"));
  EXPECT_EQ(plan.assignment.findings[0].severity, topology::Severity::kError);
  EXPECT_EQ(plan.assignment.findings[0].subject, flows_[5].source + " -> " + flows_[5].destination);
  EXPECT_THAT(plan.assignment.flows[5].path, IsEmpty());
  EXPECT_EQ(plan.assignment.flows[5].udp_src_port, flows_[5].udp_src_port);
  EXPECT_NEAR(plan.assignment.carried_share, 15.0 / 16, 1e-9) << "the others are planned";
  EXPECT_NEAR(plan.assignment.fits_share, 15.0 / 16, 1e-9);
}

TEST_F(PlanInTheDefaultFabric, AVoidTableIsNotUsedUntilThePairIsMeasuredAgain) {
  Trace({3, {}, 1});
  PathTable again = Table(2);
  Table(2).void_reason = "leaf1's group lost spine2";
  const Plan without = PlanIt();
  EXPECT_THAT(Codes(without), ElementsAre("not-measured"));
  EXPECT_THAT(without.assignment.findings[0].evidence[0].what,
              HasSubstr("void: leaf1's group lost spine2"));
  EXPECT_EQ(without.unplanned, 1U);

  again.measured_at = "2024-05-01T11:00:00Z";
  tables_.push_back(again);
  EXPECT_THAT(Codes(PlanIt()), IsEmpty());

  tables_.back().measured_at = "2024-05-01T09:00:00Z";
  EXPECT_THAT(Codes(PlanIt()), ElementsAre("not-measured")) << "older than the void one";
}

TEST_F(PlanInTheDefaultFabric, APairWithoutATableIsNotMeasured) {
  Trace({3, {}, 1});
  std::erase_if(tables_, [&](const PathTable& table) {
    return table.source_address == flows_[0].source_address;
  });
  const Plan plan = PlanIt();
  EXPECT_THAT(Codes(plan), ElementsAre("not-measured"));
  EXPECT_THAT(plan.assignment.flows[0].path, IsEmpty());
}

TEST_F(PlanInTheDefaultFabric, LossyPathsAreUsedOnlyWhereNothingElseLives) {
  Trace({3, {}, 1});
  for (PathTable& table : tables_) PathOver(table, "spine2").state = PathState::kLossy;
  const Plan avoided = PlanIt();
  EXPECT_THAT(Codes(avoided), IsEmpty());
  for (const Flow& flow : avoided.assignment.flows) EXPECT_NE(flow.path[1], "spine2");

  for (topology::Path& path : Table(3).paths) path.state = PathState::kLossy;
  const Plan used = PlanIt();
  EXPECT_THAT(Codes(used), ElementsAre("lossy-path"));
  EXPECT_EQ(used.assignment.findings[0].severity, topology::Severity::kWarning);
  EXPECT_EQ(used.unplanned, 0U);
}

TEST_F(PlanInTheDefaultFabric, APathThatIsNeededButHasNoPortIsWanted) {
  Trace({3, {}, 1});
  // A second pair between the same leaves knows that the path lives.
  const std::string source_leaf = LeafOf(fabric_, flows_[0].source_address);
  const std::string destination_leaf = LeafOf(fabric_, flows_[0].destination_address);
  for (const Flow& other : flows_) {
    if (LeafOf(fabric_, other.source_address) != source_leaf) continue;
    // No flow of this leaf has a port over spine1: the optimum needs one.
    std::vector<topology::Path>& paths = TableOf(tables_, other).paths;
    paths.erase(paths.begin());
  }
  const Plan unaware = PlanIt();
  EXPECT_THAT(unaware.wanted, IsEmpty()) << "nobody has seen spine1 from this leaf";
  EXPECT_NEAR(unaware.assignment.fullest_link, 1.6, 1e-9);

  for (const Flow& flow : flows_) {  // A reverse table for each pair, and a forward one of others.
    if (LeafOf(fabric_, flow.source_address) != source_leaf) continue;
    Flow neighbour = flow;
    for (const topology::Node& node : fabric_.nodes()) {
      if (node.kind != topology::NodeKind::kHost || node.name == flow.destination) continue;
      const wire::IpAddress address = node.interfaces.front().address;
      if (LeafOf(fabric_, address) != LeafOf(fabric_, flow.destination_address)) continue;
      neighbour.destination = node.name;
      neighbour.destination_address = address;
    }
    const bool traced = std::ranges::any_of(flows_, [&](const Flow& known) {
      return known.source == neighbour.source && known.destination == neighbour.destination;
    });
    ASSERT_FALSE(traced);
    tables_.push_back(TracePairs(fabric_, {&neighbour, 1}, {}).front());
  }
  const Plan plan = PlanIt();
  EXPECT_NEAR(plan.assignment.lower_bound, 0.8, 1e-9);
  EXPECT_NEAR(plan.assignment.fullest_link, 1.6, 1e-9);
  ASSERT_EQ(plan.wanted.size(), 1U) << "one flow of the leaf has to take it";
  EXPECT_EQ(plan.wanted[0].switches[0], source_leaf);
  EXPECT_EQ(plan.wanted[0].switches[1], "spine1");
  EXPECT_THAT(Codes(plan), ElementsAre("path-without-port"));
  EXPECT_EQ(plan.assignment.findings[0].severity, topology::Severity::kInfo);
  EXPECT_EQ(plan.unplanned, 0U);

  // A port for the wanted path makes the plan optimal.
  for (PathTable& table : tables_) {
    if (table.source != plan.wanted[0].source) continue;
    if (table.destination != plan.wanted[0].destination) continue;
    Flow pair = flows_[0];
    pair.source = table.source;
    pair.source_address = table.source_address;
    pair.destination = table.destination;
    pair.destination_address = table.destination_address;
    table.paths.push_back(TracePairs(fabric_, {&pair, 1}, {}).front().paths.front());
    break;
  }
  const Plan mended = PlanIt();
  EXPECT_NEAR(mended.assignment.fullest_link, 0.8, 1e-9);
  EXPECT_THAT(mended.wanted, IsEmpty());
}

TEST_F(PlanInTheDefaultFabric, AMissingPortThatTheOptimumCanDoWithoutIsNotWanted) {
  flows_.resize(1);
  Trace({3, {}, 1});
  Flow neighbour = flows_[0];
  PathTable known = Table(0);
  for (const topology::Node& node : fabric_.nodes()) {
    const bool host = node.kind == topology::NodeKind::kHost;
    if (!host || node.name == flows_[0].source) continue;
    const wire::IpAddress address = node.interfaces.front().address;
    if (LeafOf(fabric_, address) != LeafOf(fabric_, flows_[0].source_address)) continue;
    neighbour.source = node.name;
    neighbour.source_address = address;
  }
  tables_.push_back(TracePairs(fabric_, {&neighbour, 1}, {}).front());
  Table(0).paths.erase(Table(0).paths.begin());
  const Plan plan = PlanIt();
  EXPECT_THAT(plan.wanted, IsEmpty());
  EXPECT_THAT(Codes(plan), IsEmpty());
  EXPECT_NEAR(plan.assignment.fullest_link, 0.8, 1e-9);
}

TEST_F(PlanInTheDefaultFabric, AHostThatTheFabricLacksIsNamedAndTheOthersArePlanned) {
  Trace({3, {}, 1});
  flows_[4].destination_address = wire::IpAddress::Parse("192.0.2.9").value();
  const Plan plan = PlanIt();
  EXPECT_THAT(Codes(plan), ElementsAre("not-in-fabric"));
  EXPECT_THAT(plan.assignment.findings[0].evidence[0].what, HasSubstr("192.0.2.9"));
  EXPECT_EQ(plan.unplanned, 1U);
}

TEST_F(PlanInTheDefaultFabric, HostsOfDifferentPartsOfTheFabricHaveNoPath) {
  Trace({3, {}, 1});
  std::vector<topology::FabricRecord> records = fabric_.ToRecords();
  std::erase_if(records, [](const topology::FabricRecord& record) {
    const auto* link = std::get_if<topology::Link>(&record);
    if (link == nullptr) return false;
    const auto uplink_of_leaf4 = [](const topology::PortRef& leaf, const topology::PortRef& spine) {
      return leaf.node == "leaf4" && spine.node.starts_with("spine");
    };
    return uplink_of_leaf4(link->a, link->b) || uplink_of_leaf4(link->b, link->a);
  });
  const Fabric parted = Fabric::FromRecords(records).value();
  const Plan plan = PlanFlows(parted, flows_, tables_).value();
  uint32_t parted_pairs = 0;
  for (const Flow& flow : plan.assignment.flows) {
    const bool at_leaf4 = LeafOf(fabric_, flow.source_address) == "leaf4" ||
                          LeafOf(fabric_, flow.destination_address) == "leaf4";
    EXPECT_EQ(flow.path.empty(), at_leaf4);
    parted_pairs += at_leaf4 ? 1 : 0;
  }
  EXPECT_EQ(plan.unplanned, parted_pairs);
  EXPECT_THAT(Codes(plan), ::testing::Each("no-path"));
  EXPECT_EQ(plan.assignment.findings.size(), parted_pairs);
}

TEST_F(PlanInTheDefaultFabric, ALivingPathOutsideTheFabricIsNotUsed) {
  Trace({3, {}, 1});
  PathOver(Table(1), "spine1").hops[1].address = wire::IpAddress::Parse("192.0.2.1").value();
  const Plan plan = PlanIt();
  EXPECT_THAT(Codes(plan), ElementsAre("path-not-in-fabric"));
  EXPECT_THAT(plan.assignment.findings[0].evidence[0].what, HasSubstr("hop 2 (192.0.2.1)"));
  EXPECT_NEAR(plan.assignment.carried_share, 1, 1e-9);
}

class PlanWithOneSpine : public PlanInTheDefaultFabric {
 protected:
  PlanWithOneSpine() : PlanInTheDefaultFabric(1) {}
};

TEST_F(PlanWithOneSpine, ThereIsNothingToBalance) {
  Trace({2, {}, 1});
  const Plan plan = PlanIt();
  EXPECT_EQ(plan.assignment.flows_moved, 0U);
  EXPECT_EQ(plan.assignment.findings.size(), 16U);
  for (const Finding& finding : plan.assignment.findings) {
    EXPECT_EQ(finding.code, "single-path");
    EXPECT_EQ(finding.severity, topology::Severity::kInfo);
    EXPECT_THAT(finding.explanation, HasSubstr("nothing to balance"));
  }
  EXPECT_NEAR(plan.assignment.fullest_link, 3.2, 1e-9);
  EXPECT_NEAR(plan.assignment.carried_share, 20.0 / 64, 1e-9);
}

struct BadInput {
  const char* name;
  void (*change)(std::vector<Flow>*);
  const char* message;
};

class PlanRefuses : public PlanInTheDefaultFabric,
                    public ::testing::WithParamInterface<BadInput> {};

TEST_P(PlanRefuses, AndSaysWhy) {
  Trace({});
  ASSERT_TRUE(PlanFlows(fabric_, flows_, tables_).ok());
  GetParam().change(&flows_);
  const auto plan = PlanFlows(fabric_, flows_, tables_);
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.status().message(), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    BadInput, PlanRefuses,
    ::testing::Values(BadInput{"AnIdUsedTwice", [](auto* flows) { (*flows)[3].id = "f01"; },
                               "flow \"f01\": the id is used twice"},
                      BadInput{"AFlowWithoutARate", [](auto* flows) { (*flows)[1].rate_bps = 0; },
                               "flow \"f02\": rate_bps 0: expected more than 0"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST_F(PlanInTheDefaultFabric, LinksBetweenSwitchesNeedACapacity) {
  fabric_ = topology::GenerateLeafSpine({4, 4, 4, std::nullopt, std::nullopt}).value();
  Trace({});
  const auto plan = PlanFlows(fabric_, flows_, tables_);
  ASSERT_FALSE(plan.ok());
  EXPECT_THAT(std::string(plan.status().message()), HasSubstr("no capacity_bps: expected one"));
}

}  // namespace
}  // namespace weft::lb
