// SPDX-License-Identifier: Apache-2.0
// What no trace joins stays apart and is said.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "analyzer/infer/infer.h"
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
using topology::PathTable;
using wire::IpAddress;

TEST(Infer, OneDirectionOfAConnectedSetOfPairsIsEnough) {
  const Fabric built = MakeFabric({4, 3, 1, 0, 0});
  const Tracer tracer(&built, 1);
  std::vector<PathTable> tables;
  for (const char* destination : {"host2-1", "host3-1", "host4-1"}) {
    tables.push_back(tracer.Trace("host1-1", destination));
  }
  const auto inferred = InferFabric(tables);
  ASSERT_TRUE(inferred.ok());
  EXPECT_EQ(AnatomyOf(inferred->fabric), AnatomyOf(built));
}

TEST(Infer, PairsThatShareNoLeafLeaveTheSpinesInPiecesAndThatIsSaid) {
  const Fabric built = MakeFabric({4, 2, 1, 0, 0});
  const Tracer tracer(&built, 1);
  const std::vector<PathTable> tables = {tracer.Trace("host1-1", "host2-1"),
                                         tracer.Trace("host3-1", "host4-1")};
  const auto inferred = InferFabric(tables);
  ASSERT_TRUE(inferred.ok());
  EXPECT_EQ(CountSwitches(inferred->fabric, 0), 4U);
  EXPECT_EQ(CountSwitches(inferred->fabric, 1), 4U);  // two pieces of each
  EXPECT_THAT(Codes(*inferred), ElementsAre("fabric-in-parts"));
  // Every piece could have a link to either leaf of the other part.
  EXPECT_EQ(NotMeasured(inferred->fabric, tables).size(), 8U);
  EXPECT_FALSE(topology::Check(built, inferred->fabric, {true, {}}).agrees);
}

TEST(Infer, PairsThatShareALeafLeaveNothingApart) {
  const Fabric built = MakeFabric({4, 2, 1, 0, 0});
  const Tracer tracer(&built, 1);
  const std::vector<PathTable> tables = {tracer.Trace("host1-1", "host2-1"),
                                         tracer.Trace("host3-1", "host2-1"),
                                         tracer.Trace("host3-1", "host4-1")};
  const auto inferred = InferFabric(tables);
  ASSERT_TRUE(inferred.ok());
  EXPECT_EQ(AnatomyOf(inferred->fabric), AnatomyOf(built));
  EXPECT_THAT(Codes(*inferred), IsEmpty());
  EXPECT_THAT(NotMeasured(inferred->fabric, tables), IsEmpty());
}

TEST(Infer, SilentSpinesAreNotMergedAndTheirLinksAreSaidToBeUnknown) {
  const Fabric built = MakeFabric({3, 3, 1, 0, 0});
  const auto inferred = InferFabric(Tracer(&built, 1, {{"spine1", "spine3"}, {}, {}}).TraceAll());
  ASSERT_TRUE(inferred.ok());
  EXPECT_EQ(CountSwitches(inferred->fabric, 0), 3U);
  EXPECT_EQ(CountSwitches(inferred->fabric, 1), 1U);
  EXPECT_EQ(inferred->fabric.links().size(), 3U + 3U);  // the hosts' and spine2's
  EXPECT_EQ(inferred->counts.silent_hops, 6U * 2U);     // 6 directions, one hop on each of 2 paths
  EXPECT_THAT(Codes(*inferred), ElementsAre("interface-not-joined"));
  EXPECT_EQ(inferred->findings.size(), 3U * 2U);  // the silent end of every such link
  EXPECT_THAT(inferred->findings[0].evidence[0].what, HasSubstr("was silent"));
}

TEST(Infer, ASilentSwitchOfTheBlueprintIsNotMeasuredAndNotMissing) {
  const Fabric built = MakeFabric({3, 2, 1, 0, 0});
  const auto inferred = InferFabric(Tracer(&built, 1, {{"spine1"}, {}, {}}).TraceAll());
  ASSERT_TRUE(inferred.ok());
  topology::CheckResult check = topology::Check(built, inferred->fabric, {true, {}});
  SetSilentApart(*inferred, built, &check);
  EXPECT_TRUE(check.agrees);
  EXPECT_FALSE(check.identical);
  EXPECT_THAT(check.missing_nodes, IsEmpty());
  EXPECT_THAT(check.missing_links, IsEmpty());
  EXPECT_THAT(check.not_measured_nodes, ElementsAre("spine1"));
  EXPECT_EQ(check.not_measured_links.size(), 3U);
  ASSERT_FALSE(check.findings.empty());
  EXPECT_EQ(check.findings.back().code, "node-silent");
}

TEST(Infer, ASwitchThatNoTraceCrossesStaysMissing) {
  const Fabric built = MakeFabric({3, 2, 1, 0, 0});
  std::vector<PathTable> tables = Tracer(&built, 1).TraceAll();
  for (PathTable& table : tables) {  // spine1 was taken out: only the paths through spine2 are left
    std::erase_if(table.paths, [&](const topology::Path& path) {
      return built.node(*built.FindAddress(path.hops[1].address)).name == "spine1";
    });
  }
  const auto inferred = InferFabric(tables);
  ASSERT_TRUE(inferred.ok());
  topology::CheckResult check = topology::Check(built, inferred->fabric, {true, {}});
  SetSilentApart(*inferred, built, &check);
  EXPECT_THAT(check.missing_nodes, ElementsAre("spine1"));
  EXPECT_FALSE(check.agrees);
}

TEST(Infer, AHopThatIsSilentOnSomePathsOnlyIsFoundByTheOthers) {
  const Fabric built = MakeFabric({3, 2, 1, 0, 0});
  std::vector<PathTable> tables = Tracer(&built, 1).TraceAll();
  for (topology::Path& path : tables[0].paths) path.hops[1].address = IpAddress();
  const auto inferred = InferFabric(tables);
  ASSERT_TRUE(inferred.ok());
  EXPECT_EQ(AnatomyOf(inferred->fabric), AnatomyOf(built));
  EXPECT_THAT(Codes(*inferred), IsEmpty());
}

TEST(Infer, HostsOfASilentLeafAreNotAttachedAndThatIsSaid) {
  const Fabric built = MakeFabric({3, 2, 2, 0, 0});
  const auto inferred = InferFabric(Tracer(&built, 1, {{"leaf2"}, {}, {}}).TraceAll());
  ASSERT_TRUE(inferred.ok());
  EXPECT_THAT(Codes(*inferred), ElementsAre("host-not-attached", "interface-not-joined"));
  EXPECT_TRUE(inferred->fabric.adjacencies(*inferred->fabric.FindNode("host2-1")).empty());
}

TEST(Infer, TwoFabricsAreTwoParts) {
  const Fabric built = MakeFabric({4, 2, 2, 0, 0});
  const Tracer tracer(&built, 1);
  const auto inferred = InferFabric(
      std::vector{tracer.Trace("host1-1", "host1-2"), tracer.Trace("host4-1", "host4-2")});
  ASSERT_TRUE(inferred.ok());
  ASSERT_EQ(inferred->findings.size(), 1U);
  EXPECT_EQ(inferred->findings[0].code, "fabric-in-parts");
  EXPECT_EQ(inferred->findings[0].subject, "2 parts");
}

TEST(Infer, VoidTablesAreCountedAndNotUsed) {
  const Fabric built = MakeFabric({2, 2, 1, 0, 0});
  std::vector<PathTable> tables = Tracer(&built, 1).TraceAll();
  const auto healthy = InferFabric(std::vector{tables[1]});
  tables[0].void_reason = "the group of leaf1 has changed";
  const auto inferred = InferFabric(tables);
  ASSERT_TRUE(inferred.ok());
  EXPECT_EQ(inferred->counts.void_tables, 1U);
  EXPECT_EQ(inferred->fabric.ToRecords(), healthy->fabric.ToRecords());
}

}  // namespace
}  // namespace weft::analyzer
