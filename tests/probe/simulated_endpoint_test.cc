// SPDX-License-Identifier: Apache-2.0
#include "probe/endpoint/simulated/simulated_endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "tests/probe/simulated_fabric.h"

namespace weft::probe {
namespace {

constexpr int64_t kMillisecond = 1'000'000;

Probe ProbeTo(const wire::IpAddress& destination, uint8_t ttl = 64) {
  return {.id = 1,
          .destination = destination,
          .dest_qpn = 0x12,
          .udp_src_port = 50000,
          .reply_udp_src_port = 50001,
          .ttl = ttl,
          .timeout_ns = 100 * kMillisecond};
}

// Everything that becomes of the probes, kSent left out, in order of time.
std::vector<Event> Outcomes(Endpoint& endpoint, const std::vector<Probe>& probes) {
  EXPECT_TRUE(endpoint.Send(probes).ok());
  std::vector<Event> events;
  std::vector<Event> outcomes;
  while (outcomes.size() < probes.size()) {
    events.clear();
    EXPECT_TRUE(endpoint.Poll(endpoint.Now() + 1000 * kMillisecond, events).ok());
    if (events.empty()) break;
    std::ranges::copy_if(events, std::back_inserter(outcomes),
                         [](const Event& event) { return event.kind != EventKind::kSent; });
  }
  return outcomes;
}

Event OutcomeOf(Endpoint& endpoint, const Probe& probe) {
  const std::vector<Event> outcomes = Outcomes(endpoint, {probe});
  EXPECT_EQ(outcomes.size(), 1U);
  return outcomes.empty() ? Event() : outcomes[0];
}

// `count` probes with ids from 1, each from a port of its own.
std::vector<Probe> Many(Probe probe, uint32_t count) {
  std::vector<Probe> probes;
  for (uint32_t i = 0; i < count; ++i) {
    probe.id = i + 1;
    ++probe.udp_src_port;
    probes.push_back(probe);
  }
  return probes;
}

TEST(SimulatedEndpoint, AnswerTakesFourLinksEachWayAndTheRespondersDelay) {
  SimulatedFabric fabric(2, 4, 1, {.link_delay_ns = 1000, .responder_delay_ns = 5000});
  const auto endpoint = fabric.Open("host1-1");
  const Event event = OutcomeOf(*endpoint, ProbeTo(fabric.address("host2-1")));
  EXPECT_EQ(event.kind, EventKind::kReply);
  EXPECT_EQ(event.rtt_ns, 4 * 1000 + 5000 + 4 * 1000);
  EXPECT_EQ(event.responder_delay_ns, 5000);
  EXPECT_EQ(event.reply_udp_src_port, 50001);
}

TEST(SimulatedEndpoint, SaysThatAProbeWasSentBeforeWhatBecameOfIt) {
  SimulatedFabric fabric(2, 4, 1);
  const auto endpoint = fabric.Open("host1-1");
  const Probe probe = ProbeTo(fabric.address("host2-1"));
  ASSERT_TRUE(endpoint->Send({&probe, 1}).ok());
  std::vector<Event> events;
  ASSERT_TRUE(endpoint->Poll(kMillisecond, events).ok());
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].kind, EventKind::kSent);
  EXPECT_EQ(events[1].kind, EventKind::kReply);
}

// For many ports, with both lengths of quotes: the hops are those that the router computes.
TEST(SimulatedEndpoint, EveryTtlMeetsTheHopThatTheRouterSays) {
  for (const size_t quote_bytes : {wire::kIcmpShortestQuoteBytes, wire::kIcmpLongestQuoteBytes}) {
    SimulatedFabric fabric(2, 4, 1, {.icmp_quote_bytes = quote_bytes});
    const auto paths = fabric.TruePaths("host1-1", "host2-1");
    const auto endpoint = fabric.Open("host1-1");
    for (uint16_t port = 50000; port < 50040; ++port) {
      const auto& hops = paths.at(fabric.SpineOf("host1-1", "host2-1", port));
      for (uint8_t ttl = 1; ttl <= 4; ++ttl) {
        Probe probe = ProbeTo(fabric.address("host2-1"), ttl);
        probe.udp_src_port = port;
        const Event event = OutcomeOf(*endpoint, probe);
        EXPECT_EQ(event.kind, ttl < 4 ? EventKind::kHop : EventKind::kReply);
        EXPECT_EQ(event.hop_address, ttl < 4 ? hops[ttl - 1U] : wire::IpAddress());
      }
    }
  }
}

TEST(SimulatedEndpoint, AnswersComeBackOnTheWayOfTheirOwnSourcePort) {
  SimulatedFabric fabric(2, 4, 1);
  fabric.network().fault(fabric.direction("spine3", "leaf1")).dead = true;  // one way back
  const auto endpoint = fabric.Open("host1-1");
  uint32_t lost_count = 0;
  for (uint16_t reply_port = 50000; reply_port < 60000; reply_port += 251) {
    Probe probe = ProbeTo(fabric.address("host2-1"));
    probe.reply_udp_src_port = reply_port;
    const bool dead = fabric.SpineOf("host2-1", "host1-1", reply_port) == "spine3";
    EXPECT_EQ(OutcomeOf(*endpoint, probe).kind, dead ? EventKind::kLost : EventKind::kReply);
    lost_count += dead ? 1 : 0;
  }
  EXPECT_GT(lost_count, 0U);
  EXPECT_LT(lost_count, 40U);
}

struct FaultRow {
  std::string name;
  std::function<void(SimulatedFabric&)> fault;
  std::vector<EventKind> by_ttl;  // 1 to 4
};

class SimulatedFault : public testing::TestWithParam<FaultRow> {};

TEST_P(SimulatedFault, ShowsAtTheTtlWhereItBites) {
  SimulatedFabric fabric(2, 1, 1);  // one spine: all probes take it
  GetParam().fault(fabric);
  const auto endpoint = fabric.Open("host1-1");
  for (uint8_t ttl = 1; ttl <= 4; ++ttl) {
    EXPECT_EQ(OutcomeOf(*endpoint, ProbeTo(fabric.address("host2-1"), ttl)).kind,
              GetParam().by_ttl[ttl - 1U])
        << "ttl " << int{ttl};
  }
}

using enum EventKind;
INSTANTIATE_TEST_SUITE_P(
    Kinds, SimulatedFault,
    testing::Values(
        FaultRow{"Healthy", [](SimulatedFabric&) {}, {kHop, kHop, kHop, kReply}},
        FaultRow{"DeadSpine",
                 [](SimulatedFabric& f) { f.network().fault(f.node("spine1")).dead = true; },
                 {kHop, kLost, kLost, kLost}},
        FaultRow{"SilentSpine",
                 [](SimulatedFabric& f) { f.network().fault(f.node("spine1")).silent = true; },
                 {kHop, kLost, kHop, kReply}},
        FaultRow{"DeadLinkDown",
                 [](SimulatedFabric& f) {
                   f.network().fault(f.direction("spine1", "leaf2")).dead = true;
                 },
                 {kHop, kHop, kLost, kLost}},
        FaultRow{"DeadLinkBack",
                 [](SimulatedFabric& f) {
                   f.network().fault(f.direction("leaf2", "spine1")).dead = true;
                 },
                 {kHop, kHop, kLost, kLost}},
        FaultRow{"NobodyListens",
                 [](SimulatedFabric& f) {
                   f.network().host(f.node("host2-1")) = HostBehaviour::kUnreachable;
                 },
                 {kHop, kHop, kHop, kUnreachable}},
        FaultRow{"SilentHost",
                 [](SimulatedFabric& f) {
                   f.network().host(f.node("host2-1")) = HostBehaviour::kSilent;
                 },
                 {kHop, kHop, kHop, kLost}},
        FaultRow{"NoWay",
                 [](SimulatedFabric& f) {
                   const topology::LinkIndex link = f.direction("leaf1", "spine1").link;
                   f.network().SetLinksDown({&link, 1});
                 },
                 {kHop, kUnreachable, kUnreachable, kUnreachable}}),
    [](const auto& row) { return row.param.name; });

TEST(SimulatedEndpoint, LosesTheShareThatALinkLoses) {
  SimulatedFabric fabric(2, 1, 1);
  fabric.network().fault(fabric.direction("leaf1", "spine1")).loss_probability = 0.3;
  const auto endpoint = fabric.Open("host1-1");
  const auto outcomes = Outcomes(*endpoint, Many(ProbeTo(fabric.address("host2-1")), 2000));
  const auto lost = std::ranges::count(outcomes, EventKind::kLost, &Event::kind);
  EXPECT_GT(lost, 500);  // 600 expected, standard deviation 20
  EXPECT_LT(lost, 700);
}

TEST(SimulatedEndpoint, ASwitchSendsNoMoreIcmpThanItsBucketHolds) {
  SimulatedFabric fabric(2, 1, 1);
  fabric.network().fault(fabric.node("leaf1")) = {.icmp_per_second = 100, .icmp_burst = 10};
  const auto endpoint = fabric.Open("host1-1");
  const std::vector<Probe> probes = Many(ProbeTo(fabric.address("host2-1"), 1), 50);
  auto outcomes = Outcomes(*endpoint, probes);
  EXPECT_EQ(std::ranges::count(outcomes, EventKind::kHop, &Event::kind), 10);
  // The losses took the timeout, 100 ms, in which ten more tokens came.
  outcomes = Outcomes(*endpoint, probes);
  EXPECT_EQ(std::ranges::count(outcomes, EventKind::kHop, &Event::kind), 10);
}

TEST(SimulatedEndpoint, AnAnswerAfterTheTimeoutIsLateAndDropped) {
  SimulatedFabric fabric(2, 1, 1);
  fabric.network().fault(fabric.direction("leaf1", "spine1")).extra_delay_ns = 150 * kMillisecond;
  const auto endpoint = fabric.Open("host1-1");
  EXPECT_EQ(OutcomeOf(*endpoint, ProbeTo(fabric.address("host2-1"))).kind, EventKind::kLost);
  std::vector<Event> events;
  ASSERT_TRUE(endpoint->Poll(endpoint->Now() + 1000 * kMillisecond, events).ok());
  EXPECT_TRUE(events.empty());
  EXPECT_EQ(dynamic_cast<SimulatedEndpoint&>(*endpoint).late_count(), 1U);
}

// With quotes of 28 bytes only the UDP length tells the two probes of one port apart.
TEST(SimulatedEndpoint, ALateHopIsNotTakenForThatOfAnotherTtl) {
  SimulatedFabric fabric(2, 1, 1);
  fabric.network().fault(fabric.direction("spine1", "leaf1")).extra_delay_ns = 150 * kMillisecond;
  const auto endpoint = fabric.Open("host1-1");
  EXPECT_EQ(OutcomeOf(*endpoint, ProbeTo(fabric.address("host2-1"), 2)).kind, EventKind::kLost);
  fabric.network().fault(fabric.node("leaf2")).silent = true;
  EXPECT_EQ(OutcomeOf(*endpoint, ProbeTo(fabric.address("host2-1"), 3)).kind, EventKind::kLost);
  EXPECT_EQ(dynamic_cast<SimulatedEndpoint&>(*endpoint).late_count(), 1U);
}

TEST(SimulatedEndpoint, JitterStaysWithinItsBound) {
  SimulatedFabric fabric(2, 1, 1, {.link_delay_ns = 1000, .responder_delay_ns = 0});
  fabric.network().fault(fabric.direction("leaf1", "spine1")).jitter_ns = 500;
  const auto endpoint = fabric.Open("host1-1");
  std::vector<int64_t> rtts;
  for (const Event& event : Outcomes(*endpoint, Many(ProbeTo(fabric.address("host2-1")), 200))) {
    rtts.push_back(event.rtt_ns);
  }
  const auto [min, max] = std::ranges::minmax(rtts);
  EXPECT_GE(min, 8000);
  EXPECT_LE(max, 8500);
  EXPECT_LT(min, max);
}

TEST(SimulatedEndpoint, AllEndpointsShareOneClock) {
  SimulatedFabric fabric(2, 4, 1);
  const auto one = fabric.Open("host1-1");
  const auto other = fabric.Open("host2-1");
  const Probe there = ProbeTo(fabric.address("host2-1"));
  const Probe back = ProbeTo(fabric.address("host1-1"));
  ASSERT_TRUE(one->Send({&there, 1}).ok());
  ASSERT_TRUE(other->Send({&back, 1}).ok());
  std::vector<Event> events;
  ASSERT_TRUE(one->Poll(kMillisecond, events).ok());
  EXPECT_EQ(events.back().kind, EventKind::kReply);
  EXPECT_EQ(one->Now(), other->Now());
  const int64_t now = other->Now();
  events.clear();
  ASSERT_TRUE(other->Poll(kMillisecond, events).ok());  // its answer came in the same instant
  EXPECT_EQ(events.back().kind, EventKind::kReply);
  EXPECT_EQ(events.back().time_ns, now);
}

TEST(SimulatedEndpoint, TakesAllProbesOrNone) {
  SimulatedFabric fabric(2, 1, 1, {.endpoint_capacity = 8});
  const auto endpoint = fabric.Open("host1-1");
  const std::vector<Probe> probes = Many(ProbeTo(fabric.address("host2-1")), 9);
  EXPECT_EQ(endpoint->capacity(), 8U);
  EXPECT_TRUE(absl::IsResourceExhausted(endpoint->Send(probes)));
  std::vector<Event> events;
  ASSERT_TRUE(endpoint->Poll(kMillisecond, events).ok());
  EXPECT_TRUE(events.empty());
}

TEST(SimulatedNetwork, OpensOneEndpointPerHostAndNoneElsewhere) {
  SimulatedFabric fabric(2, 1, 1);
  const auto endpoint = fabric.Open("host1-1");
  EXPECT_TRUE(
      absl::IsAlreadyExists(fabric.network().OpenEndpoint(fabric.address("host1-1")).status()));
  EXPECT_TRUE(absl::IsNotFound(fabric.network().OpenEndpoint(fabric.address("leaf1")).status()));
}

// Which port takes which spine is the seed's: same again, and different for another.
TEST(SimulatedNetwork, TheSeedDecidesWhereAPortLeads) {
  const auto spines = [](uint64_t seed) {
    const SimulatedFabric fabric(2, 4, 1, {.seed = seed});
    std::string all;
    for (uint16_t port = 50000; port < 50020; ++port) {
      all += fabric.SpineOf("host1-1", "host2-1", port);
    }
    return all;
  };
  EXPECT_EQ(spines(7), spines(7));
  EXPECT_NE(spines(7), spines(8));
}

}  // namespace
}  // namespace weft::probe
