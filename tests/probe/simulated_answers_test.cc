// SPDX-License-Identifier: Apache-2.0
// What a switch of a simulated network answers with, and which source a probe leaves from.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "tests/probe/simulated_families.h"

namespace weft::probe {
namespace {

using enum EventKind;

// Switches with addresses on all interfaces and a loopback besides.
TEST(SimulatedAnswers, ComeFromTheLoopbackWhereItIsSet) {
  std::vector<topology::FabricRecord> records =
      topology::GenerateLeafSpine({.leaves = 2, .spines = 1, .hosts_per_leaf = 1})->ToRecords();
  const wire::IpAddress loopback = *wire::IpAddress::Parse("172.16.0.9");
  for (topology::FabricRecord& record : records) {
    auto* node = std::get_if<topology::Node>(&record);
    if (node != nullptr && node->name == "spine1") node->addresses = {loopback};
  }
  SimulatedFabric fabric(*topology::Fabric::FromRecords(records));
  const auto endpoint = fabric.Open("host1-1");
  const Probe probe = ProbeTo(fabric.address("host2-1"), 2);
  SwitchFault& spine = fabric.network().fault(fabric.node("spine1"));
  EXPECT_EQ(OutcomeOf(*endpoint, probe).hop_address, fabric.address("spine1", "leaf1"));
  spine.answers_from = AnswersFrom::kLoopback;
  EXPECT_EQ(OutcomeOf(*endpoint, probe).hop_address, loopback);
  spine.answers_from = AnswersFrom::kOutbound;
  EXPECT_EQ(OutcomeOf(*endpoint, probe).hop_address, fabric.address("spine1", "leaf1"));
}

// Two probes that are alike: only a quote that holds our payload tells which one is answered.
TEST(SimulatedAnswers, QuoteAsMuchAsTheSwitchIsSetTo) {
  for (const size_t quote_bytes : {wire::kIcmpShortestQuoteBytes, size_t{128}}) {
    SimulatedFabric fabric(2, 1, 1);
    fabric.network().fault(fabric.node("leaf1")).quote_bytes = quote_bytes;
    const auto endpoint = fabric.Open("host1-1");
    std::vector<Probe> probes(2, ProbeTo(fabric.address("host2-1"), 1));
    probes[1].id = 2;
    ASSERT_TRUE(endpoint->Send(probes).ok());
    std::vector<uint64_t> ids;
    while (ids.size() < 2) {
      std::vector<Event> events;
      ASSERT_TRUE(endpoint->Poll(kMillisecond, events).ok());
      for (const Event& event : events) {
        if (event.kind == kHop) ids.push_back(event.probe_id);
      }
    }
    EXPECT_EQ(ids == (std::vector<uint64_t>{1, 2}), quote_bytes == 128);
  }
}

// IDs of 20 answers of spine1, alternately by its interface towards leaf1 and towards leaf2.
std::vector<uint16_t> IpIds(const SwitchFault& fault) {
  SimulatedFabric fabric(2, 1, 1);
  fabric.network().fault(fabric.node("spine1")) = fault;
  const auto one = fabric.Open("host1-1");
  const auto other = fabric.Open("host2-1");
  std::vector<uint16_t> ids;
  for (int i = 0; i < 10; ++i) {
    ids.push_back(OutcomeOf(*one, ProbeTo(fabric.address("host2-1"), 2)).answer_ip_id.value());
    ids.push_back(OutcomeOf(*other, ProbeTo(fabric.address("host1-1"), 2)).answer_ip_id.value());
  }
  return ids;
}

TEST(SimulatedIpId, OneCounterServesAllInterfaces) {
  const std::vector<uint16_t> ids = IpIds({});
  for (size_t i = 1; i < ids.size(); ++i) {
    const auto step = static_cast<uint16_t>(ids[i] - ids[i - 1]);
    EXPECT_GE(step, 1);
    EXPECT_LE(step, 2);  // 100 others a second
  }
}

TEST(SimulatedIpId, OtherTrafficMovesTheCounter) {
  const std::vector<uint16_t> ids = IpIds({.ip_id_per_second = 1e6});
  const auto moved = static_cast<uint16_t>(ids.back() - ids.front());
  EXPECT_GT(moved, 19 + 19 * 3);  // an answer takes 4 us
}

TEST(SimulatedIpId, ZeroStaysZero) {
  EXPECT_THAT(IpIds({.ip_id = IpIdMode::kZero}), testing::Each(0));
}

TEST(SimulatedIpId, RandomOnesDoNotCount) {
  const std::vector<uint16_t> ids = IpIds({.ip_id = IpIdMode::kRandom});
  EXPECT_FALSE(std::ranges::is_sorted(ids));
  EXPECT_GT(std::set(ids.begin(), ids.end()).size(), 15U);
}

// A host with two NICs, each plugged into a leaf of its own, and one plain host.
topology::Fabric TwoNics() {
  topology::Fabric fabric = *topology::GenerateLeafSpine({.leaves = 3, .spines = 1});
  const auto host = *fabric.AddNode({.name = "rails",
                                     .kind = topology::NodeKind::kHost,
                                     .tier = std::nullopt,
                                     .interfaces = {{"eth0", *wire::IpAddress::Parse("10.9.0.1")},
                                                    {"eth1", *wire::IpAddress::Parse("10.9.0.3")}},
                                     .addresses = {*wire::IpAddress::Parse("10.9.0.9")}});
  EXPECT_EQ(fabric.node(host).name, "rails");
  for (const int i : {0, 1}) {
    const std::string leaf = "leaf" + std::to_string(i + 1);
    const auto address = *wire::IpAddress::Parse("10.9.0." + std::to_string(2 * i));
    EXPECT_TRUE(fabric.AddInterface(*fabric.FindNode(leaf), {"rails", address}).ok());
    EXPECT_TRUE(fabric.AddLink({{leaf, "rails"}, {"rails", "eth" + std::to_string(i)}, {}}).ok());
  }
  return fabric;
}

TEST(SimulatedSource, AProbeLeavesByTheInterfaceThatHasItsSource) {
  SimulatedFabric fabric(TwoNics());
  const auto endpoint = *fabric.network().OpenEndpoint(*wire::IpAddress::Parse("10.9.0.1"));
  for (const int i : {0, 1}) {
    Probe probe = ProbeTo(fabric.address("host3-1"), 1);
    probe.source = *wire::IpAddress::Parse("10.9.0." + std::to_string(2 * i + 1));
    const Event hop = OutcomeOf(*endpoint, probe);
    EXPECT_EQ(hop.hop_address, fabric.address("leaf" + std::to_string(i + 1), "rails"));
    probe.ttl = 64;
    EXPECT_EQ(OutcomeOf(*endpoint, probe).kind, kReply);
  }
  Probe probe = ProbeTo(fabric.address("host3-1"));
  probe.source = *wire::IpAddress::Parse("10.9.0.9");  // the host's, of no interface
  EXPECT_EQ(OutcomeOf(*endpoint, probe).kind, kReply);
}

TEST(SimulatedSource, IsOneOfTheHostsAndOfNoOtherEndpoint) {
  SimulatedFabric fabric(TwoNics());
  const auto first = *wire::IpAddress::Parse("10.9.0.1");
  const auto second = *wire::IpAddress::Parse("10.9.0.3");
  const auto one = *fabric.network().OpenEndpoint(first);
  Probe probe = ProbeTo(fabric.address("host3-1"));
  probe.source = fabric.address("host1-1");
  EXPECT_TRUE(absl::IsInvalidArgument(one->Send({&probe, 1})));
  probe.source = second;
  {
    const auto other = *fabric.network().OpenEndpoint(second);
    EXPECT_TRUE(absl::IsInvalidArgument(one->Send({&probe, 1})));
  }
  EXPECT_TRUE(one->Send({&probe, 1}).ok());
  EXPECT_TRUE(absl::IsAlreadyExists(fabric.network().OpenEndpoint(second).status()));
}

// Two probes that differ in their source only, both asked at once, with quotes of 28 bytes.
TEST(SimulatedSource, TellsTheAnswersOfTwoProbesApart) {
  SimulatedFabric fabric(TwoNics());
  const auto endpoint = *fabric.network().OpenEndpoint(*wire::IpAddress::Parse("10.9.0.1"));
  std::vector<Probe> probes(2, ProbeTo(fabric.address("host3-1"), 1));
  for (const size_t i : {0U, 1U}) {
    probes[i].id = i + 1;
    probes[i].source = *wire::IpAddress::Parse("10.9.0." + std::to_string(2 * i + 1));
  }
  ASSERT_TRUE(endpoint->Send(probes).ok());
  std::map<uint64_t, wire::IpAddress> hops;
  while (hops.size() < 2) {
    std::vector<Event> events;
    ASSERT_TRUE(endpoint->Poll(kMillisecond, events).ok());
    for (const Event& event : events) {
      if (event.kind != kSent) hops[event.probe_id] = event.hop_address;
    }
  }
  EXPECT_EQ(hops[1], fabric.address("leaf1", "rails"));
  EXPECT_EQ(hops[2], fabric.address("leaf2", "rails"));
}

}  // namespace
}  // namespace weft::probe
