// SPDX-License-Identifier: Apache-2.0
// What switches and hosts of a simulated network do, each beside one that does not.
#include "probe/endpoint/simulated/simulated_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/probe/simulated_families.h"

namespace weft::probe {
namespace {

using testing::ElementsAre;
using enum EventKind;

INSTANTIATE_TEST_SUITE_P(Families, SimulatedNetworkOf, kFamilies, FamilyName);

TEST_P(SimulatedNetworkOf, EveryTtlMeetsTheHopThatTheRouterSays) {
  SimulatedFabric fabric(LeafSpine(2, 4), kMixed);
  const auto paths = fabric.TruePaths("host1-1", "host2-1");
  ASSERT_EQ(paths.size(), 4U);
  for (uint16_t port = 50000; port < 50020; ++port) {
    Probe probe = ProbeTo(fabric.address("host2-1"));
    probe.udp_src_port = port;
    const std::vector<Event> events = Trace(fabric, probe);
    const auto& hops = paths.at(fabric.SpineOf("host1-1", "host2-1", port));
    ASSERT_EQ(events.size(), hops.size() + 1);
    for (size_t i = 0; i < hops.size(); ++i) EXPECT_EQ(events[i].hop_address, hops[i]);
  }
}

TEST_P(SimulatedNetworkOf, ThreeTiersAreFiveHops) {
  SimulatedFabric fabric(ThreeTier());
  EXPECT_EQ(fabric.TruePaths("host1-1", "host4-1").size(), 4U);  // 2 spines with 2 cores each
  const std::vector<Event> events = Trace(fabric, "host4-1");
  ASSERT_EQ(events.size(), 6U);
  EXPECT_EQ(events.back().kind, kReply);
  const std::string via = fabric.SpineOf("host1-1", "host4-1", 50000);
  std::vector<std::string> names = Names(fabric, events);
  EXPECT_EQ(names[1] + "-" + names[2] + "-" + names[3], via);
  EXPECT_EQ(names[0], "leaf1");
  EXPECT_EQ(names[4], "leaf4");
}

TEST_P(SimulatedNetworkOf, InterfacesWithoutAnAddressAnswerFromTheLoopback) {
  SimulatedFabric fabric(OnePath());
  const std::vector<Event> events = Trace(fabric, "host2-1");
  ASSERT_EQ(Names(fabric, events), (std::vector<std::string>{"leaf1", "spine1", "leaf2", "reply"}));
  // Host links always have addresses.
  EXPECT_EQ(events[0].hop_address, fabric.address("leaf1", "host1-1"));
  const wire::IpAddress inbound = fabric.address("spine1", "leaf1");
  EXPECT_EQ(inbound.empty(), unnumbered());
  EXPECT_EQ(events[1].hop_address, unnumbered() ? fabric.address("spine1") : inbound);
}

TEST_P(SimulatedNetworkOf, AnswersFromTheOutboundInterfaceFollowTheWayBack) {
  SimulatedFabric fabric(LeafSpine(2, 4), kMixed);
  fabric.network().fault(fabric.node("leaf2")).answers_from = AnswersFrom::kOutbound;
  std::set<wire::IpAddress> answers;
  for (uint16_t port = 50000; port < 50040; ++port) {
    Probe probe = ProbeTo(fabric.address("host2-1"));
    probe.udp_src_port = port;
    answers.insert(Trace(fabric, probe)[2].hop_address);
  }
  EXPECT_EQ(answers.size(), 1U);  // all come in by four spines, and go out by one
  fabric.network().fault(fabric.node("leaf2")).answers_from = AnswersFrom::kInbound;
  answers.clear();
  for (uint16_t port = 50000; port < 50040; ++port) {
    Probe probe = ProbeTo(fabric.address("host2-1"));
    probe.udp_src_port = port;
    answers.insert(Trace(fabric, probe)[2].hop_address);
  }
  EXPECT_EQ(answers.size(), unnumbered() ? 1U : 4U);
}

TEST_P(SimulatedNetworkOf, SilenceAndClosedPortsShowAtTheirHop) {
  SimulatedFabric fabric(OnePath());
  fabric.network().fault(fabric.node("spine1")).silent = true;
  std::vector<Event> events = Trace(fabric, "host2-1");
  EXPECT_THAT(Names(fabric, events), ElementsAre("leaf1", "*", "leaf2", "reply"));
  EXPECT_EQ(events[1].kind, kLost);
  fabric.network().host(fabric.node("host2-1")) = HostBehaviour::kUnreachable;
  events = Trace(fabric, ProbeTo(fabric.address("host2-1")), 4);
  EXPECT_EQ(events[3].kind, kUnreachable);
  EXPECT_EQ(events[3].hop_address, fabric.address("host2-1"));
  fabric.network().host(fabric.node("host2-1")) = HostBehaviour::kSilent;
  EXPECT_EQ(Trace(fabric, ProbeTo(fabric.address("host2-1")), 4)[3].kind, kLost);
}

TEST_P(SimulatedNetworkOf, ABucketLimitsIcmpAndFillsAgain) {
  SimulatedFabric fabric(OnePath());
  SwitchFault& leaf = fabric.network().fault(fabric.node("leaf1"));
  leaf.icmp_per_second = 1000;
  leaf.icmp_burst = 3;
  const auto endpoint = fabric.Open("host1-1");
  const Probe probe = ProbeTo(fabric.address("host2-1"), 1);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(OutcomeOf(*endpoint, probe).kind, kHop);
  EXPECT_EQ(OutcomeOf(*endpoint, probe).kind, kLost);  // takes 10 ms, in which the bucket fills
  EXPECT_EQ(OutcomeOf(*endpoint, probe).kind, kHop);
}

// Parallel cables: told apart by the address where a packet comes in, where there is one.
TEST_P(SimulatedNetworkOf, ParallelCablesAreWaysOfTheirOwn) {
  topology::LeafSpineOptions clos = OnePath();
  clos.parallel = 3;
  SimulatedFabric fabric(clos, kMixed);
  const auto endpoint = fabric.Open("host1-1");
  std::set<wire::IpAddress> answers;
  for (uint16_t port = 50000; port < 50030; ++port) {
    Probe probe = ProbeTo(fabric.address("host2-1"), 2);
    probe.udp_src_port = port;
    answers.insert(OutcomeOf(*endpoint, probe).hop_address);
  }
  EXPECT_EQ(answers.size(), unnumbered() ? 1U : 3U);
}

TEST_P(SimulatedNetworkOf, RepliesAndHopsSayWhatTheyWereSentWith) {
  SimulatedFabric fabric(OnePath());
  Probe probe = ProbeTo(fabric.address("host2-1"));
  probe.traffic_class = 0x6a;
  const std::vector<Event> events = Trace(fabric, probe);
  ASSERT_EQ(events.size(), 4U);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(events[i].quoted_traffic_class, 0x6a);
    EXPECT_EQ(events[i].quoted_ttl, 1);
    EXPECT_EQ(events[i].answer_ttl, 64 - i);
    EXPECT_EQ(events[i].answer_ip_id.has_value(), !is_v6());
    EXPECT_EQ(events[i].received_ttl, std::nullopt);
  }
  EXPECT_EQ(events[3].received_ttl, 4 - 3);
  EXPECT_EQ(events[3].received_traffic_class, 0x6a);
  EXPECT_EQ(events[3].quoted_ttl, std::nullopt);
}

TEST_P(SimulatedNetworkOf, AClassRewrittenByASwitchShowsAtTheHopAfterIt) {
  for (const bool rewrites : {false, true}) {
    SimulatedFabric fabric(OnePath());
    if (rewrites) fabric.network().fault(fabric.node("spine1")).dscp_rewrite = 10;
    Probe probe = ProbeTo(fabric.address("host2-1"));
    probe.traffic_class = 26 << 2 | kEct0;
    const std::vector<Event> events = Trace(fabric, probe);
    const uint8_t after = rewrites ? 10 << 2 | kEct0 : 26 << 2 | kEct0;
    EXPECT_EQ(events[1].quoted_traffic_class, 26 << 2 | kEct0);
    EXPECT_EQ(events[2].quoted_traffic_class, after);
    EXPECT_EQ(events[3].received_traffic_class, after);
  }
}

TEST_P(SimulatedNetworkOf, AClassRewrittenByTheHostShowsAtTheFirstHop) {
  SimulatedFabric fabric(OnePath());
  fabric.network().host_fault(fabric.node("host1-1")).dscp_rewrite = 0;
  Probe probe = ProbeTo(fabric.address("host2-1"));
  probe.traffic_class = 26 << 2;
  EXPECT_EQ(Trace(fabric, probe)[0].quoted_traffic_class, 0);
  fabric.network().host_fault(fabric.node("host1-1")) = {};
  EXPECT_EQ(Trace(fabric, probe)[0].quoted_traffic_class, 26 << 2);
}

TEST_P(SimulatedNetworkOf, OnlyEcnCapablePacketsAreMarked) {
  SimulatedFabric fabric(OnePath());
  fabric.network().fault(fabric.node("leaf1")).ecn_mark = true;
  Probe probe = ProbeTo(fabric.address("host2-1"));
  for (const auto& [sent, received] : std::map<uint8_t, uint8_t>{{0, 0}, {1, 3}, {2, 3}, {3, 3}}) {
    probe.traffic_class = sent;
    const std::vector<Event> events = Trace(fabric, probe);
    EXPECT_EQ(events[0].quoted_traffic_class, sent);
    EXPECT_EQ(events[1].quoted_traffic_class, received);
    EXPECT_EQ(events[3].received_traffic_class, received);
  }
}

TEST_P(SimulatedNetworkOf, ASwitchThatForwardsExpiredPacketsMakesTheNextAnswerTwice) {
  SimulatedFabric fabric(OnePath());
  EXPECT_THAT(Names(fabric, Trace(fabric, "host2-1")),
              ElementsAre("leaf1", "spine1", "leaf2", "reply"));
  fabric.network().fault(fabric.node("spine1")).forwards_expired = true;
  const std::vector<Event> events = Trace(fabric, "host2-1");
  EXPECT_THAT(Names(fabric, events), ElementsAre("leaf1", "leaf2", "leaf2", "reply"));
  EXPECT_EQ(events[1].quoted_ttl, 0);
  EXPECT_EQ(events[2].quoted_ttl, 1);
}

TEST_P(SimulatedNetworkOf, ASwitchThatKeepsTheTtlIsNoHop) {
  SimulatedFabric fabric(OnePath());
  fabric.network().fault(fabric.node("spine1")).keeps_ttl = true;
  EXPECT_THAT(Names(fabric, Trace(fabric, "host2-1")), ElementsAre("leaf1", "leaf2", "reply"));
}

TEST_P(SimulatedNetworkOf, AForcedWayMakesALoopThatEndsWithTheTtl) {
  SimulatedFabric fabric(OnePath());
  fabric.network().ForceNextHop(fabric.node("spine1"), fabric.node("host2-1"),
                                fabric.direction("spine1", "leaf1"));
  const std::vector<Event> events = Trace(fabric, "host2-1");
  EXPECT_THAT(Names(fabric, events), ElementsAre("leaf1", "spine1", "leaf1", "spine1", "leaf1",
                                                 "spine1", "leaf1", "spine1"));
  fabric.network().ForceNextHop(fabric.node("spine1"), fabric.node("host2-1"), std::nullopt);
  EXPECT_THAT(Names(fabric, Trace(fabric, "host2-1")),
              ElementsAre("leaf1", "spine1", "leaf2", "reply"));
}

TEST_P(SimulatedNetworkOf, EndlessLoopsOfSwitchesThatKeepTheTtlEnd) {
  SimulatedFabric fabric(OnePath());
  for (const topology::NodeIndex node : fabric.Switches()) {
    fabric.network().fault(node).keeps_ttl = true;
  }
  fabric.network().ForceNextHop(fabric.node("spine1"), fabric.node("host2-1"),
                                fabric.direction("spine1", "leaf1"));
  const auto endpoint = fabric.Open("host1-1");
  EXPECT_EQ(OutcomeOf(*endpoint, ProbeTo(fabric.address("host2-1"))).kind, kLost);
}

TEST_P(SimulatedNetworkOf, AChangeHappensAtItsTime) {
  SimulatedFabric fabric(LeafSpine(2, 2), kMixed);
  const topology::LinkIndex link = fabric.direction("leaf1", "spine1").link;
  fabric.network().At(5 * kMillisecond, [link](SimulatedNetwork& network) {
    network.SetLinksDown({&link, 1});
  });
  const auto endpoint = fabric.Open("host1-1");
  const auto spines_now = [&] {
    std::set<wire::IpAddress> spines;
    for (uint16_t port = 50000; port < 50030; ++port) {
      Probe probe = ProbeTo(fabric.address("host2-1"), 2);
      probe.udp_src_port = port;
      spines.insert(OutcomeOf(*endpoint, probe).hop_address);
    }
    return spines;
  };
  EXPECT_EQ(spines_now().size(), 2U);
  std::vector<Event> events;
  ASSERT_TRUE(endpoint->Poll(6 * kMillisecond, events).ok());
  EXPECT_EQ(endpoint->Now(), 6 * kMillisecond);
  EXPECT_EQ(spines_now().size(), 1U);
}

TEST_P(SimulatedNetworkOf, ChangesOfOneTimeHappenInTheOrderInWhichTheyWereAsked) {
  SimulatedFabric fabric(OnePath());
  std::vector<int> ran;
  for (const int i : {1, 2, 3}) {
    fabric.network().At(kMillisecond, [&ran, i](SimulatedNetwork&) { ran.push_back(i); });
  }
  fabric.network().At(0, [&ran](SimulatedNetwork& network) {
    ran.push_back(0);
    network.At(0, [&ran](SimulatedNetwork&) { ran.push_back(10); });
  });
  const auto endpoint = fabric.Open("host1-1");
  std::vector<Event> events;
  ASSERT_TRUE(endpoint->Poll(2 * kMillisecond, events).ok());
  EXPECT_THAT(ran, ElementsAre(0, 10, 1, 2, 3));
}

TEST_P(SimulatedNetworkOf, ALiveHeaderIsHeardOfAtHopsAndNeverAccepted) {
  SimulatedFabric fabric(OnePath());
  const auto endpoint = fabric.Open("host1-1");
  for (const uint8_t opcode : {uint8_t{0x64}, uint8_t{0x04}, uint8_t{0x0a}}) {
    Probe probe = ProbeTo(fabric.address("host2-1"), 2);
    probe.bth_opcode = opcode;
    probe.wears_live_header = true;
    EXPECT_EQ(OutcomeOf(*endpoint, probe).kind, kHop);
    probe.ttl = kLiveHeaderTtl - 1;  // it does reach the host
    EXPECT_EQ(OutcomeOf(*endpoint, probe).kind, kLost);
    probe.ttl = kLiveHeaderTtl;
    EXPECT_TRUE(absl::IsInvalidArgument(endpoint->Send({&probe, 1})));
  }
  EXPECT_EQ(OutcomeOf(*endpoint, ProbeTo(fabric.address("host2-1"))).kind, kReply);
}

}  // namespace
}  // namespace weft::probe
