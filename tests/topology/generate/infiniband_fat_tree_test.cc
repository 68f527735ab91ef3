// SPDX-License-Identifier: Apache-2.0
#include "topology/generate/infiniband_fat_tree.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/topology/generate/counts.h"

namespace weft::topology {
namespace {

constexpr Tier kHosts = std::nullopt;

InfiniBandFatTreeOptions Options(uint32_t radix, uint32_t tiers) {
  InfiniBandFatTreeOptions options;
  options.radix = radix;
  options.tiers = tiers;
  return options;
}

struct Tree {
  const char* name;
  InfiniBandFatTreeOptions options;
  uint32_t nics, leaves, spines, cores;
};

InfiniBandFatTreeOptions Partly(uint32_t radix, uint32_t tiers, uint32_t count, uint32_t nics = 1,
                                uint32_t lmc = 0) {
  InfiniBandFatTreeOptions options = Options(radix, tiers);
  (tiers == 2 ? options.leaves : options.pods) = count;
  options.nics_per_machine = nics;
  options.lmc = lmc;
  return options;
}

class InfiniBandFatTree : public ::testing::TestWithParam<Tree> {
 protected:
  uint32_t half() const { return GetParam().options.radix / 2; }
  Fabric fabric_ = *GenerateInfiniBandFatTree(GetParam().options);
};

TEST_P(InfiniBandFatTree, HasTheNodesAndLinksOfItsRadix) {
  const Tree& tree = GetParam();
  std::map<Tier, uint32_t> nodes = NodesPerTier(fabric_);
  EXPECT_EQ(nodes[kHosts], tree.nics);
  EXPECT_EQ(nodes[0], tree.leaves);
  EXPECT_EQ(nodes[1], tree.spines);
  EXPECT_EQ(nodes[2], tree.cores);
  auto links = LinksPerTier(fabric_);
  EXPECT_EQ(links.size(), tree.cores == 0 ? 2u : 3u);
  EXPECT_EQ((links[{kHosts, 0}].cables), tree.nics);
  EXPECT_EQ((links[{0, 1}].cables), tree.leaves * half());
  EXPECT_EQ((links[{1, 2}].cables), tree.cores == 0 ? 0 : tree.spines * half());
  EXPECT_EQ(PartCount(fabric_), 1u);
}

TEST_P(InfiniBandFatTree, NoSwitchHasMorePortsThanItsRadixAndUpAreAsManyAsDown) {
  for (NodeIndex index = 0; index < fabric_.nodes().size(); ++index) {
    const Node& node = fabric_.node(index);
    if (node.kind != NodeKind::kSwitch) continue;
    ASSERT_LE(fabric_.adjacencies(index).size(), GetParam().options.radix);
    const bool top = node.tier == (GetParam().cores > 0 ? 2u : 1u);
    uint32_t up = 0;
    for (const Adjacency& adjacency : fabric_.adjacencies(index)) {
      const uint32_t port = static_cast<uint32_t>(std::stoul(adjacency.interface));
      ASSERT_GE(port, 1u);
      ASSERT_LE(port, GetParam().options.radix);
      const bool is_up = fabric_.node(adjacency.neighbour).tier > node.tier;
      up += is_up ? 1 : 0;
      ASSERT_EQ(is_up, !top && port > half()) << node.name << ":" << port;
    }
    ASSERT_EQ(up, top ? 0 : half()) << node.name;
  }
}

TEST_P(InfiniBandFatTree, LidsAndGuidsAreUniqueAndAligned) {
  std::set<uint32_t> lids;
  std::set<Guid> guids;
  for (const Node& node : fabric_.nodes()) {
    ASSERT_NE(node.guid, kNoGuid);
    ASSERT_TRUE(guids.insert(node.guid).second) << node.name;
    for (const Interface& interface : node.interfaces) {
      if (node.kind == NodeKind::kSwitch) {
        ASSERT_EQ(interface.guid, node.guid);
        ASSERT_EQ(interface.lid.has_value(), interface.name == "0");
        ASSERT_EQ(interface.lmc.value_or(0), 0u);
      } else {
        ASSERT_EQ(interface.name, "1");
        ASSERT_TRUE(guids.insert(interface.guid).second) << node.name;
        ASSERT_EQ(interface.lmc, GetParam().options.lmc);
        ASSERT_EQ(*interface.lid % (1U << *interface.lmc), 0u);
      }
      if (!interface.lid) continue;
      for (uint32_t lid = *interface.lid; lid < *interface.lid + (1U << *interface.lmc); ++lid) {
        ASSERT_TRUE(lid >= 1 && lid <= kMaxLid && lids.insert(lid).second) << lid;
      }
    }
  }
  EXPECT_EQ(lids.size(), GetParam().leaves + GetParam().spines + GetParam().cores +
                             (GetParam().nics << GetParam().options.lmc));
}

TEST_P(InfiniBandFatTree, EveryMachineHasItsNicsOnAsManyLeaves) {
  const uint32_t rails = GetParam().options.nics_per_machine;
  std::map<std::string, std::set<std::string>> leaves;
  for (NodeIndex index = 0; index < fabric_.nodes().size(); ++index) {
    const Node& nic = fabric_.node(index);
    if (nic.kind != NodeKind::kHost) continue;
    const Node& leaf = fabric_.node(fabric_.adjacencies(index)[0].neighbour);
    ASSERT_TRUE(leaves[nic.machine].insert(leaf.name).second) << nic.name;
    ASSERT_EQ(leaf.rail, nic.rail);
    ASSERT_EQ(nic.rail.has_value(), rails > 1);
  }
  EXPECT_EQ(leaves.size() * rails, GetParam().nics);
}

TEST_P(InfiniBandFatTree, SurvivesItsRecords) {
  const auto again = Fabric::FromRecords(fabric_.ToRecords());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->ToRecords(), fabric_.ToRecords());
}

INSTANTIATE_TEST_SUITE_P(All, InfiniBandFatTree,
                         ::testing::Values(Tree{"Least", Options(2, 2), 2, 2, 1, 0},
                                           Tree{"LeastOfThreeTiers", Options(2, 3), 2, 2, 2, 1},
                                           Tree{"Of648", Options(36, 2), 648, 36, 18, 0},
                                           Tree{"Of288", Options(24, 2), 288, 24, 12, 0},
                                           Tree{"Of432", Options(12, 3), 432, 72, 72, 36},
                                           Tree{"Of3456", Options(24, 3), 3456, 288, 288, 144},
                                           Tree{"SomePods", Partly(8, 3, 3), 48, 12, 12, 16},
                                           Tree{"SomeLeaves", Partly(8, 2, 6), 24, 6, 4, 0},
                                           Tree{"Rails", Partly(16, 3, 2, 8, 1), 128, 16, 16, 64},
                                           Tree{"RailsOfTwoTiers", Partly(16, 2, 16, 4, 7), 128, 16,
                                                8, 0}),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(InfiniBandFatTree, LinksHaveWidthSpeedAndTheRateOfBoth) {
  InfiniBandFatTreeOptions options = Options(4, 3);
  options.width = 2;
  options.speed = "NDR";
  const Fabric fabric = *GenerateInfiniBandFatTree(options);
  for (const Link& link : fabric.links()) {
    EXPECT_EQ(link.width, 2u);
    EXPECT_EQ(link.speed, "NDR");
    EXPECT_EQ(link.capacity_bps, 200e9);
  }
}

TEST(InfiniBandFatTree, LeavesMayHaveFreePorts) {
  InfiniBandFatTreeOptions options = Options(8, 2);
  options.nics_per_leaf = 1;
  EXPECT_EQ(NodesPerTier(*GenerateInfiniBandFatTree(options))[kHosts], 8u);
  options.nics_per_leaf = 0;
  EXPECT_EQ(NodesPerTier(*GenerateInfiniBandFatTree(options))[kHosts], 0u);
}

TEST(InfiniBandFatTree, PortsAndNamesAreAsDocumented) {
  const Fabric fabric = *GenerateInfiniBandFatTree(Partly(8, 3, 2, 2));
  const auto far_end = [&](const char* node, const char* port) {
    const auto adjacency = fabric.FindPort(*fabric.FindNode(node), port);
    return adjacency ? fabric.node(adjacency->neighbour).name + ":" + adjacency->neighbour_interface
                     : "nothing";
  };
  EXPECT_EQ(far_end("leaf1", "1"), "host1-1 mlx5_0:1");
  EXPECT_EQ(far_end("leaf2", "4"), "host1-4 mlx5_1:1");
  EXPECT_EQ(far_end("leaf6", "5"), "spine5:2");
  EXPECT_EQ(far_end("leaf6", "8"), "spine8:2");
  EXPECT_EQ(far_end("spine5", "5"), "core1:2");
  EXPECT_EQ(far_end("spine8", "8"), "core16:2");
  const Node& nic = fabric.node(*fabric.FindNode("host1-1 mlx5_1"));
  EXPECT_EQ(GuidText(nic.guid), "0x0200020000000020");
  EXPECT_EQ(GuidText(nic.interfaces[0].guid), "0x0200020000000021");
  EXPECT_EQ(nic.interfaces[0].lid, 8u + 8 + 16 + 2);
  EXPECT_EQ(GuidText(fabric.node(*fabric.FindNode("leaf1")).guid), "0x0200010000000001");
}

TEST(InfiniBandFatTree, NamesTheOptionThatIsOutOfBounds) {
  const auto message = [](InfiniBandFatTreeOptions options) {
    return std::string(GenerateInfiniBandFatTree(options).status().message());
  };
  EXPECT_EQ(message(Options(0, 2)), "radix 0: expected 2 to 254");
  EXPECT_EQ(message(Options(256, 2)), "radix 256: expected 2 to 254");
  EXPECT_EQ(message(Options(7, 2)), "radix 7: expected an even number, as half go up");
  EXPECT_EQ(message(Options(8, 4)), "tiers 4: expected 2 to 3");
  EXPECT_EQ(message(Partly(8, 3, 9)), "pods 9: expected 1 to 8");
  EXPECT_EQ(message(Partly(8, 2, 0)), "leaves 0: expected 1 to 8");
  EXPECT_EQ(message(Partly(8, 3, 8, 3)),
            "nics_per_machine 3: expected a divisor of the 4 leaves of a pod, as each NIC of a "
            "machine is on another leaf");
  EXPECT_EQ(message(Partly(8, 2, 8, 1, 8)), "lmc 8: expected 0 to 7");
  InfiniBandFatTreeOptions link;
  link.speed = "FAST";
  EXPECT_EQ(message(link),
            "speed \"FAST\": expected SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR");
  link.width = 3;
  EXPECT_EQ(message(link), "width 3: expected 1, 2, 4, 8 or 12 lanes");
}

TEST(InfiniBandFatTree, LidsRunOutAt48KiB) {
  const InfiniBandFatTreeOptions two_lids = Partly(48, 3, 42, 8, 1);
  const absl::Status status = GenerateInfiniBandFatTree(two_lids).status();
  EXPECT_EQ(std::string(status.message()),
            "lmc 1: 2592 switches and 24192 NICs of 2 LIDs need LIDs up to 50977: expected at most "
            "49151");
  // The largest tree that still fits 2 LIDs for each NIC is fine.
  EXPECT_TRUE(GenerateInfiniBandFatTree(Partly(48, 3, 40, 8, 1)).ok());
}

}  // namespace
}  // namespace weft::topology
