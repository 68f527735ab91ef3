// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>

#include "tests/analyzer/flows/conversation.h"
#include "wire/cm.h"

namespace weft::analyzer {
namespace {

// `count` QPs between the same two hosts; the QPN of the server's end of one is 0x1000 + n.
struct Crowd {
  static End Client(uint32_t n) {
    return {.address = 1, .peer_address = 2, .peer_qpn = 0x1000 + n};
  }
  static End Server(uint32_t n) {
    return {.address = 2, .peer_address = 1, .peer_qpn = 0x5000 + n};
  }
};

// All ask, then all answer, and so on: nothing but PSNs can tell them apart.
std::vector<Connection> LockStep(uint32_t count, uint32_t psn_apart) {
  Conversation c;
  for (uint32_t round = 0; round < 8; ++round) {
    for (uint32_t n = 0; n < count; ++n) {
      c.After(100).Packet(Crowd::Client(n), op::kWriteOnly, n * psn_apart + round);
    }
    for (uint32_t n = 0; n < count; ++n) {
      c.After(100).Packet(Crowd::Server(n), op::kAck, n * psn_apart + round);
    }
  }
  return c.Finish();
}

TEST(Pairing, QpsInLockStepFromPsnZeroStayAmbiguous) {
  const std::vector<Connection> got = LockStep(64, 0);
  ASSERT_EQ(got.size(), 128u);
  for (const Connection& one : got) {
    EXPECT_EQ(one.pairing, Pairing::kAmbiguous);
    EXPECT_EQ(one.candidates, 64u);
    EXPECT_FALSE(one.backward.has_value());
    EXPECT_EQ(one.forward.ack_rtt.count, 0u);
    ExpectNoTrouble(one.forward);
  }
}

TEST(Pairing, QpsInLockStepWithPsnsOfTheirOwnArePaired) {
  for (const uint32_t count : {64u, 1000u}) {
    const std::vector<Connection> got = LockStep(count, 9973);
    ASSERT_EQ(got.size(), count);
    for (const Connection& one : got) {
      EXPECT_EQ(one.pairing, Pairing::kEvidence);
      ASSERT_TRUE(one.backward.has_value());
      EXPECT_EQ(one.forward.key.dest_qpn - 0x1000, one.backward->key.dest_qpn - 0x5000);
      EXPECT_EQ(one.forward.source_qpn, one.backward->key.dest_qpn);
    }
  }
}

TEST(Pairing, BothEndsWithOneQpnStayTwoDirections) {
  Conversation c;
  c.client.peer_qpn = c.server.peer_qpn = 0x11;
  c.Acquaint(9'209'053);
  const Connection got = c.FinishOne();
  EXPECT_EQ(got.forward.key.source, wire::NetworkAddress::Ipv4(0x0a000001));
  EXPECT_EQ(got.backward->key.source, wire::NetworkAddress::Ipv4(0x0a000002));
  EXPECT_EQ(got.forward.packets, 3u);
  ExpectNoTrouble(got.forward);
}

TEST(Pairing, OneRequestAndItsAckAreEnough) {
  Conversation c;
  c.Write(77, 1).After(10 * kUs).Ack(77);
  const Connection got = c.FinishOne();
  EXPECT_EQ(got.pairing, Pairing::kEvidence);
  EXPECT_EQ(got.forward.ack_rtt.count, 1u);
}

TEST(Pairing, ForeignPsnsPairNothing) {
  Conversation c;
  for (uint32_t i = 0; i < 5; ++i) c.Write(100 + i, 1).After(5 * kUs).Ack(7'000'000 + i);
  const std::vector<Connection> got = c.Finish();
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0].pairing, Pairing::kOneWay);
  EXPECT_EQ(got[0].vantage, Vantage::kOneWay);
  EXPECT_EQ(got[0].forward.ack_rtt.count, 0u);
}

class Cm : public testing::Test {
 protected:
  void Send(Conversation& c, End from, const wire::CmMessage& message) {
    from.peer_qpn = 1;
    ASSERT_EQ(wire::BuildCm(message, 1, mad_), mad_.size());
    c.view().rdma.payload = mad_;
    c.After(kUs).Packet(from, 0x64, 0, static_cast<int64_t>(mad_.size()));
  }
  std::array<std::byte, 256> mad_{};
};

TEST_F(Cm, RequestAndReplyNameBothQpns) {
  Conversation c;
  Send(c, c.client,
       {.kind = wire::CmKind::kReq,
        .local_comm_id = 5,
        .qpn = 0x11,
        .path_mtu_code = 3,
        .retry_count = 7,
        .rnr_retry_count = 6,
        .ack_timeout_code = 14});
  Send(c, c.server,
       {.kind = wire::CmKind::kRep, .local_comm_id = 9, .remote_comm_id = 5, .qpn = 0x22});
  // The agreed MTU of 1024 tells how many PSNs a READ takes before any of its responses is seen.
  c.After(kUs).Packet(c.client, op::kReadRequest, 50, 0, 4096);
  c.After(kUs).Packet(c.client, op::kSendOnly, 56, 64);
  c.After(kUs).Ack(40);
  const std::vector<Connection> got = c.Finish();
  ASSERT_EQ(got.size(), 3u);
  const Connection& data = got[2];
  EXPECT_EQ(data.pairing, Pairing::kCm);
  ASSERT_TRUE(data.cm.has_value());
  EXPECT_EQ(data.cm->path_mtu_bytes, 1024u);
  EXPECT_EQ(data.cm->retry_count, 7);
  EXPECT_EQ(data.cm->ack_timeout_code, 14);
  EXPECT_EQ(data.cm->request_packet, 1u);
  EXPECT_EQ(data.forward.missing_psns, 2u);
}

TEST_F(Cm, ARejectionIsToldWithTheRequest) {
  Conversation c;
  Send(c, c.client, {.kind = wire::CmKind::kReq, .local_comm_id = 5, .qpn = 0x11});
  Send(c, c.server,
       {.kind = wire::CmKind::kRej, .remote_comm_id = 5, .reject_reason = uint16_t{8}});
  const std::vector<Connection> got = c.Finish();
  ASSERT_EQ(got.size(), 2u);
  ASSERT_TRUE(got[0].cm.has_value());
  EXPECT_EQ(got[0].cm->rejected, wire::RejectReasonText(8));
  EXPECT_FALSE(got[1].cm.has_value());
}

}  // namespace
}  // namespace weft::analyzer
