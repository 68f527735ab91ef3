// SPDX-License-Identifier: Apache-2.0
#include "topology/route/route.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <set>

#include "topology/generate/leaf_spine.h"

namespace weft::topology {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

wire::IpAddress Address(const char* text) { return *wire::IpAddress::Parse(text); }

std::vector<HashModel> Seeds(const Fabric& fabric, uint32_t seed = 0) {
  return std::vector<HashModel>(fabric.nodes().size(), {HashModel::Function::kCrc32, seed});
}

Fabric LeafSpine(uint32_t leaves, uint32_t spines, uint32_t hosts) {
  return *GenerateLeafSpine({leaves, spines, hosts, 20e6, std::nullopt});
}

// Distance of every node to a host, counted the plain way: breadth first, never through a host.
std::vector<int> Distances(const Fabric& fabric, NodeIndex host, const std::set<LinkIndex>& down) {
  std::vector<int> distance(fabric.nodes().size(), -1);
  std::deque<NodeIndex> queue = {host};
  distance[host] = 0;
  while (!queue.empty()) {
    const NodeIndex node = queue.front();
    queue.pop_front();
    if (node != host && fabric.node(node).kind == NodeKind::kHost) continue;
    for (const Adjacency& adjacency : fabric.adjacencies(node)) {
      if (down.contains(adjacency.direction.link) || distance[adjacency.neighbour] >= 0) continue;
      distance[adjacency.neighbour] = distance[node] + 1;
      queue.push_back(adjacency.neighbour);
    }
  }
  return distance;
}

// A random fabric: switches linked at random, hosts on one or two of them, parallel cables
// included.
Fabric RandomFabric(std::mt19937& random) {
  const auto below = [&](uint32_t bound) { return static_cast<uint32_t>(random() % bound); };
  Fabric fabric;
  const uint32_t switches = 2 + below(8);
  const uint32_t hosts = 2 + below(8);
  for (uint32_t i = 0; i < switches; ++i) {
    (void)fabric.AddNode({"s" + std::to_string(i), NodeKind::kSwitch, std::nullopt, {}});
  }
  for (uint32_t i = 0; i < hosts; ++i) {
    (void)fabric.AddNode({"h" + std::to_string(i), NodeKind::kHost, std::nullopt, {}});
  }
  uint32_t ports = 0;
  const auto link = [&](NodeIndex a, NodeIndex b) {
    const std::string name = "p" + std::to_string(ports++);
    (void)fabric.AddInterface(a, {name, wire::IpAddress::V4(0x0a000000 + ports * 2)});
    (void)fabric.AddInterface(b, {name, wire::IpAddress::V4(0x0a000001 + ports * 2)});
    (void)fabric.AddLink({{fabric.node(a).name, name}, {fabric.node(b).name, name}, {}});
  };
  for (uint32_t i = 0; i < switches * 2; ++i) {
    const NodeIndex a = below(switches), b = below(switches);
    if (a != b) link(a, b);
  }
  for (NodeIndex host = switches; host < switches + hosts; ++host) {
    for (uint32_t i = 0; i <= host % 2; ++i) link(below(switches), host);
  }
  return fabric;
}

TEST(Router, GroupsAreInOrderOfInterfaceNames) {
  const Fabric fabric = LeafSpine(2, 3, 1);
  const Router router(&fabric, Seeds(fabric), {});
  std::vector<std::string> names;
  for (Direction direction :
       router.NextHops(*fabric.FindNode("leaf1"), *fabric.FindNode("host2-1"))) {
    names.push_back(ToString(fabric.Describe(direction)));
  }
  EXPECT_THAT(names, ElementsAre("leaf1 -> spine1", "leaf1 -> spine2", "leaf1 -> spine3"));
}

TEST(Router, AHostIsNoWayThrough) {
  // Two leaves that only a host with two NICs joins.
  Fabric fabric;
  for (const char* name : {"leaf1", "leaf2"}) {
    ASSERT_TRUE(fabric.AddNode({name, NodeKind::kSwitch, 0, {{"p1", {}}, {"p2", {}}}}).ok());
  }
  ASSERT_TRUE(fabric.AddNode({"both", NodeKind::kHost, {}, {{"e0", {}}, {"e1", {}}}}).ok());
  ASSERT_TRUE(fabric.AddNode({"a", NodeKind::kHost, {}, {{"e0", {}}}}).ok());
  ASSERT_TRUE(fabric.AddNode({"b", NodeKind::kHost, {}, {{"e0", {}}}}).ok());
  ASSERT_TRUE(fabric.AddLink({{"leaf1", "p1"}, {"both", "e0"}, {}}).ok());
  ASSERT_TRUE(fabric.AddLink({{"leaf2", "p1"}, {"both", "e1"}, {}}).ok());
  ASSERT_TRUE(fabric.AddLink({{"leaf1", "p2"}, {"a", "e0"}, {}}).ok());
  ASSERT_TRUE(fabric.AddLink({{"leaf2", "p2"}, {"b", "e0"}, {}}).ok());
  const Router router(&fabric, Seeds(fabric), {});
  const NodeIndex a = *fabric.FindNode("a"), b = *fabric.FindNode("b");
  const NodeIndex both = *fabric.FindNode("both");
  EXPECT_THAT(router.AllPaths(a, b, 10), IsEmpty());
  EXPECT_THAT(router.NextHops(a, b), IsEmpty()) << "a's leaf knows no way on";
  EXPECT_THAT(router.AllPaths(a, both, 10), SizeIs(1));
  EXPECT_THAT(router.AllPaths(both, b, 10), SizeIs(1));
}

TEST(Router, HostsBackToBackReachEachOther) {
  Fabric fabric;
  ASSERT_TRUE(fabric.AddNode({"a", NodeKind::kHost, {}, {{"e0", {}}}}).ok());
  ASSERT_TRUE(fabric.AddNode({"b", NodeKind::kHost, {}, {{"e0", {}}}}).ok());
  ASSERT_TRUE(fabric.AddLink({{"a", "e0"}, {"b", "e0"}, {}}).ok());
  const Router router(&fabric, Seeds(fabric), {});
  EXPECT_THAT(router.AllPaths(0, 1, 10), ElementsAre(ElementsAre(Direction{0, false})));
}

TEST(Router, AllPathsOfALeafSpineCrossOneSpineEach) {
  const Fabric fabric = LeafSpine(3, 4, 2);
  const Router router(&fabric, Seeds(fabric), {});
  const NodeIndex from = *fabric.FindNode("host1-1");
  EXPECT_THAT(router.AllPaths(from, *fabric.FindNode("host3-2"), 100), SizeIs(4));
  EXPECT_THAT(router.AllPaths(from, *fabric.FindNode("host3-2"), 3), SizeIs(3)) << "the limit";
  EXPECT_THAT(router.AllPaths(from, *fabric.FindNode("host1-2"), 100), SizeIs(1)) << "same leaf";
  EXPECT_THAT(router.AllPaths(from, from, 100), IsEmpty());
}

// The three properties below, over random fabrics with random links down.
TEST(Router, GroupsAreExactlyTheNearerNeighbours) {
  std::mt19937 random(1);
  size_t groups_seen = 0;
  for (int round = 0; round < 200; ++round) {
    const Fabric fabric = RandomFabric(random);
    std::set<LinkIndex> down;
    for (LinkIndex link = 0; link < fabric.links().size(); ++link) {
      if (random() % 5 == 0) down.insert(link);
    }
    const Router router(&fabric, Seeds(fabric), std::vector(down.begin(), down.end()));
    for (NodeIndex host = 0; host < fabric.nodes().size(); ++host) {
      if (fabric.node(host).kind != NodeKind::kHost) continue;
      const std::vector<int> distance = Distances(fabric, host, down);
      for (NodeIndex node = 0; node < fabric.nodes().size(); ++node) {
        std::vector<std::pair<std::string, Direction>> expected;
        for (const Adjacency& adjacency : fabric.adjacencies(node)) {
          const bool forwards = fabric.node(adjacency.neighbour).kind != NodeKind::kHost ||
                                adjacency.neighbour == host;
          if (node == host || !forwards || down.contains(adjacency.direction.link)) continue;
          if (distance[node] < 0 || distance[adjacency.neighbour] != distance[node] - 1) continue;
          expected.emplace_back(adjacency.interface, adjacency.direction);
        }
        std::sort(expected.begin(), expected.end());
        const std::span<const Direction> group = router.NextHops(node, host);
        ASSERT_EQ(group.size(), expected.size()) << "round " << round;
        for (size_t i = 0; i < group.size(); ++i) ASSERT_EQ(group[i], expected[i].second);
        if (group.size() > 1) ++groups_seen;
      }
    }
  }
  EXPECT_GT(groups_seen, 1000u) << "or the fabrics have nothing to balance";
}

TEST(Router, ARemovedLinkNeverShortensOrCreatesAPath) {
  std::mt19937 random(2);
  for (int round = 0; round < 100; ++round) {
    const Fabric fabric = RandomFabric(random);
    const auto cut = static_cast<LinkIndex>(random() % fabric.links().size());
    const Router whole(&fabric, Seeds(fabric), {});
    const Router without(&fabric, Seeds(fabric), std::vector{cut});
    for (NodeIndex from = 0; from < fabric.nodes().size(); ++from) {
      for (NodeIndex to = 0; to < fabric.nodes().size(); ++to) {
        const auto after = without.AllPaths(from, to, 1000);
        if (after.empty()) continue;
        const auto before = whole.AllPaths(from, to, 1000);
        ASSERT_FALSE(before.empty());
        ASSERT_GE(after.front().size(), before.front().size());
        for (const auto& path : after) {
          for (Direction direction : path) ASSERT_NE(direction.link, cut);
          if (path.size() > before.front().size()) continue;
          ASSERT_NE(std::find(before.begin(), before.end(), path), before.end());
        }
      }
    }
  }
}

TEST(Router, ARouteIsOneOfAllPathsAndStaysTheSame) {
  std::mt19937 random(3);
  const Fabric fabric = LeafSpine(4, 4, 2);
  const Router router(&fabric, Seeds(fabric, 7), {});
  const Router again(&fabric, Seeds(fabric, 7), {});
  const NodeIndex from = *fabric.FindNode("host1-1"), to = *fabric.FindNode("host4-2");
  const auto all = router.AllPaths(from, to, 100);
  for (int i = 0; i < 1000; ++i) {
    HashedHeaders headers{fabric.node(from).interfaces[0].address,
                          fabric.node(to).interfaces[0].address, 17,
                          static_cast<uint16_t>(random()), 4791};
    const auto route = router.Route(headers);
    ASSERT_TRUE(route.ok()) << route.status();
    ASSERT_NE(std::find(all.begin(), all.end(), *route), all.end());
    ASSERT_EQ(*again.Route(headers), *route);
  }
}

TEST(Router, ALoudFailureMovesOnlyToWhatIsLeft) {
  const Fabric fabric = LeafSpine(2, 4, 1);
  const auto port = fabric.FindPort(*fabric.FindNode("leaf2"), "spine3");
  const Router router(&fabric, Seeds(fabric), std::vector{port->direction.link});
  std::set<std::string> spines;
  for (uint32_t source_port = 0xc000; source_port < 0xc100; ++source_port) {
    const auto route = router.Route(
        {Address("10.0.0.1"), Address("10.0.0.3"), 17, static_cast<uint16_t>(source_port), 4791});
    ASSERT_TRUE(route.ok());
    spines.insert(fabric.node(fabric.To((*route)[1])).name);
  }
  EXPECT_THAT(spines, ElementsAre("spine1", "spine2", "spine4"));
}

TEST(Router, SaysWhyThereIsNoRoute) {
  const Fabric fabric = LeafSpine(2, 1, 1);
  const auto port = fabric.FindPort(*fabric.FindNode("leaf2"), "spine1");
  const Router router(&fabric, Seeds(fabric), std::vector{port->direction.link});
  const auto message = [&](const char* from, const char* to) {
    return std::string(router.Route({Address(from), Address(to), 17, 1, 4791}).status().message());
  };
  EXPECT_EQ(message("10.9.9.9", "10.0.0.3"), "address \"10.9.9.9\": no node of the fabric has it");
  EXPECT_EQ(message("10.0.0.1", "10.9.9.9"), "address \"10.9.9.9\": no node of the fabric has it");
  EXPECT_EQ(message("10.0.0.1", "10.0.0.2"),
            "address 10.0.0.2: node \"leaf2\" has it: expected a host's");
  EXPECT_EQ(message("10.0.0.1", "10.0.0.3"), "no way from host1-1 to host2-1");
}

TEST(Router, NoRouteIsNeededToOneself) {
  const Fabric fabric = LeafSpine(2, 1, 1);
  const Router router(&fabric, Seeds(fabric), {});
  const HashedHeaders headers{Address("10.0.0.1"), Address("10.0.0.1"), 17, 1, 4791};
  EXPECT_THAT(*router.Route(headers), IsEmpty());
  EXPECT_EQ(router.NextHop(*fabric.FindNode("host1-1"), headers), std::nullopt);
}

}  // namespace
}  // namespace weft::topology
