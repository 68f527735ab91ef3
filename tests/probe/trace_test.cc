// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/probe/trace_one.h"

namespace weft::probe {
namespace {

using testing::HasSubstr;
using topology::Path;
using topology::PathState;
using topology::PathTable;

class TraceWidth : public testing::TestWithParam<uint32_t> {};

TEST_P(TraceWidth, FindsEveryPathAndOnlyMeasuredPorts) {
  SimulatedFabric fabric(2, GetParam(), 1, {.seed = GetParam()});
  const TraceResult result = TraceOne(fabric);
  EXPECT_EQ(result.problem, "");
  EXPECT_TRUE(result.reached);
  EXPECT_EQ(result.table.paths.size(), GetParam());
  EXPECT_FALSE(StatesBySpine(fabric, result.table).contains("?"));
  for (const auto& [spine, state] : StatesBySpine(fabric, result.table)) {
    EXPECT_EQ(state, PathState::kAlive) << spine;
  }
  EXPECT_EQ(result.table.confidence, 0.99);
  ExpectPortsLeadWhereTheTableSays(fabric, result.table);
}

INSTANTIATE_TEST_SUITE_P(Spines, TraceWidth, testing::Values(1, 2, 3, 4, 5, 8, 16, 32));

TEST(Trace, SaysWhoMeasuredWhat) {
  SimulatedFabric fabric(2, 2, 1);
  const PathTable table =
      TraceOne(fabric, {.source_name = "host1-1", .measured_at = "2024-05-01T12:00:00Z"}).table;
  EXPECT_EQ(table.source, "host1-1");
  EXPECT_EQ(table.source_address, fabric.address("host1-1"));
  EXPECT_EQ(table.destination, "host2-1");
  EXPECT_EQ(table.destination_address, fabric.address("host2-1"));
  EXPECT_EQ(table.measured_at, "2024-05-01T12:00:00Z");
  EXPECT_EQ(table.headers,
            (topology::ProbeHeaders{
                .udp_dst_port = 4791, .bth_opcode = 0x64, .dest_qpn = 0x12, .traffic_class = 0}));
}

TEST(Trace, ThePairUnderOneLeafHasOnePath) {
  SimulatedFabric fabric(2, 4, 2);
  const auto endpoint = fabric.Open("host1-1");
  const TraceDestination neighbour = fabric.Destination("host1-2");
  const auto results = *Trace(*endpoint, {&neighbour, 1}, {});
  ASSERT_EQ(results[0].table.paths.size(), 1U);
  const auto leaf = fabric.TruePaths("host1-1", "host1-2").at("leaf");
  EXPECT_EQ(AddressesOf(results[0].table.paths[0]), leaf);
  EXPECT_EQ(results[0].table.paths[0].state, PathState::kAlive);
  EXPECT_EQ(results[0].table.probes_sent, results[0].table.probes_asked);
}

TEST(Trace, QuotesOfAnyLengthGiveTheSameTable) {
  SimulatedFabric brief(2, 4, 1, {.seed = 5, .icmp_quote_bytes = wire::kIcmpShortestQuoteBytes});
  SimulatedFabric whole(2, 4, 1, {.seed = 5, .icmp_quote_bytes = wire::kIcmpLongestQuoteBytes});
  EXPECT_EQ(TraceOne(brief).table, TraceOne(whole).table);
}

TEST(Trace, IsTheSameForTheSameSeedAndAnotherForAnother) {
  const auto table = [](uint64_t seed) {
    SimulatedFabric fabric(2, 4, 1, {.seed = 5});
    fabric.network().fault(fabric.direction("leaf1", "spine2")).loss_probability = 0.1;
    return TraceOne(fabric, {.seed = seed}).table;
  };
  EXPECT_EQ(table(1), table(1));
  EXPECT_NE(table(1), table(2));
}

TEST(Trace, WantedPortsEndUpInTheTableAndAvoidedOnesDoNot) {
  SimulatedFabric fabric(2, 4, 1);
  std::vector<uint16_t> wanted;
  std::vector<uint16_t> avoided;
  for (uint16_t i = 0; i < 100; ++i) wanted.push_back(static_cast<uint16_t>(49152 + i * 31));
  for (uint32_t port = 52300; port <= 60000; ++port) avoided.push_back(static_cast<uint16_t>(port));
  wanted.push_back(1234);  // outside RoCEv2's range is allowed too
  const TraceResult result = TraceOne(fabric, {.avoid_ports = avoided}, wanted);
  std::vector<uint16_t> ports;
  for (const Path& path : result.table.paths) {
    ports.insert(ports.end(), path.udp_src_ports.begin(), path.udp_src_ports.end());
  }
  for (const uint16_t port : wanted) EXPECT_THAT(ports, testing::Contains(port));
  EXPECT_TRUE(result.unplaced_ports.empty());
  const auto used_avoided =
      std::ranges::count_if(ports, [](uint16_t port) { return port >= 52300 && port <= 60000; });
  EXPECT_EQ(used_avoided, 0);
  ExpectPortsLeadWhereTheTableSays(fabric, result.table);
}

TEST(Trace, FindsAsManyPortsPerPathAsAsked) {
  SimulatedFabric fabric(2, 4, 1);
  const TraceResult result = TraceOne(fabric, {.ports_per_path = 40});
  ASSERT_EQ(result.table.paths.size(), 4U);
  for (const Path& path : result.table.paths) EXPECT_GE(path.udp_src_ports.size(), 40U);
  ExpectPortsLeadWhereTheTableSays(fabric, result.table);
}

// alpha is divided by the vertices of all destinations, so each pair is asked for more.
TEST(Trace, TheConfidenceIsForAllDestinationsTogether) {
  SimulatedFabric alone_fabric(4, 4, 2);
  const uint32_t asked_alone = TraceOne(alone_fabric).table.probes_asked;

  SimulatedFabric fabric(4, 4, 2);
  const auto endpoint = fabric.Open("host1-1");
  std::vector<TraceDestination> destinations;
  for (const std::string host :
       {"host1-2", "host2-1", "host2-2", "host3-1", "host3-2", "host4-1", "host4-2"}) {
    destinations.push_back(fabric.Destination(host));
  }
  const auto results = *Trace(*endpoint, destinations, {});
  for (size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i].table.destination, destinations[i].name);
    EXPECT_EQ(results[i].table.paths.size(), i == 0 ? 1U : 4U);
    EXPECT_EQ(results[i].problem, "");
    EXPECT_LE(results[i].table.probes_sent, results[i].table.probes_asked * 5 / 4);
  }
  EXPECT_GT(results[1].table.probes_asked, asked_alone);
}

// Another program holds some source ports.
class SomePortsTaken final : public Endpoint {
 public:
  SomePortsTaken(Endpoint* endpoint, std::function<bool(uint16_t)> taken)
      : endpoint_(endpoint), taken_(std::move(taken)) {}
  int64_t Now() const override { return endpoint_->Now(); }
  wire::IpAddress LocalAddress(const wire::IpAddress& destination) const override {
    return endpoint_->LocalAddress(destination);
  }
  absl::Status Send(std::span<const Probe> probes) override {
    for (const Probe& probe : probes) {
      if (taken_(probe.udp_src_port)) {
        return absl::AlreadyExistsError(
            absl::StrCat("port ", int{probe.udp_src_port}, " is taken"));
      }
    }
    return endpoint_->Send(probes);
  }
  absl::Status Poll(int64_t deadline_ns, std::vector<Event>& events) override {
    return endpoint_->Poll(deadline_ns, events);
  }
  size_t capacity() const override { return endpoint_->capacity(); }

 private:
  Endpoint* endpoint_;
  std::function<bool(uint16_t)> taken_;
};

TEST(Trace, GoesAroundSourcePortsThatOtherProgramsHold) {
  SimulatedFabric fabric(2, 4, 1);
  const auto endpoint = fabric.Open("host1-1");
  SomePortsTaken some_taken(endpoint.get(), [](uint16_t port) { return port % 3 == 0; });
  TraceDestination destination = fabric.Destination("host2-1");
  destination.wanted_ports = {49152, 49153, 49154};  // the first is a multiple of three
  const auto results = *Trace(some_taken, {&destination, 1}, {});
  EXPECT_EQ(results[0].table.paths.size(), 4U);
  EXPECT_EQ(results[0].unplaced_ports, std::vector<uint16_t>{49152});
  EXPECT_EQ(results[0].problem, "port 49152 is taken");
  EXPECT_EQ(results[0].table.confidence, 0.99);
  ExpectPortsLeadWhereTheTableSays(fabric, results[0].table);
}

TEST(Trace, AnEarlyStopSaysSoAndClaimsNoConfidence) {
  SimulatedFabric fabric(2, 4, 1);
  uint32_t looks = 0;
  const TraceResult result = TraceOne(fabric, {.stop = [&looks] { return ++looks > 20; }});
  EXPECT_THAT(result.problem, HasSubstr("interrupted"));
  EXPECT_EQ(result.table.confidence, 0);
}

}  // namespace
}  // namespace weft::probe
