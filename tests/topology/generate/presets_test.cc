// SPDX-License-Identifier: Apache-2.0
#include "topology/generate/presets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/topology/generate/counts.h"

namespace weft::topology {
namespace {

using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr Tier kHosts = std::nullopt;

Fabric Preset(const std::string& name) {
  for (const FabricPreset& preset : FabricPresets()) {
    if (preset.name == name) return *preset.generate();
  }
  ADD_FAILURE() << "no preset " << name;
  return {};
}

size_t MachineCount(const Fabric& fabric) {
  std::set<std::string> machines;
  for (const Node& node : fabric.nodes()) {
    if (node.kind == NodeKind::kHost) machines.insert(node.machine);
  }
  return machines.size();
}

TEST(Presets, Roce24kHas8PodsOf3072NicsAnd1To7AboveThem) {
  const Fabric fabric = Preset("roce-24k");
  EXPECT_THAT(NodesPerTier(fabric),
              UnorderedElementsAre(Pair(kHosts, 24576), Pair(0, 1536), Pair(1, 64), Pair(2, 40)));
  EXPECT_EQ(MachineCount(fabric), 3072u);
  auto links = LinksPerTier(fabric);
  EXPECT_EQ(links.size(), 3u);
  EXPECT_EQ((links[{kHosts, 0}]), (LinkSum{24576, 24576 * 400e9}));
  EXPECT_EQ((links[{0, 1}]), (LinkSum{24576, 24576 * 400e9})) << "none below the spines";
  EXPECT_EQ((links[{1, 2}]), (LinkSum{3520, 3520 * 400e9}));
  EXPECT_NEAR(24576.0 / 3520, 7, 0.02) << "as near to 1:7 as 400 Gb/s cables come";
  // Without the cores it is eight pods of 3,072 NICs.
  std::vector<FabricRecord> without_cores;
  for (const FabricRecord& record : fabric.ToRecords()) {
    const Node* node = std::get_if<Node>(&record);
    const Link* link = std::get_if<Link>(&record);
    if (node != nullptr && node->tier == 2) continue;
    if (link != nullptr && link->b.node.starts_with("core")) continue;
    without_cores.push_back(record);
  }
  const Fabric pods = *Fabric::FromRecords(without_cores);
  std::map<uint32_t, uint32_t> nics;
  const std::vector<uint32_t> parts = pods.Components();
  for (NodeIndex node = 0; node < pods.nodes().size(); ++node) {
    if (pods.node(node).kind == NodeKind::kHost) ++nics[parts[node]];
  }
  EXPECT_EQ(nics.size(), 8u);
  for (const auto& [part, count] : nics) EXPECT_EQ(count, 3072u);
}

TEST(Presets, InfiniBand24kHasFullBisectionIn2592Switches) {
  const Fabric fabric = Preset("infiniband-24k");
  EXPECT_THAT(NodesPerTier(fabric), UnorderedElementsAre(Pair(kHosts, 24192), Pair(0, 1008),
                                                         Pair(1, 1008), Pair(2, 576)));
  EXPECT_EQ(MachineCount(fabric), 3024u);
  const LinkSum full = {24192, 24192 * 400e9};
  EXPECT_THAT(LinksPerTier(fabric),
              UnorderedElementsAre(Pair(Pair(kHosts, 0), full), Pair(Pair(0, 1), full),
                                   Pair(Pair(1, 2), full)));
  for (const Link& link : fabric.links()) ASSERT_EQ(link.speed, "NDR");
}

}  // namespace
}  // namespace weft::topology
