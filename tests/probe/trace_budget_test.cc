// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "probe/trace/icmp_budget.h"
#include "tests/probe/simulated_fabric.h"

namespace weft::probe {
namespace {

using topology::Path;
using topology::PathTable;

constexpr int64_t kSecond = 1'000'000'000;

// When switches answered, by node.
using AnswerTimes = std::map<topology::NodeIndex, std::vector<int64_t>>;

// Notes every probe whose TTL ended in a switch that said so.
class CountingEndpoint final : public Endpoint {
 public:
  CountingEndpoint(std::unique_ptr<Endpoint> endpoint, const topology::Fabric* fabric,
                   AnswerTimes* times)
      : endpoint_(std::move(endpoint)), fabric_(fabric), times_(times) {}
  int64_t Now() const override { return endpoint_->Now(); }
  wire::IpAddress LocalAddress(const wire::IpAddress& destination) const override {
    return endpoint_->LocalAddress(destination);
  }
  absl::Status Send(std::span<const Probe> probes) override { return endpoint_->Send(probes); }
  absl::Status Poll(int64_t deadline_ns, std::vector<Event>& events) override {
    const size_t before = events.size();
    const absl::Status status = endpoint_->Poll(deadline_ns, events);
    for (size_t i = before; i < events.size(); ++i) {
      if (events[i].kind != EventKind::kHop) continue;
      (*times_)[*fabric_->FindAddress(events[i].hop_address)].push_back(events[i].time_ns);
    }
    return status;
  }
  size_t capacity() const override { return endpoint_->capacity(); }

 private:
  std::unique_ptr<Endpoint> endpoint_;
  const topology::Fabric* fabric_;
  AnswerTimes* times_;
};

// The most in any second.
size_t MostInASecond(std::vector<int64_t> times) {
  std::ranges::sort(times);
  size_t most = 0;
  for (size_t begin = 0, end = 0; end < times.size(); ++end) {
    while (times[end] - times[begin] >= kSecond) ++begin;
    most = std::max(most, end - begin + 1);
  }
  return most;
}

struct BudgetRow {
  std::string name;
  double per_second;
};

class BudgetOfAll : public testing::TestWithParam<BudgetRow> {};

// Every host traces to some others at once, and no switch is asked more often than it may be.
TEST_P(BudgetOfAll, IsNeverExceededAtAnySwitch) {
  SimulatedFabric fabric(4, 4, 4, {.seed = 5});
  std::vector<std::unique_ptr<Endpoint>> endpoints;
  AnswerTimes times;
  std::vector<TraceJob> jobs;
  for (uint32_t leaf = 1; leaf <= 4; ++leaf) {
    for (uint32_t host = 1; host <= 4; ++host) {
      const std::string name = absl::StrCat("host", leaf, "-", host);
      endpoints.push_back(
          std::make_unique<CountingEndpoint>(fabric.Open(name), &fabric.fabric(), &times));
      TraceJob job = {.endpoint = endpoints.back().get(), .destinations = {}, .source_name = name};
      for (uint32_t other = 1; other <= 4; ++other) {
        const std::string to = absl::StrCat("host", other, "-", 1 + (host + leaf) % 4);
        if (to != name) job.destinations.push_back(fabric.Destination(to));
      }
      jobs.push_back(std::move(job));
    }
  }
  const auto results = TraceAll(jobs, {.icmp_per_second = GetParam().per_second});
  ASSERT_TRUE(results.ok()) << results.status();
  for (size_t job = 0; job < jobs.size(); ++job) {
    ASSERT_EQ((*results)[job].size(), jobs[job].destinations.size());
    for (const TraceResult& result : (*results)[job]) {
      const bool same_leaf = result.table.source[4] == result.table.destination[4];
      EXPECT_EQ(result.table.paths.size(), same_leaf ? 1U : 4U);
      EXPECT_EQ(result.problem, "");
      EXPECT_THAT(result.table.findings, testing::IsEmpty());
    }
  }
  size_t most = 0;
  size_t count = 0;
  for (const auto& [node, answers] : times) {
    most = std::max(most, MostInASecond(answers));
    count += answers.size();
  }
  std::printf("%zu answers of 8 switches in %.1f s, at most %zu of one switch in a second\n", count,
              static_cast<double>(fabric.network().now_ns()) * 1e-9, most);
  EXPECT_EQ(times.size(), 8U);
  EXPECT_LE(static_cast<double>(most), GetParam().per_second);
}

INSTANTIATE_TEST_SUITE_P(Rates, BudgetOfAll,
                         testing::Values(BudgetRow{"Ten", 10}, BudgetRow{"Fifty", 50},
                                         BudgetRow{"TwoHundred", 200}),
                         [](const auto& row) { return row.param.name; });

// Every host traces to some others at once: `jobs` x `destinations` of them, from a seed-free
// pattern. Answers of each switch go to `times`.
std::vector<std::vector<TraceResult>> TraceFromAllHosts(SimulatedFabric& fabric, double per_second,
                                                        AnswerTimes& times) {
  std::vector<std::string> hosts;
  for (const topology::Node& node : fabric.fabric().nodes()) {
    if (node.kind == topology::NodeKind::kHost) hosts.push_back(node.name);
  }
  std::vector<std::unique_ptr<Endpoint>> endpoints;
  std::vector<TraceJob> jobs;
  for (size_t host = 0; host < hosts.size(); ++host) {
    endpoints.push_back(
        std::make_unique<CountingEndpoint>(fabric.Open(hosts[host]), &fabric.fabric(), &times));
    TraceJob job = {
        .endpoint = endpoints.back().get(), .destinations = {}, .source_name = hosts[host]};
    for (const size_t distance : {size_t{1}, hosts.size() / 4 + 1, hosts.size() / 2}) {
      job.destinations.push_back(fabric.Destination(hosts[(host + distance) % hosts.size()]));
    }
    jobs.push_back(std::move(job));
  }
  const auto results = TraceAll(jobs, {.icmp_per_second = per_second});
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? *results : std::vector<std::vector<TraceResult>>();
}

struct BudgetFabricRow {
  std::string name;
  double per_second;
  topology::ThreeTierOptions fabric{};
};

class BudgetOfFabric : public testing::TestWithParam<BudgetFabricRow> {};

// No switch is asked more often than it may be, whatever it answers with.
TEST_P(BudgetOfFabric, IsNeverExceededAtAnySwitch) {
  SimulatedFabric fabric(GetParam().fabric,
                         {.seed = 5, .hash_function = topology::HashModel::Function::kMixed});
  AnswerTimes times;
  const auto results = TraceFromAllHosts(fabric, GetParam().per_second, times);
  for (const std::vector<TraceResult>& job : results) {
    ASSERT_EQ(job.size(), 3U);
    for (const TraceResult& result : job) {
      EXPECT_TRUE(result.reached);
      EXPECT_EQ(result.problem, "");
      EXPECT_THAT(result.table.findings, testing::IsEmpty());
    }
  }
  size_t most = 0;
  size_t count = 0;
  for (const auto& [node, answers] : times) {
    most = std::max(most, MostInASecond(answers));
    count += answers.size();
  }
  std::printf("%zu answers of %zu switches in %.1f s, at most %zu of one switch in a second\n",
              count, times.size(), static_cast<double>(fabric.network().now_ns()) * 1e-9, most);
  EXPECT_EQ(times.size(), fabric.Switches().size());
  EXPECT_LE(static_cast<double>(most), GetParam().per_second);
}

constexpr topology::Addressing kUnnumbered = {.unnumbered = true};
constexpr topology::Addressing kIpv6Unnumbered = {.ipv6 = true, .unnumbered = true};

INSTANTIATE_TEST_SUITE_P(
    All, BudgetOfFabric,
    testing::Values(
        BudgetFabricRow{"Numbered", 50},
        BudgetFabricRow{"Unnumbered", 50, {.addressing = kUnnumbered}},
        BudgetFabricRow{"UnnumberedTen", 10, {.addressing = kUnnumbered}},
        BudgetFabricRow{
            "Ipv6Unnumbered", 50, {.pods = 4, .cores = 4, .addressing = kIpv6Unnumbered}},
        BudgetFabricRow{"UnnumberedParallel", 50, {.addressing = kUnnumbered, .parallel = 2}},
        BudgetFabricRow{"Parallel", 50, {.parallel = 2}}),
    [](const auto& row) { return row.param.name; });

// What two tables say, apart from what was measured when.
std::vector<std::vector<wire::IpAddress>> HopsOf(const PathTable& table) {
  std::vector<std::vector<wire::IpAddress>> all;
  for (const Path& path : table.paths) {
    EXPECT_TRUE(path.reaches_destination);
    EXPECT_EQ(path.state, topology::PathState::kAlive);
    all.push_back(AddressesOf(path));
  }
  return all;
}

std::vector<std::string> CodesOf(const PathTable& table) {
  std::vector<std::string> codes;
  for (const topology::Finding& finding : table.findings) codes.push_back(finding.code);
  return codes;
}

struct LimitedRun {
  std::vector<std::vector<std::vector<wire::IpAddress>>> paths;  // by destination
  size_t limited_findings = 0;
  size_t other_findings = 0;
  double seconds = 0;
};

LimitedRun TraceWithLimits(double icmp_per_second, double icmp_burst,
                           const std::vector<std::string>& destinations, uint64_t seed) {
  SimulatedFabric fabric(4, 4, 4, {.seed = seed});
  if (icmp_per_second > 0) {
    for (uint32_t i = 1; i <= 4; ++i) {
      for (const char* kind : {"leaf", "spine"}) {
        fabric.network().fault(fabric.node(absl::StrCat(kind, i))) = {
            .icmp_per_second = icmp_per_second, .icmp_burst = icmp_burst};
      }
    }
  }
  const auto endpoint = fabric.Open("host1-1");
  std::vector<TraceDestination> all;
  for (const std::string& name : destinations) all.push_back(fabric.Destination(name));
  const auto results = Trace(*endpoint, all, {.seed = seed});
  LimitedRun run;
  if (!results.ok()) {
    ADD_FAILURE() << results.status();
    return run;
  }
  for (const TraceResult& result : *results) {
    EXPECT_EQ(result.problem, "");
    run.paths.push_back(HopsOf(result.table));
    for (const std::string& code : CodesOf(result.table)) {
      ++(code == "icmp-rate-limited" ? run.limited_findings : run.other_findings);
    }
  }
  run.seconds = static_cast<double>(fabric.network().now_ns()) * 1e-9;
  return run;
}

TEST(IcmpLimits, CostTimeAndChangeNoPath) {
  const std::vector<std::string> destinations = {"host1-2", "host2-1", "host3-2", "host4-4"};
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const LimitedRun free = TraceWithLimits(0, 0, destinations, seed);
    EXPECT_EQ(free.limited_findings, 0U);
    for (const double limit : {10.0, 20.0, 50.0, 100.0}) {
      const LimitedRun limited = TraceWithLimits(limit, 10, destinations, seed);
      EXPECT_EQ(limited.paths, free.paths) << "limit " << limit << " seed " << seed;
      EXPECT_EQ(limited.other_findings, 0U);
      std::printf("limit %g/s: %.1f s, without %.1f s; %zu findings\n", limit, limited.seconds,
                  free.seconds, limited.limited_findings);
      // Above, paced probes do not empty a switch's bucket.
      if (limit <= 10) {
        EXPECT_GT(limited.limited_findings, 0U);
        EXPECT_GT(limited.seconds, free.seconds);
      }
    }
  }
}

// What Linux allows by default: one a second to each who asks, six at once.
TEST(IcmpLimits, OneASecondIsSlowAndRight) {
  const LimitedRun free = TraceWithLimits(0, 0, {"host2-1"}, 1);
  const LimitedRun limited = TraceWithLimits(1, 6, {"host2-1"}, 1);
  EXPECT_EQ(limited.paths, free.paths);
  EXPECT_GT(limited.limited_findings, 0U);
  EXPECT_EQ(limited.other_findings, 0U);
  std::printf("limit 1/s: %.1f s, without %.1f s\n", limited.seconds, free.seconds);
}

}  // namespace
}  // namespace weft::probe
