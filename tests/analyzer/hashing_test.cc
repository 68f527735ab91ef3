// SPDX-License-Identifier: Apache-2.0
#include "analyzer/collisions/hashing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace weft::analyzer {
namespace {

struct Row {
  const char* name;
  uint32_t flows;
  uint32_t links;
  uint32_t at_least;
  double expected;
};

class FullestLink : public ::testing::TestWithParam<Row> {};

TEST_P(FullestLink, HasTheExactProbability) {
  const Row& row = GetParam();
  const auto probability = FullestLinkProbability(row.flows, row.links, row.at_least);
  ASSERT_TRUE(probability.has_value());
  EXPECT_NEAR(*probability, row.expected, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, FullestLink,
    ::testing::Values(Row{"TwoFlowsTwoLinks", 2, 2, 2, 0.5},
                      Row{"FourFlowsFourLinksShareSomewhere", 4, 4, 2, 1 - 24.0 / 256},
                      Row{"ThreeOfFourOnOneOfFour", 4, 4, 3, (4 * 4 * 3 + 4) / 256.0},
                      Row{"AllFourOnOneOfFour", 4, 4, 4, 4 / 256.0},
                      Row{"MoreFlowsThanLinksMustShare", 5, 4, 2, 1},
                      Row{"OneLinkTakesAll", 3, 1, 3, 1}, Row{"NeverMoreThanThereAre", 3, 2, 4, 0},
                      Row{"NoFlows", 0, 4, 1, 0},
                      Row{"TwentyThreeBirthdays", 23, 365, 2, 0.5072972343239854}),
    [](const auto& test) { return std::string(test.param.name); });

// All ways of hashing few flows over few links, one by one.
TEST(FullestLinkProbability, AgreesWithCountingEveryOutcome) {
  for (uint32_t links = 1; links <= 4; ++links) {
    for (uint32_t flows = 1; flows <= 6; ++flows) {
      std::vector<uint32_t> outcomes(flows + 1, 0);  // by the most that one link carries
      uint32_t total = 1;
      for (uint32_t i = 0; i < flows; ++i) total *= links;
      for (uint32_t code = 0; code < total; ++code) {
        std::vector<uint32_t> load(links, 0);
        for (uint32_t i = 0, rest = code; i < flows; ++i, rest /= links) ++load[rest % links];
        ++outcomes[*std::max_element(load.begin(), load.end())];
      }
      uint32_t at_least = 0;
      for (uint32_t k = flows; k >= 1; --k) {
        at_least += outcomes[k];
        EXPECT_NEAR(*FullestLinkProbability(flows, links, k), static_cast<double>(at_least) / total,
                    1e-9)
            << flows << " flows, " << links << " links, " << k;
      }
    }
  }
}

TEST(FullestLinkProbability, RefusesWhatWouldTakeTooLong) {
  EXPECT_FALSE(FullestLinkProbability(100'000, 512, 300).has_value());
  EXPECT_FALSE(FullestLinkProbability(4, 0, 2).has_value());
}

}  // namespace
}  // namespace weft::analyzer
