// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <queue>
#include <random>
#include <set>
#include <vector>

#include "tests/analyzer/flows/conversation.h"

namespace weft::analyzer {
namespace {

struct World {
  uint64_t seed = 0;
  int64_t before_ns = 500;  // from the requester to the capture, one way
  int64_t behind_ns = 9'000;
  double lost_before = 0;
  double lost_behind = 0;
  double lost_acks = 0;     // on the requester's side of the capture: it sees them
  double capture_lost = 0;  // went by, and was not captured
};

// What really went by the capture.
struct Truth {
  std::set<uint32_t> seen;  // PSNs, not wrapped
  std::set<uint32_t> went_by_only;
  uint64_t repeated = 0;
  uint64_t naks = 0;
  uint64_t highest = 0;
  uint64_t timeouts = 0;
};

// A requester that goes back N, and its responder; messages of 4 packets, an ACK for each.
class Simulator {
 public:
  static constexpr uint32_t kPackets = 2'000;
  static constexpr uint32_t kWindow = 16;
  static constexpr uint32_t kMessage = 4;
  static constexpr int64_t kTimerNs = 2'000'000;
  static constexpr int64_t kSpacingNs = 300;

  Simulator(const World& world, uint32_t first_psn)
      : world_(world), first_psn_(first_psn), random_(world.seed) {}

  Connection Run() {
    // A NAK says nothing about a flow that it is not yet known to belong to.
    for (uint32_t i = 3; i > 0; --i) {
      conversation_.After(2 * world_.before_ns).Write(first_psn_ - i, 1);
      conversation_.After(2 * world_.behind_ns).Ack(first_psn_ - i);
    }
    conversation_.After(2 * world_.before_ns);
    Pump();
    while (!events_.empty() && acked_ < kPackets) {
      const Event event = events_.top();
      events_.pop();
      conversation_.After(event.time_ns - now_ns_);
      now_ns_ = event.time_ns;
      Happen(event);
    }
    return conversation_.FinishOne();
  }
  const Truth& truth() const { return truth_; }

 private:
  enum class What { kSend, kPass, kArrive, kAckPasses, kAckArrives, kTimer };
  struct Event {
    int64_t time_ns;
    uint64_t order;
    What what;
    uint32_t psn;
    bool is_nak;
    bool operator<(const Event& other) const {
      return std::pair(time_ns, order) > std::pair(other.time_ns, other.order);
    }
  };

  void At(int64_t ns, What what, uint32_t psn = 0, bool is_nak = false) {
    events_.push({now_ns_ + ns, ++order_, what, psn, is_nak});
  }
  bool Happens(double share) {
    return std::uniform_real_distribution<double>(0, 1)(random_) < share;
  }
  void Pump() {
    if (is_sending_) return;
    is_sending_ = true;
    At(kSpacingNs, What::kSend);
  }
  void Happen(const Event& event) {
    switch (event.what) {
      case What::kSend:
        is_sending_ = false;
        if (next_ >= kPackets || next_ >= acked_ + kWindow) return;
        if (!Happens(world_.lost_before)) At(world_.before_ns, What::kPass, next_);
        ++next_;
        last_progress_ns_ = now_ns_;
        At(kTimerNs, What::kTimer);
        return Pump();
      case What::kPass:
        Pass(event.psn);
        if (!Happens(world_.lost_behind)) At(world_.behind_ns, What::kArrive, event.psn);
        return;
      case What::kArrive:
        return Arrive(event.psn);
      case What::kAckPasses:
        truth_.naks += event.is_nak;
        conversation_.Packet(conversation_.server, op::kAck, first_psn_ + event.psn, -1, 0,
                             event.is_nak ? kSequenceNak : kAckSyndrome);
        if (!Happens(world_.lost_acks)) {
          At(world_.before_ns, What::kAckArrives, event.psn, event.is_nak);
        }
        return;
      case What::kAckArrives:
        if (event.is_nak && event.psn < acked_) return;  // out of date: a requester ignores it
        acked_ = std::max(acked_, event.is_nak ? event.psn : event.psn + 1);
        last_progress_ns_ = now_ns_;
        next_ = event.is_nak ? acked_ : std::max(next_, acked_);
        return Pump();
      case What::kTimer:
        if (now_ns_ - last_progress_ns_ < kTimerNs || acked_ == next_) return;
        ++truth_.timeouts;
        next_ = acked_;
        last_progress_ns_ = now_ns_;
        return Pump();
    }
  }
  void Pass(uint32_t psn) {
    if (Happens(world_.capture_lost)) {
      truth_.went_by_only.insert(psn);
      return;
    }
    truth_.repeated += !truth_.seen.insert(psn).second;
    truth_.highest = std::max<uint64_t>(truth_.highest, psn);
    const uint32_t place = psn % kMessage;
    conversation_.Packet(conversation_.client,
                         place == 0              ? op::kWriteFirst
                         : place == kMessage - 1 ? op::kWriteLast
                                                 : op::kWriteMiddle,
                         first_psn_ + psn);
  }
  void Arrive(uint32_t psn) {
    if (psn > expected_) {
      if (!has_nakked_) At(world_.behind_ns, What::kAckPasses, expected_, true);
      has_nakked_ = true;
      return;
    }
    if (psn == expected_) {
      ++expected_;
      has_nakked_ = false;
      if (psn % kMessage == kMessage - 1) At(world_.behind_ns, What::kAckPasses, psn);
    } else if (psn % kMessage == kMessage - 1) {
      At(world_.behind_ns, What::kAckPasses, expected_ - 1);  // a repeated one: an ACK again
    }
  }

  World world_;
  uint32_t first_psn_;
  std::mt19937_64 random_;
  Conversation conversation_;
  Truth truth_;
  std::priority_queue<Event> events_;
  int64_t now_ns_ = 0;
  uint64_t order_ = 0;
  uint32_t next_ = 0;
  uint32_t acked_ = 0;
  uint32_t expected_ = 0;
  bool has_nakked_ = false;
  bool is_sending_ = false;
  int64_t last_progress_ns_ = 0;
};

uint64_t NaksOf(const Connection& got) {
  return got.backward->naks[static_cast<size_t>(wire::NakCode::kPsnSequenceError)].count;
}

class FlowProperty : public testing::TestWithParam<uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Seeds, FlowProperty, testing::Range<uint64_t>(1, 21));

TEST_P(FlowProperty, AHealthyConversationShowsNothing) {
  for (const int64_t before : {500, 5'000, 9'500}) {
    Simulator simulator({.seed = GetParam(), .before_ns = before, .behind_ns = 10'000 - before},
                        0xffff00);
    const Connection got = simulator.Run();
    ExpectNoTrouble(got.forward);
    ExpectNoTrouble(*got.backward);
    EXPECT_EQ(got.forward.write.messages, Simulator::kPackets / Simulator::kMessage + 3);
    EXPECT_EQ(got.forward.write.incomplete, 0u);
  }
}

TEST_P(FlowProperty, RepetitionsAreCountedExactlyWhateverWasLostWhere) {
  for (const int64_t before : {500, 5'000, 9'500}) {
    for (const double share : {0.002, 0.02}) {
      Simulator simulator({.seed = GetParam(),
                           .before_ns = before,
                           .behind_ns = 10'000 - before,
                           .lost_before = share,
                           .lost_behind = share,
                           .lost_acks = share},
                          0xffff00);
      const Connection got = simulator.Run();
      const Truth& truth = simulator.truth();
      EXPECT_EQ(got.forward.retransmitted.count, truth.repeated);
      EXPECT_EQ(NaksOf(got), truth.naks);
      EXPECT_EQ(got.forward.missing_psns, truth.highest + 1 - truth.seen.size());
      EXPECT_EQ(got.forward.reordered.count, 0u);
      EXPECT_EQ(got.forward.duplicates.count, 0u);
      EXPECT_EQ(got.forward.capture_lost.count, 0u);
      EXPECT_LE(got.forward.timeouts.count, truth.timeouts);
      EXPECT_EQ(got.forward.write.messages, Simulator::kPackets / Simulator::kMessage + 3);
      EXPECT_EQ(got.forward.goodput_bytes, (truth.seen.size() + 3) * Conversation::kMtu);
    }
  }
}

TEST_P(FlowProperty, WhatTheCaptureLostIsNotTheNetworks) {
  Simulator simulator({.seed = GetParam(), .capture_lost = 0.01}, 0xffff00);
  const Connection got = simulator.Run();
  const Truth& truth = simulator.truth();
  EXPECT_EQ(got.forward.missing_psns, truth.highest + 1 - truth.seen.size());
  EXPECT_EQ(got.forward.capture_lost.count, got.forward.missing_psns);
  EXPECT_EQ(got.forward.retransmitted.count, 0u);
  EXPECT_EQ(got.forward.go_back_n.count + got.forward.timeouts.count, 0u);
  EXPECT_EQ(NaksOf(got), 0u);
}

TEST_P(FlowProperty, ReorderingIsCountedExactlyAndIsNoLoss) {
  std::mt19937_64 random(GetParam());
  Conversation c;
  c.Acquaint(0xffff00);
  // Each packet is delayed by up to 6 places.
  std::vector<std::pair<uint64_t, uint32_t>> order;
  for (uint32_t i = 0; i < 1'000; ++i) order.emplace_back(i * 2 + random() % 12, i);
  std::sort(order.begin(), order.end());
  uint64_t late = 0;
  uint32_t newest = 0;
  bool has_newest = false;
  for (const auto& [place, psn] : order) {
    if (psn == 0 && has_newest) ++late;
    if (psn != 0 && has_newest && psn < newest) ++late;
    newest = std::max(newest, psn);
    has_newest = true;
    c.After(kUs).Packet(c.client, op::kWriteOnly, 0xffff00 + psn);
  }
  c.After(10 * kUs).Ack(0xffff00 + 999);
  const Connection got = c.FinishOne();
  EXPECT_EQ(got.forward.reordered.count, late);
  EXPECT_GT(late, 0u);
  EXPECT_EQ(got.forward.retransmitted.count + got.forward.duplicates.count, 0u);
  EXPECT_EQ(got.forward.missing_psns, 0u);
  EXPECT_EQ(got.forward.write.messages, 1'003u);
}

}  // namespace
}  // namespace weft::analyzer
