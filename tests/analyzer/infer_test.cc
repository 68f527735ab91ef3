// SPDX-License-Identifier: Apache-2.0
// What was built is what is inferred.
#include "analyzer/infer/infer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "analyzer/infer/naming.h"
#include "tests/analyzer/anatomy.h"
#include "tests/analyzer/infer_cases.h"
#include "tests/analyzer/tables_from_route.h"
#include "topology/check/check.h"

namespace weft::analyzer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using topology::Fabric;
using topology::Node;
using topology::PathTable;
using wire::IpAddress;

class InferShapes : public ::testing::TestWithParam<Shape> {};

TEST_P(InferShapes, AllPairsTracedGiveTheFabricThatWasBuilt) {
  const Fabric built = MakeFabric(GetParam());
  const auto inferred = InferFabric(Tracer(&built, 1).TraceAll());
  ASSERT_TRUE(inferred.ok()) << inferred.status();
  EXPECT_EQ(AnatomyOf(inferred->fabric), AnatomyOf(built));
  EXPECT_THAT(Codes(*inferred), IsEmpty());

  const topology::CheckResult check = topology::Check(built, inferred->fabric, {true, {}});
  EXPECT_TRUE(check.identical);
  const auto named = NameByBlueprint(inferred->fabric, built, check.matches);
  ASSERT_TRUE(named.ok()) << named.status();
  std::set<std::string> names;
  for (const topology::Link& link : named->links()) {
    EXPECT_TRUE(link.capacity_bps.has_value()) << ToString(link.a);
    names.insert(std::min(ToString(link.a), ToString(link.b)));
  }
  std::set<std::string> built_names;
  for (const topology::Link& link : built.links()) {
    built_names.insert(std::min(ToString(link.a), ToString(link.b)));
  }
  EXPECT_EQ(names, built_names);
}

std::vector<Shape> Shapes() {
  std::vector<Shape> shapes;
  for (const uint32_t leaves : {2U, 3U, 5U, 8U}) {
    for (const uint32_t spines : {1U, 2U, 4U, 8U}) shapes.push_back({leaves, spines, 1, 0, 0});
  }
  shapes.push_back({4, 4, 4, 0, 0});
  shapes.push_back({3, 2, 2, 2, 0});  // two cables between leaf1 and each spine
  shapes.push_back({4, 3, 2, 5, 0});
  shapes.push_back({4, 4, 2, 0, 1});
  shapes.push_back({5, 4, 2, 0, 3});
  shapes.push_back({6, 5, 1, 3, 2});
  return shapes;
}

INSTANTIATE_TEST_SUITE_P(Fabrics, InferShapes, ::testing::ValuesIn(Shapes()), [](const auto& test) {
  const Shape& s = test.param;
  return std::to_string(s.leaves) + "x" + std::to_string(s.spines) + "x" +
         std::to_string(s.hosts_per_leaf) + "_parallel" + std::to_string(s.parallel) + "_missing" +
         std::to_string(s.missing);
});

TEST(Infer, OneLeafShowsNoSpineAndTheCheckSaysItIsNotMeasured) {
  const Fabric built = MakeFabric({1, 4, 3, 0, 0});
  const auto inferred = InferFabric(Tracer(&built, 1).TraceAll());
  ASSERT_TRUE(inferred.ok());
  EXPECT_EQ(CountSwitches(inferred->fabric, 0), 1U);
  EXPECT_EQ(CountSwitches(inferred->fabric, 1), 0U);
  const topology::CheckResult check = topology::Check(built, inferred->fabric, {true, {}});
  EXPECT_TRUE(check.agrees);
  EXPECT_FALSE(check.identical);
  EXPECT_EQ(check.not_measured_nodes.size(), 4U);
}

TEST(Infer, TheOrderOfTablesAndPathsDoesNotMatter) {
  const Fabric built = MakeFabric({4, 3, 2, 2, 1});
  std::vector<PathTable> tables = Tracer(&built, 7, {{"spine2"}, {}, {}}).TraceAll();
  const auto first = InferFabric(tables);
  ASSERT_TRUE(first.ok());
  std::mt19937 random(1);
  for (int round = 0; round < 10; ++round) {
    std::shuffle(tables.begin(), tables.end(), random);
    for (PathTable& table : tables) std::shuffle(table.paths.begin(), table.paths.end(), random);
    const auto again = InferFabric(tables);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->fabric.ToRecords(), first->fabric.ToRecords());
    EXPECT_EQ(again->findings, first->findings);
    EXPECT_EQ(again->joins.size(), first->joins.size());
  }
}

TEST(Infer, SwitchesComeByTierAndThenByLowestAddress) {
  const Fabric built = MakeFabric({2, 2, 1, 0, 0});
  const auto inferred = InferFabric(Tracer(&built, 1).TraceAll());
  std::vector<std::string> names;
  for (const Node& node : inferred->fabric.nodes()) names.push_back(node.name);
  EXPECT_THAT(names, ElementsAre("switch-10.0.0.0", "switch-10.0.0.2", "switch-10.128.0.1",
                                 "switch-10.128.0.3", "host1-1", "host2-1"));
}

TEST(Infer, EveryJoinCarriesItsReason) {
  const auto inferred = InferFabric(BothWays());
  ASSERT_TRUE(inferred.ok());
  ASSERT_EQ(inferred->joins.size(), 6U);
  EXPECT_EQ(inferred->joins[0].seen, Address("10.0.0.0"));
  EXPECT_EQ(inferred->joins[0].mate, Address("10.128.0.0"));
  EXPECT_EQ(inferred->joins[0].sign, JoinSign::kSubnetMate);
  EXPECT_EQ(inferred->joins[0].reason,
            "10.128.0.1 came right behind 10.0.0.0 on 1 path, and 10.128.0.0 is its /31 mate");
}

TEST(Infer, OnePathOneWayDoesNotShowWhetherItsSwitchesAnswerWithAnInterface) {
  const auto inferred = InferFabric(std::vector{BothWays()[0]});
  ASSERT_TRUE(inferred.ok());
  EXPECT_THAT(Codes(*inferred), ElementsAre("leaf-seen-from-below"));
  ASSERT_EQ(inferred->joins.size(), 1U);  // what is in front of a host is its leaf
  EXPECT_EQ(inferred->joins[0].mate, Address("10.0.0.2"));
  EXPECT_EQ(inferred->fabric.links().size(), 4U);
  EXPECT_EQ(CountSwitches(inferred->fabric, 0), 2U);
  EXPECT_EQ(CountSwitches(inferred->fabric, 1), 1U);
  EXPECT_FALSE(inferred->fabric.FindAddress(Address("10.128.0.0")).has_value());
}

TEST(Infer, ResolvedHopsNameTheirSwitch) {
  PathTable table = HandMade("10.0.0.1", "10.0.0.3", {"10.0.0.0", "10.128.0.1", "10.128.0.2"});
  table.paths[0].hops[1].node = "spine9";
  const auto inferred = InferFabric(std::vector{table});
  ASSERT_TRUE(inferred.ok());
  EXPECT_TRUE(inferred->fabric.FindNode("spine9").has_value());
}

TEST(Infer, ASwitchInBranchesOfUnequalLengthHasTheTierOfTheShorterOne) {
  // 10.255.0.7 is a spine for leaf1 and leaf2, and a core behind 10.255.0.3 for leaf3.
  const auto inferred = InferFabric(std::vector{
      HandMade("10.0.0.1", "10.0.0.3", {"10.0.0.0", "10.255.0.7", "10.255.0.12"}),
      HandMade("10.0.0.1", "10.0.0.5", {"10.0.0.0", "10.255.0.7", "10.255.0.3", "10.255.0.15"}),
      HandMade("10.0.0.5", "10.0.0.1", {"10.0.0.4", "10.255.0.3", "10.255.0.7", "10.255.0.17"})});
  ASSERT_TRUE(inferred.ok());
  const Fabric& fabric = inferred->fabric;
  EXPECT_EQ(fabric.node(*fabric.FindAddress(Address("10.255.0.7"))).tier, 1U);
  EXPECT_EQ(fabric.node(*fabric.FindAddress(Address("10.255.0.3"))).tier, 1U);
  EXPECT_EQ(CountSwitches(fabric, 0), 3U);
}

TEST(Infer, AnAddressWithTwoNamesIsSaid) {
  PathTable there = HandMade("10.0.0.1", "10.0.0.3", {"10.0.0.0"});
  PathTable back = HandMade("10.0.0.3", "10.0.0.1", {"10.0.0.2"});
  back.destination = "another";
  const auto inferred = InferFabric(std::vector{there, back});
  ASSERT_TRUE(inferred.ok());
  EXPECT_THAT(Codes(*inferred), ElementsAre("host-named-twice"));
}

TEST(Infer, NamesWhatIsWrongWithATable) {
  EXPECT_EQ(InferFabric({}).status().code(), absl::StatusCode::kNotFound);
  PathTable table = HandMade("10.0.0.1", "10.0.0.3", {"10.0.0.0"});
  table.source_address = IpAddress();
  EXPECT_THAT(std::string(InferFabric(std::vector{table}).status().message()),
              HasSubstr("source address"));
}

}  // namespace
}  // namespace weft::analyzer
