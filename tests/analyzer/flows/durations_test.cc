// SPDX-License-Identifier: Apache-2.0
#include "analyzer/flows/durations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace weft::analyzer {
namespace {

TEST(Durations, NothingIsAllZero) {
  const Durations none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.Summary(), DurationSummary{});
  EXPECT_EQ(none.memory_bytes(), 0u);
}

TEST(Durations, OneIsAllOfItsQuantiles) {
  Durations one;
  one.Add(12'345);
  EXPECT_EQ(one.Summary(), (DurationSummary{.count = 1,
                                            .min_ns = 12'345,
                                            .median_ns = 12'345,
                                            .p99_ns = 12'345,
                                            .p999_ns = 12'345,
                                            .max_ns = 12'345,
                                            .total_ns = 12'345}));
}

TEST(Durations, BelowZeroCountsAsZero) {
  Durations one;
  one.Add(-5);
  EXPECT_EQ(one.Summary().min_ns, 0);
  EXPECT_EQ(one.Summary().total_ns, 0);
}

TEST(Durations, QuantilesAreWithinThreePercentAtEveryScale) {
  std::mt19937_64 random(7);
  for (const double scale : {1e2, 1e4, 1e6, 1e9, 1e12}) {
    Durations durations;
    std::vector<int64_t> all;
    std::lognormal_distribution<double> spread(0, 1.5);
    for (int i = 0; i < 20'000; ++i) {
      all.push_back(static_cast<int64_t>(spread(random) * scale));
      durations.Add(all.back());
    }
    std::sort(all.begin(), all.end());
    const DurationSummary summary = durations.Summary();
    const auto truth = [&all](double share) {
      return static_cast<double>(all[static_cast<size_t>(std::ceil(share * 20'000.0)) - 1]);
    };
    EXPECT_NEAR(static_cast<double>(summary.median_ns), truth(0.5), 0.03 * truth(0.5) + 1);
    EXPECT_NEAR(static_cast<double>(summary.p99_ns), truth(0.99), 0.03 * truth(0.99) + 1);
    EXPECT_NEAR(static_cast<double>(summary.p999_ns), truth(0.999), 0.03 * truth(0.999) + 1);
    EXPECT_EQ(summary.min_ns, all.front());
    EXPECT_EQ(summary.max_ns, all.back());
    EXPECT_LE(durations.memory_bytes(), 8'500u);
  }
}

TEST(Durations, TheLongestPossibleOneIsTaken) {
  Durations durations;
  durations.Add(INT64_MAX);
  durations.Add(INT64_MAX);
  durations.Add(0);
  EXPECT_EQ(durations.Summary().max_ns, INT64_MAX);
  EXPECT_EQ(durations.Summary().total_ns, INT64_MAX);
  EXPECT_EQ(durations.Summary().min_ns, 0);
}

}  // namespace
}  // namespace weft::analyzer
