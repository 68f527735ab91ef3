// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "probe/hashing/linear_ports.h"
#include "tests/probe/hashing_network.h"

namespace weft::probe {
namespace {

using testing::HasSubstr;

using topology::HashModel;
using topology::Path;

struct Learnt {
  TraceResult traced;
  LinearPortsResult result;
};

Learnt Learn(ExaminedFabric& examined, const std::string& to, uint32_t ports = 16) {
  Learnt learnt;
  learnt.traced = examined.Traced();
  IcmpBudget budget;
  auto result = LearnPorts(*examined.endpoint, budget, learnt.traced.table,
                           examined.fabric.Destination(to).target,
                           {.ports_per_path = ports, .seed = examined.hops.seed});
  EXPECT_TRUE(result.ok()) << result.status();
  learnt.result = *std::move(result);
  return learnt;
}

// Every computed port crosses the path that it is computed for.
void ExpectTrue(const ExaminedFabric& examined, const std::string& to,
                const LinearPortsResult& result, size_t ports) {
  const auto true_paths = examined.fabric.TruePaths("host1-1", to);
  for (const Path& path : result.table.paths) {
    EXPECT_EQ(path.computed_udp_src_ports.size(), ports);
    for (const uint16_t port : path.computed_udp_src_ports) {
      EXPECT_GE(port, 0xc000);
      EXPECT_EQ(AddressesOf(path), true_paths.at(examined.fabric.SpineOf("host1-1", to, port)));
    }
  }
}

TEST(LearnPorts, ComputesPortsForEveryPathOfALinearLeaf) {
  for (const uint32_t spines : {2U, 4U, 8U}) {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      ExaminedFabric examined(topology::LeafSpineOptions{.leaves = 2, .spines = spines}, "host2-1",
                              {.seed = seed});
      const Learnt learnt = Learn(examined, "host2-1");
      EXPECT_TRUE(learnt.result.verified) << learnt.result.reason;
      EXPECT_EQ(learnt.result.verified_ports, 16U);
      EXPECT_GE(learnt.result.learnt_ports, 15U);
      EXPECT_LE(learnt.result.learnt_ports, 25U);
      EXPECT_EQ(learnt.result.probes_sent, learnt.result.learnt_ports + 16U);
      ExpectTrue(examined, "host2-1", learnt.result, 16);
    }
  }
}

TEST(LearnPorts, ComputesPortsForWholePathsOfThreeTiers) {
  for (const bool ipv6 : {false, true}) {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
      ExaminedFabric examined(topology::ThreeTierOptions{.pods = 2,
                                                         .leaves_per_pod = 2,
                                                         .spines_per_pod = 2,
                                                         .cores = 4,
                                                         .hosts_per_leaf = 1,
                                                         .addressing = {.ipv6 = ipv6}},
                              "host3-1", {.seed = seed});
      const Learnt learnt = Learn(examined, "host3-1");
      EXPECT_TRUE(learnt.result.verified) << learnt.result.reason;
      ExpectTrue(examined, "host3-1", learnt.result, 16);
    }
  }
}

TEST(LearnPorts, TakesFarFewerProbesThanATraceThatSearches) {
  ExaminedFabric examined(topology::LeafSpineOptions{.leaves = 2, .spines = 4}, "host2-1");
  const Learnt learnt = Learn(examined, "host2-1", 64);
  const TraceDestination destination = examined.fabric.Destination("host2-1");
  TraceOptions options;
  options.ports_per_path = 64;
  const auto searched = Trace(*examined.endpoint, {&destination, 1}, options);
  ASSERT_TRUE(searched.ok());
  const uint64_t linear = learnt.traced.table.probes_sent + learnt.result.probes_sent;
  EXPECT_TRUE(learnt.result.verified);
  EXPECT_EQ(learnt.result.probes_by_search, 4U * 64U);
  EXPECT_LT(2 * linear, (*searched)[0].table.probes_sent);
  RecordProperty("linear_probes", std::to_string(linear));
  RecordProperty("search_probes", std::to_string((*searched)[0].table.probes_sent));
}

struct FallbackRow {
  std::string name;
  std::function<void(ExaminedFabric&)> setup;
  uint32_t spines;
  std::string reason;
};

void PrintTo(const FallbackRow& row, std::ostream* out) { *out << row.name; }

class LearnPortsFallback : public testing::TestWithParam<FallbackRow> {};

TEST_P(LearnPortsFallback, LeavesTheTableAsItWasAndSaysWhy) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    ExaminedFabric examined(topology::LeafSpineOptions{.leaves = 2, .spines = GetParam().spines},
                            "host2-1", {.seed = seed});
    GetParam().setup(examined);
    const Learnt learnt = Learn(examined, "host2-1");
    EXPECT_FALSE(learnt.result.verified) << seed;
    EXPECT_THAT(learnt.result.reason, HasSubstr(GetParam().reason));
    EXPECT_EQ(learnt.result.table, learnt.traced.table);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rows, LearnPortsFallback,
    testing::Values(FallbackRow{"ThreeNextHops", [](ExaminedFabric&) {}, 3, ""},
                    FallbackRow{"KeyedHash",
                                [](ExaminedFabric& e) {
                                  e.hop("leaf1").hash.function = HashModel::Function::kMixed;
                                },
                                4, ""},
                    FallbackRow{"OneNextHop", [](ExaminedFabric&) {}, 1, "one path"},
                    FallbackRow{"SilentSpines",
                                [](ExaminedFabric& e) {
                                  for (const topology::NodeIndex node : e.fabric.Switches()) {
                                    e.fabric.network().fault(node).silent = true;
                                  }
                                },
                                4, ""}),
    [](const auto& row) { return row.param.name; });

// A link that loses packets makes ports silent; they are gone round.
TEST(LearnPorts, SurvivesLoss) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    ExaminedFabric examined(topology::LeafSpineOptions{.leaves = 2, .spines = 4}, "host2-1",
                            {.seed = seed});
    examined.fabric.network()
        .fault(examined.fabric.direction("host1-1", "leaf1"))
        .loss_probability = 0.1;
    const Learnt learnt = Learn(examined, "host2-1");
    EXPECT_TRUE(learnt.result.verified) << learnt.result.reason;
    ExpectTrue(examined, "host2-1", learnt.result, 16);
  }
}

TEST(TellingTtls, AreAsFewAsTellThePathsApart) {
  const auto path = [](std::vector<const char*> hops) {
    Path one;
    for (const char* hop : hops) {
      one.hops.push_back({.hop_index = static_cast<uint32_t>(one.hops.size() + 1),
                          .address = wire::IpAddress::Parse(hop).value_or(wire::IpAddress()),
                          .node = {}});
    }
    one.reaches_destination = true;
    return one;
  };
  topology::PathTable table;
  table.paths = {path({"10.0.0.1", "10.1.0.1", "10.2.0.1"}),
                 path({"10.0.0.1", "10.1.0.2", "10.2.0.2"})};
  EXPECT_EQ(TellingTtls(table), std::vector<uint32_t>{2});
  table.paths.push_back(path({"10.0.0.1", "10.1.0.1", "10.2.0.3"}));
  EXPECT_EQ(TellingTtls(table), std::vector<uint32_t>{3});
  // Two switches that have one loopback in common at the last hop: it takes both.
  table.paths.push_back(path({"10.0.0.1", "10.1.0.2", "10.2.0.3"}));
  EXPECT_EQ(TellingTtls(table), (std::vector<uint32_t>{3, 2}));
  table.paths[0].hops[1].address = {};
  EXPECT_TRUE(TellingTtls(table).empty());
  table.paths.resize(1);
  EXPECT_TRUE(TellingTtls(table).empty());
}

}  // namespace
}  // namespace weft::probe
