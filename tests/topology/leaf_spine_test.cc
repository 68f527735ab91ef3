// SPDX-License-Identifier: Apache-2.0
#include "topology/generate/leaf_spine.h"

#include <gtest/gtest.h>

#include <string>

namespace weft::topology {
namespace {

struct Size {
  const char* name;
  uint32_t leaves;
  uint32_t spines;
  uint32_t hosts_per_leaf;
};

class LeafSpine : public ::testing::TestWithParam<Size> {
 protected:
  Fabric Generate() {
    LeafSpineOptions options{GetParam().leaves, GetParam().spines, GetParam().hosts_per_leaf, 20e6,
                             std::nullopt};
    return *GenerateLeafSpine(options);
  }
};

TEST_P(LeafSpine, LinksEveryLeafToEverySpineOnce) {
  const auto [name, leaves, spines, hosts_per_leaf] = GetParam();
  const Fabric fabric = Generate();
  EXPECT_EQ(fabric.nodes().size(), leaves + spines + leaves * hosts_per_leaf);
  EXPECT_EQ(fabric.links().size(), leaves * spines + leaves * hosts_per_leaf);
  for (uint32_t leaf = 1; leaf <= leaves; ++leaf) {
    const auto node = fabric.FindNode("leaf" + std::to_string(leaf));
    ASSERT_TRUE(node);
    for (uint32_t spine = 1; spine <= spines; ++spine) {
      const std::string peer = "spine" + std::to_string(spine);
      const auto port = fabric.FindPort(*node, peer);
      ASSERT_TRUE(port) << peer;
      EXPECT_EQ(fabric.node(port->neighbour).name, peer);
      EXPECT_EQ(port->neighbour_interface, fabric.node(*node).name);
      EXPECT_EQ(fabric.link(port->direction.link).capacity_bps, 20e6);
    }
  }
}

TEST_P(LeafSpine, EveryLinkIsAPairOfAddressesThatDifferInTheLastBit) {
  const Fabric fabric = Generate();
  for (const Link& link : fabric.links()) {
    const auto& a = fabric.FindInterface(*fabric.FindNode(link.a.node), link.a.interface)->address;
    const auto& b = fabric.FindInterface(*fabric.FindNode(link.b.node), link.b.interface)->address;
    ASSERT_EQ(a.v4() | 1, b.v4()) << ToString(link.a);
    ASSERT_EQ(a.v4() & 1, 0u) << "the leaf has the even one";
  }
}

TEST_P(LeafSpine, EveryNameFitsALinuxInterface) {
  const Fabric fabric = Generate();
  for (const Node& node : fabric.nodes()) {
    for (const Interface& interface : node.interfaces) ASSERT_LE(interface.name.size(), 15u);
  }
}

TEST_P(LeafSpine, SwitchesHaveTiersAndHostsHaveNone) {
  const Fabric fabric = Generate();
  for (const Node& node : fabric.nodes()) {
    if (node.kind == NodeKind::kHost) {
      ASSERT_EQ(node.tier, std::nullopt);
    } else {
      ASSERT_EQ(node.tier, node.name.starts_with("leaf") ? 0u : 1u) << node.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, LeafSpine,
                         ::testing::Values(Size{"Least", 1, 1, 0}, Size{"Default", 4, 4, 4},
                                           Size{"Uneven", 3, 5, 2},
                                           Size{"MostLeaves", kMaxLeaves, 1, 1},
                                           Size{"MostSpines", 2, kMaxSpines, 1},
                                           Size{"MostHosts", 2, 1, kMaxHostsPerLeaf}),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(LeafSpine, AddressesAreAsDocumented) {
  const Fabric fabric = *GenerateLeafSpine({4, 4, 4, std::nullopt, std::nullopt});
  const auto owner = [&](const char* text) {
    const auto index = fabric.FindAddressInterface(*wire::IpAddress::Parse(text));
    if (!index) return std::string("nobody");
    const Node& node = fabric.node(index->node);
    return ToString(PortRef{node.name, node.interfaces[index->interface].name});
  };
  EXPECT_EQ(owner("10.0.0.0"), "leaf1:host1-1");
  EXPECT_EQ(owner("10.0.0.1"), "host1-1:eth0");
  EXPECT_EQ(owner("10.0.0.31"), "host4-4:eth0");
  EXPECT_EQ(owner("10.128.0.2"), "leaf1:spine2");
  EXPECT_EQ(owner("10.128.0.3"), "spine2:leaf1");
  EXPECT_EQ(owner("10.128.0.31"), "spine4:leaf4");
  EXPECT_EQ(owner("10.128.0.32"), "nobody");
}

TEST(LeafSpine, UnknownRatesStayUnknown) {
  const Fabric fabric = *GenerateLeafSpine({2, 2, 1, std::nullopt, 25e6});
  for (LinkIndex link = 0; link < fabric.links().size(); ++link) {
    const auto expected = fabric.BetweenSwitches(link) ? std::nullopt : std::optional(25e6);
    EXPECT_EQ(fabric.link(link).capacity_bps, expected);
  }
}

TEST(LeafSpine, NamesTheOptionThatIsOutOfBounds) {
  const auto message = [](const LeafSpineOptions& options) {
    return std::string(GenerateLeafSpine(options).status().message());
  };
  EXPECT_EQ(message({0, 4, 4, {}, {}}), "leaves 0: expected 1 to 4096");
  EXPECT_EQ(message({4097, 4, 4, {}, {}}), "leaves 4097: expected 1 to 4096");
  EXPECT_EQ(message({4, 0, 4, {}, {}}), "spines 0: expected 1 to 512");
  EXPECT_EQ(message({4, 513, 4, {}, {}}), "spines 513: expected 1 to 512");
  EXPECT_EQ(message({4, 4, 1025, {}, {}}), "hosts_per_leaf 1025: expected 0 to 1024");
  EXPECT_EQ(message({4, 4, 4, {}, {}, {}, 0}), "parallel 0: expected 1 to 64");
  EXPECT_EQ(message({4, 4, 4, {}, {}, {}, 65}), "parallel 65: expected 1 to 64");
  EXPECT_EQ(message({4096, 512, 1, {}, {}, {}, 3}),
            "leaf-spine links 6291456: expected 1 to 4194304");
  EXPECT_EQ(message({4, 4, 4, 0.0, {}}), "uplink_bps 0: expected a rate above 0");
  EXPECT_EQ(message({4, 4, 4, {}, -1.0}), "host_bps -1: expected a rate above 0");
}

}  // namespace
}  // namespace weft::topology
