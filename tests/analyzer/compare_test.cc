// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/analyzer/tables_from_route.h"

namespace weft::analyzer {
namespace {

using ::testing::HasSubstr;
using topology::FlowReport;

FlowReport Report(const std::string& id, double sent, double received, uint16_t port = 50000) {
  FlowReport report;
  report.flow.id = id;
  report.flow.rate_bps = 16e6;
  report.flow.udp_src_port = port;
  report.window_seconds = 4;
  report.sent_bytes = sent;
  report.received_bytes = received;
  report.report_received = true;
  return report;
}

FlowReport Missing(const std::string& id) {
  FlowReport report = Report(id, 8e6, 0);
  report.report_received = false;
  return report;
}

std::vector<RoundSummary> Compare(const std::vector<Round>& rounds) {
  auto summaries = CompareRounds(topology::Fabric(), rounds);
  EXPECT_TRUE(summaries.ok()) << summaries.status();
  return *std::move(summaries);
}

TEST(Compare, ASharesDenominatorIsWhatWasSentAndNotWhatWasOffered) {
  const RoundSummary round =
      Compare({{"ecmp", {Report("a", 8e6, 8e6), Report("b", 4e6, 1e6)}, {}}}).front();
  EXPECT_EQ(round.name, "ecmp");
  EXPECT_DOUBLE_EQ(*round.goodput_share, 0.75);
  EXPECT_DOUBLE_EQ(round.sent_bytes, 12e6);
  EXPECT_DOUBLE_EQ(round.received_bytes, 9e6);
  EXPECT_DOUBLE_EQ(round.offered_bps, 32e6);
  EXPECT_DOUBLE_EQ(*round.min_flow_share, 0.25);
  EXPECT_EQ(round.min_flow, "b");
}

TEST(Compare, AFlowWithoutReportIsCountedAndInNoShare) {
  const RoundSummary round = Compare({{"r", {Report("a", 8e6, 6e6), Missing("b")}, {}}}).front();
  EXPECT_EQ(round.flows, 2U);
  EXPECT_EQ(round.flows_without_report, 1U);
  EXPECT_DOUBLE_EQ(*round.goodput_share, 0.75);
  EXPECT_EQ(round.min_flow, "a");
}

TEST(Compare, WhatCouldNotBeMeasuredIsAbsent) {
  const RoundSummary round = Compare({{"r", {Missing("a")}, {}}}).front();
  EXPECT_FALSE(round.goodput_share.has_value());
  EXPECT_FALSE(round.min_flow_share.has_value());
  EXPECT_FALSE(round.jain_index.has_value());
  EXPECT_FALSE(round.fullest_link.has_value());
  EXPECT_FALSE(round.idle_links.has_value());
  EXPECT_FALSE(round.flows_moved.has_value());
  EXPECT_EQ(round.flows_without_path, 1U);
}

struct JainRow {
  const char* name;
  std::vector<double> received;
  double expected;
};

class Jain : public ::testing::TestWithParam<JainRow> {};

TEST_P(Jain, IsTheSquareOfTheSumOverTheSumOfTheSquares) {
  Round round{"r", {}, {}};
  for (const double received : GetParam().received) {
    round.reports.push_back(Report(std::to_string(round.reports.size()), 8e6, received));
  }
  EXPECT_DOUBLE_EQ(*Compare({round}).front().jain_index, GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(Rows, Jain,
                         ::testing::Values(JainRow{"Equal", {5e6, 5e6, 5e6, 5e6}, 1},
                                           JainRow{"OneTakesAll", {8e6, 0, 0, 0}, 0.25},
                                           JainRow{"TwoToOne", {8e6, 4e6}, 0.9},
                                           JainRow{"One", {3e6}, 1}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Compare, FlowsMovedAreToldByIdAgainstTheFirstRound) {
  const std::vector<RoundSummary> rounds = Compare(
      {{"first",
        {Report("a", 1, 1, 50000), Report("b", 1, 1, 50001), Report("c", 1, 1, 50002)},
        {}},
       {"moved",
        {Report("c", 1, 1, 50002), Report("b", 1, 1, 60001), Report("a", 1, 1, 60000)},
        {}},
       {"back", {Report("a", 1, 1, 50000), Report("b", 1, 1, 50001), Report("new", 1, 1, 1)}, {}}});
  EXPECT_FALSE(rounds[0].flows_moved.has_value());
  EXPECT_EQ(rounds[1].flows_moved, 2U);
  EXPECT_EQ(rounds[2].flows_moved, 0U);
}

TEST(Compare, LinkFiguresComeFromTheRoundsOwnTables) {
  const topology::Fabric fabric = MakeFabric({2, 2, 2, 0, 0});
  const Tracer healthy(&fabric, 3);
  const Tracer broken(&fabric, 3, {{}, {"spine2"}, {}});
  std::vector<Round> rounds(2);
  rounds[0].name = "before";
  rounds[1].name = "after";
  for (const char* pair : {"1", "2"}) {
    const std::string source = std::string("host1-") + pair;
    const std::string destination = std::string("host2-") + pair;
    const topology::PathTable table = healthy.Trace(source, destination);
    FlowReport report = Report(source, 8e6, 8e6);
    report.flow.source = source;
    report.flow.destination = destination;
    // Both through the first path's spine: one link takes 32 of 20.
    for (const topology::Path& path : table.paths) {
      const auto spine = fabric.FindAddress(path.hops[1].address);
      if (fabric.node(*spine).name == "spine2") {
        report.flow.udp_src_port = path.udp_src_ports.front();
      }
    }
    rounds[0].tables.push_back(table);
    rounds[0].reports.push_back(report);
    rounds[1].tables.push_back(broken.Trace(source, destination));
    rounds[1].reports.push_back(report);
  }
  const auto summaries = CompareRounds(fabric, rounds);
  ASSERT_TRUE(summaries.ok());
  EXPECT_DOUBLE_EQ(*(*summaries)[0].fullest_link, 1.6);
  EXPECT_EQ((*summaries)[0].fullest_link_name, "leaf1 -> spine2");
  EXPECT_EQ((*summaries)[0].idle_links, 2U);
  EXPECT_EQ((*summaries)[0].flows_without_path, 0U);
  EXPECT_EQ((*summaries)[1].flows_without_path, 2U);
  EXPECT_DOUBLE_EQ(*(*summaries)[1].fullest_link, 0);
}

// ---- other fabrics, and rounds with one side

struct FabricRow {
  const char* name;
  bool pods;
  bool ipv6;
  const char* source;
  const char* destination;
};
class CompareOn : public ::testing::TestWithParam<FabricRow> {};

TEST_P(CompareOn, LinkFiguresFollowThePathOfThePort) {
  const FabricRow& row = GetParam();
  const topology::Fabric fabric = row.pods
                                      ? MakePods({2, 2, 2, 4, 1, row.ipv6, Numbering::kNumbered, 1})
                                      : MakeFabric({2, 2, 2, 0, 0});
  const topology::PathTable table = Tracer(&fabric, 3).Trace(row.source, row.destination);
  ASSERT_GE(table.paths.size(), 2U);
  std::vector<Round> rounds(2);
  for (size_t i = 0; i < 2; ++i) {
    FlowReport report = Report("a", 8e6, 8e6, table.paths[i].udp_src_ports.front());
    report.flow.source = row.source;
    report.flow.destination = row.destination;
    rounds[i].name = i == 0 ? "before" : "after";
    rounds[i].reports = {report};
    rounds[i].tables = {table};
  }
  const auto summaries = CompareRounds(fabric, rounds);
  ASSERT_TRUE(summaries.ok()) << summaries.status();
  for (const RoundSummary& summary : *summaries) {
    EXPECT_EQ(summary.flows_without_path, 0U);
    ASSERT_TRUE(summary.fullest_link.has_value());
    EXPECT_GT(*summary.fullest_link, 0);
    EXPECT_THAT(summary.fullest_link_name, HasSubstr(" -> "));
    ASSERT_TRUE(summary.idle_links.has_value());
    EXPECT_GT(*summary.idle_links, 0U);
  }
  EXPECT_EQ((*summaries)[1].flows_moved, 1U);
}
INSTANTIATE_TEST_SUITE_P(
    Rows, CompareOn,
    ::testing::Values(FabricRow{"TwoTier", false, false, "host1-1", "host2-1"},
                      FabricRow{"ThreeTier", true, false, "host1-1", "host3-1"},
                      FabricRow{"ThreeTierIpv6", true, true, "host1-1", "host3-1"},
                      FabricRow{"OnePodIpv6", true, true, "host1-1", "host2-1"}),
    [](const auto& test) { return std::string(test.param.name); });

struct SideRow {
  const char* name;
  bool reports;
  bool tables;
};
class CompareOneSided : public ::testing::TestWithParam<SideRow> {};

TEST_P(CompareOneSided, SaysOfTheOtherSideOnlyWhatItHas) {
  const SideRow& row = GetParam();
  const topology::Fabric fabric = MakeFabric({2, 2, 2, 0, 0});
  const topology::PathTable table = Tracer(&fabric, 3).Trace("host1-1", "host2-1");
  FlowReport report = Report("a", 8e6, 4e6, table.paths[0].udp_src_ports.front());
  report.flow.source = "host1-1";
  report.flow.destination = "host2-1";
  std::vector<Round> rounds = {{"whole", {report}, {table}}, {"half", {}, {}}};
  if (row.reports) rounds[1].reports = {report};
  if (row.tables) rounds[1].tables = {table};
  const auto summaries = CompareRounds(fabric, rounds);
  ASSERT_TRUE(summaries.ok()) << summaries.status();
  const RoundSummary& half = (*summaries)[1];
  EXPECT_EQ((*summaries)[0].flows_without_path, 0U);
  EXPECT_DOUBLE_EQ(*(*summaries)[0].goodput_share, 0.5);
  EXPECT_EQ(half.flows, row.reports ? 1U : 0U);
  EXPECT_EQ(half.goodput_share.has_value(), row.reports);
  EXPECT_EQ(half.min_flow_share.has_value(), row.reports);
  EXPECT_EQ(half.flows_without_path, row.reports && !row.tables ? 1U : 0U);
  EXPECT_EQ(half.flows_moved.value_or(0), 0U);
}
INSTANTIATE_TEST_SUITE_P(Rows, CompareOneSided,
                         ::testing::Values(SideRow{"NeitherReportsNorTables", false, false},
                                           SideRow{"ReportsOnly", true, false},
                                           SideRow{"TablesOnly", false, true},
                                           SideRow{"Both", true, true}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Compare, AFlowReportedTwiceInARoundIsRefused) {
  const std::vector<Round> rounds = {{"r", {Report("a", 1, 1), Report("a", 1, 1)}, {}}};
  const auto summaries = CompareRounds(topology::Fabric(), rounds);
  EXPECT_EQ(summaries.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(summaries.status().message()), HasSubstr("flow \"a\""));
}

}  // namespace
}  // namespace weft::analyzer
