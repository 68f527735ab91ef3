// SPDX-License-Identifier: Apache-2.0
#include "analyzer/locate/locate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/analyzer/tables_from_route.h"

namespace weft::analyzer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using topology::Fabric;
using topology::PathState;
using topology::PathTable;

std::vector<std::string> Names(const LocateResult& result) {
  std::vector<std::string> names;
  for (const Suspect& suspect : result.suspects) names.push_back(suspect.name);
  return names;
}

struct Case {
  const char* name;
  Faults faults;
  std::vector<std::string> suspects;
};

class LocateFaults : public ::testing::TestWithParam<Case> {};

// All pairs of a 4 x 4 fabric, two hosts a leaf.
TEST_P(LocateFaults, NamesExactlyWhatIsBroken) {
  const Fabric fabric = MakeFabric({4, 4, 2, 0, 0});
  std::vector<PathTable> tables = Tracer(&fabric, 11, GetParam().faults).TraceAll();
  const LocateResult result = LocateDeadPaths(fabric, tables);
  EXPECT_EQ(Names(result), GetParam().suspects);
  EXPECT_EQ(result.dead, CountPaths(tables, PathState::kDead));
  EXPECT_EQ(result.dead_paths.size(), result.dead);
  EXPECT_EQ(result.findings.size(), GetParam().suspects.size());
  for (const DeadPath& path : result.dead_paths) EXPECT_NE(path.suspect, "") << path.source;
  for (const topology::Finding& finding : result.findings) {
    EXPECT_EQ(finding.code, "path-dead-cause");
    EXPECT_EQ(finding.severity, topology::Severity::kError);
    EXPECT_FALSE(finding.evidence.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, LocateFaults,
    ::testing::Values(
        Case{"Healthy", {}, {}},
        Case{"HealthyWithSilentSpines", {{"spine1", "spine3"}, {}, {}}, {}},
        Case{"OneSpine", {{}, {"spine2"}, {}}, {"spine2"}},
        Case{"TwoSpines", {{}, {"spine2", "spine4"}, {}}, {"spine2", "spine4"}},
        Case{"OneUplinkOneWay", {{}, {}, {{"leaf1", "spine3"}}}, {"leaf1 -> spine3"}},
        Case{"OneDownlinkOneWay", {{}, {}, {{"spine3", "leaf1"}}}, {"spine3 -> leaf1"}},
        Case{"ACableBothWays",
             {{}, {}, {{"spine3", "leaf1"}, {"leaf1", "spine3"}}},
             {"leaf1 -> spine3", "spine3 -> leaf1"}},
        Case{"ALeaf", {{}, {"leaf4"}, {}}, {"leaf4"}},
        Case{"AHostsOwnLink", {{}, {}, {{"leaf2", "host2-1"}}}, {"leaf2 -> host2-1"}},
        Case{"ASpineAndALinkElsewhere",
             {{}, {"spine1"}, {{"leaf2", "spine4"}}},
             {"spine1", "leaf2 -> spine4"}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Locate, ADeadSpineIsSaidWithTheEvidenceForAndAgainst) {
  const Fabric fabric = MakeFabric({4, 4, 1, 0, 0});
  const LocateResult result =
      LocateDeadPaths(fabric, Tracer(&fabric, 1, {{}, {"spine2"}, {}}).TraceAll());
  ASSERT_EQ(result.suspects.size(), 1U);
  EXPECT_TRUE(result.suspects[0].is_switch);
  EXPECT_TRUE(result.suspects[0].both_directions);
  EXPECT_EQ(result.suspects[0].dead_paths, 12U);
  EXPECT_EQ(result.suspects[0].living_elsewhere, 36U);
  EXPECT_THAT(result.suspects[0].alternatives, IsEmpty());
  const topology::Finding& finding = result.findings[0];
  EXPECT_EQ(finding.explanation,
            "12 of 12 paths through spine2 are dead in both directions, 0 of 36 others.");
  EXPECT_EQ(finding.evidence[0].value, 12.0);
  EXPECT_EQ(finding.evidence[2].what, "against it: dead among the 36 other paths");
  EXPECT_EQ(finding.evidence[2].value, 0.0);
}

TEST(Locate, EverySwitchIsTallied) {
  const Fabric fabric = MakeFabric({3, 2, 1, 0, 0});
  const LocateResult result =
      LocateDeadPaths(fabric, Tracer(&fabric, 1, {{}, {}, {{"leaf1", "spine2"}}}).TraceAll());
  std::vector<std::string> tallies;
  for (const SwitchTally& tally : result.by_switch) {
    tallies.push_back(tally.name + " " + std::to_string(tally.dead) + "/" +
                      std::to_string(tally.paths));
  }
  // Six directions of two paths each; two of them start at leaf1.
  EXPECT_THAT(tallies,
              ElementsAre("leaf1 2/8", "leaf2 1/8", "leaf3 1/8", "spine1 0/6", "spine2 2/6"));
}

TEST(Locate, WhatLiesOnTheSamePathsCannotBeToldApart) {
  const Fabric fabric = MakeFabric({3, 2, 1, 0, 0});
  const Tracer tracer(&fabric, 1, {{}, {"spine2"}, {}});
  // Only from leaf1: its uplink is on the very paths of the spine.
  const LocateResult result = LocateDeadPaths(
      fabric, std::vector{tracer.Trace("host1-1", "host2-1"), tracer.Trace("host1-1", "host3-1")});
  ASSERT_THAT(Names(result), ElementsAre("spine2"));
  EXPECT_THAT(result.suspects[0].alternatives, ElementsAre("leaf1 -> spine2"));
  EXPECT_FALSE(result.suspects[0].both_directions);
  EXPECT_THAT(result.findings[0].explanation, HasSubstr("cannot be told"));
}

TEST(Locate, OneDeadPathAccusesNobody) {
  const Fabric fabric = MakeFabric({3, 2, 1, 0, 0});
  std::vector<PathTable> tables = Tracer(&fabric, 1).TraceAll();
  tables[0].paths[0].state = PathState::kDead;
  const LocateResult result = LocateDeadPaths(fabric, tables);
  EXPECT_EQ(result.dead, 1U);
  EXPECT_THAT(result.suspects, IsEmpty());
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.findings[0].code, "path-dead-unexplained");
  EXPECT_EQ(result.dead_paths[0].suspect, "");
}

TEST(Locate, ALossyPathThroughASwitchClearsIt) {
  const Fabric fabric = MakeFabric({3, 2, 1, 0, 0});
  std::vector<PathTable> tables = Tracer(&fabric, 1, {{}, {"spine2"}, {}}).TraceAll();
  for (PathTable& table : tables) {
    for (topology::Path& path : table.paths) {
      if (path.state == PathState::kDead && table.source == "host1-1") {
        path.state = PathState::kLossy;
      }
    }
  }
  const LocateResult result = LocateDeadPaths(fabric, tables);
  EXPECT_EQ(result.lossy, 2U);
  EXPECT_THAT(Names(result), ::testing::Not(::testing::Contains("spine2")));
}

TEST(Locate, UnknownStaysUnknown) {
  const Fabric fabric = MakeFabric({2, 2, 1, 0, 0});
  std::vector<PathTable> tables = Tracer(&fabric, 1).TraceAll();
  for (PathTable& table : tables) {
    for (topology::Path& path : table.paths) path.state = PathState::kUnknown;
  }
  const LocateResult result = LocateDeadPaths(fabric, tables);
  EXPECT_EQ(result.unknown, 4U);
  EXPECT_EQ(result.alive + result.lossy + result.dead, 0U);
  EXPECT_THAT(result.findings, IsEmpty());
  EXPECT_THAT(result.by_switch, IsEmpty());
}

TEST(Locate, VoidTablesSayNothing) {
  const Fabric fabric = MakeFabric({2, 2, 1, 0, 0});
  std::vector<PathTable> tables = Tracer(&fabric, 1, {{}, {"spine1"}, {}}).TraceAll();
  for (PathTable& table : tables) table.void_reason = "the group of leaf1 has changed";
  const LocateResult result = LocateDeadPaths(fabric, tables);
  EXPECT_EQ(result.void_tables, tables.size());
  EXPECT_EQ(result.paths, 0U);
  EXPECT_THAT(result.findings, IsEmpty());
}

TEST(Locate, SilentDeadSpinesAreFoundWithABlueprint) {
  const Fabric fabric = MakeFabric({4, 3, 1, 0, 0});
  const LocateResult result =
      LocateDeadPaths(fabric, Tracer(&fabric, 1, {{"spine2"}, {"spine2"}, {}}).TraceAll());
  EXPECT_THAT(Names(result), ElementsAre("spine2"));
}

TEST(Locate, OneOfTwoParallelCablesIsNamedByItsPorts) {
  const Fabric fabric = MakeFabric({3, 2, 2, 1, 0});  // leaf1 - spine1 twice
  std::vector<PathTable> tables = Tracer(&fabric, 1).TraceAll();
  const wire::IpAddress second = *wire::IpAddress::Parse("10.192.0.1");  // spine1's second port
  for (PathTable& table : tables) {
    for (topology::Path& path : table.paths) {
      if (path.hops.size() > 1 && path.hops[1].address == second) path.state = PathState::kDead;
    }
  }
  EXPECT_THAT(Names(LocateDeadPaths(fabric, tables)),
              ElementsAre("leaf1:spine1b -> spine1:leaf1b"));
}

TEST(Locate, TheOrderOfTablesAndPathsDoesNotMatter) {
  const Fabric fabric = MakeFabric({4, 3, 2, 0, 0});
  std::vector<PathTable> tables =
      Tracer(&fabric, 2, {{}, {"spine1"}, {{"leaf2", "spine3"}}}).TraceAll();
  const LocateResult first = LocateDeadPaths(fabric, tables);
  std::mt19937 random(1);
  for (int round = 0; round < 5; ++round) {
    std::shuffle(tables.begin(), tables.end(), random);
    for (PathTable& table : tables) std::shuffle(table.paths.begin(), table.paths.end(), random);
    const LocateResult again = LocateDeadPaths(fabric, tables);
    EXPECT_EQ(again.findings, first.findings);
    EXPECT_EQ(Names(again), Names(first));
  }
}

}  // namespace
}  // namespace weft::analyzer
