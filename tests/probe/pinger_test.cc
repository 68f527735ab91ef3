// SPDX-License-Identifier: Apache-2.0
#include "probe/ping/pinger.h"

#include "gtest/gtest.h"
#include "probe/endpoint/udp/udp_endpoint.h"
#include "tests/probe/loopback.h"

namespace weft::probe {
namespace {

PingOptions OptionsFor(const topology::Target& target) {
  PingOptions options;
  options.source_name = "a";
  options.target = target;
  options.count = 10;
  options.interval_ns = 1'000'000;
  options.timeout_ns = 300'000'000;
  options.udp_src_ports = {50001, 50002, 50003};
  options.reply_udp_src_ports = {51001, 51002};
  return options;
}

void RunUntilDone(Pinger& pinger, Responder* responder) {
  while (!pinger.done()) {
    if (responder != nullptr) responder->Step(0);
    ASSERT_TRUE(pinger.Step(MonotonicNs() + 200'000).ok());
  }
}

using PingerTest = LoopbackTest;

TEST_P(PingerTest, AnAnsweringTargetLosesNothing) {
  auto responder = StartResponder({.name = "b", .address = Loopback(2), .tcp_port = 0});
  auto endpoint = *UdpEndpoint::Create({.address = Loopback(1)});
  Pinger pinger(*endpoint, OptionsFor(responder->target()));
  RunUntilDone(pinger, responder.get());
  const PingResult result = pinger.Result();
  EXPECT_EQ(result.sent, 10u);
  EXPECT_EQ(result.received, 10u);
  EXPECT_EQ(result.lost, 0u);
  EXPECT_TRUE(result.refused_by.empty());
  EXPECT_FALSE(result.reply_port_was_other);
  ASSERT_TRUE(result.rtt_us_min && result.rtt_us_median && result.rtt_us_p99);
  EXPECT_LE(*result.rtt_us_min, *result.rtt_us_median);
  EXPECT_LE(*result.rtt_us_median, *result.rtt_us_p99);
  ASSERT_EQ(pinger.records().size(), 10u);
  for (uint32_t i = 0; i < 10; ++i) {
    const topology::ProbeRecord& record = pinger.records()[i];
    EXPECT_EQ(record.sequence, i);
    EXPECT_EQ(record.source, "a");
    EXPECT_EQ(record.source_address, Loopback(1));
    EXPECT_EQ(record.destination, "b");
    EXPECT_EQ(record.udp_src_port, 50001 + i % 3);
    EXPECT_EQ(record.reply_udp_src_port, 51001 + i % 2);
    EXPECT_EQ(record.outcome, topology::ProbeOutcome::kReply);
    EXPECT_TRUE(record.rtt_us && record.responder_delay_us);
  }
}

TEST_P(PingerTest, ASilentTargetLosesAll) {
  auto responder = StartResponder({.address = Loopback(2), .tcp_port = 0});
  auto endpoint = *UdpEndpoint::Create({.address = Loopback(1)});
  Pinger pinger(*endpoint, OptionsFor(responder->target()));
  RunUntilDone(pinger, nullptr);
  const PingResult result = pinger.Result();
  EXPECT_EQ(result.lost, 10u);
  EXPECT_EQ(result.received, 0u);
  EXPECT_FALSE(result.rtt_us_median.has_value());
  EXPECT_TRUE(result.refused_by.empty());
  for (const topology::ProbeRecord& record : pinger.records()) {
    EXPECT_EQ(record.outcome, topology::ProbeOutcome::kLost);
    EXPECT_FALSE(record.rtt_us.has_value());
  }
}

TEST_P(PingerTest, AnUnreachableTargetSaysWhoSaidSo) {
  auto endpoint = *UdpEndpoint::Create({.address = Loopback(1)});
  topology::Target nobody;
  nobody.address = Loopback(9);
  Pinger pinger(*endpoint, OptionsFor(nobody));
  RunUntilDone(pinger, nullptr);
  EXPECT_EQ(pinger.Result().lost, 10u);
  EXPECT_EQ(pinger.Result().refused_by, Loopback(9));
}

TEST_P(PingerTest, AnAnswerFromAnotherPortIsSaid) {
  auto responder = StartResponder({.address = Loopback(2), .tcp_port = 0});
  UdpSocket holder;
  ASSERT_EQ(holder.Open({.address = Loopback(2), .port = 51001}), 0);
  auto endpoint = *UdpEndpoint::Create({.address = Loopback(1)});
  Pinger pinger(*endpoint, OptionsFor(responder->target()));
  RunUntilDone(pinger, responder.get());
  EXPECT_EQ(pinger.Result().received, 10u);
  EXPECT_TRUE(pinger.Result().reply_port_was_other);
}

WEFT_OVER_BOTH_FAMILIES(PingerTest);

struct QuantileCase {
  std::vector<double> sorted;
  double share;
  double value;
};

TEST(Quantile, IsTheNearestRank) {
  for (const QuantileCase& row : {QuantileCase{{5}, 0.5, 5}, QuantileCase{{1, 2}, 0.5, 1},
                                  QuantileCase{{1, 2, 3}, 0.5, 2}, QuantileCase{{1, 2, 3}, 0.99, 3},
                                  QuantileCase{{1, 2, 3}, 0, 1}, QuantileCase{{1, 2, 3}, 1, 3}}) {
    EXPECT_EQ(Quantile(row.sorted, row.share), row.value);
  }
}

}  // namespace
}  // namespace weft::probe
