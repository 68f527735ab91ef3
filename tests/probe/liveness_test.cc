// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/liveness.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "probe/trace/liveness_session.h"

namespace weft::probe {
namespace {

using topology::PathState;
using enum topology::PathState;

// The share of probes that come through on each forward path and on each answer port's way back.
struct Ways {
  std::vector<double> forward;
  std::vector<double> back;
};

struct LivenessRow {
  std::string name;
  Ways ways;
  std::vector<PathState> paths;         // expected
  std::vector<PathState> answer_ports;  // expected
};

// Lets a session ask until it is done; both ways roll a die.
LivenessSession Ask(const Ways& ways, uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto comes_through = [&](double share) {
    return static_cast<double>(random() >> 11) * 0x1p-53 < share;
  };
  std::vector<std::vector<uint16_t>> path_ports;
  for (size_t i = 0; i < ways.forward.size(); ++i) {
    path_ports.push_back(
        {static_cast<uint16_t>(50000 + 2 * i), static_cast<uint16_t>(50001 + 2 * i)});
  }
  std::vector<uint16_t> answer_ports;
  for (size_t i = 0; i < ways.back.size(); ++i) {
    answer_ports.push_back(static_cast<uint16_t>(60000 + i));
  }
  LivenessSession session(path_ports, answer_ports);
  for (auto round = session.NextRound(); !round.empty(); round = session.NextRound()) {
    for (const LivenessQuestion& question : round) {
      const bool answered = comes_through(ways.forward[question.path]) &&
                            comes_through(ways.back[question.answer_port]);
      if (answered) {
        session.Answered(question, question.reply_udp_src_port);
      } else {
        session.Lost(question);
      }
    }
  }
  return session;
}

std::vector<PathState> StatesOf(const std::vector<LivenessVerdict>& verdicts) {
  std::vector<PathState> states;
  for (const LivenessVerdict& verdict : verdicts) states.push_back(verdict.state);
  return states;
}

class LivenessTable : public testing::TestWithParam<LivenessRow> {};

TEST_P(LivenessTable, NamesTheWayThatFails) {
  const LivenessSession session = Ask(GetParam().ways, 1);
  const LivenessVerdicts verdicts = session.Verdicts();
  EXPECT_EQ(StatesOf(verdicts.paths), GetParam().paths);
  EXPECT_EQ(StatesOf(verdicts.answer_ports), GetParam().answer_ports);
}

INSTANTIATE_TEST_SUITE_P(Fabric, LivenessTable,
                         testing::Values(LivenessRow{"Healthy",
                                                     {{1, 1, 1, 1}, {1, 1, 1, 1}},
                                                     {kAlive, kAlive, kAlive, kAlive},
                                                     {kAlive, kAlive, kAlive, kAlive}},
                                         LivenessRow{"SpineDeadBothWays",
                                                     {{1, 0, 1, 1}, {1, 1, 0, 1}},
                                                     {kAlive, kDead, kAlive, kAlive},
                                                     {kAlive, kAlive, kDead, kAlive}},
                                         LivenessRow{"ForwardOnlyDead",
                                                     {{1, 1, 1, 0}, {1, 1, 1, 1}},
                                                     {kAlive, kAlive, kAlive, kDead},
                                                     {kAlive, kAlive, kAlive, kAlive}},
                                         LivenessRow{"ReverseOnlyDead",
                                                     {{1, 1, 1, 1}, {0, 1, 1, 1}},
                                                     {kAlive, kAlive, kAlive, kAlive},
                                                     {kDead, kAlive, kAlive, kAlive}},
                                         LivenessRow{"ThreeOfFourSpinesDead",
                                                     {{0, 0, 1, 0}, {1, 0, 1, 0}},
                                                     {kDead, kDead, kAlive, kDead},
                                                     {kAlive, kUnknown, kAlive, kUnknown}},
                                         LivenessRow{"AllWaysBackDead",
                                                     {{1, 1, 1, 1}, {0, 0, 0, 0}},
                                                     {kUnknown, kUnknown, kUnknown, kUnknown},
                                                     {kUnknown, kUnknown, kUnknown, kUnknown}},
                                         LivenessRow{"SinglePathAlive",
                                                     {{1}, {1, 1, 1, 1}},
                                                     {kAlive},
                                                     {kAlive, kAlive, kAlive, kAlive}},
                                         LivenessRow{"SinglePathThatNeverAnswers",
                                                     {{0}, {1, 1, 1, 1}},
                                                     {kUnknown},
                                                     {kUnknown, kUnknown, kUnknown, kUnknown}},
                                         LivenessRow{"OneWorkingWayBackIsTooFew",
                                                     {{1, 0}, {1, 0, 0, 0}},
                                                     {kAlive, kUnknown},
                                                     {kAlive, kUnknown, kUnknown, kUnknown}}),
                         [](const auto& row) { return row.param.name; });

// The first four answer ports all hash over what is dead; the session goes on to others.
TEST(LivenessSession, TakesMoreAnswerPortsWhereTooFewWork) {
  const LivenessSession session = Ask({{1, 0, 1, 1}, {1, 0, 0, 0, 1, 1, 1, 1}}, 1);
  EXPECT_GT(session.matrix().answer_port_count(), 4U);
  EXPECT_EQ(session.Verdicts().paths[1].state, kDead);
  EXPECT_GE(session.Verdicts().paths[1].witness_count, 3U);
}

TEST(LivenessSession, AsksNoMoreThanItsRoundsWhereAllIsWell) {
  const LivenessSession session = Ask({{1, 1}, {1, 1, 1, 1}}, 1);
  EXPECT_EQ(session.matrix().cell(0, 0).sent, LivenessSessionOptions().rounds);
}

// Chance decides here, so this counts over many seeds.
struct LossCounts {
  uint32_t lossy_named = 0;
  uint32_t others_named_lossy = 0;
  uint32_t named_dead = 0;
};

LossCounts CountLoss(const Ways& ways, size_t lossy_path, uint32_t runs) {
  LossCounts counts;
  for (uint32_t seed = 1; seed <= runs; ++seed) {
    const LivenessVerdicts verdicts = Ask(ways, seed).Verdicts();
    for (size_t path = 0; path < verdicts.paths.size(); ++path) {
      const PathState state = verdicts.paths[path].state;
      counts.named_dead += state == kDead ? 1 : 0;
      if (state == kLossy) ++(path == lossy_path ? counts.lossy_named : counts.others_named_lossy);
    }
  }
  return counts;
}

TEST(Liveness, NamesAPathThatLosesThirtyPercent) {
  const LossCounts counts = CountLoss({{1, 0.7, 1, 1}, {1, 1, 1, 1}}, 1, 200);
  EXPECT_GE(counts.lossy_named, 190U);
  EXPECT_EQ(counts.others_named_lossy, 0U);
  EXPECT_EQ(counts.named_dead, 0U);
}

TEST(Liveness, DoesNotBlameForwardPathsForALossyWayBack) {
  const LossCounts counts = CountLoss({{1, 1, 1, 1}, {1, 0.7, 1, 1}}, 4, 200);
  EXPECT_LE(counts.others_named_lossy, 4U);
  EXPECT_EQ(counts.named_dead, 0U);
}

// An answer from another port than asked for says that the path works, nothing about the port.
TEST(LivenessSession, CountsAnAnswerForThePortItReallyHad) {
  LivenessSession session({{50000}, {50001}}, {60000, 60001});
  const std::vector<LivenessQuestion> round = session.NextRound();
  session.Answered(round[0], 60001);
  EXPECT_EQ(session.matrix().cell(0, 0), LivenessCell());
  EXPECT_EQ(session.matrix().cell(0, 1), (LivenessCell{1, 1}));
}

}  // namespace
}  // namespace weft::probe
