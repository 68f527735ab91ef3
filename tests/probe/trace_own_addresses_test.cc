// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "probe/trace/own_addresses.h"
#include "tests/probe/simulated_fabric.h"

namespace weft::probe {
namespace {

using topology::NodeIndex;
using topology::NodeKind;

wire::IpAddress A(const char* text) { return *wire::IpAddress::Parse(text); }

TEST(OwnAddresses, MatesDifferInTheLastBit) {
  EXPECT_EQ(MateOf(A("10.255.0.2")), A("10.255.0.3"));
  EXPECT_EQ(MateOf(A("10.255.0.3")), A("10.255.0.2"));
  EXPECT_EQ(MateOf(A("fd00::7")), A("fd00::6"));
}

TEST(OwnAddresses, NothingIsToldByOneWay) {
  OwnAddresses own;
  own.LearnFirstHop(A("10.0.0.0"));
  own.LearnLink(A("10.0.0.0"), A("10.128.0.1"));
  own.LearnLink(A("10.128.0.1"), A("10.128.0.2"));
  own.LearnLink(A("10.0.0.0"), A("10.0.0.0"));
  EXPECT_EQ(own.count(), 0U);
}

TEST(OwnAddresses, BothWaysOverOneLinkTellBothEnds) {
  OwnAddresses own;
  own.LearnLink(A("10.255.0.2"), A("10.255.0.7"));
  EXPECT_EQ(own.count(), 0U);
  own.LearnLink(A("10.255.0.7"), A("10.255.0.2"));
  EXPECT_TRUE(own.Contains(A("10.255.0.2")));
  EXPECT_TRUE(own.Contains(A("10.255.0.7")));
}

TEST(OwnAddresses, MatesBehindOneSwitchAreBoth) {
  OwnAddresses own;
  own.LearnLink(A("10.255.0.9"), A("10.255.0.2"));
  own.LearnLink(A("10.255.0.9"), A("10.255.0.4"));
  EXPECT_EQ(own.count(), 0U);
  own.LearnLink(A("10.255.0.9"), A("10.255.0.3"));
  EXPECT_TRUE(own.Contains(A("10.255.0.2")));
  EXPECT_TRUE(own.Contains(A("10.255.0.3")));
  EXPECT_EQ(own.count(), 2U);
}

TEST(OwnAddresses, TheSameTowardsHostsAndSwitches) {
  for (const bool host_first : {true, false}) {
    OwnAddresses own;
    if (host_first) own.LearnFirstHop(A("10.255.0.1"));
    own.LearnLink(A("10.255.0.9"), A("10.255.0.1"));
    if (!host_first) own.LearnFirstHop(A("10.255.0.1"));
    EXPECT_TRUE(own.Contains(A("10.255.0.1"))) << host_first;
    EXPECT_FALSE(own.Contains(A("10.255.0.9"))) << host_first;
  }
}

// One switch has several interfaces, so two that precede an address tell nothing; two own addresses
// are two switches. What is told tells more, in whatever order it was learnt.
TEST(OwnAddresses, BehindTwoOwnOnesAndSoOn) {
  OwnAddresses own;
  own.LearnLink(A("10.255.0.1"), A("10.255.0.11"));
  own.LearnLink(A("10.255.0.3"), A("10.255.0.11"));
  own.LearnLink(A("10.255.0.11"), A("10.255.0.21"));
  own.LearnLink(A("10.255.0.13"), A("10.255.0.21"));
  EXPECT_EQ(own.count(), 0U);
  own.Learn(A("10.255.0.13"));
  own.Learn(A("10.255.0.1"));
  EXPECT_EQ(own.count(), 2U);
  own.Learn(A("10.255.0.3"));
  EXPECT_TRUE(own.Contains(A("10.255.0.11")));
  EXPECT_TRUE(own.Contains(A("10.255.0.21")));
  EXPECT_EQ(own.count(), 5U);
}

struct RoutesRow {
  std::string name;
  topology::ThreeTierOptions fabric;
  bool all_own = false;
};

class OwnAddressesOfRoutes : public testing::TestWithParam<RoutesRow> {};

// All paths of all pairs: no numbered interface is taken for a switch's own address, and no own
// address is missed.
TEST_P(OwnAddressesOfRoutes, AreTheLoopbacksAndNoOthers) {
  const SimulatedFabric fabric(GetParam().fabric);
  std::vector<std::string> hosts;
  for (const topology::Node& node : fabric.fabric().nodes()) {
    if (node.kind == NodeKind::kHost) hosts.push_back(node.name);
  }
  OwnAddresses own;
  for (const std::string& from : hosts) {
    for (const std::string& to : hosts) {
      if (from == to) continue;
      for (const auto& [via, hops] : fabric.TruePaths(from, to)) {
        own.LearnFirstHop(hops[0]);
        for (size_t i = 0; i + 1 < hops.size(); ++i) own.LearnLink(hops[i], hops[i + 1]);
      }
    }
  }
  size_t core_count = 0;
  for (const NodeIndex i : fabric.Switches()) {
    const topology::Node& node = fabric.fabric().node(i);
    if (node.tier == 2U) ++core_count;
    for (const wire::IpAddress& address : node.addresses) {
      // The leaves answer their hosts by the interface to them.
      EXPECT_EQ(own.Contains(address), GetParam().all_own) << node.name;
    }
  }
  EXPECT_EQ(core_count, GetParam().fabric.cores);
  EXPECT_EQ(own.count(), GetParam().all_own ? fabric.Switches().size() : 0U);
}

INSTANTIATE_TEST_SUITE_P(
    All, OwnAddressesOfRoutes,
    testing::Values(
        RoutesRow{"Numbered", {.pods = 3}},
        RoutesRow{"NumberedIpv6", {.pods = 3, .addressing = {.ipv6 = true}}},
        RoutesRow{"NumberedParallel", {.parallel = 2}},
        RoutesRow{"Unnumbered", {.pods = 3, .addressing = {.unnumbered = true}}, true},
        RoutesRow{
            "UnnumberedIpv6", {.pods = 3, .addressing = {.ipv6 = true, .unnumbered = true}}, true},
        RoutesRow{"UnnumberedParallel", {.addressing = {.unnumbered = true}, .parallel = 2}, true}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace weft::probe
