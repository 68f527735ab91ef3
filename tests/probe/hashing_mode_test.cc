// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "probe/hashing/mode_judge.h"

namespace weft::probe {
namespace {

using testing::HasSubstr;
using topology::HopMode;

constexpr int64_t kUs = 1'000;
constexpr int64_t kMs = 1'000'000;

// A hop as JudgeMode sees it: which of its next hops a flow takes now.
struct Hop {
  explicit Hop(uint64_t seed) : random(seed) {}
  uint32_t Any() { return static_cast<uint32_t>(random() % next_hops); }

  std::mt19937_64 random;
  uint32_t next_hops = 2;
  std::vector<uint32_t> now = std::vector<uint32_t>(4);
  std::vector<int64_t> last_ns = std::vector<int64_t>(4);
};

using Chooser = std::function<uint32_t(Hop& hop, uint32_t flow, int64_t time_ns, bool loaded)>;

struct Watch {
  uint32_t rounds = 12;
  double loss = 0;
  bool with_load = true;
  uint32_t next_hops = 2;
};

// Four flows; in each round twice at once and after a pause, and now and then under load.
std::vector<Sighting> Watched(const Chooser& choose, uint64_t seed, const Watch& watch) {
  Hop hop(seed);
  hop.next_hops = watch.next_hops;
  for (uint32_t& next : hop.now) next = hop.Any();
  std::vector<Sighting> sightings;
  int64_t time_ns = 0;
  const auto see = [&](uint32_t flow, bool loaded) {
    const uint32_t next = choose(hop, flow, time_ns, loaded);
    hop.last_ns[flow] = time_ns;
    const bool lost = static_cast<double>(hop.random() >> 11) * 0x1p-53 < watch.loss;
    const int64_t wait = lost ? 100 * kMs : 20 * kUs;
    sightings.push_back({.flow = flow,
                         .next_hop = lost ? Sighting::kNowhere : next,
                         .sent_ns = time_ns,
                         .known_ns = time_ns + wait,
                         .after_load = loaded});
    time_ns += wait;
  };
  int64_t pause = 100 * kUs;
  for (uint32_t round = 0; round < watch.rounds; ++round) {
    for (uint32_t flow = 0; flow < 4; ++flow) {
      time_ns += 50 * kMs;
      see(flow, false);
      see(flow, false);
      time_ns += pause;
      see(flow, false);
    }
    pause = pause > 100 * kMs ? 100 * kUs : pause * 4;
    if (!watch.with_load || round % 3 != 2) continue;
    for (uint32_t flow = 0; flow < 4; ++flow) {
      time_ns += 50 * kMs;
      see(flow, false);
      see(flow, true);
    }
  }
  return sightings;
}

uint32_t Hashed(Hop& hop, uint32_t flow, int64_t, bool) { return hop.now[flow]; }
uint32_t PerPacket(Hop& hop, uint32_t, int64_t, bool) { return hop.Any(); }
uint32_t Flowlet(Hop& hop, uint32_t flow, int64_t time_ns, bool) {
  if (time_ns - hop.last_ns[flow] > 500 * kUs) hop.now[flow] = hop.Any();
  return hop.now[flow];
}
uint32_t Adaptive(Hop& hop, uint32_t flow, int64_t, bool loaded) {
  if (loaded) hop.now[flow] = (hop.now[flow] + 1) % hop.next_hops;
  return hop.now[flow];
}
// Half of the flows move once.
uint32_t Rerouted(Hop& hop, uint32_t flow, int64_t time_ns, bool) {
  const bool moves = flow % 2 == 0 && time_ns > 1'200 * kMs;
  return moves ? (hop.now[flow] + 1) % hop.next_hops : hop.now[flow];
}

struct ModeRow {
  std::string name;
  Chooser choose;
  HopMode mode;
  double loss = 0;
  uint32_t next_hops = 2;
};

void PrintTo(const ModeRow& row, std::ostream* out) { *out << row.name; }

class Mode : public testing::TestWithParam<ModeRow> {};

TEST_P(Mode, IsToldFromAnswersAlone) {
  const ModeRow& row = GetParam();
  for (uint64_t seed = 1; seed <= 250; ++seed) {
    const ModeVerdict verdict = JudgeMode(
        Watched(row.choose, seed, {.rounds = 24, .loss = row.loss, .next_hops = row.next_hops}));
    EXPECT_EQ(verdict.mode, row.mode) << "seed " << seed << ": " << verdict.reason;
    EXPECT_EQ(verdict.undecided, row.mode == HopMode::kUnknown);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Modes, Mode,
    testing::Values(ModeRow{"Hashed", Hashed, HopMode::kHashed},
                    ModeRow{"HashedWithLoss", Hashed, HopMode::kHashed, 0.4},
                    ModeRow{"PerPacket", PerPacket, HopMode::kPerPacket},
                    ModeRow{"PerPacketWithLoss", PerPacket, HopMode::kPerPacket, 0.2},
                    ModeRow{"PerPacketOver16", PerPacket, HopMode::kPerPacket, 0, 16},
                    ModeRow{"Flowlet", Flowlet, HopMode::kFlowlet},
                    ModeRow{"FlowletOver16", Flowlet, HopMode::kFlowlet, 0, 16},
                    ModeRow{"Adaptive", Adaptive, HopMode::kAdaptive},
                    ModeRow{"Rerouted", Rerouted, HopMode::kHashed},
                    ModeRow{"AlmostSilent", Hashed, HopMode::kUnknown, 0.99}),
    [](const auto& row) { return row.param.name; });

// Whatever is lost and however few answers there are: a flow that always goes one way is never said
// to go several.
TEST(Mode, AHashedHopIsHashedOrUnknownUnderAnyLoss) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    for (const double loss : {0.0, 0.1, 0.5, 0.9}) {
      for (const uint32_t rounds : {1U, 3U, 12U}) {
        const ModeVerdict verdict =
            JudgeMode(Watched(Hashed, seed, {.rounds = rounds, .loss = loss}));
        EXPECT_TRUE(verdict.mode == HopMode::kHashed || verdict.mode == HopMode::kUnknown);
        EXPECT_FALSE(verdict.change);
      }
    }
  }
}

TEST(Mode, OneChangeOfTheNetworkIsNamedWithItsTime) {
  for (uint64_t seed = 1; seed <= 250; ++seed) {
    for (const double loss : {0.0, 0.2}) {
      const ModeVerdict verdict = JudgeMode(Watched(Rerouted, seed, {.rounds = 24, .loss = loss}));
      EXPECT_EQ(verdict.mode, HopMode::kHashed) << verdict.reason;
      ASSERT_TRUE(verdict.change) << verdict.reason;
      // One of the two may not have been seen before.
      EXPECT_GE(verdict.change->flow_count, loss == 0 ? 2U : 1U);
      EXPECT_LE(verdict.change->flow_count, 2U);
      EXPECT_LE(verdict.change->from_ns, 1'200 * kMs);
      EXPECT_GE(verdict.change->to_ns, 1'200 * kMs);
    }
  }
}

TEST(Mode, AChangeAtTheVeryEndIsNotExplained) {
  std::vector<Sighting> sightings = Watched(Hashed, 1, {});
  Sighting last = sightings.back();
  last.sent_ns += kMs;
  last.known_ns += kMs;
  last.after_load = false;
  last.next_hop = 1 - last.next_hop;
  sightings.push_back(last);
  const ModeVerdict verdict = JudgeMode(sightings);
  EXPECT_EQ(verdict.mode, HopMode::kUnknown);
  EXPECT_TRUE(verdict.undecided);
  EXPECT_THAT(verdict.reason, HasSubstr("too little after it"));
}

TEST(Mode, FlowletsHaveTheirPauseBracketed) {
  for (uint64_t seed = 1; seed <= 250; ++seed) {
    const ModeVerdict verdict = JudgeMode(Watched(Flowlet, seed, {.rounds = 24}));
    EXPECT_LE(verdict.pause_stays_ns, 2 * kMs) << verdict.reason;
    EXPECT_GT(verdict.pause_moves_ns, 500 * kUs);
    EXPECT_LE(verdict.pause_moves_ns, 10 * kMs);
    EXPECT_LT(verdict.pause_stays_ns, verdict.pause_moves_ns);
  }
}

TEST(Mode, NoSightingsAreUnknown) {
  EXPECT_EQ(JudgeMode({}).mode, HopMode::kUnknown);
  EXPECT_TRUE(JudgeMode({}).undecided);
}

}  // namespace
}  // namespace weft::probe
