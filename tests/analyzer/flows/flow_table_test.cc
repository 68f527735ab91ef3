// SPDX-License-Identifier: Apache-2.0
#include "analyzer/flows/flow_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/analyzer/flows/conversation.h"

namespace weft::analyzer {
namespace {

class Recorder : public FlowObserver {
 public:
  void OnEvent(const FlowEvent& event) override {
    kinds.push_back(event.kind);
    values.push_back(event.value);
  }
  std::vector<FlowEvent::Kind> kinds;
  std::vector<int64_t> values;
};

TEST(FlowTable, ACnpIsCountedInTheFlowThatCarriesItAndMovesNoPath) {
  Conversation c;
  c.Acquaint(1000);
  End notifier = c.server;
  notifier.port = 0;
  notifier.dscp = 48;
  c.After(kUs).Packet(notifier, 0x81, 0, 16);
  c.After(kUs).Ack(999);
  const Connection got = c.FinishOne();
  EXPECT_EQ(got.backward->cnps.count, 1u);
  EXPECT_EQ(got.backward->port_changes, 0u);
  EXPECT_EQ(got.backward->transport, wire::Transport::kRc);
  ASSERT_EQ(got.backward->classes.size(), 2u);
  EXPECT_EQ(got.backward->classes[0], (ClassUse{.dscp = 26, .packets = 4, .bytes = 4 * 58}));
  EXPECT_EQ(got.backward->classes[1], (ClassUse{.dscp = 48, .packets = 1, .bytes = 58 + 16}));
  EXPECT_EQ(got.forward.cnps.count, 0u);
}

TEST(FlowTable, PathsPortsAndTtlsAreCountedWhenTheyChange) {
  Conversation c;
  c.Acquaint(1000);
  c.client.port = 0xc001;
  c.Write(1000, 2);
  c.client.port = 0xc000;
  c.client.ttl = 62;
  c.Write(1002, 3).After(5 * kUs).Ack(1004);
  const Connection got = c.FinishOne();
  EXPECT_EQ(got.forward.port_changes, 2u);
  EXPECT_EQ(got.forward.ttl_changes.count, 1u);
  EXPECT_EQ(got.forward.min_ttl, 62);
  EXPECT_EQ(got.forward.max_ttl, 64);
  EXPECT_THAT(
      got.forward.ports,
      testing::ElementsAre(PortUse{.udp_src_port = 0xc000, .packets = 6, .first_packet = 1},
                           PortUse{.udp_src_port = 0xc001, .packets = 2, .first_packet = 7}));
  EXPECT_EQ(got.backward->port_changes, 0u);
}

TEST(FlowTable, ClassesAreToldForBothWays) {
  Conversation c;
  c.server.dscp = 0;
  c.Acquaint(1000);
  const Connection got = c.FinishOne();
  EXPECT_EQ(got.forward.classes.at(0).dscp, 26);
  EXPECT_EQ(got.backward->classes.at(0).dscp, 0);
}

TEST(FlowTable, MarksVendorOpcodesAndBadIcrcsAreCounted) {
  Conversation c;
  c.Acquaint(1000);
  c.view().traffic_class |= 3;
  c.view().icrc = wire::IcrcState::kBad;
  c.Write(1000, 1);
  c.view().traffic_class &= 0xfc;
  c.view().icrc = wire::IcrcState::kOk;
  c.After(kUs).Packet(c.client, 0xc3, 0, 0).After(kUs).Packet(c.client, 0x1f, 0, 0);
  const Connection got = c.FinishOne();
  EXPECT_EQ(got.forward.ce.count, 1u);
  EXPECT_EQ(got.forward.ecn[3], 1u);
  EXPECT_EQ(got.forward.bad_icrc.count, 1u);
  EXPECT_EQ(got.forward.unchecked_icrc, 3u);
  EXPECT_EQ(got.forward.vendor.count, 1u);
  EXPECT_EQ(got.forward.reserved.count, 1u);
  EXPECT_EQ(got.forward.gaps.count, 0u);
}

TEST(FlowTable, ASlowSenderShowsGapsWhileAllIsAcknowledged) {
  for (const int64_t pause : {kUs, 12 * kUs}) {
    Conversation c;
    c.server.ttl = 61;  // behind routers: the capture stands beside the sender
    for (uint32_t message = 0; message < 40; ++message) {
      for (uint32_t i = 0; i < 32; ++i) c.After(-900).WritePacket(message * 32, 32, i);
      c.After(3 * kUs).Ack(message * 32 + 31).After(pause);
    }
    const Connection got = c.FinishOne();
    if (pause == kUs) {
      ExpectNoTrouble(got.forward);
    } else {
      EXPECT_GE(got.forward.sender_idle.count, 35u);
      EXPECT_EQ(got.forward.unanswered.count, 0u);
      EXPECT_EQ(got.forward.retransmitted.count, 0u);
    }
  }
}

TEST(FlowTable, AWaitThatTheWayToTheSenderExplainsIsNotTheSenders) {
  Conversation c;
  c.client.ttl = 61;
  for (uint32_t i = 0; i < 40; ++i) c.After(12 * kUs).Write(i, 1).After(kUs).Ack(i);
  const Connection got = c.FinishOne();
  EXPECT_EQ(got.forward.sender_idle.count, 0u);
  EXPECT_EQ(got.vantage, Vantage::kAtResponder);
}

TEST(FlowTable, TheVantageFollowsFromTtlsWhereTimesAreAlike) {
  for (const bool is_requester : {true, false}) {
    Conversation c;
    (is_requester ? c.server : c.client).ttl = 61;
    for (uint32_t i = 0; i < 20; ++i) c.After(10 * kUs).Write(i, 1).After(10 * kUs).Ack(i);
    EXPECT_EQ(c.FinishOne().vantage, is_requester ? Vantage::kAtRequester : Vantage::kAtResponder);
  }
}

TEST(FlowTable, TheVantageFollowsFromWhoReactsQuickly) {
  struct Row {
    int64_t rtt;
    int64_t reaction;
    Vantage vantage;
  };
  for (const Row& row :
       {Row{20 * kUs, kUs, Vantage::kAtRequester}, Row{kUs, 20 * kUs, Vantage::kAtResponder},
        Row{10 * kUs, 10 * kUs, Vantage::kUnknown}, Row{2 * kUs, 2 * kUs, Vantage::kUnknown}}) {
    Conversation c;
    for (uint32_t i = 0; i < 20; ++i) {
      c.After(row.reaction - kUs).Write(i, 1).After(row.rtt).Ack(i);
    }
    const Connection got = c.FinishOne();
    EXPECT_EQ(got.vantage, row.vantage) << got.vantage_reason;
    EXPECT_FALSE(got.vantage_reason.empty());
  }
}

TEST(FlowTable, LossesOnBothSidesMeanBetween) {
  Conversation c;
  c.Acquaint(0);
  for (uint32_t i = 0; i < 6; ++i) {
    const uint32_t psn = i * 10;
    i % 2 == 0 ? c.Write(psn, 10, {4}) : c.Write(psn, 10);
    c.After(5 * kUs).Nak(psn + 4).WriteFrom(psn, 10, 4).After(8 * kUs).Ack(psn + 9);
  }
  EXPECT_EQ(c.FinishOne().vantage, Vantage::kBetween);
}

TEST(FlowTable, EventsAreToldInTheirOrder) {
  using enum FlowEvent::Kind;
  Recorder recorder;
  Conversation c(&recorder);
  c.Write(10, 1).After(5 * kUs).Ack(10);
  c.Write(11, 4, {1}).After(5 * kUs).Nak(12).WriteFrom(11, 4, 1).After(5 * kUs).Ack(14);
  EXPECT_THAT(recorder.kinds,
              testing::ElementsAre(kMessage, kAck, kGap, kNak, kRetransmission, kMessage, kAck));
  EXPECT_EQ(recorder.values[0], 1024);
  EXPECT_EQ(recorder.values[2], 1);
}

TEST(FlowTable, FlowsBeyondTheBoundAreCountedAndNotFollowed) {
  FlowTable table({.max_flows = 2});
  wire::FrameView view;
  view.frame_class = wire::FrameClass::kRoceV2;
  for (uint32_t qpn = 0; qpn < 5; ++qpn) {
    view.rdma.bth.dest_qpn = qpn;
    table.Add(view, {.number = qpn + 1, .wire_bytes = 100});
  }
  EXPECT_EQ(table.flow_count(), 2u);
  EXPECT_EQ(table.overflowed_packets(), 3u);
  EXPECT_EQ(table.Finish().size(), 2u);
}

TEST(FlowTable, WithoutTimesThereAreCountsAndNoDurations) {
  Conversation c;
  c.WithoutTimes();
  c.Acquaint(100).Write(100, 6, {2}).Nak(102).WriteFrom(100, 6, 2).Ack(105);
  const Connection got = c.FinishOne();
  EXPECT_FALSE(got.forward.has_times);
  EXPECT_EQ(got.forward.ack_rtt.count + got.forward.completion.count, 0u);
  EXPECT_EQ(got.forward.go_back_n.count, 1u);
  EXPECT_EQ(got.forward.retransmitted.count, 3u);
}

}  // namespace
}  // namespace weft::analyzer
