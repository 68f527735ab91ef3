// SPDX-License-Identifier: Apache-2.0
#include "analyzer/infer/infer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/infer/naming.h"
#include "tests/analyzer/anatomy.h"
#include "tests/analyzer/tables_from_route.h"
#include "topology/check/check.h"

namespace weft::analyzer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using topology::Fabric;
using topology::Node;
using topology::NodeKind;
using topology::PathTable;
using wire::IpAddress;

IpAddress Address(const std::string& text) { return *IpAddress::Parse(text); }

// A fabric without the names that inference cannot know: which addresses are one node's, of which
// kind and tier, and between which addresses cables run.
struct Anatomy {
  std::set<std::tuple<NodeKind, uint32_t, std::set<IpAddress>>> nodes;
  std::set<std::set<IpAddress>> links;
  bool operator==(const Anatomy&) const = default;
};

IpAddress AddressOf(const Fabric& fabric, const topology::PortRef& port) {
  for (const topology::Interface& interface : fabric.node(*fabric.FindNode(port.node)).interfaces) {
    if (interface.name == port.interface) return interface.address;
  }
  return {};
}

Anatomy AnatomyOf(const Fabric& fabric) {
  Anatomy anatomy;
  for (const Node& node : fabric.nodes()) {
    std::set<IpAddress> addresses;
    for (const topology::Interface& interface : node.interfaces) {
      addresses.insert(interface.address);
    }
    anatomy.nodes.emplace(node.kind, node.tier.value_or(99), addresses);
  }
  for (const topology::Link& link : fabric.links()) {
    anatomy.links.insert({AddressOf(fabric, link.a), AddressOf(fabric, link.b)});
  }
  return anatomy;
}

size_t CountSwitches(const Fabric& fabric, uint32_t tier) {
  return static_cast<size_t>(std::count_if(
      fabric.nodes().begin(), fabric.nodes().end(),
      [tier](const Node& node) { return node.kind == NodeKind::kSwitch && node.tier == tier; }));
}

// One path, hop addresses in text; "" is silent.
PathTable HandMade(const std::string& source, const std::string& destination,
                   const std::vector<std::string>& hops) {
  PathTable table;
  table.source = "host-" + source;
  table.source_address = Address(source);
  table.destination = "host-" + destination;
  table.destination_address = Address(destination);
  topology::Path path;
  path.reaches_destination = true;
  path.state = topology::PathState::kAlive;
  for (const std::string& hop : hops) {
    path.hops.push_back({static_cast<uint32_t>(path.hops.size() + 1),
                         hop.empty() ? IpAddress() : Address(hop), ""});
  }
  table.paths.push_back(std::move(path));
  return table;
}

// ---- what was built is what is inferred
// ----------------------------------------------------------

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

// Two hosts behind a leaf each, with one spine between, traced both ways.
std::vector<PathTable> BothWays() {
  return {HandMade("10.0.0.1", "10.0.0.3", {"10.0.0.0", "10.128.0.1", "10.128.0.2"}),
          HandMade("10.0.0.3", "10.0.0.1", {"10.0.0.2", "10.128.0.3", "10.128.0.0"})};
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

// ---- what no trace joins stays apart and is said
// -------------------------------------------------

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

// ---- answers that mislead
// ------------------------------------------------------------------------

TEST(Infer, AJoinOfTwoPlacesOfOnePathIsRefusedAndSaid) {
  // On a third path the spine answers with the address that faces leaf1, though the packet came
  // from another switch: two addresses in front of it are at two places of one path.
  std::vector<PathTable> tables = BothWays();
  tables.push_back(
      HandMade("10.0.0.1", "10.0.0.5", {"10.0.0.0", "10.128.0.9", "10.128.0.1", "10.0.0.4"}));
  const auto refused = InferFabric(tables);
  ASSERT_TRUE(refused.ok());
  EXPECT_EQ(refused->counts.joins_refused, 1U);
  ASSERT_THAT(Codes(*refused), ElementsAre("join-refused", "leaf-seen-from-below"));
  EXPECT_EQ(refused->findings[0].subject, "10.0.0.0 and 10.128.0.9");
  EXPECT_EQ(refused->findings[0].evidence[1].what,
            "but the path from 10.0.0.1 to 10.0.0.5 has one at TTL 1 and the other at TTL 2");
  for (const topology::Link& link : refused->fabric.links()) EXPECT_NE(link.a.node, link.b.node);
  // The healthy twin: the same path with the third hop's own address.
  tables.back().paths[0].hops[2].address = Address("10.128.0.5");
  const auto healthy = InferFabric(tables);
  EXPECT_EQ(healthy->counts.joins_refused, 0U);
  EXPECT_THAT(Codes(*healthy), ElementsAre("leaf-seen-from-below"));
}

TEST(Infer, AHostsAddressAmongTheHopsIsNotBelieved) {
  const auto inferred = InferFabric(
      std::vector{HandMade("10.0.0.1", "10.0.0.9", {"10.0.0.0", "10.0.0.7", "10.128.0.2"}),
                  HandMade("10.0.0.7", "10.0.0.9", {"10.0.0.6", "10.128.0.5", "10.128.0.7"})});
  ASSERT_TRUE(inferred.ok());
  EXPECT_THAT(Codes(*inferred),
              ElementsAre("fabric-in-parts", "host-among-hops", "interface-not-joined"));
}

TEST(Infer, WhatMostPathsSayIsJoinedAndTheOneThatContradictsIsRefused) {
  const Fabric built = MakeFabric({3, 2, 2, 0, 0});
  std::vector<PathTable> tables = Tracer(&built, 1).TraceAll();
  const std::string good = [&] {
    for (const PathTable& table : tables) {
      if (table.source == "host1-1" && table.destination == "host2-1") {
        return table.paths[0].hops[2].address.ToString();
      }
    }
    return std::string();
  }();
  // One path more, on which leaf2 answers with the leaf1 end of the link just crossed: its mate is
  // the hop before, and the true mate contradicts it.
  PathTable odd = tables[1];
  ASSERT_EQ(odd.destination, "host2-1");
  odd.paths.resize(1);
  std::swap(odd.paths[0].hops[0].address, odd.paths[0].hops[2].address);
  tables.push_back(odd);
  const auto inferred = InferFabric(tables);
  ASSERT_TRUE(inferred.ok());
  EXPECT_FALSE(good.empty());
  EXPECT_GT(inferred->counts.joins_refused, 0U);
  EXPECT_EQ(CountSwitches(inferred->fabric, 0), 3U);
  EXPECT_EQ(CountSwitches(inferred->fabric, 1), 2U);
}

TEST(Infer, CablesSwappedAtTheSpinesAreInferredAsTheyAreAndTheBlueprintDiffers) {
  const Fabric blueprint = MakeFabric({3, 2, 2, 0, 0});
  // Leaf1's two uplinks end at the other spine each, with their addresses: as cables swapped at
  // the spines whose ports take their configuration from the cable.
  std::vector<topology::FabricRecord> records = blueprint.ToRecords();
  topology::Interface* first = nullptr;
  topology::Interface* second = nullptr;
  for (topology::FabricRecord& record : records) {
    Node* node = std::get_if<Node>(&record);
    if (node == nullptr) continue;
    for (topology::Interface& interface : node->interfaces) {
      if (node->name == "spine1" && interface.name == "leaf1") first = &interface;
      if (node->name == "spine2" && interface.name == "leaf1") second = &interface;
    }
  }
  ASSERT_TRUE(first != nullptr && second != nullptr);
  std::swap(first->address, second->address);
  for (topology::FabricRecord& record : records) {
    topology::Link* link = std::get_if<topology::Link>(&record);
    if (link == nullptr) continue;
    for (topology::PortRef* end : {&link->a, &link->b}) {
      if (end->interface != "leaf1") continue;
      end->node = end->node == "spine1" ? "spine2" : end->node == "spine2" ? "spine1" : end->node;
    }
  }
  const Fabric swapped = *Fabric::FromRecords(records);
  const auto inferred = InferFabric(Tracer(&swapped, 1).TraceAll());
  ASSERT_TRUE(inferred.ok());
  EXPECT_EQ(AnatomyOf(inferred->fabric), AnatomyOf(swapped));
  EXPECT_NE(AnatomyOf(inferred->fabric), AnatomyOf(blueprint));
  EXPECT_FALSE(topology::Check(blueprint, inferred->fabric, {true, {}}).agrees);
}

TEST(Infer, ARepeatedAddressMakesNoLinkOfASwitchToItself) {
  const auto inferred = InferFabric(std::vector{
      HandMade("10.0.0.1", "10.0.0.3", {"10.0.0.0", "10.128.0.1", "10.128.0.1", "10.128.0.2"})});
  ASSERT_TRUE(inferred.ok());
  EXPECT_THAT(Codes(*inferred), ::testing::Contains("hop-repeated"));
  for (const topology::Link& link : inferred->fabric.links()) EXPECT_NE(link.a.node, link.b.node);
}

TEST(Infer, APathThatComesBackIsALoop) {
  const auto inferred = InferFabric(std::vector{
      HandMade("10.0.0.1", "10.0.0.3", {"10.0.0.0", "10.128.0.1", "10.128.0.2", "10.128.0.1"})});
  ASSERT_TRUE(inferred.ok());
  EXPECT_THAT(Codes(*inferred), ::testing::Contains("path-loops"));
}

// ---- numbering other than /31
// --------------------------------------------------------------------

// The built fabric with every /31 widened to a /30: address 2i becomes 4i + 1, 2i + 1 becomes 4i
// + 2.
Fabric Widened(const Fabric& built) {
  std::vector<topology::FabricRecord> records = built.ToRecords();
  for (topology::FabricRecord& record : records) {
    Node* node = std::get_if<Node>(&record);
    if (node == nullptr) continue;
    for (topology::Interface& interface : node->interfaces) {
      const uint32_t address = interface.address.v4();
      const uint32_t base = address & 0xFF800000U;
      const uint32_t link = (address & 0x007FFFFFU) >> 1;
      interface.address = IpAddress::V4(base + 4 * link + 1 + (address & 1U));
    }
  }
  return *Fabric::FromRecords(records);
}

TEST(Infer, AFabricOfSlash30LinksIsTheOneThatWasBuilt) {
  for (const Shape& shape : {Shape{2, 2, 1, 0, 0}, Shape{4, 3, 2, 0, 0}, Shape{3, 2, 2, 0, 1}}) {
    const Fabric built = Widened(MakeFabric(shape));
    const auto inferred = InferFabric(Tracer(&built, 1).TraceAll());
    ASSERT_TRUE(inferred.ok());
    EXPECT_EQ(AnatomyOf(inferred->fabric), AnatomyOf(built));
    EXPECT_THAT(Codes(*inferred), IsEmpty());
  }
}

TEST(Infer, HostsOfOneSubnetHangOnTheSwitchThatAnswersNextToThem) {
  // 10.0.0.100 and .101 are one /31's two addresses, but both are hosts behind 10.0.0.254.
  const auto inferred = InferFabric(
      std::vector{HandMade("10.0.0.100", "10.1.0.1", {"10.0.0.254", "10.128.0.1", "10.128.0.2"}),
                  HandMade("10.1.0.1", "10.0.0.100", {"10.1.0.0", "10.128.0.3", "10.128.0.0"}),
                  HandMade("10.0.0.101", "10.1.0.1", {"10.0.0.254", "10.128.0.1", "10.128.0.2"}),
                  HandMade("10.1.0.1", "10.0.0.101", {"10.1.0.0", "10.128.0.3", "10.128.0.0"})});
  ASSERT_TRUE(inferred.ok());
  const Fabric& fabric = inferred->fabric;
  EXPECT_THAT(Codes(*inferred), ElementsAre("host-link-not-numbered"));
  EXPECT_EQ(CountSwitches(fabric, 0), 2U);
  EXPECT_EQ(CountSwitches(fabric, 1), 1U);
  const auto leaf = *fabric.FindAddress(Address("10.0.0.254"));
  EXPECT_EQ(fabric.adjacencies(leaf).size(), 3U);
}

// ---- bad input
// -----------------------------------------------------------------------------------

TEST(Infer, NamesWhatIsWrongWithATable) {
  EXPECT_EQ(InferFabric({}).status().code(), absl::StatusCode::kNotFound);
  PathTable table = HandMade("10.0.0.1", "10.0.0.3", {"10.0.0.0"});
  table.source_address = IpAddress();
  EXPECT_THAT(std::string(InferFabric(std::vector{table}).status().message()),
              HasSubstr("source address"));
}

// ---- places where an interface cannot answer

TEST(Infer, ALoopbackBesideItsNeighboursLoopbackIsNoLinksEnd) {
  // Leaf2 and the spine have 10.255.0.2 and .3; they are neighbours in truth, but have no /31.
  const auto inferred = InferFabric(
      std::vector{HandMade("10.0.0.1", "10.0.0.3", {"10.0.0.0", "10.255.0.3", "10.255.0.2"}),
                  HandMade("10.0.0.3", "10.0.0.1", {"10.0.0.2", "10.255.0.3", "10.255.0.1"})});
  ASSERT_TRUE(inferred.ok());
  const Fabric& fabric = inferred->fabric;
  EXPECT_THAT(Codes(*inferred), IsEmpty());
  ASSERT_EQ(fabric.links().size(), 4U);
  EXPECT_NE(*fabric.FindAddress(Address("10.255.0.2")), *fabric.FindAddress(Address("10.255.0.3")));
  const auto spine = *fabric.FindAddress(Address("10.255.0.3"));
  EXPECT_THAT(fabric.node(spine).addresses, ElementsAre(Address("10.255.0.3")));
  EXPECT_EQ(fabric.adjacencies(spine).size(), 2U);
  for (const topology::Adjacency& adjacency : fabric.adjacencies(spine)) {
    EXPECT_TRUE(fabric.link(adjacency.direction.link).one_or_more);
    EXPECT_EQ(adjacency.interface, fabric.node(adjacency.neighbour).name);
    EXPECT_EQ(adjacency.neighbour_interface, fabric.node(spine).name);
  }
}

TEST(Infer, LoopbacksOfTwoSpinesThatAreMatesAreTwoSpines) {
  PathTable there = HandMade("10.0.0.1", "10.0.0.3", {"10.0.0.0", "10.255.0.2", "10.255.0.9"});
  there.paths.push_back(
      HandMade("10.0.0.1", "10.0.0.3", {"10.0.0.0", "10.255.0.3", "10.255.0.9"}).paths[0]);
  PathTable back = HandMade("10.0.0.3", "10.0.0.1", {"10.0.0.2", "10.255.0.2", "10.255.0.8"});
  back.paths.push_back(
      HandMade("10.0.0.3", "10.0.0.1", {"10.0.0.2", "10.255.0.3", "10.255.0.8"}).paths[0]);
  const auto inferred = InferFabric(std::vector{there, back});
  ASSERT_TRUE(inferred.ok());
  EXPECT_THAT(Codes(*inferred), IsEmpty());
  EXPECT_EQ(CountSwitches(inferred->fabric, 0), 2U);
  EXPECT_EQ(CountSwitches(inferred->fabric, 1), 2U);
  EXPECT_EQ(inferred->fabric.links().size(), 2U + 4U);
  const auto common =
      std::find_if(inferred->joins.begin(), inferred->joins.end(),
                   [](const InterfaceJoin& j) { return j.seen == Address("10.255.0.9"); });
  ASSERT_NE(common, inferred->joins.end());
  EXPECT_EQ(common->sign, JoinSign::kCommonAnswer);
}

// What others traced: routers of the internet, whose addresses are no mates, seen from one place.
TEST(Infer, RoutersWithoutMatesStaySwitchesOfTheirOwn) {
  PathTable first = HandMade("192.0.2.10", "198.51.100.7",
                             {"192.0.2.1", "203.0.113.14", "", "203.0.113.77", "198.51.100.1"});
  PathTable second = HandMade("192.0.2.10", "198.51.100.200",
                              {"192.0.2.1", "203.0.113.14", "203.0.113.40", "198.51.100.129"});
  for (PathTable* table : {&first, &second}) {
    table->source.clear();
    table->destination.clear();
    table->paths[0].state = topology::PathState::kUnknown;
  }
  const auto inferred = InferFabric(std::vector{first, second});
  ASSERT_TRUE(inferred.ok()) << inferred.status();
  const Fabric& fabric = inferred->fabric;
  EXPECT_THAT(inferred->joins, IsEmpty());
  EXPECT_EQ(fabric.nodes().size(), 3U + 6U);
  EXPECT_EQ(fabric.links().size(), 3U + 4U);  // the hosts', and what was seen in a row
  EXPECT_THAT(Codes(*inferred), ElementsAre("fabric-in-parts", "host-link-not-numbered",
                                            "leaf-seen-from-below", "link-not-known"));
  for (const topology::Link& link : fabric.links()) {
    const bool of_host = fabric.node(*fabric.FindNode(link.b.node)).kind == NodeKind::kHost;
    EXPECT_EQ(link.one_or_more, !of_host);
  }
}

TEST(Infer, HiddenTablesMakeNoLinkBetweenSwitchesAndAreSaid) {
  std::vector<PathTable> tables = {HandMade("10.0.0.1", "10.0.0.3", {"10.0.0.0", "10.255.0.2"}),
                                   HandMade("10.0.0.3", "10.0.0.1", {"10.0.0.2", "10.255.0.1"})};
  EXPECT_EQ(InferFabric(tables)->fabric.links().size(), 3U);
  for (PathTable& table : tables) table.hidden_reason = "overlay: paths hidden";
  const auto inferred = InferFabric(tables);
  ASSERT_TRUE(inferred.ok());
  EXPECT_EQ(inferred->fabric.links().size(), 2U);
  EXPECT_EQ(inferred->counts.hidden_tables, 2U);
  EXPECT_THAT(Codes(*inferred), ElementsAre("fabric-in-parts", "overlay-paths-hidden"));
}

TEST(Infer, BehindAHopThatPlacesEveryPacketAnewHopsAreNotNextToEachOther) {
  // Leaf1 sprays: TTL 2 was answered by spine1 and TTL 3 by leaf2 from its link to spine2.
  const Fabric built = MakeFabric({2, 2, 1, 0, 0});
  std::vector<PathTable> tables = Tracer(&built, 1).TraceAll();
  for (PathTable& table : tables) {
    std::swap(table.paths[0].hops[2], table.paths[1].hops[2]);
    table.hop_behaviours.push_back({1, {}, "", 2, topology::HopMode::kPerPacket, 20, {}});
  }
  const auto inferred = InferFabric(tables);
  ASSERT_TRUE(inferred.ok());
  ExpectNothingFalse(inferred->fabric, built);
  EXPECT_EQ(CountSwitches(inferred->fabric, 0), 2U);
}

TEST(Infer, APathThatLoopsThroughOtherInterfacesIsNotUsed) {
  std::vector<PathTable> tables = BothWays();
  PathTable loop = HandMade("10.0.0.1", "10.0.0.5",
                            {"10.0.0.0", "10.128.0.1", "10.128.0.2", "10.128.0.3", "10.128.0.0"});
  loop.paths[0].reaches_destination = false;
  loop.findings.push_back({"routing-loop", topology::Severity::kError, "10.128.0.1", {}, "", ""});
  tables.push_back(loop);
  const auto inferred = InferFabric(tables);
  ASSERT_TRUE(inferred.ok());
  EXPECT_THAT(Codes(*inferred), ElementsAre("host-not-attached"));  // 10.0.0.5
  EXPECT_EQ(CountSwitches(inferred->fabric, 0), 2U);
  EXPECT_EQ(CountSwitches(inferred->fabric, 1), 1U);
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

}  // namespace
}  // namespace weft::analyzer
