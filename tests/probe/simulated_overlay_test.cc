// SPDX-License-Identifier: Apache-2.0
// Tunnels between leaves of a simulated network, and the network below them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/probe/simulated_families.h"

namespace weft::probe {
namespace {

using testing::ElementsAre;
using enum EventKind;

class SimulatedOverlay : public SimulatedNetworkOf {};

INSTANTIATE_TEST_SUITE_P(Families, SimulatedOverlay, kFamilies, FamilyName);

TEST_P(SimulatedOverlay, ALeafAnswersForItsOwnAddressThatThePortIsClosed) {
  SimulatedFabric fabric(LeafSpine(2, 4), kMixed);
  const wire::IpAddress leaf = fabric.address("leaf2");
  std::set<wire::IpAddress> spines;
  const auto endpoint = fabric.Open("host1-1");
  for (uint16_t port = 50000; port < 50030; ++port) {
    Probe probe = ProbeTo(leaf, 2);
    probe.udp_src_port = port;
    spines.insert(OutcomeOf(*endpoint, probe).hop_address);
    probe.ttl = 3;  // what is for the switch itself needs no further TTL
    const Event event = OutcomeOf(*endpoint, probe);
    EXPECT_EQ(event.kind, kUnreachable);
    EXPECT_EQ(event.hop_address, leaf);
  }
  EXPECT_EQ(spines.size(), 4U);
}

// Only where hosts are does the routing lead: the first switch says that there is no way.
TEST_P(SimulatedOverlay, ThereIsNoWayToTheAddressOfASwitchWithoutHosts) {
  SimulatedFabric fabric(OnePath());
  const auto endpoint = fabric.Open("host1-1");
  const wire::IpAddress spine =
      unnumbered() ? fabric.address("spine1") : fabric.address("spine1", "leaf2");
  const Event event = OutcomeOf(*endpoint, ProbeTo(spine));
  EXPECT_EQ(event.kind, kUnreachable);
  EXPECT_EQ(event.hop_address, fabric.address("leaf1", "host1-1"));
}

TEST_P(SimulatedOverlay, InsideATunnelOnlyItsEndsAreHops) {
  SimulatedFabric fabric(ThreeTier());
  EXPECT_EQ(Trace(fabric, "host4-1").size(), 6U);
  ASSERT_TRUE(fabric.network().SetTunnelEnds(fabric.Leaves()).ok());
  Probe probe = ProbeTo(fabric.address("host4-1"));
  probe.traffic_class = kEct0;
  const std::vector<Event> events = Trace(fabric, probe);
  EXPECT_THAT(Names(fabric, events), ElementsAre("leaf1", "leaf4", "reply"));
  EXPECT_EQ(events[2].received_ttl, 1);
  EXPECT_EQ(events[2].received_traffic_class, kEct0);
  EXPECT_EQ(events[1].answer_ttl, 63);  // the way back is a tunnel too
  // Hosts of one leaf need none.
  EXPECT_THAT(Names(fabric, Trace(fabric, "host1-2")), ElementsAre("leaf1", "reply"));
  // Nor does what is for a leaf itself: the underlay is traced by itself.
  const std::vector<Event> underlay = Trace(fabric, ProbeTo(fabric.address("leaf4")), 5);
  ASSERT_EQ(underlay.size(), 5U);
  EXPECT_EQ(Names(fabric, underlay)[2].substr(0, 4), "core");
  EXPECT_EQ(underlay[4].kind, kUnreachable);
}

// The time that a probe takes says which core it crossed: each has a delay of its own.
TEST_P(SimulatedOverlay, FlowsSpreadInsideATunnel) {
  SimulatedFabric fabric(LeafSpine(2, 4), kMixed);
  ASSERT_TRUE(fabric.network().SetTunnelEnds(fabric.Leaves()).ok());
  for (int i = 1; i <= 4; ++i) {
    const std::string spine = "spine" + std::to_string(i);
    fabric.network().fault(fabric.direction("leaf1", spine)).extra_delay_ns = i * 100'000;
  }
  const auto endpoint = fabric.Open("host1-1");
  std::set<int64_t> times;
  for (uint16_t port = 50000; port < 50040; ++port) {
    Probe probe = ProbeTo(fabric.address("host2-1"));
    probe.udp_src_port = port;
    times.insert(OutcomeOf(*endpoint, probe).rtt_ns);
  }
  EXPECT_EQ(times.size(), 4U);
}

TEST_P(SimulatedOverlay, CongestionInsideATunnelShowsOutsideAndAClassDoesNot) {
  SimulatedFabric fabric(OnePath());
  ASSERT_TRUE(fabric.network().SetTunnelEnds(fabric.Leaves()).ok());
  SwitchFault& spine = fabric.network().fault(fabric.node("spine1"));
  Probe probe = ProbeTo(fabric.address("host2-1"));
  probe.traffic_class = 26 << 2 | kEct0;
  spine.dscp_rewrite = 0;
  EXPECT_EQ(Trace(fabric, probe).back().received_traffic_class, 26 << 2 | kEct0);
  spine.ecn_mark = true;
  EXPECT_EQ(Trace(fabric, probe).back().received_traffic_class, 26 << 2 | 3);
}

TEST_P(SimulatedOverlay, ATunnelNeedsASwitchWithHosts) {
  SimulatedFabric fabric(OnePath());
  const topology::NodeIndex spine = fabric.node("spine1");
  EXPECT_TRUE(absl::IsInvalidArgument(fabric.network().SetTunnelEnds({&spine, 1})));
}

}  // namespace
}  // namespace weft::probe
