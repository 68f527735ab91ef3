// SPDX-License-Identifier: Apache-2.0
#include "probe/respond/rate_limit.h"

#include "gtest/gtest.h"

namespace weft::probe {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

// How many of `tries` events, evenly spread over `seconds`, pass.
int Passed(auto take, int tries, int64_t seconds) {
  int passed = 0;
  for (int i = 0; i < tries; ++i) passed += take(seconds * kSecond * i / tries) ? 1 : 0;
  return passed;
}

TEST(TokenBucket, PassesTheRateAndATenthOfASecondsBurst) {
  TokenBucket bucket(100, 0);
  EXPECT_NEAR(Passed([&](int64_t now) { return bucket.Take(now); }, 10'000, 10), 1010, 1);
}

TEST(TokenBucket, PassesEverythingBelowTheRate) {
  TokenBucket bucket(100, 0);
  EXPECT_EQ(Passed([&](int64_t now) { return bucket.Take(now); }, 990, 10), 990);
}

TEST(RateLimit, OneSourceDoesNotTakeFromAnother) {
  RateLimit limit(1000, 100, 0);
  const auto loud = wire::IpAddress::V4(1);
  const auto quiet = wire::IpAddress::V4(2);
  EXPECT_NEAR(Passed([&](int64_t now) { return limit.Take(loud, now); }, 10'000, 1), 110, 1);
  EXPECT_TRUE(limit.Take(quiet, kSecond));
}

TEST(RateLimit, AllSourcesTogetherAreBoundedHoweverManyThereAre) {
  RateLimit limit(1000, 100, 0);
  uint32_t source = 0;
  EXPECT_NEAR(Passed([&](int64_t now) { return limit.Take(wire::IpAddress::V4(++source), now); },
                     200'000, 1),
              1100, 1);
}

}  // namespace
}  // namespace weft::probe
