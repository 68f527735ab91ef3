// SPDX-License-Identifier: Apache-2.0
#include "topology/export/picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/topology/export/fabrics.h"
#include "topology/export/dot_labels.h"
#include "topology/generate/leaf_spine.h"
#include "topology/generate/three_tier.h"

namespace weft::topology {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::array kDetails = {Detail::kAuto, Detail::kAll, Detail::kSwitches, Detail::kPods,
                                 Detail::kShape};

// Every node and every link is drawn or counted once, and lines join the boxes of their links'
// ends.
void ExpectWhole(const Fabric& fabric, const Picture& picture) {
  std::vector<int> nodes(fabric.nodes().size());
  std::vector<int> links(fabric.links().size());
  std::vector<uint32_t> box_of(fabric.nodes().size(), Structure::kNone);
  for (uint32_t box = 0; box < picture.boxes.size(); ++box) {
    ASSERT_FALSE(picture.boxes[box].members.empty());
    for (NodeIndex node : picture.boxes[box].members) box_of[node] = box;
    for (NodeIndex node : picture.boxes[box].members) ++nodes[node];
    for (NodeIndex node : picture.boxes[box].hosts) ++nodes[node];
    for (LinkIndex link : picture.boxes[box].host_links) ++links[link];
  }
  for (const Bundle& bundle : picture.bundles) {
    for (LinkIndex link : bundle.links) {
      ++links[link];
      const uint32_t from = box_of[fabric.From({link, false})];
      const uint32_t to = box_of[fabric.From({link, true})];
      EXPECT_TRUE((from == bundle.a && to == bundle.b) || (from == bundle.b && to == bundle.a));
    }
  }
  EXPECT_EQ(std::count(nodes.begin(), nodes.end(), 1), std::ssize(nodes));
  EXPECT_EQ(std::count(links.begin(), links.end(), 1), std::ssize(links));
}

FabricMaker OddFabric() {
  FabricMaker maker;
  for (const char* name : {"s1", "s2"}) maker.Switch(name, 1);
  for (const char* name : {"l1", "l2"}) {
    maker.Switch(name, 0);
    maker.Cable(name, "s1");
    maker.Cable(name, "s2");
  }
  maker.Switch("silent", std::nullopt).kind = NodeKind::kUnknown;
  maker.Switch("alone", std::nullopt);
  for (const char* name : {"both", "one", "loose1", "loose2", "back1", "back2", "at-silent"}) {
    maker.Host(name);
  }
  maker.Cable("both", "l1");
  maker.Cable("both", "l2");
  maker.Cable("one", "l2");
  maker.Cable("one", "2", "l2", "one-2");
  maker.Cable("back1", "back2");
  maker.Cable("at-silent", "silent");
  maker.Cable("silent", "l1");
  maker.Cable("l1", "l2");
  return maker;
}

TEST(DrawPicture, HasEveryNodeAndLinkOnce) {
  const Fabric three_tier = *GenerateThreeTier({3, 4, 2, 8, 5, 20e6, 40e6, 25e6, {}, 2});
  const Fabric odd = OddFabric().Make();
  for (const Fabric* fabric : {&three_tier, &odd}) {
    for (const Detail detail : kDetails) {
      SCOPED_TRACE(static_cast<int>(detail));
      ExpectWhole(*fabric, DrawPicture(*fabric, detail));
    }
  }
}

TEST(DrawPicture, ShowsAsMuchAsStaysReadable) {
  const struct {
    const char* name;
    Fabric fabric;
    Detail detail;
    size_t boxes;
    size_t lines;
  } rows[] = {
      {"16 switches", *GenerateThreeTier({2, 3, 3, 4 - 1, 2}), Detail::kAll, 27, 36},
      {"16 leaves", *GenerateLeafSpine({16, 8, 16}), Detail::kSwitches, 24, 128},
      {"100 switches", *GenerateThreeTier({4, 16, 8, 8, 16}), Detail::kPods, 9, 8},
      {"500 switches", *GenerateThreeTier({16, 16, 12, 48, 16}), Detail::kPods, 33, 32},
      {"100 pods", *GenerateThreeTier({100, 2, 2, 4, 1}), Detail::kShape, 3, 2},
  };
  for (const auto& row : rows) {
    const Picture picture = DrawPicture(row.fabric, Detail::kAuto);
    EXPECT_EQ(picture.detail, row.detail) << row.name;
    EXPECT_EQ(picture.boxes.size(), row.boxes) << row.name;
    EXPECT_EQ(picture.bundles.size(), row.lines) << row.name;
  }
}

std::vector<std::string> BoxTexts(const Fabric& fabric, const Picture& picture) {
  std::vector<std::string> texts;
  for (const Box& box : picture.boxes) {
    const BoxLabel label = LabelOf(fabric, picture, box);
    std::string text;
    for (const std::string& line : label.lines) text += (text.empty() ? "" : ", ") + line;
    for (const std::string& line : label.problems) text += " ! " + line;
    texts.push_back(text);
  }
  return texts;
}

std::vector<std::string> LineTexts(const Fabric& fabric, const Picture& picture) {
  std::vector<std::string> texts;
  for (const Bundle& bundle : picture.bundles) {
    const BundleLabel label = LabelOf(fabric, picture, bundle);
    std::string text;
    for (const std::string& line : label.lines) text += (text.empty() ? "" : ", ") + line;
    for (const std::string& line : label.problems) text += " ! " + line;
    if (label.rate_unknown) text += " (rate unknown)";
    texts.push_back(text);
  }
  return texts;
}

TEST(DrawPicture, JoinsWhatLooksAlike) {
  const Fabric fabric = *GenerateLeafSpine({8, 4, 3, 400e9, 200e9});
  const Picture picture = DrawPicture(fabric, Detail::kPods);
  EXPECT_THAT(BoxTexts(fabric, picture),
              ElementsAre("leaf[1-8], 8 leaves, 3 hosts each, 32 x 400G to spines, 4 each",
                          "spine[1-4], 4 spines"));
  EXPECT_THAT(LineTexts(fabric, picture), ElementsAre(""));
}

// A leaf that misses a cable stands apart, and says so; so does the spine at the other end.
TEST(DrawPicture, SetsApartWhatMissesACable) {
  auto records = GenerateLeafSpine({8, 4, 3, 400e9, 200e9})->ToRecords();
  std::erase_if(records, [](const FabricRecord& record) {
    const Link* link = std::get_if<Link>(&record);
    return link != nullptr && link->a.node == "leaf3" && link->b.node == "spine2";
  });
  const Fabric fabric = Build(records);
  const Picture picture = DrawPicture(fabric, Detail::kPods);
  ExpectWhole(fabric, picture);
  EXPECT_THAT(BoxTexts(fabric, picture),
              ElementsAre("leaf[1-2,4-8], 7 leaves, 3 hosts each, 28 x 400G to spines, 4 each",
                          "leaf3, 3 hosts, 3 x 400G to spines ! 3 of 4 cables to spines",
                          "spine[1,3-4], 3 spines", "spine2 ! 7 of 8 cables to leaves"));
  EXPECT_THAT(LineTexts(fabric, picture), ElementsAre("21 x 400G", "", "7 x 400G"));
}

TEST(DrawPicture, SetsApartWhatIsSlowOrNarrow) {
  auto records = GenerateLeafSpine({8, 4, 3, 400e9, 200e9})->ToRecords();
  for (FabricRecord& record : records) {
    Link* link = std::get_if<Link>(&record);
    if (link == nullptr) continue;
    if (link->a.node == "leaf3" && link->b.node == "spine2") link->capacity_bps = 100e9;
    if (link->a.node == "leaf5" && link->b.node == "host5-2") link->capacity_bps = 25e9;
    if (link->a.node == "leaf1" && link->b.node == "spine1") link->capacity_bps = std::nullopt;
  }
  const Fabric fabric = Build(records);
  EXPECT_THAT(BoxTexts(fabric, DrawPicture(fabric, Detail::kSwitches)).at(4),
              "leaf5, 3 hosts ! 1 of 3 host cables slower: 25G");
  const std::vector<std::string> lines = LineTexts(fabric, DrawPicture(fabric, Detail::kSwitches));
  EXPECT_EQ(std::count(lines.begin(), lines.end(), ""), 30);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), " ! slower: 100G"), 1);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), " (rate unknown)"), 1);
}

TEST(DrawPicture, TellsLanesThatAreMissing) {
  FabricMaker maker;
  for (const char* spine : {"s1", "s2", "s3"}) maker.Switch(spine, 1);
  maker.Switch("l1", 0);
  for (const char* spine : {"s1", "s2", "s3"}) {
    Link& link = maker.Cable("l1", spine, 200e9);
    link.width = 4;
    link.speed = "HDR";
  }
  maker.links()[1].width = 1;
  maker.links()[1].capacity_bps = 50e9;
  const Fabric fabric = maker.Make();
  EXPECT_THAT(LineTexts(fabric, DrawPicture(fabric, Detail::kAll)),
              ElementsAre("", " ! narrower: 50G (1xHDR)", ""));
}

TEST(DrawPicture, CountsParallelCables) {
  const Fabric fabric = *GenerateLeafSpine({2, 2, 1, 400e9, 400e9, {}, 3});
  EXPECT_THAT(LineTexts(fabric, DrawPicture(fabric, Detail::kSwitches)),
              ElementsAre("3 x", "3 x", "3 x", "3 x"));
  const auto bundles = DrawPicture(fabric, Detail::kPods).bundles;
  ASSERT_EQ(bundles.size(), 1U);
  EXPECT_EQ(bundles[0].links.size(), 12U);
}

TEST(DrawPicture, SaysWhereItDoesNotKnowHowManyCables) {
  FabricMaker maker;
  maker.Switch("l1", 0);
  maker.Switch("s1", 1);
  maker.Cable("l1", "s1").one_or_more = true;
  const Fabric fabric = maker.Make();
  EXPECT_THAT(LineTexts(fabric, DrawPicture(fabric, Detail::kAll)), ElementsAre("1 or more"));
}

TEST(DrawPicture, WritesShortNamesOfSwitchesThatTellTheirModel) {
  FabricMaker maker;
  for (const char* name :
       {"MF0;A09-LEAF-01:MQM9701/U1", "MF0;core1:MCS8500/S01/U1", "MF0;odd", "MF0;:MQM9701/U1"}) {
    maker.Switch(name, 0);
  }
  const Fabric fabric = maker.Make();
  EXPECT_THAT(BoxTexts(fabric, DrawPicture(fabric, Detail::kAll)),
              ElementsAre("A09-LEAF-01", "core1/S01/U1", "MF0;odd", "MF0;:MQM9701/U1"));
}

TEST(DrawPicture, FramesPodsRailsAndNetworks) {
  const auto labels = [](const Fabric& fabric, Detail detail) {
    std::vector<std::string> texts;
    for (const Cluster& cluster : DrawPicture(fabric, detail).clusters) {
      texts.push_back(cluster.label + (cluster.parent == Structure::kNone
                                           ? ""
                                           : " in " + std::to_string(cluster.parent)));
    }
    return texts;
  };
  EXPECT_THAT(labels(*GenerateThreeTier({2, 2, 2, 4, 1}), Detail::kSwitches),
              ElementsAre("pod 1", "pod 2"));
  EXPECT_THAT(labels(*GenerateLeafSpine({4, 2, 1}), Detail::kSwitches), IsEmpty());

  FabricMaker rails;
  rails.Switch("spine", 1);
  for (uint32_t rail = 0; rail < 2; ++rail) {
    rails.Switch("rail" + std::to_string(rail), 0).rail = rail;
    rails.Cable("rail" + std::to_string(rail), "spine");
  }
  EXPECT_THAT(labels(rails.Make(), Detail::kPods), ElementsAre("rail 0", "rail 1"));

  FabricMaker planes;
  planes.Host("host");
  for (uint32_t plane = 0; plane < 2; ++plane) {
    const std::string name = "leaf" + std::to_string(plane);
    planes.Switch(name, 0).plane = plane;
    planes.Cable(name, "host");
  }
  EXPECT_THAT(labels(planes.Make(), Detail::kSwitches), ElementsAre("plane 0", "plane 1"));
  planes.At("leaf0").plane = planes.At("leaf1").plane = std::nullopt;
  EXPECT_THAT(labels(planes.Make(), Detail::kSwitches), ElementsAre("network 1", "network 2"));
}

TEST(DrawPicture, CountsHostsWithoutACableTogether) {
  const Fabric fabric = OddFabric().Make();
  const std::vector<std::string> texts = BoxTexts(fabric, DrawPicture(fabric, Detail::kSwitches));
  EXPECT_THAT(texts, ElementsAre("s1", "s2", "l1, 1 host", "l2, 2 hosts", "silent", "alone",
                                 "loose[1-2], 2 hosts, no cable", "back1", "back2", "at-silent"));
}

TEST(StructureOf, CountsTiersFromTheHostsWhereNoneAreDeclared) {
  FabricMaker maker;
  maker.Switch("core", std::nullopt);
  maker.Switch("spine", std::nullopt);
  maker.Switch("leaf", std::nullopt);
  maker.Switch("island", std::nullopt);
  maker.Host("host");
  maker.Host("Mellanox Technologies Aggregation Node");
  maker.Cable("core", "spine");
  maker.Cable("spine", "leaf");
  maker.Cable("leaf", "host");
  maker.Cable("core", "41", "Mellanox Technologies Aggregation Node", "1");
  EXPECT_THAT(StructureOf(maker.Make()).tier,
              ElementsAre(2, 1, 0, std::nullopt, std::nullopt, std::nullopt));
  maker.At("leaf").tier = 7;
  EXPECT_EQ(StructureOf(maker.Make()).tier[2], 7U) << "what is declared holds";
}

}  // namespace
}  // namespace weft::topology
