// SPDX-License-Identifier: Apache-2.0
// Answers that mislead, and tables that are not believed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "analyzer/infer/infer.h"
#include "tests/analyzer/anatomy.h"
#include "tests/analyzer/infer_cases.h"
#include "tests/analyzer/tables_from_route.h"
#include "topology/check/check.h"

namespace weft::analyzer {
namespace {

using ::testing::ElementsAre;
using topology::Fabric;
using topology::Node;
using topology::PathTable;

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

TEST(Infer, HiddenTablesMakeNoLinkBetweenSwitchesAndAreSaid) {
  std::vector<PathTable> tables = {HandMade("10.0.0.1", "10.0.0.3", {"10.0.0.0", "10.255.0.2"}),
                                   HandMade("10.0.0.3", "10.0.0.1", {"10.0.0.2", "10.255.0.1"})};
  EXPECT_EQ(InferFabric(tables)->fabric.links().size(), 3U);
  for (PathTable& table : tables) table.hidden_reason = topology::kOverlayReason;
  const auto inferred = InferFabric(tables);
  ASSERT_TRUE(inferred.ok());
  EXPECT_EQ(inferred->fabric.links().size(), 2U);
  EXPECT_EQ(inferred->counts.hidden_tables, 2U);
  EXPECT_THAT(Codes(*inferred), ElementsAre("fabric-in-parts", "overlay-paths-hidden"));
}

TEST(Infer, AnOverlayFromTheSourceOnShowsNotEvenItsLeaf) {
  std::vector<PathTable> tables = {HandMade("10.0.0.1", "10.0.0.3", {"10.0.0.0", "10.255.0.2"}),
                                   HandMade("192.168.0.1", "192.168.0.2", {"10.99.0.1"})};
  tables[1].hidden_reason = topology::kOwnOverlayReason;
  const auto inferred = InferFabric(tables);
  ASSERT_TRUE(inferred.ok());
  EXPECT_EQ(inferred->counts.hidden_tables, 1U);
  EXPECT_FALSE(inferred->fabric.FindAddress(*wire::IpAddress::Parse("10.99.0.1")).has_value());
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

}  // namespace
}  // namespace weft::analyzer
