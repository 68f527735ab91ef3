// SPDX-License-Identifier: Apache-2.0
#include "probe/traffic/pacer.h"

#include "gtest/gtest.h"

namespace weft::probe {
namespace {

constexpr int64_t kStart = 1'000'000'000;
constexpr double kRate = 8e6;  // one byte a microsecond
constexpr int64_t kMs = 1'000'000;

TEST(Pacer, SpacesPacketsByTheirSize) {
  Pacer pacer(kRate, kStart);
  EXPECT_TRUE(pacer.IsDue(kStart));
  pacer.OnSend(1000, kStart);
  EXPECT_FALSE(pacer.IsDue(kStart + kMs - 1));
  EXPECT_EQ(pacer.NextSendNs(), kStart + kMs);
  pacer.OnSend(500, kStart + kMs);
  EXPECT_EQ(pacer.NextSendNs(), kStart + kMs + kMs / 2);
  EXPECT_EQ(pacer.dropped_debt_bytes(), 0);
}

struct DebtCase {
  const char* name;
  int64_t late_ns;
  int64_t next_after_start_ns;  // when the packet after the late one of 1000 bytes is due
  double dropped_bytes;
};

const DebtCase kDebtCases[] = {
    {"OnTime", 0, 1 * kMs, 0},
    {"ALittleLateIsCaughtUp", 1 * kMs, 1 * kMs, 0},
    {"TwoMillisecondsAreCaughtUp", 2 * kMs, 1 * kMs, 0},
    {"WhatIsBeyondIsDropped", 5 * kMs, 4 * kMs, 3000},
    {"ALongStopDoesNotBecomeABurst", 1000 * kMs, 999 * kMs, 998'000},
};

class PacerDebt : public testing::TestWithParam<DebtCase> {};

TEST_P(PacerDebt, IsBounded) {
  Pacer pacer(kRate, kStart);
  pacer.OnSend(1000, kStart + GetParam().late_ns);
  EXPECT_EQ(pacer.NextSendNs(), kStart + GetParam().next_after_start_ns);
  EXPECT_DOUBLE_EQ(pacer.dropped_debt_bytes(), GetParam().dropped_bytes);
}

INSTANTIATE_TEST_SUITE_P(All, PacerDebt, testing::ValuesIn(kDebtCases),
                         [](const auto& row) { return row.param.name; });

TEST(Pacer, SentAndDroppedBytesMakeTheRate) {
  Pacer pacer(16e6, kStart);
  int64_t now = kStart;
  double sent = 0;
  for (int i = 0; i < 10'000; ++i) {
    now = pacer.NextSendNs() + (i % 10 == 0 ? 7 * kMs : 0);  // late each tenth time
    pacer.OnSend(4096, now);
    sent += 4096;
  }
  const double seconds = static_cast<double>(pacer.NextSendNs() - kStart) / 1e9;
  EXPECT_NEAR(sent + pacer.dropped_debt_bytes(), 2e6 * seconds, 4096);
  EXPECT_GT(pacer.dropped_debt_bytes(), 0);
}

TEST(Pacer, DoesNotDriftAtARateThatDividesBadly) {
  Pacer pacer(7e9, kStart);
  for (int i = 0; i < 1'000'000; ++i) pacer.OnSend(1024, pacer.NextSendNs());
  EXPECT_NEAR(static_cast<double>(pacer.NextSendNs() - kStart), 1e6 * 1024 * 8 / 7, 1000);
}

// A sender that is never late sends the very bytes of the rate, within one packet, at any moment.
TEST(Pacer, JitterPutsPacketsOffAndKeepsTheRate) {
  Pacer pacer(kRate, kStart, 0.5, 7);
  bool uneven = false;
  for (int64_t i = 0; i < 10'000; ++i) {
    const int64_t put_off = pacer.NextSendNs() - (kStart + i * kMs);
    ASSERT_GE(put_off, 0);
    ASSERT_LE(put_off, kMs / 2);
    uneven = uneven || put_off > kMs / 4;
    pacer.OnSend(1000, pacer.NextSendNs());
  }
  EXPECT_TRUE(uneven);
  EXPECT_EQ(pacer.dropped_debt_bytes(), 0);
}

TEST(Pacer, JitterComesFromTheSeed) {
  Pacer one(kRate, kStart, 0.5, 7);
  Pacer same(kRate, kStart, 0.5, 7);
  Pacer other(kRate, kStart, 0.5, 8);
  int differences = 0;
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(one.NextSendNs(), same.NextSendNs());
    differences += one.NextSendNs() == other.NextSendNs() ? 0 : 1;
    for (Pacer* pacer : {&one, &same, &other}) pacer->OnSend(1000, kStart + i * kMs);
  }
  EXPECT_GT(differences, 90);
}

}  // namespace
}  // namespace weft::probe
