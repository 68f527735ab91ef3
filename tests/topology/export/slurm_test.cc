// SPDX-License-Identifier: Apache-2.0
#include "topology/export/slurm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "tests/topology/export/fabrics.h"
#include "topology/export/slurm_machines.h"
#include "topology/export/slurm_tree.h"
#include "topology/generate/leaf_spine.h"
#include "topology/generate/three_tier.h"

namespace weft::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string Conf(const Fabric& fabric, const SlurmOptions& options = {}) {
  const auto out = ExportSlurmConf(fabric, options);
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? out->text : std::string();
}

std::string Yaml(const Fabric& fabric, const SlurmOptions& options = {}) {
  const auto out = ExportSlurmYaml(fabric, options);
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? out->text : std::string();
}

TEST(ExportSlurm, HasOneSwitchForTheSpinesOfTheSameLeaves) {
  EXPECT_EQ(Conf(*GenerateLeafSpine({2, 2, 2})),
            "# Written by weft-topo export.\n"
            "# spine-group-1: 2 switches that join the same switches below: spine[1-2]\n"
            "SwitchName=spine-group-1 Switches=leaf[1-2]\n"
            "SwitchName=leaf1 Nodes=host1-[1-2]\n"
            "SwitchName=leaf2 Nodes=host2-[1-2]\n");
}

TEST(ExportSlurm, KeepsAllTiers) {
  EXPECT_EQ(Conf(*GenerateThreeTier({2, 2, 2, 4, 1})),
            "# Written by weft-topo export.\n"
            "# core-group-1: 4 switches that join the same switches below: core[1-4]\n"
            "SwitchName=core-group-1 Switches=spine-group-[1-2]\n"
            "# spine-group-1: 2 switches that join the same switches below: spine[1-2]\n"
            "SwitchName=spine-group-1 Switches=leaf[1-2]\n"
            "SwitchName=leaf1 Nodes=host1-1\n"
            "SwitchName=leaf2 Nodes=host2-1\n"
            "# spine-group-2: 2 switches that join the same switches below: spine[3-4]\n"
            "SwitchName=spine-group-2 Switches=leaf[3-4]\n"
            "SwitchName=leaf3 Nodes=host3-1\n"
            "SwitchName=leaf4 Nodes=host4-1\n");
}

TEST(ExportSlurm, WritesYaml) {
  EXPECT_EQ(Yaml(*GenerateLeafSpine({2, 1, 2})),
            "# Written by weft-topo export.\n"
            "- topology: default\n"
            "  cluster_default: true\n"
            "  tree:\n"
            "    switches:\n"
            "      - switch: spine1\n"
            "        children: leaf[1-2]\n"
            "      - switch: leaf1\n"
            "        nodes: host1-[1-2]\n"
            "      - switch: leaf2\n"
            "        nodes: host2-[1-2]\n");
}

// Two InfiniBand fabrics in one file: no job may span them.
TEST(ExportSlurm, GivesEachPartARootOfItsOwn) {
  FabricMaker maker;
  for (const char* const name : {"a", "b"}) {
    const std::string part = name;
    maker.Switch(part + "-spine", 1);
    for (const std::string& leaf : {part + "-leaf1", part + "-leaf2"}) {
      maker.Switch(leaf, 0);
      maker.Host(leaf + "-n1");
      maker.Cable(leaf, part + "-spine");
      maker.Cable(leaf, leaf + "-n1");
    }
  }
  EXPECT_EQ(Conf(maker.Make()),
            "# Written by weft-topo export. The fabric is in 2 parts; each has a root of its own, "
            "and no job spans two.\n"
            "\n# part 1\n"
            "SwitchName=a-spine Switches=a-leaf[1-2]\n"
            "SwitchName=a-leaf1 Nodes=a-leaf1-n1\n"
            "SwitchName=a-leaf2 Nodes=a-leaf2-n1\n"
            "\n# part 2\n"
            "SwitchName=b-spine Switches=b-leaf[1-2]\n"
            "SwitchName=b-leaf1 Nodes=b-leaf1-n1\n"
            "SwitchName=b-leaf2 Nodes=b-leaf2-n1\n");
}

TEST(ExportSlurm, MakesUpATopOnlyWhereNoSwitchStandsAboveAll) {
  FabricMaker maker;
  for (const char* leaf : {"leaf1", "leaf2", "leaf3"}) {
    maker.Switch(leaf, 0);
    maker.Host(std::string("of-") + leaf);
    maker.Cable(leaf, std::string("of-") + leaf);
  }
  maker.Cable("leaf1", "leaf2");
  maker.Cable("leaf2", "leaf3");
  EXPECT_THAT(
      Conf(maker.Make()),
      HasSubstr("# top-1: made up: cables join these 3 switches, but no switch stands above "
                "them all\nSwitchName=top-1 Switches=leaf[1-3]\n"));
  maker.Switch("spine", 1);
  for (const char* leaf : {"leaf1", "leaf2", "leaf3"}) maker.Cable(leaf, "up", "spine", leaf);
  EXPECT_THAT(Conf(maker.Make()), HasSubstr("SwitchName=spine Switches=leaf[1-3]\n"));
}

// NICs of a machine are nodes of their own; its leaves, one a rail, are one place for a job.
TEST(ExportSlurm, ListsMachinesOnceWhereTheyHaveALeafPerRail) {
  FabricMaker maker;
  maker.Switch("spine1", 1);
  for (int unit = 1; unit <= 2; ++unit) {
    for (int rail = 0; rail < 4; ++rail) {
      const std::string leaf = "su" + std::to_string(unit) + "-rail" + std::to_string(rail);
      maker.Switch(leaf, 0).rail = static_cast<uint32_t>(rail);
      maker.Cable(leaf, "spine1");
      for (int machine = 1; machine <= 8; ++machine) {
        const std::string name = "gpu" + std::to_string(unit * 10 + machine);
        if (machine == 8 && rail == 0) continue;  // one cable is missing
        const std::string nic = name + " mlx5_" + std::to_string(rail);
        maker.Host(nic).machine = name;
        maker.Cable(leaf, nic);
      }
    }
  }
  EXPECT_EQ(Conf(maker.Make()),
            "# Written by weft-topo export.\n"
            "SwitchName=spine1 Switches=leaf-group-[1-2]\n"
            "# leaf-group-1: 4 switches with the same machines (one rail or plane each): "
            "su1-rail[0-3]\n"
            "SwitchName=leaf-group-1 Nodes=gpu[11-18]\n"
            "# leaf-group-2: 4 switches with the same machines (one rail or plane each): "
            "su2-rail[0-3]\n"
            "SwitchName=leaf-group-2 Nodes=gpu[21-28]\n");
}

// Two networks that share machines without sharing their grouping stay two.
TEST(ExportSlurm, PutsAMachineWhereItHasMostCables) {
  FabricMaker maker;
  for (const char* leaf : {"a1", "a2", "b1", "b2"}) maker.Switch(leaf, 0);
  for (int i = 0; i < 4; ++i) {
    const std::string name = "n" + std::to_string(i);
    maker.Host(name);
    maker.Cable(name, "a", i < 2 ? "a1" : "a2", name);
    maker.Cable(name, "a2nd", i < 2 ? "a1" : "a2", name + "-2nd");
    maker.Cable(name, "b", i % 2 == 0 ? "b1" : "b2", name);
  }
  const auto out = ExportSlurmConf(maker.Make(), {});
  ASSERT_TRUE(out.ok());
  EXPECT_THAT(out->text, HasSubstr("SwitchName=a1 Nodes=n[0-1]\n"));
  EXPECT_THAT(out->text, HasSubstr("SwitchName=a2 Nodes=n[2-3]\n"));
  EXPECT_THAT(out->text, HasSubstr("# no machines below: b[1-2]\n"));
  EXPECT_THAT(Codes(out->findings),
              ElementsAre("empty-switches-left-out 2", "machine-in-several-places 4"));
}

TEST(ExportSlurm, GivesMachinesOnASpineALeafOfTheirOwn) {
  FabricMaker maker;
  maker.Switch("leaf1", 0);
  maker.Switch("spine1", 1);
  for (const char* host : {"n1", "n2", "storage"}) maker.Host(host);
  maker.Cable("leaf1", "n1");
  maker.Cable("leaf1", "n2");
  maker.Cable("leaf1", "spine1");
  maker.Cable("spine1", "storage");
  EXPECT_EQ(Conf(maker.Make()),
            "# Written by weft-topo export.\n"
            "SwitchName=spine1 Switches=leaf1,spine1-hosts\n"
            "SwitchName=leaf1 Nodes=n[1-2]\n"
            "# spine1-hosts: the machines directly on spine1\n"
            "SwitchName=spine1-hosts Nodes=storage\n");
}

TEST(ExportSlurm, LeavesOutWhatIsNoMachine) {
  FabricMaker maker;
  maker.Switch("leaf1", std::nullopt);
  maker.Switch("spine1", std::nullopt);
  maker.Switch("unused", 0);
  maker.Host("n1");
  maker.Host("n2");
  maker.Host("Mellanox Technologies Aggregation Node (0x0000000000000042)").machine = "Mellanox";
  maker.Cable("leaf1", "n1");
  maker.Cable("leaf1", "spine1");
  maker.Cable("spine1", "41", "Mellanox Technologies Aggregation Node (0x0000000000000042)", "1");
  const auto out = ExportSlurmConf(maker.Make(), {});
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(out->text,
            "# Written by weft-topo export.\n# no machines below: unused\n"
            "SwitchName=spine1 Switches=leaf1\nSwitchName=leaf1 Nodes=n1\n");
  EXPECT_THAT(Codes(out->findings),
              ElementsAre("empty-switches-left-out 1", "machine-without-switch 1",
                          "aggregation-nodes-left-out 1"));
}

TEST(ExportSlurm, WritesBlocks) {
  const Fabric fabric = *GenerateThreeTier({2, 2, 2, 4, 16});
  EXPECT_EQ(Conf(fabric, {{8, 16, 32}}),
            "# Written by weft-topo export.\n"
            "BlockName=leaf1 Nodes=host1-[1-16]\n"
            "BlockName=leaf2 Nodes=host2-[1-16]\n"
            "BlockName=leaf3 Nodes=host3-[1-16]\n"
            "BlockName=leaf4 Nodes=host4-[1-16]\n"
            "BlockSizes=8,16,32\n");
  EXPECT_THAT(Yaml(fabric, {{16}}),
              HasSubstr("  block:\n    block_sizes:\n      - 16\n    blocks:\n"
                        "      - block: leaf1\n        nodes: host1-[1-16]\n"));
}

TEST(ExportSlurm, RefusesBlockSizesThatSlurmWould) {
  const Fabric fabric = *GenerateLeafSpine({2, 2, 4});
  const std::vector<std::vector<uint32_t>> rows = {{0},    {4, 6}, {4, 12},
                                                   {4, 4}, {8, 4}, {1, 65536}};
  for (const std::vector<uint32_t>& sizes : rows) {
    EXPECT_FALSE(ExportSlurmConf(fabric, {sizes}).ok()) << sizes.back();
    EXPECT_FALSE(ExportSlurmYaml(fabric, {sizes}).ok()) << sizes.back();
  }
  EXPECT_TRUE(ExportSlurmConf(fabric, {{3, 6, 24}}).ok());
}

TEST(ExportSlurm, NamesBlocksThatAreTooSmall) {
  const Fabric fabric = *GenerateLeafSpine({2, 2, 4});
  EXPECT_THAT(Codes(ExportSlurmConf(fabric, {{8}})->findings),
              ElementsAre("switches-grouped 2", "block-too-small 2"));
  EXPECT_THAT(Codes(ExportSlurmConf(fabric, {{4}})->findings), ElementsAre("switches-grouped 2"));
}

TEST(ExportSlurm, ReplacesNamesThatSlurmCannotRead) {
  FabricMaker maker;
  maker.Switch("MF0;A09-P1:MQM9701/U1", 0);
  maker.Host("gpu 1\\");
  maker.Host("gpu_1_");
  maker.Cable("MF0;A09-P1:MQM9701/U1", "1", "gpu 1\\", "1");
  maker.Cable("MF0;A09-P1:MQM9701/U1", "2", "gpu_1_", "1");
  const auto out = ExportSlurmConf(maker.Make(), {});
  EXPECT_EQ(out->text,
            "# Written by weft-topo export.\n"
            "# MF0_A09-P1_MQM9701_U1 = \"MF0;A09-P1:MQM9701/U1\"\n"
            "# gpu_1__2 = \"gpu 1\\\"\n"
            "SwitchName=MF0_A09-P1_MQM9701_U1 Nodes=gpu_1_,gpu_1__2\n");
  EXPECT_THAT(Codes(out->findings), ElementsAre("names-replaced 2"));
}

// What a file of SwitchName lines says, read independently of what wrote it.
struct Parsed {
  std::map<std::string, std::string> parent;  // of switches and nodes
  std::set<std::string> switches;
  std::set<std::string> nodes;
};

// "a[1-3],b" to a1 a2 a3 b, for lists whose numbers have one width.
std::vector<std::string> Expand(const std::string& list) {
  std::vector<std::string> names;
  size_t at = 0;
  while (at < list.size()) {
    const size_t bracket = list.find('[', at);
    const size_t comma = list.find(',', at);
    if (bracket == std::string::npos || comma < bracket) {
      names.push_back(list.substr(at, comma - at));
      at = comma == std::string::npos ? list.size() : comma + 1;
      continue;
    }
    const std::string prefix = list.substr(at, bracket - at);
    const size_t end = list.find(']', bracket);
    std::stringstream ranges(list.substr(bracket + 1, end - bracket - 1));
    for (std::string range; std::getline(ranges, range, ',');) {
      const size_t dash = range.find('-');
      const int low = std::stoi(range);
      const int high = dash == std::string::npos ? low : std::stoi(range.substr(dash + 1));
      for (int i = low; i <= high; ++i) names.push_back(prefix + std::to_string(i));
    }
    at = end + 2;
  }
  return names;
}

Parsed Parse(const std::string& text) {
  Parsed parsed;
  std::stringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::stringstream words(line);
    std::string first, second, rest;
    words >> first >> second >> rest;
    EXPECT_TRUE(first.starts_with("SwitchName=") && rest.empty()) << line;
    const std::string name = first.substr(11);
    EXPECT_TRUE(parsed.switches.insert(name).second) << name << " twice";
    const bool nodes = second.starts_with("Nodes=");
    EXPECT_TRUE(nodes || second.starts_with("Switches=")) << line;
    for (const std::string& child : Expand(second.substr(second.find('=') + 1))) {
      EXPECT_TRUE(parsed.parent.emplace(child, name).second) << child << " under two switches";
      if (nodes) parsed.nodes.insert(child);
    }
  }
  return parsed;
}

TEST(ExportSlurm, HasEveryMachineOnceUnderOneRoot) {
  const auto fabric = GenerateThreeTier({5, 7, 3, 6, 9});
  ASSERT_TRUE(fabric.ok());
  const Parsed parsed = Parse(Conf(*fabric));
  size_t hosts = 0;
  for (const Node& node : fabric->nodes()) {
    if (node.kind != NodeKind::kHost) continue;
    ++hosts;
    ASSERT_TRUE(parsed.nodes.contains(node.name)) << node.name;
    size_t depth = 0;
    for (std::string at = node.name; parsed.parent.contains(at); at = parsed.parent.at(at)) ++depth;
    EXPECT_EQ(depth, 3U) << node.name << ": leaf, spines, cores";
  }
  EXPECT_EQ(parsed.nodes.size(), hosts);
  size_t roots = 0;
  for (const std::string& name : parsed.switches) roots += parsed.parent.contains(name) ? 0U : 1U;
  EXPECT_EQ(roots, 1U);
}

TEST(ExportSlurm, HoldsAwkwardNamesWithoutMergingAny) {
  FabricMaker maker;
  maker.Switch("leaf 1", 0);
  for (const std::string& name : AwkwardNames()) {
    maker.Host(name);
    maker.Cable("leaf 1", name, name, "1");
  }
  const auto tree = BuildSlurmTree(maker.Make());
  ASSERT_EQ(tree.switches.size(), 1U);
  std::set<std::string> machines(tree.switches[0].machines.begin(),
                                 tree.switches[0].machines.end());
  EXPECT_EQ(machines.size(), AwkwardNames().size());
  for (const std::string& name : machines) {
    EXPECT_TRUE(std::all_of(name.begin(), name.end(), IsSlurmNameCharacter)) << name;
  }
  const std::string text = Conf(maker.Make());
  EXPECT_EQ(static_cast<size_t>(std::count(text.begin(), text.end(), '\n')),
            tree.comments.size() + 2)
      << "a line break in a name does not end a comment";
}

}  // namespace
}  // namespace weft::topology
