// SPDX-License-Identifier: Apache-2.0
// Inference of three tiers, both address families, and links without addresses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "analyzer/infer/naming.h"
#include "tests/analyzer/anatomy.h"
#include "tests/analyzer/tables_from_route.h"
#include "topology/check/check.h"

namespace weft::analyzer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using topology::Fabric;
using topology::NodeKind;
using topology::PathTable;
using wire::IpAddress;

class InferPods : public ::testing::TestWithParam<PodShape> {};

TEST_P(InferPods, AllPairsTracedGiveTheFabricThatWasBuilt) {
  const Fabric built = MakePods(GetParam());
  const auto inferred = InferFabric(Tracer(&built, 1, {}, kMixedHashing).TraceAll());
  ASSERT_TRUE(inferred.ok()) << inferred.status();
  EXPECT_THAT(Codes(*inferred), IsEmpty());
  ExpectNothingFalse(inferred->fabric, built);
  EXPECT_EQ(inferred->fabric.nodes().size(), built.nodes().size());
  for (const topology::Node& node : inferred->fabric.nodes()) {
    const auto truth = built.FindAddress(AllAddresses(node).front());
    EXPECT_EQ(node.tier, built.node(*truth).tier) << built.node(*truth).name;
    EXPECT_EQ(node.addresses, built.node(*truth).addresses) << built.node(*truth).name;
  }
  for (const topology::Link& link : inferred->fabric.links()) {
    const auto node = *inferred->fabric.FindNode(link.a.node);
    const bool addressed = !inferred->fabric.FindInterface(node, link.a.interface)->address.empty();
    EXPECT_EQ(link.one_or_more, !addressed) << ToString(link.a);
  }
  const topology::CheckResult check = topology::Check(built, inferred->fabric, {true, {}});
  EXPECT_TRUE(check.identical);
  for (const topology::Finding& finding : check.findings) {
    if (finding.severity != topology::Severity::kInfo) ADD_FAILURE() << finding.code;
  }
  const auto named = NameByBlueprint(inferred->fabric, built, check.matches);
  ASSERT_TRUE(named.ok()) << named.status();
  EXPECT_TRUE(named->FindNode("core1").has_value());
  EXPECT_TRUE(named->FindNode("leaf1").has_value());
}

std::vector<PodShape> Pods() {
  std::vector<PodShape> shapes;
  for (const bool ipv6 : {false, true}) {
    for (const Numbering numbering :
         {Numbering::kNumbered, Numbering::kUnnumbered, Numbering::kMixed}) {
      shapes.push_back({2, 2, 2, 4, 1, ipv6, numbering, 1});
      shapes.push_back({3, 2, 1, 1, 1, ipv6, numbering, 1});
      shapes.push_back({2, 1, 2, 2, 2, ipv6, numbering, 1});
      shapes.push_back({2, 2, 2, 2, 1, ipv6, numbering, 2});
      shapes.push_back({4, 2, 3, 6, 1, ipv6, numbering, 1});
    }
  }
  return shapes;
}

std::string NameOf(const ::testing::TestParamInfo<PodShape>& test) {
  const PodShape& s = test.param;
  const char* numbering = s.numbering == Numbering::kNumbered     ? "numbered"
                          : s.numbering == Numbering::kUnnumbered ? "unnumbered"
                                                                  : "mixed";
  return (s.ipv6 ? "v6_" : "v4_") + std::string(numbering) + "_" + std::to_string(s.pods) + "x" +
         std::to_string(s.leaves) + "x" + std::to_string(s.spines) + "x" + std::to_string(s.cores) +
         "_hosts" + std::to_string(s.hosts_per_leaf) + "_parallel" + std::to_string(s.parallel);
}

INSTANTIATE_TEST_SUITE_P(Fabrics, InferPods, ::testing::ValuesIn(Pods()), NameOf);

// Any subset of tables, any order, any silence: nothing that is said is wrong.
TEST(InferPodsProperty, AddressesOfDifferentSwitchesAreNeverJoined) {
  std::mt19937 random(20);
  const auto pick = [&](uint32_t most) { return 1 + static_cast<uint32_t>(random() % most); };
  for (uint32_t round = 0; round < 200; ++round) {
    PodShape shape;
    shape.pods = pick(4);
    shape.leaves = pick(3);
    shape.spines = pick(3);
    shape.cores = shape.spines * pick(3);
    shape.hosts_per_leaf = pick(2);
    shape.ipv6 = random() % 2 == 0;
    shape.numbering = static_cast<Numbering>(random() % 3);
    shape.parallel = pick(2);
    shape.loopbacks_near = random() % 2 == 0;
    const Fabric built = MakePods(shape);
    const std::vector<std::string> hosts = HostNames(built);
    if (hosts.size() < 2) continue;
    Faults faults;
    for (const topology::Node& node : built.nodes()) {
      if (node.kind == NodeKind::kSwitch && random() % 12 == 0) {
        faults.silent_nodes.insert(node.name);
      }
    }
    const Tracer tracer(&built, round, faults, kMixedHashing);
    const size_t pairs =
        pick(static_cast<uint32_t>(std::min<size_t>(12, hosts.size() * (hosts.size() - 1))));
    const auto inferred = InferFabric(TraceSome(tracer, built, pairs, round));
    ASSERT_TRUE(inferred.ok());
    SCOPED_TRACE("round " + std::to_string(round) + ": " +
                 NameOf(::testing::TestParamInfo<PodShape>(shape, 0)) + ", " +
                 std::to_string(pairs) + " pairs");
    ExpectNothingFalse(inferred->fabric, built);
    if (HasFatalFailure()) return;
  }
}

TEST(InferPodsProperty, TheOrderOfTablesDoesNotMatter) {
  for (const Numbering numbering :
       {Numbering::kNumbered, Numbering::kUnnumbered, Numbering::kMixed}) {
    const Fabric built = MakePods({2, 2, 2, 4, 1, false, numbering, 1});
    const Tracer tracer(&built, 3, {{"spine2"}, {}, {}}, kMixedHashing);
    std::vector<PathTable> tables = TraceSome(tracer, built, 9, 1);
    const auto first = InferFabric(tables);
    ASSERT_TRUE(first.ok());
    std::mt19937 random(1);
    for (int round = 0; round < 10; ++round) {
      std::shuffle(tables.begin(), tables.end(), random);
      const auto again = InferFabric(tables);
      ASSERT_TRUE(again.ok());
      EXPECT_EQ(again->fabric.ToRecords(), first->fabric.ToRecords());
      EXPECT_EQ(again->findings, first->findings);
    }
  }
}

TEST(InferPods, ASilentSwitchWithoutAddressesIsNotMeasuredAndNotMissing) {
  const Fabric built = MakePods({2, 2, 2, 4, 1, false, Numbering::kUnnumbered, 1});
  const Tracer tracer(&built, 1, {{"core1", "spine4"}, {}, {}}, kMixedHashing);
  const auto inferred = InferFabric(tracer.TraceAll());
  ASSERT_TRUE(inferred.ok());
  ExpectNothingFalse(inferred->fabric, built);
  EXPECT_EQ(inferred->fabric.nodes().size(), built.nodes().size() - 2);
  topology::CheckResult check = topology::Check(built, inferred->fabric, {true, {}});
  EXPECT_THAT(check.missing_nodes, ElementsAre("spine4", "core1"));
  SetSilentApart(*inferred, built, &check);
  EXPECT_THAT(check.missing_nodes, IsEmpty());
  EXPECT_TRUE(check.agrees);
  EXPECT_FALSE(check.identical);
}

// Pairs inside the pods cross no core, and one pair between two pods only its own spines.
TEST(NotMeasuredInPods, NamesTheLinksThatNoTracedPairCouldHaveCrossed) {
  const Fabric built = MakePods({2, 2, 2, 4, 1, false, Numbering::kNumbered, 1});
  const Tracer tracer(&built, 1, {}, kMixedHashing);
  const std::vector<PathTable> all = tracer.TraceAll();
  EXPECT_THAT(NotMeasured(InferFabric(all)->fabric, all), IsEmpty());
  // Leaf2 is seen with its pod, and leaf1 and leaf3 with each other: every link below the cores
  // that could be has been crossed or would have been, but for those between leaf2 and pod 2's
  // spines, and leaf4 is not there at all.
  const std::vector<PathTable> some = {tracer.Trace("host1-1", "host2-1"),
                                       tracer.Trace("host1-1", "host3-1"),
                                       tracer.Trace("host3-1", "host1-1")};
  const auto inferred = InferFabric(some);
  const topology::CheckResult check = topology::Check(built, inferred->fabric, {true, {}});
  const auto named = NameByBlueprint(inferred->fabric, built, check.matches);
  ASSERT_TRUE(named.ok());
  EXPECT_THAT(NotMeasured(*named, some),
              ::testing::UnorderedElementsAre("spine3 - leaf2", "spine4 - leaf2"));
}

}  // namespace
}  // namespace weft::analyzer
