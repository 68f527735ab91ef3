// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/capture_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/analyzer/report/finding_situations.h"
#include "tests/analyzer/report/finding_world.h"

namespace weft::analyzer {
namespace {

using testing::ElementsAre;
using topology::Finding;
using topology::Severity;
using wire::NakCode;

Codes CodesOf(const std::vector<Finding>& findings) {
  Codes codes;
  for (const Finding& finding : findings) codes.insert(finding.code);
  return codes;
}

class CaptureFindingsOf : public testing::TestWithParam<Situation> {};

TEST_P(CaptureFindingsOf, AreExactlyThese) {
  World world = HealthyWorld();
  GetParam().make(world);
  const std::vector<Finding> findings = world.Findings();
  EXPECT_EQ(CodesOf(findings), GetParam().expected);
  for (const Finding& finding : findings) {
    EXPECT_FALSE(finding.subject.empty()) << finding.code;
    EXPECT_FALSE(finding.evidence.empty()) << finding.code;
    EXPECT_FALSE(finding.explanation.empty()) << finding.code;
    EXPECT_FALSE(finding.what_to_do.empty()) << finding.code;
  }
}

std::string RowName(const testing::TestParamInfo<Situation>& row) { return row.param.name; }
INSTANTIATE_TEST_SUITE_P(WholeFile, CaptureFindingsOf, testing::ValuesIn(WholeFile()), RowName);
INSTANTIATE_TEST_SUITE_P(Paths, CaptureFindingsOf, testing::ValuesIn(Paths()), RowName);
INSTANTIATE_TEST_SUITE_P(Losses, CaptureFindingsOf, testing::ValuesIn(Losses()), RowName);
INSTANTIATE_TEST_SUITE_P(Congestion, CaptureFindingsOf, testing::ValuesIn(Congestion()), RowName);
INSTANTIATE_TEST_SUITE_P(Pace, CaptureFindingsOf, testing::ValuesIn(Pace()), RowName);

TEST(CaptureFindings, NameTheSourcePortInDecimalAndHexAndWhatFixedIt) {
  World world = HealthyWorld();
  world.analysis.host_pairs = {{kLeft, kRight, 8, 1, 0xc000, 8, 1'000}};
  const auto findings = world.Findings();
  ASSERT_EQ(findings.size(), 1u);
  std::string text;
  for (const auto& evidence : findings[0].evidence) text += evidence.what + "\n";
  EXPECT_THAT(text, testing::HasSubstr("49152 (0xc000)"));
  EXPECT_THAT(text, testing::HasSubstr("fixed by software"));
}

TEST(CaptureFindings, QuoteThePacketsToLookAt) {
  World world = HealthyWorld();
  world.naks(NakCode::kRemoteAccessError) = Seen(3, 12);
  const auto findings = world.Findings();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].subject, "10.0.0.1 -> 10.0.0.2 QP 257 (0x101)");
  EXPECT_EQ(findings[0].evidence[0].what, "NAKs, remote access error: packets 12, 13, 14");
  EXPECT_EQ(findings[0].evidence[0].value, 3);
}

TEST(CaptureFindings, AreRankedBySeverityAndThenByPackets) {
  World world = HealthyWorld();
  Lossy(world.first());
  Lossy(world.analysis.connections[1]);
  world.data().retransmitted = Seen(20);
  world.naks(NakCode::kInvalidRequest) = Seen(1);
  world.analysis.traffic.cut_packets = 20'000;
  const auto findings = world.Findings();
  std::vector<std::string> order;
  for (const Finding& finding : findings) order.push_back(finding.code);
  EXPECT_THAT(order, ElementsAre("invalid-request", "packet-loss", "packet-loss", "capture-cut"));
  EXPECT_EQ(findings[1].subject, "10.0.0.1 -> 10.0.0.2 QP 258 (0x102)");
}

TEST(CaptureFindings, OfManyConnectionsListEightAndCountTheRest) {
  World world = HealthyWorld();
  world.analysis.connections.clear();
  for (uint32_t i = 0; i < 128; ++i) {
    world.analysis.connections.push_back(Healthy(i));
    Lossy(world.analysis.connections.back());
  }
  const auto findings = world.Findings();
  ASSERT_EQ(findings.size(), 8u);
  EXPECT_EQ(findings.back().evidence.back().value, 120);
}

TEST(CaptureFindings, OfAnyHealthyCaptureAreInfoAtMost) {
  std::mt19937 random(11);
  const auto upto = [&](uint32_t most) { return static_cast<uint32_t>(random() % (most + 1)); };
  for (int round = 0; round < 500; ++round) {
    World world = HealthyWorld();
    world.analysis.connections.clear();
    const uint32_t count = 1 + upto(40);
    for (uint32_t i = 0; i < count; ++i) {
      Connection connection = Healthy(i, wire::NetworkAddress::Ipv4(0x0a000100 + upto(3)));
      FlowStats& data = connection.forward;
      data.packets = 1 + upto(100'000);
      data.last_ns = data.first_ns + upto(2'000'000'000);
      data.reordered = Seen(upto(2));
      data.ce = Seen(upto(31));
      connection.backward->cnps = Seen(upto(2));
      data.write.bytes = data.write.messages * upto(1'000'000);
      data.sender_idle = {.count = upto(9), .median_ns = upto(1'000'000'000)};
      data.unanswered = {.count = upto(4), .median_ns = upto(1'000'000)};
      connection.vantage = static_cast<Vantage>(upto(5));
      if (upto(3) == 0) connection.backward.reset();
      world.analysis.connections.push_back(connection);
    }
    world.analysis.host_pairs = {{kLeft, kRight, count, count, 0xc100, 1, 1'000}};
    world.analysis.traffic.cut_packets = upto(1);
    for (const Finding& finding : world.Findings()) {
      EXPECT_LE(finding.severity, Severity::kInfo) << finding.code << ", round " << round;
    }
  }
}

}  // namespace
}  // namespace weft::analyzer
