// SPDX-License-Identifier: Apache-2.0
#include "tests/analyzer/whole_fabric.h"

#include <gtest/gtest.h>

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
    testing::Values(WholeFabricRow{"ipv4", {}}, WholeFabricRow{"ipv6", {.ipv6 = true}},
                    WholeFabricRow{"ipv4_unnumbered", {.unnumbered = true}},
                    WholeFabricRow{"ipv6_unnumbered", {.ipv6 = true, .unnumbered = true}},
                    WholeFabricRow{
                        "ipv6_unnumbered_parallel", {.ipv6 = true, .unnumbered = true}, 2},
                    WholeFabricRow{"ipv4_parallel", {}, 2},
                    WholeFabricRow{"ipv4_limited", {}, 1, 60}),
    [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace weft::analyzer
