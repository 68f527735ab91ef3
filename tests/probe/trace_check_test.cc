// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "probe/trace/check.h"
#include "tests/probe/simulated_fabric.h"

namespace weft::probe {
namespace {

using testing::HasSubstr;
using topology::Path;
using topology::PathState;
using topology::PathTable;
using enum topology::PathState;

// A fabric that was traced while it was healthy.
class TracedFabric {
 public:
  TracedFabric(uint32_t spines, const std::string& to, uint64_t seed = 1)
      : fabric(2, spines, 2, {.seed = seed}), endpoint(fabric.Open("host1-1")), to_(to) {
    table = TraceAgain();
  }

  PathTable TraceAgain() {
    const TraceDestination destination = fabric.Destination(to_);
    return (*Trace(*endpoint, {&destination, 1}, {}))[0].table;
  }
  CheckResult Check(const CheckOptions& options = {}) {
    const CheckInput input = {.table = table, .target = fabric.Destination(to_).target};
    const auto results = CheckPaths(*endpoint, {&input, 1}, options);
    EXPECT_TRUE(results.ok()) << results.status();
    return (*results)[0];
  }
  // By the spine that the path crosses.
  std::map<std::string, PathState> States(const PathTable& checked) const {
    std::map<std::string, PathState> states;
    for (const auto& [spine, hops] : true_paths_) {
      for (const Path& path : checked.paths) {
        if (AddressesOf(path) == hops) states[spine] = path.state;
      }
    }
    return states;
  }

  SimulatedFabric fabric;
  std::unique_ptr<Endpoint> endpoint;
  PathTable table;

 private:
  std::string to_;
  std::map<std::string, std::vector<wire::IpAddress>> true_paths_ =
      fabric.TruePaths("host1-1", to_);
};

struct CheckRow {
  std::string name;
  std::function<void(SimulatedFabric&)> fault;
  PathState spine2;  // the others are alive
};

class CheckFault : public testing::TestWithParam<CheckRow> {};

// A group that swallows packets silently is as it was: the table is not void.
TEST_P(CheckFault, NamesExactlyThePathsOfTheFault) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    TracedFabric traced(4, "host2-1", seed);
    GetParam().fault(traced.fabric);
    const CheckResult result = traced.Check({.seed = seed});
    EXPECT_EQ(result.table.void_reason, "");
    EXPECT_EQ(result.problem, "");
    auto states = traced.States(result.table);
    EXPECT_EQ(states, (std::map<std::string, PathState>{{"spine1", kAlive},
                                                        {"spine2", GetParam().spine2},
                                                        {"spine3", kAlive},
                                                        {"spine4", kAlive}}))
        << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Faults, CheckFault,
    testing::Values(
        CheckRow{"HealthyTwin", [](SimulatedFabric&) {}, kAlive},
        CheckRow{"SpineSwallowsAll",
                 [](SimulatedFabric& f) { f.network().fault(f.node("spine2")).dead = true; },
                 kDead},
        CheckRow{"UpwardOnly",
                 [](SimulatedFabric& f) {
                   f.network().fault(f.direction("leaf1", "spine2")).dead = true;
                 },
                 kDead},
        CheckRow{"DownwardOnly",
                 [](SimulatedFabric& f) {
                   f.network().fault(f.direction("spine2", "leaf2")).dead = true;
                 },
                 kDead},
        CheckRow{"WayBackOnly",
                 [](SimulatedFabric& f) {
                   f.network().fault(f.direction("spine2", "leaf1")).dead = true;
                 },
                 kAlive},
        CheckRow{"SilentSpine",
                 [](SimulatedFabric& f) { f.network().fault(f.node("spine2")).silent = true; },
                 kAlive}),
    [](const auto& row) { return row.param.name; });

TEST(Check, NamesALinkThatLosesThirtyPercentLossy) {
  TracedFabric traced(4, "host2-1");
  traced.fabric.network().fault(traced.fabric.direction("leaf1", "spine2")).loss_probability = 0.3;
  const auto states = traced.States(traced.Check({.rounds = 8}).table);
  EXPECT_EQ(states,
            (std::map<std::string, PathState>{
                {"spine1", kAlive}, {"spine2", kLossy}, {"spine3", kAlive}, {"spine4", kAlive}}));
}

TEST(Check, FivePercentLossMakesNoPathDeadOrVoid) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    TracedFabric traced(4, "host2-1", seed);
    traced.fabric.network().fault(traced.fabric.direction("leaf1", "spine2")).loss_probability =
        0.05;
    const CheckResult result = traced.Check({.seed = seed});
    EXPECT_EQ(result.table.void_reason, "");
    for (const auto& [spine, state] : traced.States(result.table)) {
      EXPECT_TRUE(state == kAlive || (state == kLossy && spine == "spine2")) << spine;
    }
  }
}

TEST(Check, ALoudFailureMakesTheTableVoidAndANewTraceRight) {
  TracedFabric traced(4, "host2-1");
  const std::vector<topology::LinkIndex> down = {traced.fabric.direction("leaf1", "spine2").link,
                                                 traced.fabric.direction("leaf2", "spine2").link};
  traced.fabric.network().SetLinksDown(down);
  const CheckResult result = traced.Check();
  EXPECT_THAT(result.table.void_reason, HasSubstr(" now crosses 10.128.0."));
  EXPECT_THAT(result.table.void_reason, HasSubstr(" where the table has 10.128.0."));
  EXPECT_THAT(result.table.void_reason, HasSubstr("the ECMP group has changed"));
  for (const Path& path : result.table.paths) EXPECT_EQ(path.state, kUnknown);

  traced.table = traced.TraceAgain();
  EXPECT_EQ(traced.table.paths.size(), 3U);
  for (const Path& path : traced.table.paths) {
    for (const uint16_t port : path.udp_src_ports) {
      const std::string spine = traced.fabric.SpineOf("host1-1", "host2-1", port);
      EXPECT_EQ(AddressesOf(path), traced.fabric.TruePaths("host1-1", "host2-1").at(spine));
    }
  }
  EXPECT_EQ(traced.Check().table.void_reason, "");
}

TEST(Check, ASilentDestinationSaysNothingAboutPaths) {
  TracedFabric traced(4, "host2-1");
  traced.fabric.network().host(traced.fabric.node("host2-1")) = HostBehaviour::kSilent;
  const CheckResult result = traced.Check();
  EXPECT_THAT(result.problem, HasSubstr("no answer at all"));
  for (const auto& [spine, state] : traced.States(result.table)) EXPECT_EQ(state, kUnknown);
}

TEST(Check, ASinglePathIsAliveOrUnknown) {
  TracedFabric traced(4, "host1-2");
  ASSERT_EQ(traced.table.paths.size(), 1U);
  EXPECT_EQ(traced.Check().table.paths[0].state, kAlive);
  traced.fabric.network().fault(traced.fabric.direction("host1-1", "leaf1")).dead = true;
  EXPECT_EQ(traced.Check().table.paths[0].state, kUnknown);
}

TEST(Check, ATableWithoutPathsSaysSo) {
  TracedFabric traced(4, "host2-1");
  traced.table.paths.clear();
  EXPECT_THAT(traced.Check().problem, HasSubstr("no paths"));
}

}  // namespace
}  // namespace weft::probe
