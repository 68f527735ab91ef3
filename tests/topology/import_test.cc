// SPDX-License-Identifier: Apache-2.0
// What is a file of a format, and real files.
#include "topology/import/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "tests/topology/imported.h"

namespace weft::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ImportScamper, SkipsForeignLinesAndNamesDamagedOnes) {
  const std::string good = Trace(Paris(1), {"1:10.0.0.1"}, 1);
  const struct {
    const char* name;
    std::string text;
    uint64_t traces;
    uint64_t others;
    uint64_t damaged;
  } rows[] = {
      {"Whole", good, 1, 0, 0},
      {"EmptyLines", "\n\r\n" + good + "\n \n", 1, 0, 0},
      {"Marks",
       R"({"type":"cycle-start"})"
       "\n" +
           good + R"({"type":"cycle-stop"})",
       1, 2, 0},
      {"WrapperAndPing",
       R"({"UUID":"0"})"
       "\n"
       R"({"type":"ping"})"
       "\n" +
           good,
       1, 2, 0},
      {"MarksOnly", R"({"type":"cycle-start"})", 0, 1, 0},
      {"NotJson", "trace to 10.2.2.2\n" + good, 1, 0, 1},
      {"CutLine", good + good.substr(0, 40), 1, 0, 1},
      {"NoObject", "[]\n" + good, 1, 0, 1},
      {"NoDestination",
       R"({"type":"trace","src":"10.1.1.2"})"
       "\n" +
           good,
       1, 0, 1},
      {"HopsAreNoArray",
       R"({"type":"trace","dst":"10.1.1.2","hops":{}})"
       "\n" +
           good,
       1, 0, 1},
      {"NodesAreNoArray",
       R"({"type":"tracelb","dst":"10.1.1.2","nodes":1})"
       "\n" +
           good,
       1, 0, 1},
      {"FirstNodeWithoutAddress",
       R"({"type":"tracelb","dst":"10.1.1.2","nodes":[{}]})"
       "\n" +
           good,
       1, 0, 1},
      {"HugeNumber",
       R"({"type":"trace","dst":"10.1.1.2","hop_count":1e999})"
       "\n" +
           good,
       1, 0, 1},
      {"NotUtf8", "{\"type\":\"trace\",\"dst\":\"\xff\"}\n" + good, 1, 0, 1},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const ImportResult result = Scamper(row.text);
    EXPECT_EQ(result.counts.traces, row.traces);
    EXPECT_EQ(result.counts.other_objects, row.others);
    EXPECT_EQ(result.counts.damaged, row.damaged);
    EXPECT_EQ(result.tables.size(), row.traces);
    EXPECT_EQ(Codes(result.findings), std::vector<std::string>(row.damaged, "damaged-trace"));
    if (row.damaged > 0) {
      EXPECT_THAT(result.findings[0].subject, HasSubstr("sample:"));
    }
  }
}

TEST(ImportScamper, AHopThatCannotBeReadIsLeftOutAlone) {
  const struct {
    const char* name;
    const char* hop;
    uint64_t damaged;
  } rows[] = {
      {"Whole", R"({"addr":"10.0.0.2","probe_ttl":2})", 0},
      {"NoAddress", R"({"probe_ttl":2})", 1},
      {"NoTtl", R"({"addr":"10.0.0.2"})", 1},
      {"TtlZero", R"({"addr":"10.0.0.2","probe_ttl":0})", 1},
      {"TtlOf256", R"({"addr":"10.0.0.2","probe_ttl":256})", 1},
      {"NegativeTtl", R"({"addr":"10.0.0.2","probe_ttl":-1})", 1},
      {"NoObject", "7", 1},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const ImportResult result = Scamper(
        R"({"type":"trace","dst":"10.2.2.2","hop_count":3,"hops":[{"addr":"10.0.0.1","probe_ttl":1},)" +
        std::string(row.hop) + R"(,{"addr":"10.0.0.3","probe_ttl":3}]})");
    ASSERT_EQ(result.tables.size(), 1U);
    EXPECT_THAT(Texts(result.tables[0]), ElementsAre(row.damaged == 0 ? "10.0.0.1 10.0.0.2 10.0.0.3"
                                                                      : "10.0.0.1 * 10.0.0.3"));
    EXPECT_EQ(result.counts.damaged, row.damaged);
    EXPECT_EQ(result.tables[0].findings.size(), row.damaged);
  }
}

TEST(Import, RefusesWhatIsNotOfTheFormat) {
  const struct {
    const char* name;
    TraceFormat format;
    const char* text;
    const char* message;
  } rows[] = {
      {"Empty", TraceFormat::kScamper, "", "sample: is empty"},
      {"EmptyDocument", TraceFormat::kDublinTraceroute, " ", "sample: is empty"},
      {"Text", TraceFormat::kScamper, "traceroute to x\n 1 y\n", "none of its 2 lines"},
      {"OtherJson", TraceFormat::kScamper, R"({"flows":{}})", "none of its 1 lines"},
      {"NoDocument", TraceFormat::kDublinTraceroute, R"({"flows":)", "not JSON at byte"},
      {"NoFlows", TraceFormat::kDublinTraceroute, R"({"type":"trace"})", "no object \"flows\""},
      {"NoObject", TraceFormat::kDublinTraceroute, "[1]", "no object \"flows\""},
  };
  for (const auto& row : rows) {
    const auto result = ImportTraces(row.format, row.text, "sample");
    ASSERT_FALSE(result.ok()) << row.name;
    EXPECT_THAT(std::string(result.status().message()), HasSubstr(row.message)) << row.name;
    EXPECT_THAT(std::string(result.status().message()), HasSubstr("sample")) << row.name;
  }
}

TEST(TraceFormat, NamesComeBack) {
  for (const TraceFormat format : {TraceFormat::kScamper, TraceFormat::kDublinTraceroute}) {
    EXPECT_EQ(ParseTraceFormat(ToString(format)), format);
  }
  EXPECT_EQ(ParseTraceFormat("paris"), std::nullopt);
}

std::optional<std::string> RealFile(const std::string& name) {
  const char* folder = std::getenv("WEFT_SHARED_DIR");
  std::ifstream file((folder != nullptr ? std::string(folder) : WEFT_SOURCE_DIR "/../shared") +
                     "/data/fabric/" + name);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(ImportRealFiles, ScampersGraphsWithSilentEnds) {
  const struct {
    const char* name;
    const char* destination;
  } rows[] = {
      {"scamper1_tracelb_dst-in-hops-v6.jsonl", "2001:4888:3f:6092:c369:b528:98fd:ab43"},
      {"scamper1_tracelb_mda_valid-complex.jsonl", "2600:1009:b013:1a59:c369:b528:98fd:ab43"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const std::optional<std::string> text = RealFile(row.name);
    if (!text) GTEST_SKIP() << "no " << row.name << " in WEFT_SHARED_DIR or ../shared";
    const ImportResult result = Scamper(*text);
    EXPECT_EQ(result.counts.traces, 1U);
    EXPECT_EQ(result.counts.other_objects, 3U) << "the wrapper's line and two marks";
    EXPECT_EQ(result.counts.damaged, 0U);
    ASSERT_EQ(result.tables.size(), 1U);
    const PathTable& table = result.tables[0];
    EXPECT_EQ(table.source_address.ToString(), "2001:550:1b01:1:e41d:2d00:151:f6c0");
    EXPECT_EQ(table.destination_address.ToString(), row.destination);
    EXPECT_EQ(table.measured_at, "2019-09-08T00:01:48Z");
    EXPECT_EQ(table.probes_sent, 85U);
    EXPECT_THAT(Texts(table),
                ElementsAre("2001:550:1b01:1::1 2001:550:3::1ca 2600:803::79 2600:803:150f::4a "
                            "2001:4888:36:1002:3a2:1:0:1 2001:4888:3f:6092:3a2:26:0:1 * *"));
    EXPECT_THAT(Codes(table.findings), IsEmpty());
  }
}

TEST(ImportRealFiles, DublinsOnePath) {
  const std::optional<std::string> text = RealFile("dublin_traceroute_one_path.json");
  if (!text) GTEST_SKIP() << "no dublin_traceroute_one_path.json in WEFT_SHARED_DIR or ../shared";
  const ImportResult result = Import(TraceFormat::kDublinTraceroute, *text);
  EXPECT_EQ(result.counts.damaged, 0U);
  ASSERT_EQ(result.tables.size(), 1U);
  EXPECT_EQ(result.tables[0].headers.udp_dst_port, 33434);
  EXPECT_EQ(result.tables[0].measured_at, "2019-08-15T21:17:49Z");
  EXPECT_THAT(Texts(result.tables[0]), ElementsAre("1.2.3.4 1.2.3.5 1.2.3.6 !"));
  EXPECT_THAT(result.tables[0].paths[0].udp_src_ports, IsEmpty());
  EXPECT_THAT(Codes(result.tables[0].findings), IsEmpty());
}

}  // namespace
}  // namespace weft::topology
