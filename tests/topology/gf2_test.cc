// SPDX-License-Identifier: Apache-2.0
#include "topology/route/gf2.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <set>

namespace weft::topology {
namespace {

using ::testing::ElementsAre;

TEST(Gf2Basis, IsReducedWhateverTheOrder) {
  Gf2Basis basis;
  EXPECT_TRUE(basis.Add(0b0110));
  EXPECT_TRUE(basis.Add(0b1100));
  EXPECT_FALSE(basis.Add(0b1010)) << "the sum of the two";
  EXPECT_TRUE(basis.Add(0b0111));
  EXPECT_FALSE(basis.Add(0));
  EXPECT_THAT(basis.vectors(), ElementsAre(0b0001, 0b0110, 0b1010));
  EXPECT_EQ(basis.Reduce(0b1011), 0u);
  EXPECT_EQ(basis.Reduce(0b1110), 0b0010u);
}

TEST(Gf2Basis, ReducesTwoVectorsAlikeExactlyWhereTheirSumIsInTheSpan) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    Gf2Basis basis;
    std::set<uint32_t> span = {0};
    for (uint32_t i = 0; i < 1 + random() % 4; ++i) {
      const auto vector = static_cast<uint32_t>(random() % 64);
      basis.Add(vector);
      for (uint32_t x : std::set<uint32_t>(span)) span.insert(x ^ vector);
    }
    ASSERT_EQ(span.size(), size_t{1} << basis.rank());
    for (uint32_t a = 0; a < 64; ++a) {
      for (uint32_t b = 0; b < 64; ++b) {
        ASSERT_EQ(basis.Reduce(a) == basis.Reduce(b), span.contains(a ^ b));
      }
    }
  }
}

TEST(Gf2Solutions, AreAllThatSatisfyTheEquationsInRisingOrder) {
  std::mt19937 random(2);
  int solvable = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<Gf2Solutions::Equation> equations(random() % 7);
    for (auto& [mask, value] : equations) {
      mask = static_cast<uint32_t>(random() % 256);
      value = random() % 2 == 1;
    }
    std::vector<uint32_t> expected;
    for (uint32_t x = 0; x < 256; ++x) {
      bool holds = true;
      for (const auto& [mask, value] : equations) {
        holds = holds && (std::popcount(mask & x) % 2 == 1) == value;
      }
      if (holds) expected.push_back(x);
    }
    const auto solutions = Gf2Solutions::Solve(8, equations);
    ASSERT_EQ(solutions.has_value(), !expected.empty());
    if (!solutions) continue;
    ++solvable;
    ASSERT_EQ(solutions->size(), expected.size());
    for (uint32_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(solutions->At(i), expected[i]);
      ASSERT_EQ(solutions->CountBelow(expected[i]), i);
      ASSERT_EQ(solutions->CountBelow(expected[i] + 1), i + 1);
    }
  }
  EXPECT_GT(solvable, 100);
  EXPECT_LT(solvable, 300) << "contradictions came up too";
}

}  // namespace
}  // namespace weft::topology
