// SPDX-License-Identifier: Apache-2.0
#include "topology/route/table_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "topology/generate/leaf_spine.h"

namespace weft::topology {
namespace {

using ::testing::HasSubstr;
using Function = HashModel::Function;

Fabric LeafSpine(uint32_t spines) {
  LeafSpineOptions options;
  options.leaves = 2;
  options.spines = spines;
  options.hosts_per_leaf = 2;
  auto fabric = GenerateLeafSpine(options);
  EXPECT_TRUE(fabric.ok());
  return *std::move(fabric);
}

// What a perfect tracer writes of host1-1's first ports to a host of leaf2.
PathTable TableOf(const Router& router, const std::string& to, uint32_t ports) {
  const Fabric& fabric = router.fabric();
  PathTable table;
  table.source = "host1-1";
  table.destination = to;
  table.source_address = fabric.node(*fabric.FindNode("host1-1")).interfaces[0].address;
  table.destination_address = fabric.node(*fabric.FindNode(to)).interfaces[0].address;
  std::map<std::vector<std::string>, Path> paths;
  for (uint32_t i = 0; i < ports; ++i) {
    const auto port = static_cast<uint16_t>(0xc000 + i * 37 % 0x4000);
    const auto route = router.Route(HeadersOf(table, port));
    EXPECT_TRUE(route.ok());
    std::vector<std::string> nodes;
    Path path;
    path.reaches_destination = true;
    for (size_t hop = 0; hop + 1 < route->size(); ++hop) {
      nodes.push_back(fabric.node(fabric.To((*route)[hop])).name);
      path.hops.push_back({static_cast<uint32_t>(hop + 1), {}, nodes.back()});
    }
    paths.try_emplace(nodes, path).first->second.udp_src_ports.push_back(port);
  }
  for (auto& [nodes, path] : paths) table.paths.push_back(path);
  return table;
}

struct Row {
  const char* name;
  Function function;
  uint32_t spines;
  uint32_t seed;
};
class TableFit : public ::testing::TestWithParam<Row> {};

TEST_P(TableFit, IsVerifiedOnPortsKeptOutAndPredictsOthers) {
  const Row& row = GetParam();
  const Fabric fabric = LeafSpine(row.spines);
  const Router router(&fabric,
                      std::vector<HashModel>(fabric.nodes().size(), {row.function, row.seed}), {});
  const std::vector<PathTable> tables = {TableOf(router, "host2-1", 200),
                                         TableOf(router, "host2-2", 200)};
  const auto groups = SamplesOf(router, tables);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(fabric.node(groups[0].node).name, "leaf1");
  EXPECT_EQ(groups[0].members.size(), row.spines);
  EXPECT_EQ(groups[0].samples.size(), 400U);
  FitOptions options;
  options.seeds = {0, 1, 2, 3, 4, 5, 6, 7};
  const GroupFit fit = FitGroup(groups[0], options);
  ASSERT_TRUE(fit.known()) << fit.reason;
  EXPECT_EQ(fit.fitted, 300U);
  EXPECT_EQ(fit.checked, 100U);
  EXPECT_EQ(fit.right, 100U);
  for (uint16_t port = 0xf000; port < 0xf100; ++port) {
    const HashedHeaders headers = HeadersOf(tables[0], port);
    const auto member = router.NextHop(groups[0].node, headers);
    EXPECT_EQ(fit.hash.Predict(headers), MemberName(fabric, groups[0].members, *member));
  }
}
INSTANTIATE_TEST_SUITE_P(Rows, TableFit,
                         ::testing::Values(Row{"LinearTwo", Function::kCrc32, 2, 77},
                                           Row{"LinearFour", Function::kCrc32, 4, 12345},
                                           Row{"LinearOverThree", Function::kCrc32, 3, 5},
                                           Row{"MixedFour", Function::kMixed, 4, 7}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(TableFit, IsUnknownForASeedThatWasNotTriedAndForFewPorts) {
  const Fabric fabric = LeafSpine(4);
  const Router router(&fabric, std::vector<HashModel>(fabric.nodes().size(), {Function::kMixed, 9}),
                      {});
  const std::vector<PathTable> many = {TableOf(router, "host2-1", 200)};
  const GroupFit other = FitGroup(SamplesOf(router, many)[0], {});
  EXPECT_FALSE(other.known());
  EXPECT_THAT(other.reason, HasSubstr("neither a known model"));
  const std::vector<PathTable> few = {TableOf(router, "host2-1", 8)};
  const GroupFit early = FitGroup(SamplesOf(router, few)[0], {});
  EXPECT_FALSE(early.known());
  EXPECT_THAT(early.reason, HasSubstr("too few"));
}

TEST(TableFit, AHopThatDoesNotHashIsNotFitted) {
  const Fabric fabric = LeafSpine(2);
  const Router router(&fabric, std::vector<HashModel>(fabric.nodes().size()), {});
  std::vector<PathTable> tables = {TableOf(router, "host2-1", 200)};
  ASSERT_TRUE(FitGroup(SamplesOf(router, tables)[0], {}).known());  // the healthy twin
  HopBehaviour behaviour;
  behaviour.hop_index = 1;
  behaviour.mode = HopMode::kPerPacket;
  tables[0].hop_behaviours.push_back(behaviour);
  const GroupFit fit = FitGroup(SamplesOf(router, tables)[0], {});
  EXPECT_FALSE(fit.known());
  EXPECT_THAT(fit.reason, HasSubstr("does not hash"));
}

TEST(TableFit, SilentNextHopsAndVoidTablesAreNoSamples) {
  const Fabric fabric = LeafSpine(2);
  const Router router(&fabric, std::vector<HashModel>(fabric.nodes().size()), {});
  std::vector<PathTable> tables = {TableOf(router, "host2-1", 200)};
  for (Path& path : tables[0].paths) path.hops[1].node.clear();
  const auto silent = SamplesOf(router, tables);
  ASSERT_EQ(silent.size(), 1U);
  EXPECT_TRUE(silent[0].samples.empty());
  EXPECT_EQ(silent[0].untold, 200U);
  EXPECT_THAT(FitGroup(silent[0], {}).reason, HasSubstr("of 200 ports the next hop is not known"));
  tables[0].void_reason = "a link went down";
  EXPECT_TRUE(SamplesOf(router, tables).empty());
}

}  // namespace
}  // namespace weft::topology
