// SPDX-License-Identifier: Apache-2.0
#include "analyzer/capture/time_unit.h"

#include <gtest/gtest.h>

#include <limits>

namespace weft::analyzer {
namespace {

struct Row {
  const char* name;
  uint8_t tsresol;
  int64_t offset_s;
  uint64_t time;
  std::optional<int64_t> ns;
};

constexpr uint64_t kAll = std::numeric_limits<uint64_t>::max();
constexpr uint8_t kTwo = TimeUnit::kBaseTwo;

const Row kRows[] = {
    {"Microseconds", 6, 0, 1'600'000'000'123'456, 1'600'000'000'123'456'000},
    {"Nanoseconds", 9, 0, 1'600'000'000'118'831'273, 1'600'000'000'118'831'273},
    {"Seconds", 0, 0, 1'600'000'000, 1'600'000'000'000'000'000},
    {"Milliseconds", 3, 0, 7, 7'000'000},
    {"PicosecondsAreCutOff", 12, 0, 1999, 1},
    {"TensOfNanosecondsLate", 8, 0, 800'000'000'000'000'000, 8'000'000'000'000'000'000},
    {"UnitOfNothing", 29, 0, kAll, 0},
    {"LargestExponent", 127, 5, kAll, 5'000'000'000},
    {"FinestDecimalThatTells", 28, 0, kAll, 1},
    {"BinarySeconds", kTwo, 0, 3, 3'000'000'000},
    {"HalfSeconds", kTwo | 1, 0, 3, 1'500'000'000},
    {"BinaryMillionths", kTwo | 20, 0, (1'600'000'000ull << 20) + (1u << 19),
     1'600'000'000'500'000'000},
    {"BinaryOfThirtyTwoBits", kTwo | 32, 0, (1'600'000'000ull << 32) + 1,
     1'600'000'000'000'000'000},
    {"BinaryAll", kTwo | 32, 0, kAll, 4'294'967'295'999'999'999},
    {"FinestBinaryThatTells", kTwo | 93, 0, kAll, 1},
    {"BinaryOfNothing", kTwo | 94, 0, kAll, 0},
    {"BinaryLargestExponent", kTwo | 127, 0, kAll, 0},
    {"Offset", 6, 1'600'000'000, 1, 1'600'000'000'000'001'000},
    {"OffsetBackwards", 6, -2, 1'000'000, -1'000'000'000},
    {"OffsetOfACentury", 9, 9'000'000'000, 1, 9'000'000'000'000'000'001},
    {"LastNanosecond", 9, 0, std::numeric_limits<int64_t>::max(),
     std::numeric_limits<int64_t>::max()},
    {"BeyondTheLast", 9, 0, uint64_t{1} << 63, std::nullopt},
    {"ProductTooLarge", 6, 0, kAll, std::nullopt},
    {"SecondsTooMany", 0, 0, kAll, std::nullopt},
    {"OffsetTooLarge", 6, std::numeric_limits<int64_t>::max(), 0, std::nullopt},
    {"OffsetTooSmall", kTwo | 32, std::numeric_limits<int64_t>::min(), kAll, std::nullopt},
};

class TimeUnits : public testing::TestWithParam<Row> {};
INSTANTIATE_TEST_SUITE_P(All, TimeUnits, testing::ValuesIn(kRows),
                         [](const auto& row) { return row.param.name; });

TEST_P(TimeUnits, GiveExactNanosecondsOrNone) {
  EXPECT_EQ(TimeUnit(GetParam().tsresol, GetParam().offset_s).ToNs(GetParam().time), GetParam().ns);
}

}  // namespace
}  // namespace weft::analyzer
