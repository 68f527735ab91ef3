// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "probe/hashing/quality.h"

namespace weft::probe {
namespace {

// All ways of giving flows to members, counted one by one.
double CountedShare(uint32_t flows, uint32_t members,
                    const std::function<bool(const std::vector<uint32_t>&)>& matches) {
  uint64_t all = 1;
  for (uint32_t i = 0; i < flows; ++i) all *= members;
  uint64_t matching = 0;
  for (uint64_t way = 0; way < all; ++way) {
    std::vector<uint32_t> counts(members);
    uint64_t rest = way;
    for (uint32_t i = 0; i < flows; ++i, rest /= members) ++counts[rest % members];
    matching += matches(counts) ? 1U : 0U;
  }
  return static_cast<double>(matching) / static_cast<double>(all);
}

TEST(HashQuality, TailProbabilitiesAreThoseOfCountingAllWays) {
  for (const auto& [flows, members] : {std::pair{1U, 3U}, {6U, 2U}, {7U, 3U}, {6U, 4U}}) {
    for (uint32_t bound = 0; bound <= flows; ++bound) {
      EXPECT_NEAR(FullestProbability(flows, members, bound),
                  CountedShare(flows, members,
                               [&](const auto& counts) {
                                 return *std::ranges::max_element(counts) >= bound;
                               }),
                  1e-12);
      EXPECT_NEAR(EmptiestProbability(flows, members, bound),
                  CountedShare(flows, members,
                               [&](const auto& counts) {
                                 return *std::ranges::min_element(counts) <= bound;
                               }),
                  1e-12);
    }
  }
}

TEST(HashQuality, FewFlowsAreAPlainCollisionWithItsProbability) {
  // Eight ports on two uplinks that split one to seven: 2 * (2 * 9 / 256) with both tails alike.
  const HashQuality quality = JudgeQuality(std::vector<uint32_t>{1, 7});
  EXPECT_EQ(quality.evenness, Evenness::kCollision);
  EXPECT_NEAR(quality.probability, 2 * 18.0 / 256, 1e-12);
}

TEST(HashQuality, NothingToChooseIsUnknown) {
  EXPECT_EQ(JudgeQuality(std::vector<uint32_t>{40}).evenness, Evenness::kUnknown);
  EXPECT_EQ(JudgeQuality(std::vector<uint32_t>{0, 0}).evenness, Evenness::kUnknown);
  EXPECT_EQ(JudgeQuality({}).evenness, Evenness::kUnknown);
}

std::vector<uint32_t> Drawn(const std::vector<double>& weights, uint32_t flows, uint64_t seed) {
  std::mt19937_64 random(seed);
  double sum = 0;
  for (const double weight : weights) sum += weight;
  std::vector<uint32_t> counts(weights.size());
  for (uint32_t i = 0; i < flows; ++i) {
    double at = static_cast<double>(random() >> 11) * 0x1p-53 * sum;
    size_t member = 0;
    while (member + 1 < weights.size() && at >= weights[member]) at -= weights[member++];
    ++counts[member];
  }
  return counts;
}

TEST(HashQuality, AnEvenHashIsNeverCalledUnevenInAThousandDraws) {
  for (uint64_t seed = 1; seed <= 250; ++seed) {
    for (const size_t members : {2U, 3U, 4U, 8U}) {
      const auto flows = static_cast<uint32_t>(16 * members);
      EXPECT_EQ(JudgeQuality(Drawn(std::vector<double>(members, 1), flows, seed)).evenness,
                Evenness::kEven)
          << members << " members, seed " << seed;
    }
  }
}

TEST(HashQuality, AMemberThatIsNeverUsedIsUneven) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    EXPECT_EQ(JudgeQuality(Drawn({1, 1, 1, 0}, 64, seed)).evenness, Evenness::kUneven) << seed;
  }
}

TEST(HashQuality, AMemberWithFiveTimesTheShareIsUneven) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    EXPECT_EQ(JudgeQuality(Drawn({5, 1, 1, 1}, 160, seed)).evenness, Evenness::kUneven) << seed;
  }
}

}  // namespace
}  // namespace weft::probe
