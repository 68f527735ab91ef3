// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/mda.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace weft::probe {
namespace {

struct StoppingRow {
  std::string name;
  double alpha;
  std::vector<uint32_t> points;  // n_1..n_20
};

class MdaTable : public testing::TestWithParam<StoppingRow> {};

TEST_P(MdaTable, IsThePublishedOne) {
  for (uint32_t k = 1; k <= GetParam().points.size(); ++k) {
    EXPECT_EQ(StoppingPoint(k, GetParam().alpha), GetParam().points[k - 1]) << "k = " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Confidence, MdaTable,
    testing::Values(StoppingRow{"Percent95", 0.05, {6,  11, 16, 21, 27, 33, 38,  44,  51,  57,
                                                    63, 70, 76, 83, 90, 96, 103, 110, 117, 124}},
                    StoppingRow{"Percent99", 0.01, {8,  15, 21, 28,  36,  43,  51,  58,  66,  74,
                                                    82, 90, 98, 106, 115, 123, 132, 140, 149, 157}},
                    StoppingRow{"Percent90", 0.10, {5,  9,  13, 18, 23, 28, 33, 38, 44,  50,
                                                    55, 61, 67, 73, 79, 85, 91, 97, 103, 109}}),
    [](const auto& row) { return row.param.name; });

struct WideRow {
  uint32_t next_hop_count;
  uint32_t percent95;
  uint32_t percent99;
};

TEST(Mda, IsPreciseForManyNextHops) {
  for (const WideRow& row : {WideRow{16, 96, 123}, WideRow{31, 203, 255}, WideRow{55, 389, 479},
                             WideRow{63, 453, 557}, WideRow{127, 998, 1206}}) {
    EXPECT_EQ(StoppingPoint(row.next_hop_count, 0.05), row.percent95) << row.next_hop_count;
    EXPECT_EQ(StoppingPoint(row.next_hop_count, 0.01), row.percent99) << row.next_hop_count;
  }
}

// With two equally likely next hops, n flows all take the same one with probability 2 / 2^n.
TEST(Mda, MissesOneOfTwoAsCoinTossesDo) {
  for (uint32_t n = 1; n < 60; ++n) {
    EXPECT_DOUBLE_EQ(MissProbability(1, n), std::ldexp(1.0, 1 - static_cast<int>(n))) << n;
  }
}

// ALGORITHMS.md, section 6: 21 flows over four next hops miss one with probability 0.0095.
TEST(Mda, MissesOneOfFourAsComputedBefore) { EXPECT_NEAR(MissProbability(3, 21), 0.0095, 5e-5); }

TEST(Mda, StopsAtTheFirstNumberOfFlowsThatIsEnough) {
  for (const double alpha : {0.1, 0.01, 1e-4, 1e-7}) {
    for (uint32_t k = 1; k <= 64; ++k) {
      const uint32_t n = StoppingPoint(k, alpha);
      EXPECT_LE(MissProbability(k, n), alpha);
      EXPECT_GT(MissProbability(k, n - 1), alpha);
    }
  }
}

TEST(Mda, AsksForNoMoreThanTheBoundBeyondIt) {
  EXPECT_EQ(StoppingPoint(kMaxNextHops + 1, 0.01), StoppingPoint(kMaxNextHops, 0.01));
}

}  // namespace
}  // namespace weft::probe
