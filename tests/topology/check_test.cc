// SPDX-License-Identifier: Apache-2.0
#include "topology/check/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/topology/edit_records.h"

namespace weft::topology {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

CheckResult Compare(const std::vector<FabricRecord>& actual, const CheckOptions& options = {}) {
  CheckResult result = Check(Build(LeafSpine()), Build(actual), options);
  for (const Finding& finding : result.findings) {
    EXPECT_THAT(finding.evidence, Not(IsEmpty())) << finding.code;
  }
  return result;
}

TEST(Check, AFabricIsIdenticalToItself) {
  const CheckResult result = Compare(LeafSpine());
  EXPECT_TRUE(result.identical);
  EXPECT_TRUE(result.agrees);
  EXPECT_THAT(result.findings, IsEmpty());
  EXPECT_THAT(result.matches, SizeIs(11));
  EXPECT_THAT(result.matches, Each(Field(&NodeMatch::how, MatchedBy::kAddress)));
}

TEST(Check, OrderOfRecordsAndEndsDoesNotMatter) {
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    std::vector<FabricRecord> actual = LeafSpine();
    std::shuffle(actual.begin(), actual.end(), random);
    for (FabricRecord& record : actual) {
      Link* link = std::get_if<Link>(&record);
      if (link != nullptr && random() % 2 == 0) std::swap(link->a, link->b);
    }
    const CheckResult result = Compare(actual);
    ASSERT_TRUE(result.identical);
    ASSERT_THAT(result.findings, IsEmpty());
  }
}

TEST(Check, AddressesTellNodesWhateverTheirNames) {
  std::vector<FabricRecord> actual = LeafSpine();
  Rename(actual, "leaf1", "r7");
  Rename(actual, "spine2", "leaf1");
  const CheckResult result = Compare(actual);
  EXPECT_TRUE(result.identical);
  EXPECT_THAT(result.matches, Contains(NodeMatch{"leaf1", "r7", MatchedBy::kAddress}));
  EXPECT_THAT(result.matches, Contains(NodeMatch{"spine2", "leaf1", MatchedBy::kAddress}));
}

TEST(Check, OneSharedAddressIsEnough) {
  // As traces see a switch: only the interfaces that answered, named by address.
  std::vector<FabricRecord> actual = LeafSpine();
  Node& spine = NodeOf(actual, "spine1");
  for (size_t i = 1; i < spine.interfaces.size(); ++i) spine.interfaces[i].address = {};
  Rename(actual, "spine1", "s");
  EXPECT_TRUE(Compare(actual).identical);
}

TEST(Check, NamesTellNodesWithoutAddresses) {
  std::vector<FabricRecord> actual = LeafSpine();
  ForgetAddresses(NodeOf(actual, "leaf2"));
  const CheckResult result = Compare(actual);
  EXPECT_TRUE(result.identical);
  EXPECT_THAT(result.matches, Contains(NodeMatch{"leaf2", "leaf2", MatchedBy::kName}));
}

TEST(Check, APlaceTellsWhatHasNeitherAndSaysWhatThatCannotSee) {
  std::vector<FabricRecord> actual = LeafSpine();
  MakeAnonymous(actual, "leaf2", "silent");
  const CheckResult result = Compare(actual);
  EXPECT_TRUE(result.identical);
  EXPECT_THAT(result.matches, Contains(NodeMatch{"leaf2", "silent", MatchedBy::kPlace}));
  EXPECT_THAT(Codes(result), ElementsAre("matched-by-place leaf2"));
  EXPECT_EQ(result.findings[0].severity, Severity::kInfo);
  EXPECT_THAT(result.findings[0].explanation, HasSubstr("an exchange of equals would not be seen"));
  EXPECT_EQ(result.findings[0].evidence[1].value, 1.0) << "no other node has this place";
}

TEST(Check, EqualPlacesAreCounted) {
  std::vector<FabricRecord> actual = LeafSpine();
  MakeAnonymous(actual, "spine1", "x");
  MakeAnonymous(actual, "spine2", "y");
  const CheckResult result = Compare(actual);
  EXPECT_TRUE(result.identical);
  EXPECT_THAT(Codes(result),
              UnorderedElementsAre("matched-by-place spine1", "matched-by-place spine2"));
  for (const Finding& finding : result.findings) EXPECT_EQ(finding.evidence[1].value, 2.0);
}

TEST(Check, WhatHasNoMatchedNeighbourHasNoPlace) {
  std::vector<FabricRecord> actual = LeafSpine();
  for (const FabricRecord& record : LeafSpine()) {
    if (const Node* node = std::get_if<Node>(&record))
      MakeAnonymous(actual, node->name, "x" + node->name);
  }
  const CheckResult result = Compare(actual);
  EXPECT_FALSE(result.agrees);
  EXPECT_THAT(result.matches, IsEmpty());
  EXPECT_THAT(result.missing_nodes, SizeIs(11));
  EXPECT_THAT(result.extra_nodes, SizeIs(11));
}

TEST(Check, AMissingLinkIsNamed) {
  std::vector<FabricRecord> actual = LeafSpine();
  RemoveLink(actual, {"leaf2", "spine1"});
  const CheckResult result = Compare(actual);
  EXPECT_FALSE(result.agrees);
  EXPECT_THAT(Codes(result), ElementsAre("missing-link leaf2:spine1 - spine1:leaf2"));
  EXPECT_THAT(result.findings[0].evidence[0].what,
              "expected leaf2:spine1 (10.128.0.4) - spine1:leaf2 (10.128.0.5)");
  EXPECT_THAT(result.missing_links, SizeIs(1));
  EXPECT_THAT(result.extra_links, IsEmpty());
}

TEST(Check, AnExtraLinkIsNamed) {
  std::vector<FabricRecord> actual = LeafSpine();
  NodeOf(actual, "leaf1").interfaces.push_back({"p9", {}});
  NodeOf(actual, "leaf2").interfaces.push_back({"p9", {}});
  actual.push_back(Link{{"leaf1", "p9"}, {"leaf2", "p9"}, std::nullopt});
  EXPECT_THAT(Codes(Compare(actual)), ElementsAre("extra-link leaf1:p9 - leaf2:p9"));
}

TEST(Check, CrossedCablesAreNoticedAtBothEnds) {
  std::vector<FabricRecord> actual = LeafSpine();
  std::swap(LinkOf(actual, {"leaf1", "spine1"}).b, LinkOf(actual, {"leaf2", "spine1"}).b);
  const CheckResult result = Compare(actual);
  EXPECT_THAT(result.missing_links, SizeIs(2));
  EXPECT_THAT(result.extra_links, SizeIs(2));
  EXPECT_THAT(Codes(result), Contains("missing-link leaf1:spine1 - spine1:leaf1"));
  EXPECT_THAT(result.findings[0].evidence[1].what,
              "leaf1:spine1 is plugged: leaf1:spine1 (10.128.0.0) - spine1:leaf2 (10.128.0.5)");
}

// Two cables between one pair of switches.
std::vector<FabricRecord> Parallel(bool crossed, bool addresses, const char* prefix) {
  const auto address = [&](uint32_t i) {
    return addresses ? wire::IpAddress::V4(0x0a000000 + i) : wire::IpAddress();
  };
  const std::string p = prefix;
  return {Node{"a", NodeKind::kSwitch, 0, {{p + "1", address(0)}, {p + "2", address(2)}}},
          Node{"b", NodeKind::kSwitch, 1, {{p + "1", address(1)}, {p + "2", address(3)}}},
          Link{{"a", p + "1"}, {"b", p + (crossed ? "2" : "1")}, {}},
          Link{{"a", p + "2"}, {"b", p + (crossed ? "1" : "2")}, {}}};
}

TEST(Check, ExchangedCablesBetweenTheSameSwitchesAreNoticed) {
  const Fabric blueprint = Build(Parallel(false, true, "p"));
  EXPECT_TRUE(Check(blueprint, Build(Parallel(false, true, "q")), {}).identical) << "by address";
  const CheckResult crossed = Check(blueprint, Build(Parallel(true, true, "q")), {});
  EXPECT_FALSE(crossed.agrees);
  EXPECT_THAT(crossed.missing_links, SizeIs(2));
  EXPECT_THAT(crossed.extra_links, SizeIs(2));
}

TEST(Check, ExchangedCablesThatNothingTellsApartAreSaidToBeSo) {
  const Fabric blueprint = Build(Parallel(false, true, "p"));
  const CheckResult result = Check(blueprint, Build(Parallel(true, false, "q")), {});
  EXPECT_TRUE(result.identical);
  EXPECT_THAT(result.findings, SizeIs(2));
  EXPECT_THAT(result.findings, Each(Field(&Finding::code, "matched-by-place")));
}

TEST(Check, AMissingNodeSpeaksForItsLinks) {
  std::vector<FabricRecord> actual = LeafSpine();
  Remove(actual, "spine2");
  const CheckResult result = Compare(actual);
  EXPECT_THAT(Codes(result), ElementsAre("missing-node spine2"));
  EXPECT_THAT(result.missing_nodes, ElementsAre("spine2"));
  EXPECT_THAT(result.missing_links, SizeIs(3));
}

TEST(Check, AnExtraNodeIsNamed) {
  std::vector<FabricRecord> actual = LeafSpine();
  NodeOf(actual, "leaf1").interfaces.push_back({"p9", {}});
  actual.push_back(Node{"intruder", NodeKind::kHost, {}, {{"eth0", wire::IpAddress::V4(1)}}});
  actual.push_back(Link{{"leaf1", "p9"}, {"intruder", "eth0"}, {}});
  const CheckResult result = Compare(actual);
  EXPECT_THAT(Codes(result), ElementsAre("extra-node intruder"));
  EXPECT_THAT(result.extra_links, SizeIs(1));
}

// Moves one interface of a node, with its cable, to a node of another name.
void MoveInterface(std::vector<FabricRecord>& records, const std::string& from,
                   const std::string& interface, const std::string& to) {
  Node& node = NodeOf(records, from);
  const auto found = std::find_if(node.interfaces.begin(), node.interfaces.end(),
                                  [&](const Interface& each) { return each.name == interface; });
  Interface moved = *found;
  node.interfaces.erase(found);
  Link& link = LinkOf(records, {from, interface});
  PortRef& end = link.a.node == from ? link.a : link.b;
  end = {to, interface + "-of-" + from};
  moved.name = end.interface;
  NodeOf(records, to).interfaces.push_back(moved);
}

TEST(Check, ANodeSeenAsTwoIsSplitAndLosesNoLink) {
  std::vector<FabricRecord> actual = LeafSpine();
  actual.push_back(Node{"half", NodeKind::kSwitch, {}, {}});
  MoveInterface(actual, "spine1", "leaf3", "half");
  const CheckResult result = Compare(actual);
  EXPECT_FALSE(result.agrees);
  EXPECT_THAT(Codes(result), ElementsAre("split-node spine1"));
  EXPECT_THAT(result.missing_links, IsEmpty());
  EXPECT_THAT(result.matches, Contains(NodeMatch{"spine1", "half", MatchedBy::kAddress}));
}

TEST(Check, TwoNodesSeenAsOneAreMerged) {
  std::vector<FabricRecord> actual = LeafSpine();
  for (const char* leaf : {"leaf1", "leaf2", "leaf3"})
    MoveInterface(actual, "spine1", leaf, "spine2");
  Remove(actual, "spine1");
  const CheckResult result = Compare(actual);
  EXPECT_THAT(Codes(result), ElementsAre("merged-node spine2"));
  EXPECT_THAT(result.findings[0].evidence, SizeIs(6));
  EXPECT_THAT(result.missing_nodes, IsEmpty());
}

TEST(Check, AFabricInPartsIsSaidToBe) {
  std::vector<FabricRecord> actual = LeafSpine();
  RemoveLink(actual, {"leaf3", "spine1"});
  RemoveLink(actual, {"leaf3", "spine2"});
  const CheckResult result = Compare(actual);
  EXPECT_THAT(Codes(result), Contains("fabric-in-parts fabric"));
  EXPECT_THAT(result.missing_links, SizeIs(2));
}

TEST(Check, AnotherAddressKindOrCapacityIsAFinding) {
  std::vector<FabricRecord> actual = LeafSpine();
  NodeOf(actual, "host1-1").interfaces[0].address = wire::IpAddress::V4(1);
  EXPECT_THAT(Codes(Compare(actual)), ElementsAre("other-address host1-1:eth0"));

  actual = LeafSpine();
  NodeOf(actual, "host1-1").kind = NodeKind::kSwitch;
  EXPECT_THAT(Codes(Compare(actual)), ElementsAre("other-kind host1-1"));
  NodeOf(actual, "host1-1").kind = NodeKind::kUnknown;
  EXPECT_TRUE(Compare(actual).identical) << "unknown is no difference";

  actual = LeafSpine();
  LinkOf(actual, {"leaf1", "spine1"}).capacity_bps = 10e6;
  EXPECT_THAT(Codes(Compare(actual)), ElementsAre("other-capacity leaf1:spine1 - spine1:leaf1"));
  LinkOf(actual, {"leaf1", "spine1"}).capacity_bps = std::nullopt;
  EXPECT_TRUE(Compare(actual).identical);
}

TEST(CheckFromTraces, HostsThatTookNoPartAreNotMeasured) {
  std::vector<FabricRecord> actual = LeafSpine();
  Remove(actual, "host1-2");
  EXPECT_THAT(Codes(Compare(actual)), ElementsAre("missing-node host1-2")) << "without traces";
  const CheckResult result = Compare(actual, {.from_traces = true, .traced_pairs = {}});
  EXPECT_TRUE(result.agrees);
  EXPECT_FALSE(result.identical) << "not all of it was measured";
  EXPECT_THAT(result.findings, IsEmpty());
  EXPECT_THAT(result.not_measured_nodes, ElementsAre("host1-2"));
  EXPECT_THAT(result.not_measured_links, SizeIs(1));
}

TEST(CheckFromTraces, ALeafWithoutTracedHostsIsNotMeasured) {
  std::vector<FabricRecord> actual = LeafSpine();
  for (const char* node : {"host3-1", "host3-2", "leaf3"}) Remove(actual, node);
  const CheckResult result = Compare(actual, {.from_traces = true, .traced_pairs = {}});
  EXPECT_TRUE(result.agrees);
  EXPECT_THAT(result.not_measured_nodes, ElementsAre("leaf3", "host3-1", "host3-2"));
  EXPECT_THAT(result.not_measured_links, SizeIs(4));
}

TEST(CheckFromTraces, WhatTracesMustHaveCrossedIsMissing) {
  std::vector<FabricRecord> actual = LeafSpine();
  for (const char* node : {"host3-1", "host3-2", "leaf3", "spine2"}) Remove(actual, node);
  const CheckResult result = Compare(actual, {.from_traces = true, .traced_pairs = {}});
  EXPECT_FALSE(result.agrees);
  EXPECT_THAT(Codes(result), ElementsAre("missing-node spine2"));
  EXPECT_THAT(result.missing_links, SizeIs(2)) << "spine2's link to leaf3 was not measured";
}

TEST(CheckFromTraces, OnlyTheTracedPairsCount) {
  // Traced inside leaf1 only: nothing is known of the spines.
  std::vector<FabricRecord> actual = LeafSpine();
  for (const char* node : {"spine1", "spine2", "leaf2", "leaf3"}) Remove(actual, node);
  for (const char* node : {"host2-1", "host2-2", "host3-1", "host3-2"}) Remove(actual, node);
  const CheckOptions inside{.from_traces = true, .traced_pairs = {{"host1-1", "host1-2"}}};
  const CheckResult result = Compare(actual, inside);
  EXPECT_TRUE(result.agrees);
  EXPECT_THAT(result.not_measured_nodes, SizeIs(8));
  // Traced to another leaf and yet not seen: that is a difference.
  const CheckOptions across{.from_traces = true,
                            .traced_pairs = {{"host1-1", "host1-2"}, {"host1-1", "host2-1"}}};
  EXPECT_THAT(Compare(actual, across).missing_nodes,
              ElementsAre("leaf2", "spine1", "spine2", "host2-1"));
}

}  // namespace
}  // namespace weft::topology
