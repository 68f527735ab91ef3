// SPDX-License-Identifier: Apache-2.0
// Loopbacks, cables that are not told apart, and three tiers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/topology/edit_records.h"
#include "topology/check/check.h"
#include "topology/generate/leaf_spine.h"
#include "topology/generate/three_tier.h"

namespace weft::topology {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAreArray;

// A fabric of unnumbered parallel cables as traces show it: switches by loopback, one link of one
// or more between two switches.
std::vector<FabricRecord> Unnumbered(bool seen) {
  LeafSpineOptions options{.leaves = 3, .spines = 2, .hosts_per_leaf = 2};
  options.addressing.unnumbered = true;
  options.parallel = 3;
  std::vector<FabricRecord> records = GenerateLeafSpine(options)->ToRecords();
  if (!seen) return records;
  std::erase_if(records, [](FabricRecord& record) {
    if (Node* node = std::get_if<Node>(&record)) {
      std::erase_if(node->interfaces, [](const Interface& interface) {
        return interface.name.find('_') != std::string::npos;
      });
      return false;
    }
    Link& link = std::get<Link>(record);
    link.one_or_more = link.b.interface != "eth0";
    return link.a.interface.find('_') != std::string::npos;
  });
  return records;
}

TEST(CheckParallel, OneOrMoreMatchesAllCablesOfTheBlueprintAndSaysSo) {
  const Fabric blueprint = Build(Unnumbered(false));
  std::vector<FabricRecord> actual = Unnumbered(true);
  Rename(actual, "leaf1", "r1");  // only loopbacks tell
  Rename(actual, "spine2", "r5");
  const CheckResult result = Check(blueprint, Build(actual), {});
  EXPECT_TRUE(result.identical);
  EXPECT_THAT(result.missing_links, IsEmpty());
  EXPECT_THAT(result.extra_links, IsEmpty());
  EXPECT_THAT(result.findings, SizeIs(6));
  EXPECT_THAT(result.findings, Each(AllOf(Field(&Finding::code, "parallel-not-told-apart"),
                                          Field(&Finding::severity, Severity::kInfo))));
  for (const Finding& finding : result.findings) EXPECT_EQ(finding.evidence[0].value, 3.0);
  EXPECT_THAT(result.matches, Contains(NodeMatch{"leaf1", "r1", MatchedBy::kAddress}));
  EXPECT_THAT(result.matches, Contains(NodeMatch{"spine2", "r5", MatchedBy::kAddress}));
}

TEST(CheckParallel, ManySuchLinksShareOneFinding) {
  ThreeTierOptions options;
  options.addressing.unnumbered = true;
  options.parallel = 2;
  const Fabric blueprint = *GenerateThreeTier(options);
  options.parallel = 1;
  std::vector<FabricRecord> actual = GenerateThreeTier(options)->ToRecords();
  for (FabricRecord& record : actual) {
    Link* link = std::get_if<Link>(&record);
    if (link != nullptr) link->one_or_more = link->b.interface != "eth0";
  }
  const CheckResult result = Check(blueprint, Build(actual), {});
  EXPECT_TRUE(result.identical);
  EXPECT_EQ(result.not_told_apart_links, 16u);
  ASSERT_THAT(Codes(result),
              ElementsAre("parallel-not-told-apart leaf1:spine1 - spine1:leaf1 and 15 more"));
  EXPECT_EQ(result.findings[0].evidence[2].value, 16.0);
  EXPECT_EQ(result.findings[0].evidence[3].value, 32.0);
}

TEST(CheckParallel, AFabricOfParallelCablesIsIdenticalToItself) {
  const CheckResult result = Check(Build(Unnumbered(false)), Build(Unnumbered(false)), {});
  EXPECT_TRUE(result.identical);
  EXPECT_THAT(result.findings, IsEmpty());
}

TEST(CheckParallel, NoneOfTheCablesSeenIsMissingAll) {
  std::vector<FabricRecord> actual = Unnumbered(true);
  RemoveLink(actual, {"leaf2", "spine1"});
  const CheckResult result = Check(Build(Unnumbered(false)), Build(actual), {});
  EXPECT_FALSE(result.agrees);
  EXPECT_THAT(result.missing_links, SizeIs(3));
}

TEST(CheckParallel, OneOrMoreWhereTheBlueprintHasNoneIsExtra) {
  std::vector<FabricRecord> actual = Unnumbered(true);
  NodeOf(actual, "leaf1").interfaces.push_back({"p9", {}});
  NodeOf(actual, "leaf2").interfaces.push_back({"p9", {}});
  actual.push_back(Link{{"leaf1", "p9"}, {"leaf2", "p9"}, std::nullopt, true});
  EXPECT_THAT(Codes(Check(Build(Unnumbered(false)), Build(actual), {})),
              Contains("extra-link leaf1:p9 - leaf2:p9"));
}

TEST(CheckParallel, ACableThatWasToldApartLeavesTheOthersToTheLinkOfOneOrMore) {
  // leaf1:spine1_2 is known by itself, the other two are one or more.
  std::vector<FabricRecord> actual = Unnumbered(true);
  NodeOf(actual, "leaf1").interfaces.push_back({"spine1_2", {}});
  NodeOf(actual, "spine1").interfaces.push_back({"leaf1_2", {}});
  actual.push_back(Link{{"leaf1", "spine1_2"}, {"spine1", "leaf1_2"}, {}});
  const CheckResult result = Check(Build(Unnumbered(false)), Build(actual), {});
  EXPECT_TRUE(result.identical);
  EXPECT_THAT(result.extra_links, IsEmpty());
}

TEST(CheckParallel, ABlueprintMayItselfSayOneOrMore) {
  const CheckResult result = Check(Build(Unnumbered(true)), Build(Unnumbered(false)), {});
  EXPECT_TRUE(result.identical);
  EXPECT_THAT(result.extra_links, IsEmpty());
}

TEST(CheckParallel, ASilentSwitchIsMatchedByItsNeighboursNotByItsCables) {
  std::vector<FabricRecord> actual = Unnumbered(true);
  Node& spine = NodeOf(actual, "spine1");
  spine.addresses.clear();
  MakeAnonymous(actual, "spine1", "silent");
  const CheckResult result = Check(Build(Unnumbered(false)), Build(actual), {});
  EXPECT_TRUE(result.identical);
  EXPECT_THAT(result.matches, Contains(NodeMatch{"spine1", "silent", MatchedBy::kPlace}));
}

TEST(Check, AnotherLoopbackIsAFinding) {
  std::vector<FabricRecord> actual = Unnumbered(false);
  NodeOf(actual, "leaf2").addresses = {wire::IpAddress::V4(1)};
  EXPECT_THAT(Codes(Check(Build(Unnumbered(false)), Build(actual), {})),
              ElementsAre("other-address leaf2"));
  NodeOf(actual, "leaf2").addresses.clear();
  EXPECT_TRUE(Check(Build(Unnumbered(false)), Build(actual), {}).identical)
      << "unknown is no difference";
}

// Two pods of two leaves and two spines, four cores: core1 and core2 in the plane of spine1 and
// spine3.
class CheckThreeTier : public ::testing::Test {
 protected:
  CheckResult Without(const std::vector<std::string>& nodes,
                      const std::vector<std::pair<std::string, std::string>>& pairs) {
    std::vector<FabricRecord> actual = GenerateThreeTier({})->ToRecords();
    for (const std::string& node : nodes) Remove(actual, node);
    return Check(blueprint_, Build(actual), {.from_traces = true, .traced_pairs = pairs});
  }
  Fabric blueprint_ = *GenerateThreeTier({});
};

TEST_F(CheckThreeTier, PairsInsideAPodMeasureNoCore) {
  const std::vector<std::string> unseen = {"core1",   "core2",   "core3",   "core4",   "spine3",
                                           "spine4",  "leaf3",   "leaf4",   "host3-1", "host3-2",
                                           "host4-1", "host4-2", "host1-2", "host2-2"};
  const CheckResult inside = Without(unseen, {{"host1-1", "host2-1"}});
  EXPECT_TRUE(inside.agrees);
  EXPECT_THAT(inside.not_measured_nodes, SizeIs(unseen.size()));
  // Measured: the links of two hosts, and of two leaves to two spines.
  EXPECT_THAT(inside.not_measured_links, SizeIs(blueprint_.links().size() - 2 - 4));
  EXPECT_THAT(inside.missing_nodes, IsEmpty());
  EXPECT_THAT(inside.missing_links, IsEmpty());
}

TEST_F(CheckThreeTier, APairAcrossPodsMeasuresEveryCoreAndPlane) {
  const std::vector<std::pair<std::string, std::string>> across = {{"host1-1", "host3-1"}};
  const std::vector<std::string> idle = {"leaf2",   "leaf4",   "host1-2", "host2-1",
                                         "host2-2", "host3-2", "host4-1", "host4-2"};
  const CheckResult healthy = Without(idle, across);
  EXPECT_TRUE(healthy.agrees);
  EXPECT_THAT(healthy.not_measured_nodes, UnorderedElementsAreArray(idle));
  std::vector<std::string> less = idle;
  less.push_back("core3");
  const CheckResult missing = Without(less, across);
  EXPECT_THAT(missing.missing_nodes, ElementsAre("core3"));
  EXPECT_THAT(missing.missing_links, SizeIs(2));
}

TEST_F(CheckThreeTier, WithoutPairsAllHostsThatWereSeenWereTraced) {
  EXPECT_TRUE(Without({}, {}).identical);
  EXPECT_THAT(Without({"core3"}, {}).missing_nodes, ElementsAre("core3"));
  const CheckResult one_pod =
      Without({"core1", "core2", "core3", "core4", "spine3", "spine4", "leaf3", "leaf4", "host3-1",
               "host3-2", "host4-1", "host4-2"},
              {});
  EXPECT_TRUE(one_pod.agrees);
  EXPECT_THAT(one_pod.not_measured_nodes, SizeIs(12));
}

}  // namespace
}  // namespace weft::topology
