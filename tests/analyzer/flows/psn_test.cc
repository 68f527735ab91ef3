// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/analyzer/flows/conversation.h"

namespace weft::analyzer {
namespace {

constexpr size_t kSequence = static_cast<size_t>(wire::NakCode::kPsnSequenceError);

// Each story is told from PSNs in the middle, and from ones that wrap within it.
class Psn : public testing::TestWithParam<uint32_t> {
 protected:
  uint32_t psn() const { return GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Starts, Psn, testing::Values(1000u, 0xfffffdu, 0xfffff8u, 3u));

TEST_P(Psn, WritesInOrderShowNothing) {
  Conversation c;
  c.Acquaint(psn()).Write(psn(), 10).After(10 * kUs).Ack(psn() + 9);
  const Connection got = c.FinishOne();
  ExpectNoTrouble(got.forward);
  ExpectNoTrouble(*got.backward);
  EXPECT_EQ(got.forward.write.messages, 4u);
  EXPECT_EQ(got.forward.write.incomplete, 0u);
  EXPECT_EQ(got.forward.write.bytes, 13u * Conversation::kMtu);
  EXPECT_EQ(got.forward.goodput_bytes, got.forward.payload_bytes);
  EXPECT_EQ(got.forward.ack_rtt.count, 4u);
  EXPECT_EQ(got.forward.ack_rtt.min_ns, 10 * kUs);
  EXPECT_EQ(got.forward.completion.max_ns, 19 * kUs);
  EXPECT_EQ(got.forward.path_mtu, Conversation::kMtu);
  EXPECT_EQ(got.backward->acks, 4u);
}

TEST_P(Psn, ALossBeforeTheCaptureIsAGapThatGoBackNFills) {
  Conversation c;
  c.Acquaint(psn()).Write(psn(), 10, {4}).After(5 * kUs).Nak(psn() + 4);
  c.WriteFrom(psn(), 10, 4).After(10 * kUs).Ack(psn() + 9);
  const Connection got = c.FinishOne();
  EXPECT_EQ(got.forward.gaps.count, 1u);
  EXPECT_EQ(got.forward.go_back_n.count, 1u);
  EXPECT_EQ(got.forward.retransmitted.count, 5u);  // PSNs 5 to 9 had been seen, 4 had not
  EXPECT_EQ(got.forward.missing_psns, 0u);
  EXPECT_EQ(got.forward.reordered.count, 0u);
  EXPECT_EQ(got.forward.timeouts.count, 0u);
  EXPECT_EQ(got.forward.capture_lost.count, 0u);
  EXPECT_EQ(got.forward.write.messages, 4u);
  EXPECT_EQ(got.forward.write.incomplete, 0u);
  EXPECT_EQ(got.forward.goodput_bytes, 13u * Conversation::kMtu);
  EXPECT_EQ(got.backward->naks[kSequence].count, 1u);
  EXPECT_EQ(got.forward.ack_rtt.count, 3u);  // Karn: none of the repeated message
}

TEST_P(Psn, ALossBehindTheCaptureIsGoBackNWithoutAGap) {
  Conversation c;
  c.Acquaint(psn()).Write(psn(), 10).After(5 * kUs).Nak(psn() + 4);
  c.WriteFrom(psn(), 10, 4).After(10 * kUs).Ack(psn() + 9);
  const Connection got = c.FinishOne();
  EXPECT_EQ(got.forward.gaps.count, 0u);
  EXPECT_EQ(got.forward.go_back_n.count, 1u);
  EXPECT_EQ(got.forward.retransmitted.count, 6u);
  EXPECT_EQ(got.forward.spurious.count, 0u);
  EXPECT_EQ(got.forward.duplicates.count, 0u);
  EXPECT_EQ(got.forward.ack_rtt.count, 3u);
}

TEST_P(Psn, ALostAckIsCoveredByTheNext) {
  Conversation c;
  c.Acquaint(psn()).Write(psn(), 4).Write(psn() + 4, 4).After(10 * kUs).Ack(psn() + 7);
  const Connection got = c.FinishOne();
  ExpectNoTrouble(got.forward);
  EXPECT_EQ(got.forward.ack_rtt.count, 5u);
  EXPECT_EQ(got.forward.completion.count, 5u);
}

TEST_P(Psn, ATimeoutRepeatsAfterSilence) {
  Conversation c;
  c.Acquaint(psn()).Write(psn(), 4).After(67 * kMs);
  c.WriteFrom(psn(), 4, 2).After(10 * kUs).Ack(psn() + 3);
  const Connection got = c.FinishOne();
  EXPECT_EQ(got.forward.timeouts.count, 1u);
  EXPECT_EQ(got.forward.go_back_n.count, 1u);
  EXPECT_EQ(got.forward.retransmitted.count, 2u);
  EXPECT_EQ(got.forward.unanswered.count, 1u);
  EXPECT_NEAR(static_cast<double>(got.forward.unanswered.max_ns), 67.0 * kMs, 0.1 * kMs);
  EXPECT_EQ(got.forward.retransmission_interval.count, 1u);
  EXPECT_NEAR(static_cast<double>(got.forward.retransmission_interval.max_ns), 67.0 * kMs,
              0.1 * kMs);
}

TEST_P(Psn, OneRepeatedInsideTheStreamIsSelective) {
  Conversation c;
  c.Acquaint(psn()).Write(psn(), 8).After(5 * kUs).Nak(psn() + 3);
  c.WritePacket(psn(), 8, 3).Write(psn() + 8, 4).After(10 * kUs).Ack(psn() + 11);
  const Connection got = c.FinishOne();
  EXPECT_EQ(got.forward.selective.count, 1u);
  EXPECT_EQ(got.forward.go_back_n.count, 0u);
  EXPECT_EQ(got.forward.retransmitted.count, 1u);
  EXPECT_EQ(got.forward.write.messages, 5u);
}

TEST_P(Psn, WhatAnAckHadCoveredIsSpurious) {
  Conversation c;
  c.Acquaint(psn()).Write(psn(), 4).After(10 * kUs).Ack(psn() + 3).After(10 * kMs);
  c.WriteFrom(psn(), 4, 1).After(10 * kUs).Ack(psn() + 3);
  const Connection got = c.FinishOne();
  EXPECT_EQ(got.forward.spurious.count, 3u);
  EXPECT_EQ(got.forward.retransmitted.count, 3u);
  EXPECT_EQ(got.forward.timeouts.count, 1u);
}

TEST_P(Psn, LateOnesAreReorderedAndNotRepeated) {
  for (const uint32_t behind : {1u, 3u, 6u}) {
    Conversation c;
    c.Acquaint(psn());
    for (uint32_t i = 0; i < 10; ++i) {
      if (i != 2) c.WritePacket(psn(), 10, i);
      if (i == 2 + behind) c.WritePacket(psn(), 10, 2);
    }
    c.After(10 * kUs).Ack(psn() + 9);
    const Connection got = c.FinishOne();
    EXPECT_EQ(got.forward.reordered.count, 1u) << behind;
    EXPECT_EQ(got.forward.gaps.count, 1u) << behind;
    EXPECT_EQ(got.forward.missing_psns, 0u) << behind;
    EXPECT_EQ(got.forward.retransmitted.count, 0u) << behind;
    EXPECT_EQ(got.forward.go_back_n.count + got.forward.selective.count, 0u) << behind;
    EXPECT_EQ(got.forward.write.messages, 4u) << behind;
    EXPECT_EQ(got.forward.write.incomplete, 0u) << behind;
  }
}

TEST_P(Psn, WhatIsAcknowledgedAndWasNeverSeenTheCaptureLost) {
  Conversation c;
  c.Acquaint(psn()).Write(psn(), 10, {4, 5}).After(10 * kUs).Ack(psn() + 9);
  const Connection got = c.FinishOne();
  EXPECT_EQ(got.forward.capture_lost.count, 2u);
  EXPECT_EQ(got.forward.missing_psns, 2u);
  EXPECT_EQ(got.forward.gaps.count, 1u);
  EXPECT_EQ(got.forward.retransmitted.count, 0u);
  EXPECT_EQ(got.forward.write.incomplete, 1u);
  EXPECT_EQ(got.forward.write.messages, 3u);
}

TEST_P(Psn, WhatIsNeitherAcknowledgedNorSeenIsMissingAndNoMore) {
  Conversation c;
  c.Acquaint(psn()).Write(psn(), 10, {4, 5});
  const Connection got = c.FinishOne();
  EXPECT_EQ(got.forward.capture_lost.count, 0u);
  EXPECT_EQ(got.forward.missing_psns, 2u);
}

TEST_P(Psn, TheSamePacketAtOnceIsACopy) {
  Conversation c;
  c.Acquaint(psn());
  for (uint32_t i = 0; i < 6; ++i) {
    c.WritePacket(psn(), 6, i);
    if (i == 1 || i == 3) c.After(-kUs / 2).WritePacket(psn(), 6, i);
  }
  c.After(10 * kUs).Ack(psn() + 5);
  const Connection got = c.FinishOne();
  EXPECT_EQ(got.forward.duplicates.count, 2u);
  EXPECT_EQ(got.forward.retransmitted.count, 0u);
  EXPECT_EQ(got.forward.write.messages, 4u);
  EXPECT_EQ(got.forward.goodput_bytes, 9u * Conversation::kMtu);
}

TEST_P(Psn, RnrWithTimerCodeZeroIsTheLongestAndItsStallIsMeasured) {
  Conversation c;
  c.Acquaint(psn()).Write(psn(), 2).After(5 * kUs).Nak(psn(), kRnrNak);
  c.After(700 * kMs).WriteFrom(psn(), 2, 0).After(10 * kUs).Ack(psn() + 1);
  const Connection got = c.FinishOne();
  EXPECT_EQ(got.backward->rnr_naks.count, 1u);
  EXPECT_EQ(got.backward->rnr_timer_ns, 655'360'000);
  EXPECT_EQ(got.forward.rnr_stall_ns, 700 * kMs + kUs);
  EXPECT_EQ(got.forward.timeouts.count, 0u);
  EXPECT_EQ(got.forward.unanswered.count, 0u);
  EXPECT_EQ(got.forward.retransmitted.count, 2u);
}

TEST_P(Psn, AReadTakesThePsnsOfItsResponses) {
  Conversation c;
  c.Acquaint(psn());
  // Its MTU is known from a message of several packets.
  c.Write(psn(), 2).After(10 * kUs).Ack(psn() + 1);
  c.After(kUs).Packet(c.client, op::kReadRequest, psn() + 2, 0, 3 * Conversation::kMtu);
  c.After(kUs).Packet(c.client, op::kWriteOnly, psn() + 5);
  c.After(8 * kUs).Packet(c.server, op::kReadFirst, psn() + 2);
  c.After(kUs).Packet(c.server, op::kReadMiddle, psn() + 3);
  c.After(kUs).Packet(c.server, op::kReadLast, psn() + 4);
  c.After(kUs).Ack(psn() + 5);
  const Connection got = c.FinishOne();
  ExpectNoTrouble(got.forward);
  ExpectNoTrouble(*got.backward);
  EXPECT_EQ(got.forward.read_request.messages, 1u);
  EXPECT_EQ(got.forward.read_request.bytes, 3u * Conversation::kMtu);
  EXPECT_EQ(got.backward->read_response.messages, 1u);
  EXPECT_EQ(got.backward->read_response.bytes, 3u * Conversation::kMtu);
}

TEST_P(Psn, AReadOfUnknownMtuInventsNoGap) {
  Conversation c;
  c.Acquaint(psn());
  c.After(kUs).Packet(c.client, op::kReadRequest, psn(), 0, 64 * 1024);
  c.After(kUs).Packet(c.client, op::kReadRequest, psn() + 16, 0, 64 * 1024);
  c.After(kUs).Packet(c.client, op::kSendOnly, psn() + 32, 64);
  const Connection got = c.FinishOne();
  EXPECT_EQ(got.forward.gaps.count, 0u);
  EXPECT_EQ(got.forward.missing_psns, 0u);
}

TEST_P(Psn, ALostReadResponseIsAskedForAgain) {
  Conversation c;
  c.Acquaint(psn()).Write(psn(), 2).After(10 * kUs).Ack(psn() + 1);
  const uint32_t read = psn() + 2;
  c.After(kUs).Packet(c.client, op::kReadRequest, read, 0, 4 * Conversation::kMtu);
  c.After(8 * kUs).Packet(c.server, op::kReadFirst, read);
  c.After(kUs).Packet(c.server, op::kReadMiddle, read + 2);
  c.After(kUs).Packet(c.server, op::kReadLast, read + 3);
  c.After(4 * kUs).Packet(c.client, op::kReadRequest, read + 1, 0, 3 * Conversation::kMtu);
  c.After(8 * kUs).Packet(c.server, op::kReadFirst, read + 1);
  c.After(kUs).Packet(c.server, op::kReadMiddle, read + 2);
  c.After(kUs).Packet(c.server, op::kReadLast, read + 3);
  const Connection got = c.FinishOne();
  EXPECT_EQ(got.backward->gaps.count, 1u);
  EXPECT_EQ(got.backward->retransmitted.count, 2u);
  EXPECT_EQ(got.backward->go_back_n.count, 1u);
  EXPECT_EQ(got.backward->missing_psns, 0u);
  EXPECT_EQ(got.backward->read_response.messages, 1u);
  EXPECT_EQ(got.backward->read_response.bytes, 4u * Conversation::kMtu);
  EXPECT_EQ(got.forward.retransmitted.count, 1u);
  EXPECT_EQ(got.forward.gaps.count, 0u);
}

TEST_P(Psn, AtomicsAreMessagesOfOnePacket) {
  Conversation c;
  c.Acquaint(psn());
  for (uint32_t i = 0; i < 5; ++i) {
    c.After(kUs).Packet(c.client, op::kFetchAdd, psn() + i);
    c.After(4 * kUs).Packet(c.server, op::kAtomicAck, psn() + i);
  }
  const Connection got = c.FinishOne();
  ExpectNoTrouble(got.forward);
  EXPECT_EQ(got.forward.atomic.messages, 5u);
  EXPECT_EQ(got.forward.ack_rtt.count, 8u);
  EXPECT_EQ(got.backward->acks, 3u);
}

TEST_P(Psn, UcShowsGapsAndNothingElse) {
  Conversation c;
  for (uint32_t i = 0; i < 8; ++i) {
    if (i != 3) c.After(kUs).Packet(c.client, 0x24, psn() + i);
  }
  const std::vector<Connection> got = c.Finish();
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].forward.transport, wire::Transport::kUc);
  EXPECT_EQ(got[0].forward.gaps.count, 1u);
  EXPECT_EQ(got[0].forward.missing_psns, 1u);
  EXPECT_EQ(got[0].forward.capture_lost.count, 0u);
  EXPECT_EQ(got[0].forward.send.messages, 7u);
}

TEST_P(Psn, UdPsnsProveNothing) {
  Conversation c;
  for (const uint32_t step : {0u, 9u, 4u, 4u, 70u}) {
    c.After(kUs).Packet(c.client, 0x64, psn() + step, 100);
  }
  const std::vector<Connection> got = c.Finish();
  ASSERT_EQ(got.size(), 1u);
  ExpectNoTrouble(got[0].forward);
  EXPECT_EQ(got[0].pairing, Pairing::kDatagram);
  EXPECT_EQ(got[0].forward.send.messages, 5u);
}

TEST(PsnStream, AMidStreamStartIsIncompleteAndNoGap) {
  Conversation c;
  c.WriteFrom(500, 6, 3).Write(506, 4).After(10 * kUs).Ack(509);
  const Connection got = c.FinishOne();
  ExpectNoTrouble(got.forward);
  EXPECT_EQ(got.forward.write.messages, 1u);
  EXPECT_EQ(got.forward.write.incomplete, 1u);
}

TEST(PsnStream, AnyCutOfAHealthyCaptureShowsNoTrouble) {
  for (uint32_t cut = 1; cut < 20; ++cut) {
    Conversation c;
    for (uint32_t i = 0; i < cut; ++i) {
      const uint32_t message = i / 5;
      if (i % 5 == 4) {
        c.After(8 * kUs).Ack(1000 + message * 4 + 3);
      } else {
        c.WritePacket(1000 + message * 4, 4, i % 5);
      }
    }
    for (const Connection& got : c.Finish()) {
      ExpectNoTrouble(got.forward);
      if (got.backward) ExpectNoTrouble(*got.backward);
      EXPECT_EQ(got.forward.write.incomplete, cut % 5 == 0 || cut % 5 == 4 ? 0u : 1u) << cut;
    }
  }
}

TEST(PsnStream, AnotherLifeOfTheQpIsNoGap) {
  Conversation c;
  c.Acquaint(1000).Write(1000, 4).After(kMs).Write(8'000'000, 4);
  const Connection got = c.FinishOne();
  EXPECT_EQ(got.forward.gaps.count, 0u);
  EXPECT_EQ(got.forward.write.messages, 5u);
}

TEST(PsnStream, ManyHolesStayBounded) {
  Conversation c;
  c.Acquaint(0);
  for (uint32_t i = 0; i < 400; i += 2) c.After(kUs).Packet(c.client, op::kWriteOnly, i);
  c.After(kUs).Ack(399);
  const Connection got = c.FinishOne();
  EXPECT_EQ(got.forward.gaps.count, 199u);
  EXPECT_EQ(got.forward.missing_psns, 199u);
  EXPECT_LE(got.forward.capture_lost.count, 199u);
}

}  // namespace
}  // namespace weft::analyzer
