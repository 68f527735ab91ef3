// SPDX-License-Identifier: Apache-2.0
// dublin-traceroute's documents.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/topology/imported.h"
#include "topology/import/import.h"

namespace weft::topology {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct DublinHop {
  int ttl = 1;
  std::string address;  // empty: silent
  std::string more;     // further fields, with a comma in front
  int sport = 12345;
  int dport = 33434;
};

std::string Dublin(const std::string& port, const std::vector<DublinHop>& hops) {
  std::string text = "\"" + port + "\":[";
  for (size_t i = 0; i < hops.size(); ++i) {
    const DublinHop& hop = hops[i];
    const std::string received =
        hop.address.empty()
            ? "null"
            : R"({"icmp":{"type":11,"code":0},"ip":{"src":")" + hop.address + "\"}}";
    text +=
        std::string(i == 0 ? "" : ",") +
        R"({"sent":{"timestamp":"1565903869.420662","ip":{"src":"172.16.0.239","dst":"8.8.8.8","ttl":)" +
        std::to_string(hop.ttl) + R"(},"udp":{"sport":)" + std::to_string(hop.sport) +
        R"(,"dport":)" + std::to_string(hop.dport) + R"(}},"received":)" + received + hop.more +
        "}";
  }
  return text + "]";
}

ImportResult ImportDublin(const std::string& flows) {
  return Import(TraceFormat::kDublinTraceroute, "{\"flows\":{" + flows + "}}");
}

TEST(ImportDublin, EachDestinationPortIsATableWithoutSourcePorts) {
  const ImportResult result = ImportDublin(
      Dublin("33434", {{1, "1.2.3.4", ""}, {2, "", ""}, {3, "8.8.8.8", R"(,"is_last":true)"}}) +
      "," + Dublin("33435", {{1, "1.2.3.5", "", 12345, 33435}, {2, "8.8.8.8", "", 12345, 33435}}));
  ASSERT_EQ(result.tables.size(), 2U);
  EXPECT_THAT(Texts(result.tables[0]), ElementsAre("1.2.3.4 * !"));
  EXPECT_THAT(Texts(result.tables[1]), ElementsAre("1.2.3.5 !"));
  EXPECT_EQ(result.tables[0].headers.udp_dst_port, 33434);
  EXPECT_EQ(result.tables[1].headers.udp_dst_port, 33435);
  for (const PathTable& table : result.tables) {
    EXPECT_EQ(table.source_address.ToString(), "172.16.0.239");
    EXPECT_EQ(table.measured_at, "2019-08-15T21:17:49Z");
    EXPECT_THAT(table.paths[0].udp_src_ports, IsEmpty());
    EXPECT_EQ(table.void_reason, "");
    EXPECT_THAT(Codes(table.findings), IsEmpty());
  }
  EXPECT_EQ(result.counts.traces, 2U);
}

TEST(ImportDublin, VariedSourcePortsShareATable) {
  const ImportResult result =
      ImportDublin(Dublin("50000", {{1, "1.2.3.4", "", 50000}, {2, "8.8.8.8", "", 50000}}) + "," +
                   Dublin("50001", {{1, "1.2.3.5", "", 50001}, {2, "8.8.8.8", "", 50001}}));
  ASSERT_EQ(result.tables.size(), 1U);
  EXPECT_THAT(Texts(result.tables[0]), ElementsAre("1.2.3.4 !", "1.2.3.5 !"));
  EXPECT_THAT(result.tables[0].paths[0].udp_src_ports, ElementsAre(50000));
  EXPECT_THAT(result.tables[0].paths[1].udp_src_ports, ElementsAre(50001));
}

TEST(ImportDublin, SaysWhatIsOddAboutAFlow) {
  const struct {
    const char* name;
    std::vector<DublinHop> hops;
    const char* path;
    std::vector<std::string> codes;
  } rows[] = {
      {"Healthy",
       {{1, "1.2.3.4", R"(,"nat_id":0,"zerottl_forwarding_bug":false)"}, {2, "1.2.3.5", ""}},
       "1.2.3.4 1.2.3.5",
       {}},
      {"ZeroTtl",
       {{1, "1.2.3.4", R"(,"zerottl_forwarding_bug":true)"}, {2, "1.2.3.4", ""}},
       "1.2.3.4 1.2.3.4",
       {"repeated-address", "zero-ttl-forwarding"}},
      {"Nat",
       {{1, "1.2.3.4", R"(,"nat_id":0)"}, {2, "1.2.3.5", R"(,"nat_id":8211)"}},
       "1.2.3.4 1.2.3.5",
       {"nat-on-path"}},
      {"Loop",
       {{1, "1.2.3.4", ""}, {2, "1.2.3.5", ""}, {3, "1.2.3.4", ""}},
       "1.2.3.4 1.2.3.5 1.2.3.4",
       {"routing-loop"}},
      {"TwoResponders",
       {{1, "1.2.3.4", ""}, {1, "1.2.3.5", ""}},
       "1.2.3.4",
       {"per-packet-or-changed"}},
      {"BehindIsLastNothingCounts",
       {{1, "1.2.3.4", ""}, {2, "8.8.8.8", R"(,"is_last":true)"}, {3, "1.2.3.9", ""}},
       "1.2.3.4 !",
       {}},
      {"DestinationInside",
       {{1, "1.2.3.4", ""}, {2, "8.8.8.8", ""}, {3, "1.2.3.9", ""}},
       "1.2.3.4 !",
       {"destination-inside-path"}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const ImportResult result = ImportDublin(Dublin("33434", row.hops));
    ASSERT_EQ(result.tables.size(), 1U);
    EXPECT_THAT(Texts(result.tables[0]), ElementsAre(row.path));
    EXPECT_EQ(Codes(result.tables[0].findings), row.codes);
  }
}

TEST(ImportDublin, DamagedFlowsAndHopsAreLeftOutAndNamed) {
  const std::string good = Dublin("33434", {{1, "1.2.3.4", ""}});
  const struct {
    const char* name;
    std::string flows;
    size_t tables;
    uint64_t damaged;
  } rows[] = {
      {"Whole", good, 1, 0},
      {"NoFlows", "", 0, 0},
      {"AFlowIsNoArray", good + R"(,"1":{})", 1, 1},
      {"AFlowIsEmpty", good + R"(,"1":[])", 1, 1},
      {"AHopIsNoObject", good + R"(,"1":[7])", 1, 1},
      {"AHopWithoutTtl", good + R"(,"1":[{"sent":{"ip":{"dst":"8.8.8.8"}}}])", 1, 1},
      {"AnAnswerWithoutAddress",
       good + R"(,"1":[{"sent":{"ip":{"dst":"8.8.8.8","ttl":1}},"received":{}}])", 2, 1},
      {"AHopToAnother",
       R"("1":[{"sent":{"ip":{"dst":"8.8.8.8","ttl":1}}},{"sent":{"ip":{"dst":"8.8.4.4","ttl":2}}}])",
       1, 1},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const ImportResult result = ImportDublin(row.flows);
    EXPECT_EQ(result.tables.size(), row.tables);
    EXPECT_EQ(result.counts.damaged, row.damaged);
    size_t named = result.findings.size();
    for (const PathTable& table : result.tables) named += table.findings.size();
    EXPECT_EQ(named, row.damaged);
  }
}

TEST(ImportDublin, TakesTimesAsTextOrNumber) {
  const struct {
    const char* name;
    const char* timestamp;
    const char* measured_at;
  } rows[] = {
      {"Text", R"("1565903869.420662")", "2019-08-15T21:17:49Z"},
      {"Number", "1565903869.5", "2019-08-15T21:17:49Z"},
      {"WholeSeconds", R"("1565903869")", "2019-08-15T21:17:49Z"},
      {"NoNumber", R"("yesterday")", ""},
      {"TooLate", "1e300", ""},
      {"Negative", "-1", ""},
  };
  for (const auto& row : rows) {
    const ImportResult result =
        ImportDublin(R"("1":[{"sent":{"timestamp":)" + std::string(row.timestamp) +
                     R"(,"ip":{"dst":"8.8.8.8","ttl":1}}}])");
    ASSERT_EQ(result.tables.size(), 1U) << row.name;
    EXPECT_EQ(result.tables[0].measured_at, row.measured_at) << row.name;
  }
}

}  // namespace
}  // namespace weft::topology
