// SPDX-License-Identifier: Apache-2.0
#include "tests/analyzer/whole_fabric.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "topology/generate/three_tier.h"

namespace weft::analyzer {
namespace {

struct WholeFabricRow {
  const char* name;
  topology::Addressing addressing;
  uint32_t parallel = 1;
  double switch_icmp_per_second = 0;
};

class WholeFabric : public testing::TestWithParam<WholeFabricRow> {};

// 2 pods of 2 leaves and 2 spines, 4 cores, 16 hosts.
TEST_P(WholeFabric, IsInferredAsItWasBuilt) {
  const auto fabric = topology::GenerateThreeTier({.pods = 2,
                                                   .leaves_per_pod = 2,
                                                   .spines_per_pod = 2,
                                                   .cores = 4,
                                                   .hosts_per_leaf = 4,
                                                   .addressing = GetParam().addressing,
                                                   .parallel = GetParam().parallel});
  ASSERT_TRUE(fabric.ok()) << fabric.status();
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const auto result = MeasureWholeFabric(
        *fabric, 2, {.switch_icmp_per_second = GetParam().switch_icmp_per_second, .seed = seed});
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_TRUE(result->check.identical) << "seed " << seed;
    EXPECT_EQ(result->incomplete_pairs, 0U);
    EXPECT_EQ(result->pairs, 16U);
    for (const topology::Finding& finding : result->check.findings) {
      EXPECT_EQ(finding.severity, topology::Severity::kInfo) << finding.code << finding.subject;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, WholeFabric,
    testing::Values(
        WholeFabricRow{"ipv4", {}}, WholeFabricRow{"ipv6", {.ipv6 = true}},
        WholeFabricRow{"ipv4_unnumbered", {.unnumbered = true}},
        WholeFabricRow{"ipv6_unnumbered", {.ipv6 = true, .unnumbered = true}},
        WholeFabricRow{"ipv6_unnumbered_parallel", {.ipv6 = true, .unnumbered = true}, 2},
        WholeFabricRow{"ipv4_parallel", {}, 2}, WholeFabricRow{"ipv4_limited", {}, 1, 60},
        WholeFabricRow{"ipv4_unnumbered_limited", {.unnumbered = true}, 1, 60},
        WholeFabricRow{"ipv6_unnumbered_limited", {.ipv6 = true, .unnumbered = true}, 1, 60}),
    [](const auto& row) { return std::string(row.param.name); });

// Switches' own addresses stand next to each other in the number range, as the two ends of a link
// do: that must not make one budget of several switches'.
TEST(WholeFabricTime, IsNearlyTheSameWhateverTheSwitchesAnswerWith) {
  for (const bool ipv6 : {false, true}) {
    double seconds[2] = {};
    for (const bool unnumbered : {false, true}) {
      const auto fabric =
          topology::GenerateThreeTier({.pods = 3,
                                       .leaves_per_pod = 4,
                                       .spines_per_pod = 4,
                                       .cores = 8,
                                       .hosts_per_leaf = 3,
                                       .addressing = {.ipv6 = ipv6, .unnumbered = unnumbered}});
      ASSERT_TRUE(fabric.ok()) << fabric.status();
      const auto result = MeasureWholeFabric(*fabric, 4, {.switch_icmp_per_second = 60});
      ASSERT_TRUE(result.ok()) << result.status();
      EXPECT_TRUE(result->check.identical);
      seconds[unnumbered ? 1 : 0] = result->traced_seconds;
    }
    std::printf("36 hosts, IPv%d: %.1f s numbered, %.1f s unnumbered\n", ipv6 ? 6 : 4, seconds[0],
                seconds[1]);
    EXPECT_LT(seconds[1], 1.3 * seconds[0]);
  }
}

}  // namespace
}  // namespace weft::analyzer
