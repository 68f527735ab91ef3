// SPDX-License-Identifier: Apache-2.0
#include "probe/traffic/psn_tracker.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace weft::probe {
namespace {

using Arrival = PsnTracker::Arrival;
constexpr auto kInOrder = Arrival::kInOrder;
constexpr auto kAfterGap = Arrival::kAfterGap;
constexpr auto kLate = Arrival::kLate;
constexpr auto kDuplicate = Arrival::kDuplicate;
constexpr auto kTooOld = Arrival::kTooOld;
constexpr uint32_t kWindow = PsnTracker::kWindowPackets;

struct PsnCase {
  const char* name;
  uint32_t first;
  std::vector<uint32_t> psns;
  std::vector<Arrival> arrivals;
  uint64_t lost;
};

const PsnCase kCases[] = {
    {"InOrder", 5, {5, 6, 7}, {kInOrder, kInOrder, kInOrder}, 0},
    {"AGapIsLoss", 0, {0, 1, 4}, {kInOrder, kInOrder, kAfterGap}, 2},
    {"TheFirstPacketsMayBeMissing", 10, {13}, {kAfterGap}, 3},
    {"ALatePacketFillsItsGap", 0, {0, 2, 1, 3}, {kInOrder, kAfterGap, kLate, kInOrder}, 0},
    {"ADuplicateIsNotLate", 0, {0, 1, 1, 0}, {kInOrder, kInOrder, kDuplicate, kDuplicate}, 0},
    {"ALatePacketTwice", 0, {0, 2, 1, 1}, {kInOrder, kAfterGap, kLate, kDuplicate}, 0},
    {"PsnIs24Bits",
     0xfffffe,
     {0xfffffe, 0xffffff, 0, 1},
     {kInOrder, kInOrder, kInOrder, kInOrder},
     0},
    {"AGapOverTheWrap", 0xffffff, {0xffffff, 2}, {kInOrder, kAfterGap}, 2},
    {"LateOverTheWrap", 0xffffff, {0xffffff, 1, 0}, {kInOrder, kAfterGap, kLate}, 0},
    {"BeforeTheFirst", 100, {100, 99}, {kInOrder, kTooOld}, 0},
    {"AFarJumpForgetsTheWindow",
     0,
     {0, 1'000'000, 1'000'000, 5, 1'000'001},
     {kInOrder, kAfterGap, kDuplicate, kTooOld, kInOrder},
     999'999},
    {"TheWindowsOldestIsStillKnown",
     0,
     {0, kWindow, 1, 0},
     {kInOrder, kAfterGap, kLate, kTooOld},
     kWindow - 2},
};

class PsnTrackerTable : public testing::TestWithParam<PsnCase> {};

TEST_P(PsnTrackerTable, TellsWhatEachPacketIs) {
  PsnTracker tracker(GetParam().first);
  std::vector<Arrival> arrivals;
  for (const uint32_t psn : GetParam().psns) arrivals.push_back(tracker.OnPacket(psn));
  EXPECT_EQ(arrivals, GetParam().arrivals);
  EXPECT_EQ(tracker.Lost(), GetParam().lost);
  const auto count = [&](Arrival kind) {
    return static_cast<uint64_t>(std::count(arrivals.begin(), arrivals.end(), kind));
  };
  EXPECT_EQ(tracker.reordered(), count(kLate));
  EXPECT_EQ(tracker.duplicates(), count(kDuplicate));
  EXPECT_EQ(tracker.too_old(), count(kTooOld));
}

INSTANTIATE_TEST_SUITE_P(All, PsnTrackerTable, testing::ValuesIn(kCases),
                         [](const auto& row) { return row.param.name; });

TEST(PsnTracker, ASenderThatTellsItsCountShowsLossAtTheEnd) {
  PsnTracker tracker(0);
  tracker.OnPacket(0);
  tracker.OnPacket(1);
  EXPECT_EQ(tracker.Lost(), 0u);
  EXPECT_EQ(tracker.Lost(5), 3u);
}

// Packets of a long flow over the wrap, shuffled within a short reach, some lost, some doubled.
TEST(PsnTracker, CountsAddUpOverALongDisorderlyFlow) {
  constexpr uint32_t kFirst = 0xfff000;
  constexpr size_t kPackets = 100'000;
  constexpr size_t kReach = 50;
  std::vector<uint32_t> order(kPackets);
  std::iota(order.begin(), order.end(), 0u);
  std::mt19937 random(3);
  for (size_t i = 0; i + kReach < kPackets; i += kReach) {
    std::shuffle(order.begin() + static_cast<long>(i),
                 order.begin() + static_cast<long>(i + kReach), random);
  }
  PsnTracker tracker(kFirst);
  uint64_t lost = 0;
  uint64_t doubled = 0;
  for (const uint32_t index : order) {
    // The last packet arrives, so that every loss lies before one that came.
    if (index + 1 < kPackets && random() % 100 == 0) {
      ++lost;
      continue;
    }
    tracker.OnPacket((kFirst + index) & 0xffffff);
    if (random() % 100 == 0) {
      ++doubled;
      tracker.OnPacket((kFirst + index) & 0xffffff);
    }
  }
  EXPECT_EQ(tracker.Lost(), lost);
  EXPECT_EQ(tracker.duplicates(), doubled);
  EXPECT_EQ(tracker.received_once(), kPackets - lost);
  EXPECT_GT(tracker.reordered(), 0u);
  EXPECT_EQ(tracker.too_old(), 0u);
}

}  // namespace
}  // namespace weft::probe
