// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "probe/trace/tracer.h"
#include "tests/probe/simulated_fabric.h"

namespace weft::probe {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;
using topology::Path;
using topology::PathState;
using topology::PathTable;

constexpr int64_t kMillisecond = 1'000'000;

TraceResult TraceOne(SimulatedFabric& fabric, const TraceOptions& options = {},
                     const std::vector<uint16_t>& wanted_ports = {}) {
  const auto endpoint = fabric.Open("host1-1");
  TraceDestination destination = fabric.Destination("host2-1");
  destination.wanted_ports = wanted_ports;
  const auto results = Trace(*endpoint, {&destination, 1}, options);
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? (*results)[0] : TraceResult();
}

// State by the spine that a path crosses; a path that shows no spine of the fabric by "?".
std::map<std::string, PathState> StatesBySpine(const SimulatedFabric& fabric,
                                               const PathTable& table) {
  std::map<std::string, PathState> states;
  const auto all = fabric.TruePaths("host1-1", "host2-1");
  for (const Path& path : table.paths) {
    std::string via = "?";
    for (const auto& [spine, hops] : all) {
      if (AddressesOf(path) == hops) via = spine;
    }
    EXPECT_FALSE(states.contains(via)) << via << " has two paths";
    states[via] = path.state;
  }
  return states;
}

// Every port of the table, on paths that are seen to the end, goes where the table says.
void ExpectPortsLeadWhereTheTableSays(const SimulatedFabric& fabric, const PathTable& table) {
  const auto all = fabric.TruePaths("host1-1", "host2-1");
  for (const Path& path : table.paths) {
    for (const uint16_t port : path.udp_src_ports) {
      const auto& hops = all.at(fabric.SpineOf("host1-1", "host2-1", port));
      ASSERT_EQ(path.hops.size(), hops.size());
      for (size_t i = 0; i < hops.size(); ++i) {
        if (!path.hops[i].address.empty()) {
          EXPECT_EQ(path.hops[i].address, hops[i]) << "port " << port;
        }
      }
    }
  }
}

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

struct DeadRow {
  std::string name;
  std::function<void(SimulatedFabric&)> fault;
  PathState spine2;  // the others are alive
};

class TraceDead : public testing::TestWithParam<DeadRow> {};

// The dead spine's path cannot be seen to its end when it is traced for the first time; that ports
// lead there at all is known from the leaf, and their state is the forward way's alone.
TEST_P(TraceDead, ThePathOfTheFaultAloneIsNamed) {
  SimulatedFabric fabric(2, 4, 1, {.seed = 3});
  GetParam().fault(fabric);
  const TraceResult result = TraceOne(fabric);
  auto states = StatesBySpine(fabric, result.table);
  const bool seen_to_its_end = states.contains("spine2");
  EXPECT_EQ(states[seen_to_its_end ? "spine2" : "?"], GetParam().spine2);
  EXPECT_EQ(states.size(), 4U);
  for (const std::string spine : {"spine1", "spine3", "spine4"}) {
    EXPECT_EQ(states[spine], PathState::kAlive) << spine;
  }
  for (const Path& path : result.table.paths) {
    for (const uint16_t port : path.udp_src_ports) {
      if (path.state != PathState::kDead) continue;
      EXPECT_EQ(fabric.SpineOf("host1-1", "host2-1", port), "spine2");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Directions, TraceDead,
    testing::Values(DeadRow{"HealthyTwin", [](SimulatedFabric&) {}, PathState::kAlive},
                    DeadRow{
                        "SpineSwallowsAll",
                        [](SimulatedFabric& f) { f.network().fault(f.node("spine2")).dead = true; },
                        PathState::kDead},
                    DeadRow{"UpwardOnly",
                            [](SimulatedFabric& f) {
                              f.network().fault(f.direction("leaf1", "spine2")).dead = true;
                            },
                            PathState::kDead},
                    DeadRow{"DownwardOnly",
                            [](SimulatedFabric& f) {
                              f.network().fault(f.direction("spine2", "leaf2")).dead = true;
                            },
                            PathState::kDead},
                    DeadRow{"WayBackOnly",
                            [](SimulatedFabric& f) {
                              f.network().fault(f.direction("leaf2", "spine2")).dead = true;
                            },
                            PathState::kAlive}),
    [](const auto& row) { return row.param.name; });

TEST(Trace, FivePercentLossOnALinkMakesNoPathDeadAndNoneUp) {
  for (uint64_t seed = 1; seed <= 25; ++seed) {
    SimulatedFabric fabric(2, 4, 1, {.seed = seed});
    fabric.network().fault(fabric.direction("leaf1", "spine2")).loss_probability = 0.05;
    fabric.network().fault(fabric.direction("spine3", "leaf1")).loss_probability = 0.05;
    const TraceResult result = TraceOne(fabric, {.seed = seed});
    EXPECT_EQ(result.table.paths.size(), 4U) << "seed " << seed;
    for (const auto& [spine, state] : StatesBySpine(fabric, result.table)) {
      EXPECT_NE(spine, "?") << "seed " << seed;
      EXPECT_TRUE(state == PathState::kAlive || state == PathState::kLossy) << spine;
    }
    ExpectPortsLeadWhereTheTableSays(fabric, result.table);
  }
}

TEST(Trace, ASilentSwitchIsSilentAndItsPathAlive) {
  SimulatedFabric fabric(2, 4, 1);
  fabric.network().fault(fabric.node("spine2")).silent = true;
  const TraceResult result = TraceOne(fabric);
  ASSERT_EQ(result.table.paths.size(), 4U);
  uint32_t silent_count = 0;
  for (const Path& path : result.table.paths) {
    EXPECT_EQ(path.state, PathState::kAlive);
    EXPECT_TRUE(path.reaches_destination);
    ASSERT_EQ(path.hops.size(), 3U);
    EXPECT_FALSE(path.hops[0].address.empty());
    EXPECT_FALSE(path.hops[2].address.empty());
    if (path.hops[1].address.empty()) ++silent_count;
  }
  EXPECT_EQ(silent_count, 1U);
  ExpectPortsLeadWhereTheTableSays(fabric, result.table);
}

TEST(Trace, TwoSilentSwitchesAreNotTakenForOne) {
  SimulatedFabric fabric(2, 4, 1);
  fabric.network().fault(fabric.node("spine2")).silent = true;
  fabric.network().fault(fabric.node("spine3")).silent = true;
  const TraceResult result = TraceOne(fabric);
  EXPECT_EQ(result.table.paths.size(), 4U);
  ExpectPortsLeadWhereTheTableSays(fabric, result.table);
}

TEST(Trace, IcmpLimitsCostTimeAndNotPaths) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    SimulatedFabric fabric(2, 4, 1, {.seed = seed});
    for (const std::string name : {"leaf1", "leaf2", "spine1", "spine2", "spine3", "spine4"}) {
      fabric.network().fault(fabric.node(name)) = {.icmp_per_second = 100, .icmp_burst = 6};
    }
    const TraceResult result = TraceOne(fabric, {.seed = seed});
    EXPECT_EQ(result.table.paths.size(), 4U) << "seed " << seed;
    EXPECT_FALSE(StatesBySpine(fabric, result.table).contains("?")) << "seed " << seed;
    ExpectPortsLeadWhereTheTableSays(fabric, result.table);
  }
}

// Some answers come after their timeout and after the next question on the same port.
TEST(Trace, LateAnswersAreNotTakenForOthers) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    SimulatedFabric fabric(2, 4, 1, {.seed = seed});
    for (const std::string spine : {"spine1", "spine2", "spine3", "spine4"}) {
      fabric.network().fault(fabric.direction(spine, "leaf1")).jitter_ns = 60 * kMillisecond;
    }
    const TraceResult result = TraceOne(fabric, {.timeout_ns = 40 * kMillisecond, .seed = seed});
    EXPECT_EQ(result.table.paths.size(), 4U) << "seed " << seed;
    for (const Path& path : result.table.paths) EXPECT_NE(path.state, PathState::kDead);
    ExpectPortsLeadWhereTheTableSays(fabric, result.table);
  }
}

// Hosts limit their ICMP errors, so most probes to a closed port are not answered.
TEST(Trace, AHostThatSaysOnlySometimesThatNobodyListensHasNoMorePaths) {
  SimulatedFabric fabric(2, 4, 1);
  fabric.network().host(fabric.node("host2-1")) = HostBehaviour::kUnreachable;
  fabric.network().fault(fabric.node("host2-1")) = {.icmp_per_second = 3, .icmp_burst = 6};
  const TraceResult result = TraceOne(fabric);
  EXPECT_THAT(result.problem, HasSubstr("no responder listens there"));
  EXPECT_EQ(result.table.paths.size(), 4U);
  ExpectPortsLeadWhereTheTableSays(fabric, result.table);
}

struct NoAnswerRow {
  std::string name;
  std::function<void(SimulatedFabric&)> fault;
  bool reached;
  std::string problem;
  size_t known_hops;  // of the longest path
};

class TraceNoAnswer : public testing::TestWithParam<NoAnswerRow> {};

TEST_P(TraceNoAnswer, SaysSoAndKeepsWhatWasFound) {
  SimulatedFabric fabric(2, 2, 1);
  GetParam().fault(fabric);
  const TraceResult result = TraceOne(fabric);
  EXPECT_EQ(result.reached, GetParam().reached);
  EXPECT_THAT(result.problem, HasSubstr(GetParam().problem));
  size_t known_hops = 0;
  for (const Path& path : result.table.paths) {
    known_hops = std::max(known_hops, path.hops.size());
    EXPECT_EQ(path.reaches_destination, GetParam().reached);
    EXPECT_NE(path.state, PathState::kDead);  // nothing says which way failed
  }
  EXPECT_EQ(known_hops, GetParam().known_hops);
}

INSTANTIATE_TEST_SUITE_P(
    Destinations, TraceNoAnswer,
    testing::Values(NoAnswerRow{"SilentHost",
                                [](SimulatedFabric& f) {
                                  f.network().host(f.node("host2-1")) = HostBehaviour::kSilent;
                                },
                                false, "no answer; the last hop that answered is 10.128.0.", 3},
                    NoAnswerRow{"NoResponder",
                                [](SimulatedFabric& f) {
                                  f.network().host(f.node("host2-1")) = HostBehaviour::kUnreachable;
                                },
                                true, "no responder listens there", 3},
                    NoAnswerRow{
                        "NothingAnswers",
                        [](SimulatedFabric& f) { f.network().fault(f.node("leaf1")).dead = true; },
                        false, "no answer, nor from any hop", 0},
                    NoAnswerRow{"NoWay",
                                [](SimulatedFabric& f) {
                                  const std::vector<topology::LinkIndex> links = {
                                      f.direction("leaf1", "spine1").link,
                                      f.direction("leaf1", "spine2").link};
                                  f.network().SetLinksDown(links);
                                },
                                false, "10.0.0.3: 10.0.0.0 says that it is unreachable", 1}),
    [](const auto& row) { return row.param.name; });

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
