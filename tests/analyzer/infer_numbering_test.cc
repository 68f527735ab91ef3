// SPDX-License-Identifier: Apache-2.0
// Numbering other than /31, and addresses that are no interfaces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <variant>
#include <vector>

#include "analyzer/infer/infer.h"
#include "tests/analyzer/anatomy.h"
#include "tests/analyzer/infer_cases.h"
#include "tests/analyzer/tables_from_route.h"

namespace weft::analyzer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using topology::Fabric;
using topology::Node;
using topology::NodeKind;
using topology::PathTable;
using wire::IpAddress;

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

// All hosts trace, none of leaf1's is a destination. Its answer is no address near its hosts', but
// one among the other switches': the one that it would give whoever asks.
TEST(Infer, ALeafThatAnswersItsHostsFromItsLoopbackStandsOnce) {
  const auto inferred = InferFabric(
      std::vector{HandMade("10.0.0.1", "10.0.0.5", {"10.255.0.1", "10.255.0.9", "10.255.0.2"}),
                  HandMade("10.0.0.3", "10.0.0.5", {"10.255.0.1", "10.255.0.9", "10.255.0.2"})});
  ASSERT_TRUE(inferred.ok());
  EXPECT_THAT(Codes(*inferred), ElementsAre("host-link-not-numbered"));
  EXPECT_EQ(CountSwitches(inferred->fabric, 0), 2U);
  const auto leaf = inferred->fabric.FindAddress(Address("10.255.0.1"));
  ASSERT_TRUE(leaf.has_value());
  EXPECT_THAT(inferred->fabric.node(*leaf).addresses, ElementsAre(Address("10.255.0.1")));
}

// The twin, which has another address for the others: it does stand twice, and that is said.
TEST(Infer, ALeafThatAnswersItsHostsFromTheirLinkMayStandTwice) {
  const std::vector<PathTable> from_below = {
      HandMade("10.0.0.1", "10.0.0.5", {"10.0.0.0", "10.255.0.9", "10.255.0.2"}),
      HandMade("10.0.0.3", "10.0.0.5", {"10.0.0.2", "10.255.0.9", "10.255.0.2"})};
  std::vector<PathTable> tables = from_below;
  EXPECT_THAT(Codes(*InferFabric(tables)), ElementsAre("leaf-seen-from-below"));
  // From hosts' addresses in the same subnet as the leaf's it cannot be told either.
  tables = {HandMade("10.0.0.10", "10.0.1.20", {"10.0.0.254", "10.255.0.9", "10.255.0.2"})};
  EXPECT_THAT(Codes(*InferFabric(tables)), testing::Contains("leaf-seen-from-below"));
  // Another host's trace to each of them shows the leaf's other side.
  tables = from_below;
  tables.push_back(HandMade("10.0.0.5", "10.0.0.1", {"10.0.0.4", "10.255.0.9", "10.255.0.1"}));
  tables.push_back(HandMade("10.0.0.5", "10.0.0.3", {"10.0.0.4", "10.255.0.9", "10.255.0.1"}));
  const auto inferred = InferFabric(tables);
  EXPECT_THAT(Codes(*inferred), IsEmpty());
  EXPECT_EQ(CountSwitches(inferred->fabric, 0), 2U);
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

}  // namespace
}  // namespace weft::analyzer
