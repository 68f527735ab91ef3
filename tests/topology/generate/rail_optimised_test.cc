// SPDX-License-Identifier: Apache-2.0
#include "topology/generate/rail_optimised.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "tests/topology/generate/counts.h"

namespace weft::topology {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr Tier kHosts = std::nullopt;

TEST(RailOptimised, HasTheNodesAndLinksThatWereAskedFor) {
  RailOptimisedOptions options{3, 5, 8, 4, 400e9, 200e9};
  options.parallel = 2;
  const Fabric fabric = *GenerateRailOptimised(options);
  EXPECT_THAT(NodesPerTier(fabric),
              UnorderedElementsAre(Pair(kHosts, 3 * 5 * 8), Pair(0, 3 * 8), Pair(1, 4)));
  EXPECT_THAT(
      LinksPerTier(fabric),
      UnorderedElementsAre(Pair(Pair(kHosts, 0), LinkSum{3 * 5 * 8, 3 * 5 * 8 * 200e9}),
                           Pair(Pair(0, 1), LinkSum{3 * 8 * 4 * 2, 3 * 8 * 4 * 2 * 400e9})));
  EXPECT_EQ(PartCount(fabric), 1u);
}

TEST(RailOptimised, NicsOfOneNumberOfABlockShareALeaf) {
  const Fabric fabric = *GenerateRailOptimised({3, 5, 8, 4});
  std::map<std::string, std::set<std::string>> nics_of_machine;
  for (NodeIndex index = 0; index < fabric.nodes().size(); ++index) {
    const Node& nic = fabric.node(index);
    if (nic.kind != NodeKind::kHost) {
      EXPECT_EQ(nic.machine, "");
      continue;
    }
    ASSERT_TRUE(nic.rail) << nic.name;
    EXPECT_EQ(nic.name, nic.machine + "-nic" + std::to_string(*nic.rail));
    nics_of_machine[nic.machine].insert(nic.name);
    ASSERT_EQ(fabric.adjacencies(index).size(), 1u);
    const Node& leaf = fabric.node(fabric.adjacencies(index)[0].neighbour);
    EXPECT_EQ(leaf.rail, nic.rail);
    const int block = std::stoi(nic.machine.substr(std::string("host").size()));
    EXPECT_EQ(leaf.name,
              "leaf" + std::to_string((block - 1) * 8 + static_cast<int>(*nic.rail) + 1));
  }
  EXPECT_EQ(nics_of_machine.size(), 15u);
  EXPECT_THAT(nics_of_machine["host3-5"],
              UnorderedElementsAre("host3-5-nic0", "host3-5-nic1", "host3-5-nic2", "host3-5-nic3",
                                   "host3-5-nic4", "host3-5-nic5", "host3-5-nic6", "host3-5-nic7"));
}

TEST(RailOptimised, SpinesServeEveryRail) {
  const Fabric fabric = *GenerateRailOptimised({2, 1, 2, 1});
  const NodeIndex spine = *fabric.FindNode("spine1");
  EXPECT_EQ(fabric.node(spine).rail, std::nullopt);
  std::vector<std::string> interfaces;
  for (const Interface& interface : fabric.node(spine).interfaces) {
    interfaces.push_back(interface.name);
  }
  EXPECT_THAT(interfaces, ElementsAre("leaf1", "leaf2", "leaf3", "leaf4"));
}

TEST(RailOptimised, SurvivesItsRecords) {
  const Fabric fabric = *GenerateRailOptimised({2, 3, 4, 2, 1e9, 1e9, {true, true}});
  const auto again = Fabric::FromRecords(fabric.ToRecords());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->ToRecords(), fabric.ToRecords());
}

TEST(RailOptimised, NamesTheOptionThatIsOutOfBounds) {
  const auto message = [](const RailOptimisedOptions& options) {
    return std::string(GenerateRailOptimised(options).status().message());
  };
  EXPECT_EQ(message({0, 4, 8, 4}), "blocks 0: expected 1 to 4096");
  EXPECT_EQ(message({2, 1025, 8, 4}), "machines_per_block 1025: expected 0 to 1024");
  EXPECT_EQ(message({2, 4, 0, 4}), "rails 0: expected 1 to 16");
  EXPECT_EQ(message({2, 4, 17, 4}), "rails 17: expected 1 to 16");
  EXPECT_EQ(message({2, 4, 8, 0}), "spines 0: expected 1 to 512");
  EXPECT_EQ(message({600, 4, 8, 4}), "leaves in all blocks 4800: expected 1 to 4096");
  EXPECT_EQ(message({100, 100, 8, 4}),
            "names up to \"host100-100-nic7\": expected at most 15 characters, as interfaces are "
            "named so");
  EXPECT_EQ(message({2, 4, 8, 4, -1.0}), "uplink_bps -1: expected a rate above 0");
}

}  // namespace
}  // namespace weft::topology
