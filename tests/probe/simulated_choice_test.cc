// SPDX-License-Identifier: Apache-2.0
// How switches of a simulated network choose among next hops.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/probe/simulated_families.h"

namespace weft::probe {
namespace {

using enum EventKind;

struct FieldRow {
  std::string name;
  topology::HashedField field;
  void (*vary)(Probe&, uint32_t);
};

class SimulatedHash : public testing::TestWithParam<FieldRow> {};

TEST_P(SimulatedHash, FollowsTheFieldsOfTheModel) {
  for (const bool hashed : {false, true}) {
    SimulatedFabric fabric(2, 4, 1, {}, {.ipv6 = true});
    topology::HopModel& leaf = fabric.network().hop(fabric.node("leaf1"));
    leaf.hash.function = topology::HashModel::Function::kMixed;
    const auto fields = topology::HashedFields::FiveTuple();
    leaf.hash.fields = hashed ? fields.With(GetParam().field) : fields.Without(GetParam().field);
    const auto endpoint = fabric.Open("host1-1");
    std::set<wire::IpAddress> spines;
    for (uint32_t i = 0; i < 40; ++i) {
      Probe probe = ProbeTo(fabric.address("host2-1"), 2);
      probe.wears_live_header = true;
      GetParam().vary(probe, i);
      spines.insert(OutcomeOf(*endpoint, probe).hop_address);
    }
    EXPECT_EQ(spines.size(), hashed ? 4U : 1U);
  }
}

using topology::HashedField;
INSTANTIATE_TEST_SUITE_P(
    Fields, SimulatedHash,
    testing::Values(
        FieldRow{"UdpSrcPort", HashedField::kUdpSrcPort,
                 [](Probe& p, uint32_t i) { p.udp_src_port = static_cast<uint16_t>(50000 + i); }},
        FieldRow{"DestQpn", HashedField::kDestQpn, [](Probe& p, uint32_t i) { p.dest_qpn = i; }},
        FieldRow{"BthOpcode", HashedField::kBthOpcode,
                 [](Probe& p, uint32_t i) { p.bth_opcode = static_cast<uint8_t>(i); }},
        FieldRow{"FlowLabel", HashedField::kFlowLabel,
                 [](Probe& p, uint32_t i) { p.flow_label = i; }},
        FieldRow{"Dscp", HashedField::kDscp,
                 [](Probe& p, uint32_t i) { p.traffic_class = static_cast<uint8_t>(i << 2); }}),
    [](const auto& row) { return row.param.name; });

// Of one flow that is asked about 40 times, so far apart.
std::set<wire::IpAddress> SpinesOfOneFlow(topology::HopMode mode, int64_t pace_ns) {
  SimulatedFabric fabric(2, 4, 1);
  fabric.network().hop(fabric.node("leaf1")).mode = mode;
  const auto endpoint = fabric.Open("host1-1");
  std::set<wire::IpAddress> spines;
  std::vector<Event> events;
  for (int i = 0; i < 40; ++i) {
    spines.insert(OutcomeOf(*endpoint, ProbeTo(fabric.address("host2-1"), 2)).hop_address);
    EXPECT_TRUE(endpoint->Poll(endpoint->Now() + pace_ns, events).ok());
  }
  return spines;
}

TEST(SimulatedMode, OneFlowTakesAsManyWaysAsTheModeLetsIt) {
  constexpr int64_t kBurst = 10'000;
  constexpr int64_t kPauses = kMillisecond;  // longer than HopModel::period_ns
  EXPECT_EQ(SpinesOfOneFlow(topology::HopMode::kHashed, kPauses).size(), 1U);
  EXPECT_EQ(SpinesOfOneFlow(topology::HopMode::kPerPacket, kBurst).size(), 4U);
  EXPECT_EQ(SpinesOfOneFlow(topology::HopMode::kFlowlet, kBurst).size(), 1U);
  EXPECT_EQ(SpinesOfOneFlow(topology::HopMode::kFlowlet, kPauses).size(), 4U);
  EXPECT_EQ(SpinesOfOneFlow(topology::HopMode::kAdaptive, kPauses).size(), 1U);
}

// Ten bursts of one flow, one in each period.
std::set<wire::IpAddress> SpinesUnderLoad(uint32_t burst) {
  SimulatedFabric fabric(2, 4, 1, {.icmp_quote_bytes = 128});
  topology::HopModel& leaf = fabric.network().hop(fabric.node("leaf1"));
  leaf.mode = topology::HopMode::kAdaptive;
  leaf.adaptive_packets = 16;
  const int64_t leaf_period_ns = leaf.period_ns;
  const auto endpoint = fabric.Open("host1-1");
  std::set<wire::IpAddress> spines;
  std::vector<Event> events;
  for (int i = 0; i < 10; ++i) {
    std::vector<Probe> probes(burst, ProbeTo(fabric.address("host2-1"), 2));
    for (uint32_t n = 0; n < burst; ++n) probes[n].id = n;
    EXPECT_TRUE(endpoint->Send(probes).ok());
    const int64_t next_burst_ns = endpoint->Now() + leaf_period_ns;
    while (endpoint->Now() < next_burst_ns) {
      EXPECT_TRUE(endpoint->Poll(next_burst_ns, events).ok());
    }
  }
  EXPECT_EQ(std::ranges::count(events, kHop, &Event::kind), 10 * burst);
  for (const Event& event : events) {
    if (event.kind == kHop) spines.insert(event.hop_address);
  }
  return spines;
}

TEST(SimulatedMode, AdaptivePlacementMovesAFlowUnderLoadOnly) {
  EXPECT_EQ(SpinesUnderLoad(4).size(), 1U);
  EXPECT_GT(SpinesUnderLoad(64).size(), 1U);
}

// One seed for all leaves the second tier nothing to choose: each spine sends all that it gets to
// one of its cores.
TEST(SimulatedMode, SwitchesThatHashAlikeUseAPartOfThePaths) {
  const auto path_count = [](bool polarised) {
    SimulatedFabric fabric(
        topology::ThreeTierOptions{
            .pods = 2, .leaves_per_pod = 1, .spines_per_pod = 2, .cores = 4, .hosts_per_leaf = 1},
        kMixed);
    if (polarised) fabric.Polarise();
    const auto endpoint = fabric.Open("host1-1");
    std::set<wire::IpAddress> cores;
    for (uint16_t port = 50000; port < 50060; ++port) {
      Probe probe = ProbeTo(fabric.address("host2-1"), 3);
      probe.udp_src_port = port;
      cores.insert(OutcomeOf(*endpoint, probe).hop_address);
    }
    return cores.size();
  };
  EXPECT_EQ(path_count(false), 4U);
  EXPECT_EQ(path_count(true), 2U);
}

}  // namespace
}  // namespace weft::probe
