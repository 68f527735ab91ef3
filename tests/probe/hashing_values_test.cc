// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <vector>

#include "probe/hashing/field_values.h"

namespace weft::probe {
namespace {

using topology::HashedField;

std::vector<FieldBits> Bits(const std::vector<uint64_t>& values) {
  std::vector<FieldBits> bits;
  for (const uint64_t value : values) bits.push_back(BitsOf(value));
  return bits;
}

TEST(FieldValues, RankIsOfTheDifferences) {
  EXPECT_EQ(AffineRank({}), 0U);
  EXPECT_EQ(AffineRank(Bits({7})), 0U);
  EXPECT_EQ(AffineRank(Bits({7, 7})), 0U);
  EXPECT_EQ(AffineRank(Bits({1, 2})), 1U);
  EXPECT_EQ(AffineRank(Bits({0, 1, 2, 3})), 2U);      // 3 = 1 ^ 2
  EXPECT_EQ(AffineRank(Bits({16, 17, 18, 19})), 2U);  // the same, moved
  EXPECT_EQ(AffineRank(Bits({0, 1, 2, 4, 8})), 4U);
}

TEST(FieldValues, NeighbouringAddressesHaveTheRankOfTheirLowBits) {
  std::vector<FieldBits> v4;
  std::vector<FieldBits> v6;
  for (uint32_t i = 0; i < 8; ++i) {
    v4.push_back(BitsOf(wire::IpAddress::V4(0x0a000001 + 2 * i)));
    std::array<uint8_t, 16> bytes{0xfd};
    bytes[7] = static_cast<uint8_t>(i);  // above the low 64 bits
    v6.push_back(BitsOf(wire::IpAddress::V6(bytes)));
  }
  EXPECT_EQ(AffineRank(v4), 3U);
  EXPECT_EQ(AffineRank(v6), 3U);
}

TEST(FieldValues, ChanceCountsIndependentValuesOnly) {
  EXPECT_DOUBLE_EQ(SameByChance(Bits({0, 1, 2, 3}), 24, 2), 0.25);
  EXPECT_DOUBLE_EQ(SameByChance(Bits({0, 1, 2, 4}), 24, 2), 0.125);
  EXPECT_DOUBLE_EQ(SameByChance(Bits({0, 1, 2, 4}), 24, 4), 1.0 / 64);
  EXPECT_DOUBLE_EQ(SameByChance(Bits({5}), 24, 2), 1.0);
}

TEST(FieldValues, AFieldThatWasTriedThroughHasNothingLeftForALinearHash) {
  std::vector<uint64_t> all;
  for (uint64_t i = 0; i < 8; ++i) all.push_back(i);
  EXPECT_DOUBLE_EQ(SameByChance(Bits(all), 3, 2), 1.0 / 128);
}

TEST(FieldValues, NeededIsTheSmallestNumberThatSuffices) {
  for (const uint32_t next_hops : {2U, 3U, 4U, 16U}) {
    for (const double alpha : {0.1, 0.01, 1e-4}) {
      const uint32_t needed = ValuesNeeded(next_hops, alpha);
      std::vector<uint64_t> values = {0};
      for (uint32_t i = 0; i + 1 < needed; ++i) values.push_back(uint64_t{1} << i);
      EXPECT_LE(SameByChance(Bits(values), 64, next_hops), alpha * (1 + 1e-9));
      values.pop_back();
      if (needed == 2) continue;
      EXPECT_GT(SameByChance(Bits(values), 64, next_hops), alpha);
    }
  }
}

class ValuesOfField : public testing::TestWithParam<HashedField> {};

TEST_P(ValuesOfField, AreDifferentWithinTheFieldAndWithoutTheBase) {
  const HashedField field = GetParam();
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<uint32_t> values = FieldValues(field, 5, 30, seed);
    EXPECT_EQ(values.size(), 30U);
    EXPECT_EQ(std::set<uint32_t>(values.begin(), values.end()).size(), values.size());
    EXPECT_EQ(std::ranges::count(values, 5U), 0);
    for (const uint32_t value : values) EXPECT_LT(value, 1ULL << FieldWidth(field));
    EXPECT_EQ(values, FieldValues(field, 5, 30, seed));
  }
}

TEST_P(ValuesOfField, SpanTheFieldWhenThereAreEnough) {
  std::vector<FieldBits> bits = {BitsOf(5)};
  for (const uint32_t value : FieldValues(GetParam(), 5, 100, 1)) bits.push_back(BitsOf(value));
  EXPECT_EQ(AffineRank(bits), FieldWidth(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Fields, ValuesOfField,
                         testing::Values(HashedField::kDestQpn, HashedField::kBthOpcode,
                                         HashedField::kFlowLabel, HashedField::kDscp));

TEST(FieldValues, ClassesOfNetworkControlAreLeftOut) {
  for (const uint32_t dscp : FieldValues(HashedField::kDscp, 0, 100, 1)) EXPECT_LT(dscp, 48U);
}

}  // namespace
}  // namespace weft::probe
