// SPDX-License-Identifier: Apache-2.0
#include "programs/weft-probe/trace_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

// What a trace prints, compared with tests/golden/trace-*.out; UPDATE_GOLDEN=1 rewrites those.
namespace weft::command {
namespace {

using probe::TraceResult;
using topology::Finding;
using topology::HopMode;
using topology::Path;
using topology::PathState;
using topology::Severity;

wire::IpAddress Address(const std::string& text) { return *wire::IpAddress::Parse(text); }

// "10.0.0.0 * 10.128.0.3": a star is silent.
Path MakePath(const std::vector<std::string>& hops, bool reaches, std::vector<uint16_t> ports) {
  Path path;
  for (const std::string& hop : hops) {
    path.hops.push_back({static_cast<uint32_t>(path.hops.size() + 1),
                         hop == "*" ? wire::IpAddress() : Address(hop),
                         {}});
  }
  path.reaches_destination = reaches;
  path.udp_src_ports = std::move(ports);
  path.state = reaches ? PathState::kAlive : PathState::kUnknown;
  path.probes_sent = reaches ? 4 : 0;
  path.probes_answered = reaches ? 4 : 0;
  return path;
}

TraceResult Result(const std::string& destination, std::vector<Path> paths) {
  TraceResult result;
  result.table.source = "host1-1";
  result.table.source_address = Address("10.0.0.1");
  result.table.destination = destination;
  result.table.destination_address = Address("10.0.0.7");
  result.table.confidence = 0.95;
  result.table.probes_sent = 120;
  result.table.probes_asked = 100;
  result.reached = std::ranges::any_of(paths, &Path::reaches_destination);
  result.table.paths = std::move(paths);
  return result;
}

TraceResult Healthy() {
  return Result("host2-2", {MakePath({"10.0.0.0", "10.128.0.1", "10.128.0.5"}, true,
                                     {49152, 49153, 49155, 49160, 49161}),
                            MakePath({"10.0.0.0", "10.128.0.3", "10.128.0.7"}, true, {49154})});
}

Finding Found(const char* code, Severity severity, const char* subject, const char* what,
              double value, const char* unit) {
  return {code,
          severity,
          subject,
          {{what, value, unit, "probes"}},
          std::string("why ") + code + " matters",
          "what to do about it"};
}

// One finding of every code that a trace reports.
std::vector<Finding> EveryFinding() {
  return {
      Found("route-changed", Severity::kWarning, "host1-1 -> host2-2", "flows that moved", 3,
            "flows"),
      Found("per-packet", Severity::kWarning, "hop 1 (10.0.0.0)", "responders to one flow", 2,
            "addresses"),
      Found("flow-moves", Severity::kInfo, "hop 1 (10.0.0.0)", "ways of one flow", 2, "ways"),
      Found("repeated-address", Severity::kInfo, "10.0.0.9", "hops in a row", 2, "hops"),
      Found("routing-loop", Severity::kError, "host1-1 -> host2-2", "times it came by", 3, "times"),
      Found("dscp-changed", Severity::kWarning, "hop 2 (10.128.0.1)", "DSCP in the quote", 0, ""),
      Found("ecn-marked", Severity::kInfo, "hop 2 (10.128.0.1)", "marked quotes", 4, "quotes"),
      Found("silent-hop", Severity::kInfo, "hop 2", "probes without answer", 9, "probes"),
      Found("icmp-rate-limited", Severity::kInfo, "hop 2 (10.128.0.1)", "answers when slower", 7,
            "of 9 probes"),
      Found("quotes-unseen", Severity::kInfo, "host1-1 -> host2-2", "quotes", 0, "quotes"),
      Found("hidden-hop", Severity::kInfo, "10.0.0.0 -> 10.128.0.5", "TTL that passed unseen", 1,
            "hops")};
}

TraceResult WithFindings() {
  TraceResult result = Healthy();
  result.table.findings = EveryFinding();
  result.table.hop_behaviours = {{.hop_index = 1,
                                  .address = Address("10.0.0.0"),
                                  .node = {},
                                  .next_hop_count = 2,
                                  .mode = HopMode::kPerPacket,
                                  .mode_probes = 24,
                                  .fields = {}},
                                 {.hop_index = 2,
                                  .address = {},
                                  .node = {},
                                  .next_hop_count = 2,
                                  .mode = HopMode::kHashed,
                                  .mode_probes = 24,
                                  .fields = {}}};
  return result;
}

TraceResult Overlay() {
  TraceResult result = Result("host2-2", {MakePath({}, true, {49152, 49153})});
  result.table.hidden_reason = "overlay: paths hidden (4 hops by TTL, none of which answered)";
  return result;
}

// A rate-limited switch answers when asked slowly; a silent one never does.
TraceResult Limited() {
  TraceResult result = Healthy();
  result.table.findings = {EveryFinding()[8]};
  return result;
}
TraceResult Silent() {
  TraceResult result =
      Result("host2-2", {MakePath({"10.0.0.0", "*", "10.128.0.5"}, true, {49152}),
                         MakePath({"10.0.0.0", "*", "10.128.0.7"}, true, {49154})});
  result.table.findings = {EveryFinding()[7]};
  return result;
}

TraceResult Unreached() {
  TraceResult result = Result("host9-9", {MakePath({"10.0.0.0"}, false, {49152})});
  result.table.confidence = 0;
  result.table.void_reason = "the group of leaf1 has changed";
  result.problem = "no answer behind hop 1 (10.0.0.0)";
  result.unplaced_ports = {50000, 50001};
  return result;
}

TraceResult SinglePath() { return Result("host1-2", {MakePath({"10.0.0.0"}, true, {49152})}); }

struct Row {
  const char* name;
  std::vector<TraceResult> results;
  Format format;
};
class TraceOutput : public ::testing::TestWithParam<Row> {};

std::string Printed(const Row& row) {
  ::testing::internal::CaptureStdout();
  PrintTrace({.results = row.results, .confidence = 0.95, .seconds = 1.25}, row.format);
  return ::testing::internal::GetCapturedStdout();
}

TEST_P(TraceOutput, IsAsTheGoldenFileHasIt) {
  const std::string path =
      std::string(WEFT_SOURCE_DIR) + "/tests/golden/trace-" + GetParam().name + ".out";
  const std::string printed = Printed(GetParam());
  if (std::getenv("UPDATE_GOLDEN") != nullptr) std::ofstream(path) << printed;
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file.is_open()) << path;
  const std::string expected((std::istreambuf_iterator<char>(file)),
                             std::istreambuf_iterator<char>());
  EXPECT_EQ(printed, expected);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, TraceOutput,
    ::testing::Values(
        Row{"healthy", {Healthy()}, Format::kText}, Row{"healthy-json", {Healthy()}, Format::kJson},
        Row{"healthy-csv", {Healthy()}, Format::kCsv},
        Row{"findings", {WithFindings()}, Format::kText},
        Row{"findings-json", {WithFindings()}, Format::kJson},
        Row{"overlay", {Overlay()}, Format::kText}, Row{"overlay-json", {Overlay()}, Format::kJson},
        Row{"limited", {Limited()}, Format::kText}, Row{"silent", {Silent()}, Format::kText},
        Row{"silent-json", {Silent()}, Format::kJson},
        Row{"several", {Healthy(), SinglePath(), Unreached()}, Format::kText},
        Row{"several-json", {Healthy(), SinglePath(), Unreached()}, Format::kJson}),
    [](const auto& test) {
      std::string name = test.param.name;
      std::ranges::replace(name, '-', '_');
      return name;
    });

TEST(TraceOutputText, NamesEveryFindingWithItsEvidenceAndAHealthyTraceNone) {
  const std::string healthy = Printed({"", {Healthy()}, Format::kText});
  const std::string found = Printed({"", {WithFindings()}, Format::kText});
  for (const Finding& finding : EveryFinding()) {
    EXPECT_THAT(found, ::testing::HasSubstr(finding.code));
    EXPECT_THAT(found, ::testing::HasSubstr(finding.evidence[0].what));
    EXPECT_THAT(healthy, ::testing::Not(::testing::HasSubstr(finding.code)));
  }
  EXPECT_THAT(found, ::testing::HasSubstr("per-packet among 2 next hops"));
}

}  // namespace
}  // namespace weft::command
