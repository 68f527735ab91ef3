// SPDX-License-Identifier: Apache-2.0
// Traces past switches, links and hosts that fail, limit themselves, or are late.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "tests/probe/trace_one.h"

namespace weft::probe {
namespace {

using testing::HasSubstr;
using topology::Path;
using topology::PathState;

constexpr int64_t kMillisecond = 1'000'000;

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

struct BlackSpineRun {
  double seconds = 0;
  double sent_per_asked = 0;
  size_t dead_count = 0;
  size_t wrong_count = 0;  // paths whose state is another one than it should be
};

// From one host to the 15 others under four leaves; `dead`: spine2 swallows all, from the start.
BlackSpineRun TraceToAll(bool dead, uint64_t seed) {
  SimulatedFabric fabric(4, 4, 4, {.seed = seed});
  if (dead) fabric.network().fault(fabric.node("spine2")).dead = true;
  const auto endpoint = fabric.Open("host1-1");
  std::vector<TraceDestination> destinations;
  for (const topology::Node& node : fabric.fabric().nodes()) {
    const bool is_other = node.kind == topology::NodeKind::kHost && node.name != "host1-1";
    if (is_other) destinations.push_back(fabric.Destination(node.name));
  }
  const auto results = Trace(*endpoint, destinations, {.seed = seed});
  EXPECT_TRUE(results.ok()) << results.status();
  BlackSpineRun run;
  double sent = 0;
  double asked = 0;
  for (const TraceResult& result : *results) {
    sent += result.table.probes_sent;
    asked += result.table.probes_asked;
    for (const Path& path : result.table.paths) {
      if (path.state == PathState::kDead) ++run.dead_count;
      for (const uint16_t port : path.udp_src_ports) {
        const bool crosses = fabric.SpineOf("host1-1", result.table.destination, port) == "spine2";
        const PathState wanted = dead && crosses ? PathState::kDead : PathState::kAlive;
        if (path.state != wanted) ++run.wrong_count;
      }
    }
  }
  run.seconds = static_cast<double>(fabric.network().now_ns()) * 1e-9;
  run.sent_per_asked = sent / asked;
  return run;
}

TEST(BlackSpine, AtTheFirstTraceIsFoundByEveryPair) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const BlackSpineRun healthy = TraceToAll(false, seed);
    const BlackSpineRun black = TraceToAll(true, seed);
    std::printf("15 destinations: healthy %.1f s, %.2f x MDA; a black spine %.1f s, %.2f x MDA\n",
                healthy.seconds, healthy.sent_per_asked, black.seconds, black.sent_per_asked);
    EXPECT_EQ(healthy.dead_count, 0U);
    EXPECT_EQ(healthy.wrong_count, 0U);
    EXPECT_EQ(black.dead_count, 12U);  // of the pairs that do not share leaf1
    EXPECT_EQ(black.wrong_count, 0U);
    EXPECT_LT(black.sent_per_asked, 2.5);
  }
}

}  // namespace
}  // namespace weft::probe
