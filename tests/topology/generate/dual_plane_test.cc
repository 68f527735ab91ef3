// SPDX-License-Identifier: Apache-2.0
#include "topology/generate/dual_plane.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/topology/generate/counts.h"

namespace weft::topology {
namespace {

using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr Tier kHosts = std::nullopt;

TEST(DualPlane, APortOfEachNicIsInEachPlane) {
  const Fabric fabric = *GenerateDualPlane({3, 4, 2, 5, false, 400e9, 200e9});
  EXPECT_THAT(NodesPerTier(fabric),
              UnorderedElementsAre(Pair(kHosts, 4 * 5), Pair(0, 3 * 4), Pair(1, 3 * 2)));
  EXPECT_THAT(LinksPerTier(fabric),
              UnorderedElementsAre(Pair(Pair(kHosts, 0), LinkSum{3 * 20, 3 * 20 * 200e9}),
                                   Pair(Pair(0, 1), LinkSum{3 * 4 * 2, 3 * 4 * 2 * 400e9})));
  EXPECT_EQ(PartCount(fabric), 1u) << "the planes meet in the hosts";
  const NodeIndex host = *fabric.FindNode("host2-1");
  EXPECT_EQ(fabric.node(host).plane, std::nullopt);
  for (uint32_t plane = 0; plane < 3; ++plane) {
    const auto port = fabric.FindPort(host, "eth" + std::to_string(plane));
    ASSERT_TRUE(port);
    const Node& leaf = fabric.node(port->neighbour);
    EXPECT_EQ(leaf.name, "leaf" + std::to_string(plane * 4 + 2));
    EXPECT_EQ(leaf.plane, plane);
  }
}

TEST(DualPlane, PlanesNeverMeetInSwitches) {
  const Fabric fabric = *GenerateDualPlane({2, 4, 4, 4});
  for (LinkIndex link = 0; link < fabric.links().size(); ++link) {
    if (!fabric.BetweenSwitches(link)) continue;
    const Node& a = fabric.node(fabric.From({link, false}));
    const Node& b = fabric.node(fabric.To({link, false}));
    ASSERT_TRUE(a.plane && b.plane);
    ASSERT_EQ(*a.plane, *b.plane) << a.name << " - " << b.name;
  }
}

TEST(DualPlane, SeparateNicsAreEachInOnePlane) {
  const Fabric fabric = *GenerateDualPlane({2, 4, 2, 5, true});
  EXPECT_THAT(NodesPerTier(fabric),
              UnorderedElementsAre(Pair(kHosts, 2 * 4 * 5), Pair(0, 2 * 4), Pair(1, 2 * 2)));
  EXPECT_EQ(PartCount(fabric), 2u) << "only the machine's name joins the planes";
  const NodeIndex nic = *fabric.FindNode("host4-5-nic1");
  EXPECT_EQ(fabric.node(nic).machine, "host4-5");
  EXPECT_EQ(fabric.node(nic).plane, 1u);
  EXPECT_EQ(fabric.node(fabric.adjacencies(nic)[0].neighbour).name, "leaf8");
}

TEST(DualPlane, SurvivesItsRecords) {
  const Fabric fabric = *GenerateDualPlane({2, 2, 2, 2, true, 1e9, 1e9, {true, true}, 2});
  const auto again = Fabric::FromRecords(fabric.ToRecords());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->ToRecords(), fabric.ToRecords());
}

TEST(DualPlane, NamesTheOptionThatIsOutOfBounds) {
  const auto message = [](const DualPlaneOptions& options) {
    return std::string(GenerateDualPlane(options).status().message());
  };
  EXPECT_EQ(message({1}), "planes 1: expected 2 to 8");
  EXPECT_EQ(message({2, 0}), "leaves_per_plane 0: expected 1 to 4096");
  EXPECT_EQ(message({2, 4096}), "leaves in all planes 8192: expected 1 to 4096");
  EXPECT_EQ(message({2, 4, 0}), "spines_per_plane 0: expected 1 to 512");
  EXPECT_EQ(message({2, 4, 512}), "spines in all planes 1024: expected 1 to 512");
  EXPECT_EQ(message({2, 4, 4, 1025}), "hosts_per_leaf 1025: expected 0 to 1024");
  EXPECT_EQ(message({2, 4, 4, 4, false, 0.0}), "uplink_bps 0: expected a rate above 0");
}

}  // namespace
}  // namespace weft::topology
