// SPDX-License-Identifier: Apache-2.0
#include "probe/traffic/flow_sink.h"

#include "gtest/gtest.h"

namespace weft::probe {
namespace {

const wire::IpAddress kSender = wire::IpAddress::V4(0x0a000001);
const wire::IpAddress kOther = wire::IpAddress::V4(0x0a000002);
constexpr uint64_t kToken = 77;
constexpr int64_t kMs = 1'000'000;

wire::TrafficOffer Offer() {
  return {.rate_bps = 16'000'000,
          .duration_ms = 5000,
          .packet_payload_bytes = 4096,
          .window_start_ms = 1000,
          .window_end_ms = 2000,
          .first_psn = 0xfffffe,
          .reply_udp_dst_port = 4000,
          .reply_udp_src_port = 5000};
}

class FlowSinkTest : public testing::Test {
 protected:
  wire::TrafficMessage OfferAs(const wire::IpAddress& source, uint64_t token,
                               const wire::TrafficOffer& offer, int64_t now_ns = 0) {
    return sink_.OnOffer(source, token, offer, packet_, now_ns);
  }
  uint32_t Accepted(uint64_t token = kToken) {
    return std::get<wire::TrafficAccept>(OfferAs(kSender, token, Offer()).body).dest_qpn;
  }
  DataPacket Data(uint32_t qpn, uint32_t index, int64_t sent_ms) const {
    return {.token = kToken,
            .sent_ns = static_cast<uint64_t>(sent_ms * kMs),
            .dest_qpn = qpn,
            .psn = (0xfffffe + index) & wire::kPsnMask,
            .payload_bytes = 100};
  }
  wire::TrafficReport Report(uint64_t sent_packets) {
    const auto message = sink_.OnDone(kSender, kToken, {.sent_packets = sent_packets}, 0);
    EXPECT_TRUE(message.has_value());
    return message ? std::get<wire::TrafficReport>(message->body) : wire::TrafficReport();
  }

  ControlPacket packet_ = {.message = {}, .dest_qpn = 1, .source_qpn = 2, .q_key = 3};
  FlowSink sink_{
      FlowLimits{
          .flows = 2, .rate_bps = 20'000'000, .duration_ms = 10'000, .packet_payload_bytes = 4096},
      1};
};

TEST_F(FlowSinkTest, AskingAgainGivesTheSameQpn) {
  const uint32_t qpn = Accepted();
  EXPECT_EQ(Accepted(), qpn);
  EXPECT_EQ(sink_.flow_count(), 1u);
}

TEST_F(FlowSinkTest, FlowsOfOneSenderHaveDifferentQpns) { EXPECT_NE(Accepted(1), Accepted(2)); }

struct RefusalCase {
  const char* name;
  wire::TrafficOffer offer;
  wire::TrafficRefusal reason;
  uint64_t limit;
};

wire::TrafficOffer With(auto change) {
  wire::TrafficOffer offer = Offer();
  change(offer);
  return offer;
}

const RefusalCase kRefusals[] = {
    {"Rate", With([](auto& offer) { offer.rate_bps = 20'000'001; }),
     wire::TrafficRefusal::kRateTooHigh, 20'000'000},
    {"Duration", With([](auto& offer) { offer.duration_ms = 10'001; }),
     wire::TrafficRefusal::kTooLong, 10'000},
    {"PacketSize", With([](auto& offer) { offer.packet_payload_bytes = 4097; }),
     wire::TrafficRefusal::kPacketTooLarge, 4096},
};

class FlowSinkRefusal : public FlowSinkTest, public testing::WithParamInterface<RefusalCase> {};

TEST_P(FlowSinkRefusal, NamesTheLimit) {
  const wire::TrafficMessage answer = OfferAs(kSender, kToken, GetParam().offer);
  EXPECT_EQ(answer.body,
            wire::TrafficBody(wire::TrafficRefuse{GetParam().reason, GetParam().limit}));
  EXPECT_EQ(sink_.flow_count(), 0u);
}

INSTANTIATE_TEST_SUITE_P(All, FlowSinkRefusal, testing::ValuesIn(kRefusals),
                         [](const auto& row) { return row.param.name; });

TEST_F(FlowSinkTest, TheNumberOfFlowsIsBoundedUntilSomeAreForgotten) {
  Accepted(1);
  Accepted(2);
  EXPECT_EQ(OfferAs(kSender, 3, Offer()).body,
            wire::TrafficBody(wire::TrafficRefuse{wire::TrafficRefusal::kTooManyFlows, 2}));
  std::vector<FlowSink::Outgoing> heartbeats;
  sink_.Tick(FlowSink::kForgetNs + 1, heartbeats);
  EXPECT_EQ(sink_.flow_count(), 0u);
  EXPECT_EQ(wire::TypeOf(OfferAs(kSender, 3, Offer())), wire::TrafficType::kAccept);
}

TEST_F(FlowSinkTest, DataCountsOnlyFromTheAddressThatOfferedIt) {
  const uint32_t qpn = Accepted();
  EXPECT_FALSE(sink_.OnData(kOther, Data(qpn, 0, 0), 0));
  EXPECT_FALSE(sink_.OnData(kSender, Data(qpn ^ 1, 0, 0), 0));
  DataPacket other_token = Data(qpn, 0, 0);
  other_token.token = 78;
  EXPECT_FALSE(sink_.OnData(kSender, other_token, 0));
  EXPECT_EQ(Report(0).received_packets, 0u);
  EXPECT_TRUE(sink_.OnData(kSender, Data(qpn, 0, 0), 0));
  EXPECT_EQ(Report(1).received_packets, 1u);
}

TEST_F(FlowSinkTest, TheWindowIsToldByTheTimeOfSending) {
  const uint32_t qpn = Accepted();
  uint32_t index = 0;
  for (const int64_t sent_ms : {0, 999, 1000, 1500, 1999, 2000}) {
    sink_.OnData(kSender, Data(qpn, index++, sent_ms), 9'999'999 * kMs);
  }
  const wire::TrafficReport report = Report(6);
  EXPECT_EQ(report.received_bytes, 600u);
  EXPECT_EQ(report.window_packets, 3u);
  EXPECT_EQ(report.window_bytes, 300u);
}

TEST_F(FlowSinkTest, AReportAddsUpAndCanBeAskedForAgain) {
  const uint32_t qpn = Accepted();
  // Of ten packets 0 to 9: 3 and 9 are lost, 5 comes after 6, 7 comes twice.
  for (const uint32_t index : {0u, 1u, 2u, 4u, 6u, 5u, 7u, 7u, 8u}) {
    sink_.OnData(kSender, Data(qpn, index, 1500), 0);
  }
  const wire::TrafficReport report = Report(10);
  EXPECT_EQ(report.received_packets, 9u);
  EXPECT_EQ(report.received_bytes, 800u);  // the double brings none
  EXPECT_EQ(report.lost_packets, 2u);
  EXPECT_EQ(report.reordered_packets, 1u);
  EXPECT_EQ(report.duplicate_packets, 1u);
  EXPECT_EQ(Report(10), report);
}

TEST_F(FlowSinkTest, AFlowThatNobodyOfferedHasNoReport) {
  EXPECT_FALSE(sink_.OnDone(kSender, kToken, {}, 0).has_value());
  Accepted();
  EXPECT_FALSE(sink_.OnDone(kOther, kToken, {}, 0).has_value());
  EXPECT_TRUE(sink_.OnDone(kSender, kToken, {}, 0).has_value());
}

TEST_F(FlowSinkTest, HeartbeatsComeWhileDataComes) {
  const uint32_t qpn = Accepted();
  std::vector<FlowSink::Outgoing> heartbeats;
  const auto beats_at = [&](int64_t now_ns) {
    heartbeats.clear();
    sink_.Tick(now_ns, heartbeats);
    return heartbeats.size();
  };
  EXPECT_EQ(beats_at(300 * kMs), 0u) << "no data yet";
  sink_.OnData(kSender, Data(qpn, 0, 0), 310 * kMs);
  EXPECT_EQ(beats_at(320 * kMs), 1u);
  EXPECT_EQ(heartbeats[0].destination, kSender);
  EXPECT_EQ(heartbeats[0].udp_dst_port, 4000);
  EXPECT_EQ(heartbeats[0].dest_qpn, 2u);
  EXPECT_EQ(heartbeats[0].q_key, 3u);
  sink_.OnData(kSender, Data(qpn, 1, 0), 330 * kMs);
  EXPECT_EQ(beats_at(400 * kMs), 0u) << "one every 200 ms";
  EXPECT_EQ(beats_at(520 * kMs), 1u);
  EXPECT_EQ(beats_at(900 * kMs), 0u) << "data stopped";
}

}  // namespace
}  // namespace weft::probe
