// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "tests/probe/simulated_fabric.h"

// What the tracer promises, counted over many seeded runs.
namespace weft::probe {
namespace {

// The largest number of misses that `runs` runs with miss probability `alpha` each stay within with
// probability 99.9 %.
uint32_t BinomialQuantile999(uint32_t runs, double alpha) {
  std::vector<double> tail(runs + 2, 0.0);  // distribution, one run more at a time
  tail[0] = 1;
  for (uint32_t run = 0; run < runs; ++run) {
    for (uint32_t k = run + 1; k > 0; --k) tail[k] = tail[k] * (1 - alpha) + tail[k - 1] * alpha;
    tail[0] *= 1 - alpha;
  }
  double sum = 0;
  uint32_t k = 0;
  for (; k <= runs && sum < 0.999; ++k) sum += tail[k];
  return k - 1;
}

// 2 to 8: 25 runs of each of 4 to 8, the rest few, which are quick.
uint32_t SpinesOf(uint32_t seed) { return seed % 8 == 0 ? 4 + seed / 8 % 5 : 2 + seed % 2; }

struct Tally {
  uint32_t missed_runs = 0;
  std::vector<double> ratios;
};

Tally TraceSeededRuns(uint32_t runs, double confidence) {
  Tally tally;
  for (uint32_t seed = 1; seed <= runs; ++seed) {
    SimulatedFabric fabric(2, SpinesOf(seed), 1, {.seed = seed, .endpoint_capacity = 256});
    const auto endpoint = fabric.Open("host1-1");
    const TraceDestination destination = fabric.Destination("host2-1");
    const auto results =
        Trace(*endpoint, {&destination, 1},
              {.confidence = confidence, .probes_per_second = 1e6, .seed = seed * 7919});
    if (!results.ok()) {
      ADD_FAILURE() << results.status();
      continue;
    }
    const topology::PathTable& table = (*results)[0].table;
    if (table.paths.size() < SpinesOf(seed)) ++tally.missed_runs;
    EXPECT_LE(table.paths.size(), SpinesOf(seed)) << "seed " << seed;
    EXPECT_EQ((*results)[0].problem, "") << "seed " << seed;
    tally.ratios.push_back(static_cast<double>(table.probes_sent) / table.probes_asked);
  }
  std::ranges::sort(tally.ratios);
  return tally;
}

TEST(TraceProof, MissesStayWithinAlphaAndProbesWithinAQuarterOfTheirNumber) {
  constexpr uint32_t kRuns = 1000;
  const Tally tally = TraceSeededRuns(kRuns, 0.99);
  EXPECT_LE(tally.missed_runs, BinomialQuantile999(kRuns, 0.01));

  double sum = 0;
  for (const double ratio : tally.ratios) sum += ratio;
  const double mean = sum / kRuns;
  const auto above = std::ranges::count_if(tally.ratios, [](double r) { return r > 1.25; });
  std::printf(
      "%u runs: %u missed a path (at most %u allowed); probes / MDA count: mean %.3f, "
      "99 %% of runs below %.3f, at most %.3f; %ld above 1.25\n",
      kRuns, tally.missed_runs, BinomialQuantile999(kRuns, 0.01), mean,
      tally.ratios[kRuns * 99 / 100], tally.ratios.back(), static_cast<long>(above));
  EXPECT_LE(mean, 1.25);
  EXPECT_LE(above, kRuns / 200);
}

// With a confidence this low, misses do happen: the bound is not met by luck.
TEST(TraceProof, LowConfidenceMissesMoreButNoMoreThanItSays) {
  constexpr uint32_t kRuns = 300;
  const Tally tally = TraceSeededRuns(kRuns, 0.10);
  std::printf("confidence 10 %%: %u of %u runs missed a path\n", tally.missed_runs, kRuns);
  EXPECT_GT(tally.missed_runs, 0U);
  EXPECT_LE(tally.missed_runs, BinomialQuantile999(kRuns, 0.90));
}

}  // namespace
}  // namespace weft::probe
