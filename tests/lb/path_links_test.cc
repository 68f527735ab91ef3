// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/path_links.h"

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "lb/demand/demand.h"
#include "tests/lb/traced_paths.h"
#include "topology/generate/leaf_spine.h"

namespace weft::lb {
namespace {

using topology::Path;

class PathLinksInALeafSpine : public ::testing::Test {
 protected:
  PathLinksInALeafSpine()
      : fabric_(topology::GenerateLeafSpine({3, 3, 2, 20e6, std::nullopt}).value()),
        flow_(FlowsFromDemands(fabric_, {{{"host1-1", "host2-2", 1e6, 1}}}, 1).value().front()),
        path_(PathOver(TracePairs(fabric_, {&flow_, 1}, {}).front(), "spine2")) {}

  // The directed links as text, or the error.
  std::string Found(const Path& path) const {
    const auto links =
        PathLinks(&fabric_).Of(flow_.source_address, flow_.destination_address, path);
    if (!links.ok()) return std::string(links.status().message());
    std::string text;
    for (const Step& step : *links) {
      text += (text.empty() ? "" : ", ") + topology::ToString(fabric_.Describe(step.front()));
      if (step.size() > 1) text += " x" + std::to_string(step.size());
    }
    return text;
  }

  topology::Fabric fabric_;
  topology::Flow flow_;
  Path path_;
  const std::string whole_ = "host1-1 -> leaf1, leaf1 -> spine2, spine2 -> leaf2, leaf2 -> host2-2";
};

TEST_F(PathLinksInALeafSpine, AHopIsReachedByTheLinkOfTheInterfaceThatAnswers) {
  EXPECT_EQ(Found(path_), whole_);
}

TEST_F(PathLinksInALeafSpine, AHopMayAnswerFromAnotherInterfaceWhereOneLinkIsPossible) {
  path_.hops[2].address = AddressTowards(fabric_, "leaf2", "spine1");
  EXPECT_EQ(Found(path_), whole_);
}

TEST_F(PathLinksInALeafSpine, ASilentHopIsThatFromWhichTheNextWasReached) {
  path_.hops[1] = {2, {}, ""};
  EXPECT_EQ(Found(path_), whole_);
}

TEST_F(PathLinksInALeafSpine, ASilentLastHopIsTheDestinationsLeaf) {
  path_.hops[2] = {3, {}, ""};
  EXPECT_EQ(Found(path_), whole_);
}

TEST_F(PathLinksInALeafSpine, TwoSilentHopsCannotBePlaced) {
  path_.hops[1] = {2, {}, ""};
  path_.hops[2] = {3, {}, ""};
  EXPECT_EQ(Found(path_), "hop 2 (silent): expected the address of a switch in the fabric");
}

// Two spines, two cables from every leaf to each; switches answer from their loopbacks.
class PathLinksWithoutAddresses : public PathLinksInALeafSpine {
 protected:
  PathLinksWithoutAddresses() {
    topology::LeafSpineOptions options;
    options.leaves = 3;
    options.spines = 2;
    options.hosts_per_leaf = 2;
    options.uplink_bps = 20e6;
    options.addressing = {true, true};
    options.parallel = 2;
    fabric_ = topology::GenerateLeafSpine(options).value();
    flow_ = FlowsFromDemands(fabric_, {{{"host1-1", "host2-2", 1e6, 1}}}, 1).value().front();
    path_ = PathOver(TracePairs(fabric_, {&flow_, 1}, {}).front(), "spine2");
  }
};

TEST_F(PathLinksWithoutAddresses, AStepIsAllCablesBetweenTheSwitches) {
  EXPECT_EQ(Found(path_),
            "host1-1 -> leaf1, leaf1 -> spine2 x2, spine2 -> leaf2 x2, leaf2 -> host2-2");
}

TEST_F(PathLinksWithoutAddresses, ASilentHopThatSeveralSwitchesMayBeIsNotPlaced) {
  path_.hops[1] = {2, {}, ""};
  EXPECT_EQ(Found(path_), "hop 2 (silent): expected the address of a switch in the fabric");
}

TEST_F(PathLinksWithoutAddresses, ASilentHopThatOneSwitchAloneCanBeIsPlaced) {
  auto records = fabric_.ToRecords();
  std::erase_if(records, [](const topology::FabricRecord& record) {
    const auto* link = std::get_if<topology::Link>(&record);
    return link != nullptr && (link->a.node == "spine1" || link->b.node == "spine1");
  });
  fabric_ = topology::Fabric::FromRecords(records).value();
  path_.hops[1] = {2, {}, ""};
  EXPECT_EQ(Found(path_),
            "host1-1 -> leaf1, leaf1 -> spine2 x2, spine2 -> leaf2 x2, leaf2 -> host2-2");
}

TEST_F(PathLinksInALeafSpine, AnAddressThatTheFabricLacksIsNamed) {
  path_.hops[1].address = wire::IpAddress::Parse("192.0.2.1").value();
  EXPECT_EQ(Found(path_), "hop 2 (192.0.2.1): expected the address of a switch in the fabric");
}

TEST_F(PathLinksInALeafSpine, AHopThatNoLinkReachesIsNamed) {
  path_.hops[1] = {2, AddressTowards(fabric_, "leaf3", "spine1"), ""};
  EXPECT_EQ(Found(path_), "hop 2 (" + path_.hops[1].address.ToString() +
                              "): expected a link from leaf1 to leaf3");
}

TEST_F(PathLinksInALeafSpine, APathMustBeginAndEndAtTheHostsLeaves) {
  Path cut = path_;
  cut.hops.pop_back();
  EXPECT_EQ(Found(cut), "its last hop is not the destination's leaf");
  path_.hops[0] = {1, AddressTowards(fabric_, "leaf3", "spine1"), ""};
  EXPECT_EQ(Found(path_),
            "hop 1 (" + path_.hops[0].address.ToString() + "): expected the source's leaf");
}

}  // namespace
}  // namespace weft::lb
