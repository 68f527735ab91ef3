// SPDX-License-Identifier: Apache-2.0
#include "probe/traffic/sender.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "probe/traffic/outgoing_flow.h"
#include "tests/probe/loopback.h"

namespace weft::probe {
namespace {

using testing::HasSubstr;
constexpr int64_t kMs = 1'000'000;

SenderOptions ShortFlows() {
  SenderOptions options;
  options.duration_ns = 800 * kMs;
  options.warmup_ns = 100 * kMs;
  options.message_bytes = 10'000;
  return options;
}

std::unique_ptr<Sender> StartSender(const SenderOptions& options, std::vector<FlowToSend> flows) {
  auto sender = Sender::Create(options, std::move(flows));
  EXPECT_TRUE(sender.ok()) << sender.status();
  return *std::move(sender);
}

void RunUntilDone(Sender& sender, std::vector<Responder*> responders) {
  while (!sender.done()) {
    for (Responder* responder : responders) responder->Step(0);
    sender.Step(MonotonicNs() + kMs / 2);
  }
}

class SenderTest : public LoopbackTest {
 protected:
  static FlowToSend FlowTo(const topology::Target& target, uint16_t port) {
    FlowToSend flow = {.flow = {}, .target = target};
    flow.flow.id = "f" + std::to_string(port);
    flow.flow.source_address = Loopback(1);
    flow.flow.destination_address = target.address;
    flow.flow.rate_bps = 16e6;
    flow.flow.udp_src_port = port;
    return flow;
  }
};

// Seconds of silence, which are the same over either family.
using SenderTimeouts = SenderTest;

TEST_P(SenderTest, AllThatWasSentOverAFreePathIsReported) {
  auto responder = StartResponder({.address = Loopback(2), .tcp_port = 0});
  auto sender = StartSender(
      ShortFlows(), {FlowTo(responder->target(), 50001), FlowTo(responder->target(), 50002)});
  RunUntilDone(*sender, {responder.get()});
  const std::vector<topology::FlowReport> reports = sender->Reports();
  ASSERT_EQ(reports.size(), 2u);
  for (const topology::FlowReport& report : reports) {
    EXPECT_EQ(report.stopped_because, "done");
    EXPECT_TRUE(report.report_received);
    EXPECT_GT(report.sent_packets, 0u);
    EXPECT_EQ(report.received_packets, report.sent_packets);
    EXPECT_EQ(report.lost_packets, 0u);
    EXPECT_EQ(report.reordered_packets, 0u);
    EXPECT_EQ(report.duplicate_packets, 0u);
    EXPECT_GT(report.sent_bytes, 0);
    EXPECT_EQ(report.received_bytes, report.sent_bytes);
    EXPECT_DOUBLE_EQ(report.window_start_s, 0.1);
    EXPECT_DOUBLE_EQ(report.window_seconds, 0.2);
    EXPECT_NE(report.flow.dest_qpn, 0u);
  }
  EXPECT_NE(reports[0].flow.dest_qpn, reports[1].flow.dest_qpn);
  EXPECT_EQ(responder->counters().data_packets,
            uint64_t{reports[0].sent_packets} + reports[1].sent_packets);
}

TEST_P(SenderTest, NoMoreThanTheRateIsSent) {
  auto responder = StartResponder({.address = Loopback(2), .tcp_port = 0});
  auto sender = StartSender(ShortFlows(), {FlowTo(responder->target(), 50001)});
  RunUntilDone(*sender, {responder.get()});
  // 200 ms of 16 Mbit/s, and what a sender may catch up on.
  EXPECT_LE(sender->Reports()[0].sent_bytes, 16e6 / 8 * 0.202 + 4096);
}

TEST_P(SenderTimeouts, AResponderThatFallsSilentStopsItsFlowOnly) {
  auto silent = StartResponder({.address = Loopback(2), .tcp_port = 0});
  auto healthy = StartResponder({.address = Loopback(3), .tcp_port = 0});
  SenderOptions options = ShortFlows();
  options.duration_ns = 2500 * kMs;
  auto sender =
      StartSender(options, {FlowTo(silent->target(), 50001), FlowTo(healthy->target(), 50002)});
  while (silent->counters().data_packets < 20) {
    silent->Step(0);
    healthy->Step(0);
    sender->Step(MonotonicNs() + kMs / 2);
  }
  RunUntilDone(*sender, {healthy.get()});
  const std::vector<topology::FlowReport> reports = sender->Reports();
  EXPECT_EQ(reports[0].stopped_because, "responder silent");
  EXPECT_FALSE(reports[0].report_received);
  EXPECT_LT(reports[0].sent_packets, reports[1].sent_packets);
  EXPECT_EQ(reports[1].stopped_because, "done");
  EXPECT_TRUE(reports[1].report_received);
}

TEST_P(SenderTest, ARefusedFlowIsReportedWithTheLimitAndOthersGoOn) {
  ResponderOptions options = {.address = Loopback(2), .tcp_port = 0};
  options.flow_limits.rate_bps = 20'000'000;
  auto responder = StartResponder(options);
  FlowToSend fast = FlowTo(responder->target(), 50001);
  fast.flow.rate_bps = 21e6;
  auto sender = StartSender(ShortFlows(), {fast, FlowTo(responder->target(), 50002)});
  RunUntilDone(*sender, {responder.get()});
  const std::vector<topology::FlowReport> reports = sender->Reports();
  EXPECT_THAT(reports[0].stopped_because, HasSubstr("refused"));
  EXPECT_THAT(reports[0].stopped_because, HasSubstr("20000000 bit/s"));
  EXPECT_EQ(reports[0].sent_packets, 0u);
  EXPECT_EQ(reports[1].stopped_because, "done");
  EXPECT_EQ(responder->counters().flows_refused, 1u);
}

TEST_P(SenderTest, AHeldSourcePortIsReportedAndOthersGoOn) {
  auto responder = StartResponder({.address = Loopback(2), .tcp_port = 0});
  UdpSocket holder;
  ASSERT_EQ(holder.Open({.address = Loopback(1), .port = 50001}), 0);
  auto sender = StartSender(
      ShortFlows(), {FlowTo(responder->target(), 50001), FlowTo(responder->target(), 50002)});
  RunUntilDone(*sender, {responder.get()});
  const std::vector<topology::FlowReport> reports = sender->Reports();
  EXPECT_THAT(reports[0].stopped_because, HasSubstr("UDP port 50001"));
  EXPECT_THAT(reports[0].stopped_because, HasSubstr("is held by"));
  EXPECT_EQ(reports[1].stopped_because, "done");
}

TEST_P(SenderTest, StoppedFlowsStillReportWhatCame) {
  auto responder = StartResponder({.address = Loopback(2), .tcp_port = 0});
  SenderOptions options = ShortFlows();
  options.duration_ns = 60'000 * kMs;
  auto sender = StartSender(options, {FlowTo(responder->target(), 50001)});
  while (responder->counters().data_packets < 100) {
    responder->Step(0);
    sender->Step(MonotonicNs() + kMs / 2);
  }
  sender->Stop("interrupted");
  RunUntilDone(*sender, {responder.get()});
  const topology::FlowReport report = sender->Reports()[0];
  EXPECT_EQ(report.stopped_because, "interrupted");
  EXPECT_TRUE(report.report_received);
  EXPECT_EQ(report.received_packets, report.sent_packets);
}

TEST_P(SenderTimeouts, AnOfferThatNobodyAnswersEndsTheFlow) {
  // Bound and mute: not even an ICMP error comes.
  UdpSocket mute;
  ASSERT_EQ(mute.Open({.address = Loopback(4), .port = 4791}), 0);
  topology::Target target;
  target.address = Loopback(4);
  target.path_mtu = 1024;
  auto sender = StartSender(ShortFlows(), {FlowTo(target, 50001)});
  RunUntilDone(*sender, {});
  EXPECT_EQ(sender->Reports()[0].stopped_because,
            "no answer to the offer from " + Loopback(4).ToString());
}

TEST_P(SenderTest, WithoutAPortTheTwoQpnsMakeOne) {
  topology::Target target;
  target.address = Loopback(2);
  target.path_mtu = 4096;
  FlowToSend flow = FlowTo(target, 0);
  EXPECT_TRUE(absl::IsInvalidArgument(Sender::Create(ShortFlows(), {flow}).status()));
  flow.flow.source_qpn = 0x15;
  flow.flow.dest_qpn = 0x15;
  auto sender = StartSender(ShortFlows(), {flow});
  EXPECT_EQ(sender->Reports()[0].flow.udp_src_port, 49593);  // as Linux rxe does
}

WEFT_OVER_BOTH_FAMILIES(SenderTest);
INSTANTIATE_TEST_SUITE_P(All, SenderTimeouts, testing::Values(Family::kV4), FamilyName);

struct MessageCase {
  const char* name;
  uint32_t offset;
  uint32_t message_bytes;
  wire::BthOpcode opcode;
  uint32_t payload_bytes;
};

const MessageCase kMessageCases[] = {
    {"Only", 0, 4096, wire::BthOpcode::kUcSendOnly, 4096},
    {"ShortOnly", 0, 100, wire::BthOpcode::kUcSendOnly, 100},
    {"First", 0, 10'000, wire::BthOpcode::kUcSendFirst, 4096},
    {"Middle", 4096, 10'000, wire::BthOpcode::kUcSendMiddle, 4096},
    {"Last", 8192, 10'000, wire::BthOpcode::kUcSendLast, 1808},
    {"LastIsFull", 4096, 8192, wire::BthOpcode::kUcSendLast, 4096},
};

class MessagePackets : public testing::TestWithParam<MessageCase> {};

TEST_P(MessagePackets, HaveTheirPlace) {
  const MessagePacket packet = PacketAt(GetParam().offset, GetParam().message_bytes, 4096);
  EXPECT_EQ(packet.opcode, GetParam().opcode);
  EXPECT_EQ(packet.payload_bytes, GetParam().payload_bytes);
}

INSTANTIATE_TEST_SUITE_P(All, MessagePackets, testing::ValuesIn(kMessageCases),
                         [](const auto& row) { return row.param.name; });

struct OptionsCase {
  const char* name;
  int64_t duration_ms;
  int64_t warmup_ms;
  uint32_t message_bytes;
  uint32_t packet_bytes;
  const char* problem;  // nullptr: none
};

const OptionsCase kOptionsCases[] = {
    {"Usual", 5000, 1000, 1 << 20, 4096, nullptr},
    {"NoWindow", 1500, 1000, 1 << 20, 4096, "expected more than the warm-up"},
    {"TinyPackets", 5000, 1000, 1 << 20, 23, "packets of 23 bytes"},
    {"HugePackets", 5000, 1000, 1 << 20, 4097, "packets of 4097 bytes"},
    {"TinyLastPacket", 5000, 1000, 4100, 4096, "expected a last packet of at least 24"},
    {"SmallLastPacket", 5000, 1000, 4120, 4096, nullptr},
};

class SenderOptionsTable : public testing::TestWithParam<OptionsCase> {};

TEST_P(SenderOptionsTable, AreChecked) {
  SenderOptions options;
  options.duration_ns = GetParam().duration_ms * kMs;
  options.warmup_ns = GetParam().warmup_ms * kMs;
  options.message_bytes = GetParam().message_bytes;
  const absl::Status status = Validate(options, GetParam().packet_bytes);
  EXPECT_EQ(status.ok(), GetParam().problem == nullptr) << status;
  if (GetParam().problem != nullptr) {
    EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().problem));
  }
}

INSTANTIATE_TEST_SUITE_P(All, SenderOptionsTable, testing::ValuesIn(kOptionsCases),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace weft::probe
