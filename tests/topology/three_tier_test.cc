// SPDX-License-Identifier: Apache-2.0
#include "topology/generate/three_tier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "topology/generate/leaf_spine.h"

namespace weft::topology {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Size {
  const char* name;
  ThreeTierOptions options;
};

class ThreeTier : public ::testing::TestWithParam<Size> {
 protected:
  const ThreeTierOptions& options() const { return GetParam().options; }
  Fabric fabric_ = *GenerateThreeTier(GetParam().options);
};

// How often each neighbour of this tier (none: hosts) is linked, by name.
std::map<std::string, uint32_t> Neighbours(const Fabric& fabric, const std::string& node,
                                           std::optional<uint32_t> tier) {
  std::map<std::string, uint32_t> neighbours;
  for (const Adjacency& adjacency : fabric.adjacencies(*fabric.FindNode(node))) {
    const Node& neighbour = fabric.node(adjacency.neighbour);
    if (neighbour.tier == tier) ++neighbours[neighbour.name];
  }
  return neighbours;
}

TEST_P(ThreeTier, HasTheNodesAndLinksThatWereAskedFor) {
  const uint32_t leaves = options().pods * options().leaves_per_pod;
  const uint32_t spines = options().pods * options().spines_per_pod;
  const uint32_t hosts = leaves * options().hosts_per_leaf;
  std::map<std::optional<uint32_t>, uint32_t> tiers;
  for (const Node& node : fabric_.nodes()) ++tiers[node.tier];
  EXPECT_EQ(tiers[0], leaves);
  EXPECT_EQ(tiers[1], spines);
  EXPECT_EQ(tiers[2], options().cores);
  EXPECT_EQ(tiers[std::nullopt], hosts);
  const uint32_t between_switches =
      leaves * options().spines_per_pod + options().pods * options().cores;
  EXPECT_EQ(fabric_.links().size(), hosts + between_switches * options().parallel);
}

TEST_P(ThreeTier, LinksLeavesToTheSpinesOfTheirPodAndSpinesToTheirPlane) {
  const auto [pods, leaves, spines, cores] = std::tuple(options().pods, options().leaves_per_pod,
                                                        options().spines_per_pod, options().cores);
  for (uint32_t pod = 0; pod < pods; ++pod) {
    std::map<std::string, uint32_t> of_pod;
    for (uint32_t spine = 0; spine < spines; ++spine) {
      of_pod["spine" + std::to_string(pod * spines + spine + 1)] = options().parallel;
    }
    for (uint32_t leaf = 0; leaf < leaves; ++leaf) {
      const std::string name = "leaf" + std::to_string(pod * leaves + leaf + 1);
      ASSERT_EQ(Neighbours(fabric_, name, 1), of_pod) << name;
      ASSERT_THAT(Neighbours(fabric_, name, 2), IsEmpty());
    }
    for (uint32_t spine = 0; spine < spines; ++spine) {
      std::map<std::string, uint32_t> plane;
      for (uint32_t core = spine * cores / spines; core < (spine + 1) * cores / spines; ++core) {
        plane["core" + std::to_string(core + 1)] = options().parallel;
      }
      const std::string name = "spine" + std::to_string(pod * spines + spine + 1);
      ASSERT_EQ(Neighbours(fabric_, name, 2), plane) << name;
    }
  }
}

TEST_P(ThreeTier, EveryNameFitsALinuxInterface) {
  for (const Node& node : fabric_.nodes()) {
    for (const Interface& interface : node.interfaces) ASSERT_LE(interface.name.size(), 15u);
  }
}

TEST_P(ThreeTier, SurvivesItsRecords) {
  const auto again = Fabric::FromRecords(fabric_.ToRecords());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->ToRecords(), fabric_.ToRecords());
  EXPECT_EQ(std::set<uint32_t>({0}), [&] {
    const std::vector<uint32_t> parts = fabric_.Components();
    return std::set<uint32_t>(parts.begin(), parts.end());
  }()) << "in one part";
}

ThreeTierOptions Options(uint32_t pods, uint32_t leaves, uint32_t spines, uint32_t cores,
                         uint32_t hosts, Addressing addressing = {}, uint32_t parallel = 1) {
  ThreeTierOptions options{pods, leaves, spines, cores, hosts};
  options.addressing = addressing;
  options.parallel = parallel;
  return options;
}

INSTANTIATE_TEST_SUITE_P(
    All, ThreeTier,
    ::testing::Values(Size{"Default", {}}, Size{"Least", Options(1, 1, 1, 1, 1)},
                      Size{"Uneven", Options(3, 2, 4, 8, 1)},
                      Size{"Of1024Hosts", Options(8, 8, 8, 64, 16)},
                      Size{"Ipv6", Options(2, 3, 2, 6, 2, {true, false})},
                      Size{"Unnumbered", Options(2, 2, 2, 4, 2, {false, true})},
                      Size{"UnnumberedIpv6Parallel", Options(2, 2, 2, 4, 2, {true, true}, 3)},
                      Size{"MostCores", Options(1, 1, 1, kMaxThreeTierSwitches, 1)},
                      Size{"MostPods", Options(2048, 2, 2, 2, 1)},
                      Size{"MostParallel", Options(2, 2, 2, 4, 0, {}, 64)}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(ThreeTier, RatesAreOfTheirTier) {
  ThreeTierOptions options;
  options.uplink_bps = 10e6;
  options.core_bps = 40e6;
  const Fabric fabric = *GenerateThreeTier(options);
  for (const Link& link : fabric.links()) {
    EXPECT_EQ(link.capacity_bps, link.b.node.starts_with("host")   ? std::nullopt
                                 : link.b.node.starts_with("core") ? std::optional(40e6)
                                                                   : std::optional(10e6));
  }
}

TEST(ThreeTier, NamesTheOptionThatIsOutOfBounds) {
  const auto message = [](const ThreeTierOptions& options) {
    return std::string(GenerateThreeTier(options).status().message());
  };
  EXPECT_EQ(message(Options(0, 2, 2, 4, 2)), "pods 0: expected 1 to 4096");
  EXPECT_EQ(message(Options(2, 0, 2, 4, 2)), "leaves_per_pod 0: expected 1 to 4096");
  EXPECT_EQ(message(Options(64, 65, 2, 4, 2)), "leaves in all pods 4160: expected 1 to 4096");
  EXPECT_EQ(message(Options(64, 2, 65, 65, 2)), "spines in all pods 4160: expected 1 to 4096");
  EXPECT_EQ(message(Options(2, 2, 2, 0, 2)), "cores 0: expected 1 to 4096");
  EXPECT_EQ(message(Options(2, 2, 4, 6, 2)),
            "cores 6: expected a multiple of spines_per_pod (4), as each spine of a pod has a "
            "plane of cores");
  EXPECT_EQ(message(Options(2, 2, 2, 4, 1025)), "hosts_per_leaf 1025: expected 0 to 1024");
  EXPECT_EQ(message(Options(2, 2, 2, 4, 2, {}, 0)), "parallel 0: expected 1 to 64");
  EXPECT_EQ(message(Options(2, 2, 2, 4, 2, {}, 65)), "parallel 65: expected 1 to 64");
  EXPECT_EQ(message(Options(2048, 2, 2, 4096, 1)),
            "links between switches 8396800: expected 1 to 4194304");
  ThreeTierOptions rate;
  rate.core_bps = 0;
  EXPECT_EQ(message(rate), "core_bps 0: expected a rate above 0");
}

// Both generators share how links are addressed.
class AddressesOf : public ::testing::TestWithParam<Addressing> {};

TEST_P(AddressesOf, LinksArePairsAndSwitchesHaveLoopbacksOnlyWhereUnnumbered) {
  LeafSpineOptions two_tiers{3, 2, 2};
  ThreeTierOptions three_tiers;
  two_tiers.addressing = three_tiers.addressing = GetParam();
  two_tiers.parallel = three_tiers.parallel = 2;
  for (const Fabric& fabric : {*GenerateLeafSpine(two_tiers), *GenerateThreeTier(three_tiers)}) {
    for (LinkIndex index = 0; index < fabric.links().size(); ++index) {
      const Link& link = fabric.link(index);
      const wire::IpAddress a =
          fabric.FindInterface(*fabric.FindNode(link.a.node), link.a.interface)->address;
      const wire::IpAddress b =
          fabric.FindInterface(*fabric.FindNode(link.b.node), link.b.interface)->address;
      if (GetParam().unnumbered && fabric.BetweenSwitches(index)) {
        ASSERT_TRUE(a.empty() && b.empty());
        continue;
      }
      ASSERT_TRUE(GetParam().ipv6 ? a.IsV6() && b.IsV6() : a.IsV4() && b.IsV4());
      auto mate = a.bytes();
      const size_t last = GetParam().ipv6 ? 15 : 3;
      ASSERT_EQ(mate[last] % 2, 0) << "the end nearer the hosts, or the leaf";
      mate[last] |= 1;
      ASSERT_EQ(mate, b.bytes());
    }
    for (const Node& node : fabric.nodes()) {
      const bool expected = GetParam().unnumbered && node.kind == NodeKind::kSwitch;
      ASSERT_THAT(node.addresses, SizeIs(expected ? 1 : 0));
      if (!expected) continue;
      ASSERT_EQ(node.addresses[0].IsV6(), GetParam().ipv6);
      ASSERT_EQ(fabric.FindAddress(node.addresses[0]), fabric.FindNode(node.name));
      ASSERT_EQ(fabric.FindAddressInterface(node.addresses[0]), std::nullopt);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, AddressesOf,
                         ::testing::Values(Addressing{false, false}, Addressing{false, true},
                                           Addressing{true, false}, Addressing{true, true}),
                         [](const auto& row) {
                           return std::string(row.param.ipv6 ? "Ipv6" : "Ipv4") +
                                  (row.param.unnumbered ? "Unnumbered" : "Numbered");
                         });

TEST(AddressesOf, AreAsDocumented) {
  ThreeTierOptions options;
  options.addressing = {true, true};
  options.parallel = 2;
  const Fabric fabric = *GenerateThreeTier(options);
  const auto owner = [&](const char* text) {
    const auto node = fabric.FindAddress(*wire::IpAddress::Parse(text));
    return node ? fabric.node(*node).name : "nobody";
  };
  EXPECT_EQ(owner("fd00::"), "leaf1");
  EXPECT_EQ(owner("fd00::1"), "host1-1");
  EXPECT_EQ(owner("fd00::f"), "host4-2");
  EXPECT_EQ(owner("fd00:0:0:1::"), "nobody");
  EXPECT_EQ(owner("fd00:0:0:2::1"), "leaf1");
  EXPECT_EQ(owner("fd00:0:0:2::5"), "spine1");
  EXPECT_EQ(owner("fd00:0:0:2::c"), "core4");
  std::vector<std::string> names;
  for (const Interface& interface : fabric.node(*fabric.FindNode("leaf1")).interfaces) {
    names.push_back(interface.name);
  }
  EXPECT_THAT(names, ElementsAre("spine1", "spine1_2", "spine2", "spine2_2", "host1-1", "host1-2"));
  options.addressing = {false, false};
  const Fabric numbered = *GenerateThreeTier(options);
  const auto index = numbered.FindAddressInterface(*wire::IpAddress::Parse("10.128.0.32"));
  ASSERT_TRUE(index) << "the first link of spine1 to a core";
  EXPECT_EQ(numbered.node(index->node).interfaces[index->interface].name, "core1");
}

}  // namespace
}  // namespace weft::topology
