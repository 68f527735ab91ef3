// SPDX-License-Identifier: Apache-2.0
// scamper's load-balancer graphs.
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
using testing::UnorderedElementsAre;

std::string Graph(const std::string& nodes, const std::string& more = "") {
  return R"({"type":"tracelb","method":"udp-dport","src":"fd00::a","dst":"fd00::b","dport":33435,)"
         R"("firsthop":1,"probec":85,"start":{"sec":0},)" +
         more + R"("nodes":[)" + nodes + "]}";
}

// A link's end that these flows came to at `ttl`.
std::string To(const std::string& address, int ttl, const std::vector<int>& flows) {
  std::string text = R"({"addr":")" + address + R"(","probes":[)";
  for (size_t i = 0; i < flows.size(); ++i) {
    text += std::string(i == 0 ? "" : ",") + R"({"replyc":1,"ttl":)" + std::to_string(ttl) +
            R"(,"attempt":0,"flowid":)" + std::to_string(flows[i]) + R"(,"replies":[]})";
  }
  return text + "]}";
}

std::string Node(const std::string& address, const std::string& links) {
  return R"({"addr":")" + address + R"(","links":)" + links + "}";
}

const std::string kDiamond =
    Node("fd00::1", "[[" + To("fd00::2", 2, {1, 2}) + "," + To("fd00::3", 2, {3}) + "]]") + "," +
    Node("fd00::2", "[[" + To("fd00::4", 3, {1, 2}) + "]]") + "," +
    Node("fd00::3", "[[" + To("fd00::4", 3, {3}) + "]]") + "," +
    Node("fd00::4", "[[" + To("fd00::b", 4, {1, 2, 3}) + "]]");

TEST(ImportScamperGraph, EnumeratesItsPathsWithoutPorts) {
  const ImportResult result = Scamper(Graph(kDiamond));
  ASSERT_EQ(result.tables.size(), 1U);
  const PathTable& table = result.tables[0];
  EXPECT_THAT(Texts(table),
              UnorderedElementsAre("fd00::1 fd00::2 fd00::4 !", "fd00::1 fd00::3 fd00::4 !"));
  for (const Path& path : table.paths) {
    EXPECT_THAT(path.udp_src_ports, IsEmpty());
    EXPECT_EQ(path.state, PathState::kUnknown) << "no flow was seen on the whole of it";
  }
  EXPECT_EQ(table.headers.udp_dst_port, 33435);
  EXPECT_EQ(table.probes_sent, 85U);
  EXPECT_THAT(Codes(table.findings), IsEmpty());
}

TEST(ImportScamperGraph, ReadsStrangeGraphs) {
  const struct {
    const char* name;
    std::string nodes;
    std::vector<std::string> paths;
    std::vector<std::string> codes;
  } rows[] = {
      {"NoNodes", "", {}, {}},
      {"SilenceAtTheEnd",
       Node("fd00::1", R"([[{"addr":"*"}],[{"addr":"*"}]])"),
       {"fd00::1 * *"},
       {}},
      {"SilenceBetween",
       Node("fd00::1", R"([[{"addr":"*"}],[)" + To("fd00::b", 3, {1}) + "]]"),
       {"fd00::1 * !"},
       {}},
      {"TwoStarsAreNotOneNode",
       Node("fd00::1", "[[" + To("fd00::2", 2, {1}) + "," + To("fd00::3", 2, {2}) + "]]") + "," +
           Node("fd00::2", R"([[{"addr":"*"}],[)" + To("fd00::4", 4, {1}) + "]]") + "," +
           Node("fd00::3", R"([[{"addr":"*"}],[)" + To("fd00::5", 4, {2}) + "]]"),
       {"fd00::1 fd00::2 * fd00::4", "fd00::1 fd00::3 * fd00::5"},
       {}},
      {"PositionsAreJoinedByTheirFlows",
       Node("fd00::1", "[[" + To("fd00::2", 2, {1}) + "," + To("fd00::3", 2, {2}) + "],[" +
                           To("fd00::4", 3, {1}) + "," + To("fd00::5", 3, {2}) + "]]"),
       {"fd00::1 fd00::2 fd00::4", "fd00::1 fd00::3 fd00::5"},
       {}},
      {"DestinationInside",
       Node("fd00::1", "[[" + To("fd00::b", 2, {1}) + "]]") + "," +
           Node("fd00::b", "[[" + To("fd00::9", 3, {1}) + "]]"),
       {"fd00::1 !"},
       {"destination-inside-path"}},
      {"AddressTwiceInARow",
       Node("fd00::1", "[[" + To("fd00::1", 2, {1}) + "," + To("fd00::2", 2, {2}) + "]]"),
       {"fd00::1 fd00::1 fd00::2", "fd00::1 fd00::2"},
       {"repeated-address"}},
      {"Loop",
       Node("fd00::1", "[[" + To("fd00::2", 2, {1}) + "]]") + "," +
           Node("fd00::2", "[[" + To("fd00::3", 3, {1}) + "]]") + "," +
           Node("fd00::3", "[[" + To("fd00::2", 4, {1}) + "]]"),
       {"fd00::1 fd00::2 fd00::3 fd00::2"},
       {"routing-loop"}},
      {"LoopFromTheStart",
       Node("fd00::1", "[[" + To("fd00::2", 2, {1}) + "]]") + "," +
           Node("fd00::2", "[[" + To("fd00::1", 3, {1}) + "]]"),
       {"fd00::1 fd00::2 fd00::1"},
       {"routing-loop"}},
      {"OneFlowWithTwoResponders",
       Node("fd00::1", "[[" + To("fd00::2", 2, {1, 2}) + "," + To("fd00::3", 2, {1}) + "]]"),
       {"fd00::1 fd00::2", "fd00::1 fd00::3"},
       {"per-packet-or-changed"}},
      {"AProbeWithoutAnswerIsNone",
       Node("fd00::1", "[[" + To("fd00::2", 2, {1}) +
                           R"(,{"addr":"fd00::3","probes":[{"replyc":0,"ttl":2,"flowid":1}]}]])"),
       {"fd00::1 fd00::2", "fd00::1 fd00::3"},
       {}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const ImportResult result = Scamper(Graph(row.nodes));
    ASSERT_EQ(result.tables.size(), 1U);
    EXPECT_THAT(Texts(result.tables[0]), testing::UnorderedElementsAreArray(row.paths));
    EXPECT_EQ(Codes(result.tables[0].findings), row.codes);
    EXPECT_EQ(result.counts.damaged, 0U);
  }
}

TEST(ImportScamperGraph, HopsBeforeTheFirstProbedOneAreSilent) {
  std::string text = Graph(Node("fd00::3", "[[" + To("fd00::b", 4, {1}) + "]]"));
  text.replace(text.find(R"("firsthop":1)"), 12, R"("firsthop":3)");
  EXPECT_THAT(Texts(Scamper(text).tables.at(0)), ElementsAre("* * fd00::3 !"));
}

TEST(ImportScamperGraph, DamagedPartsAreLeftOutAndNamed) {
  const std::string good = Node("fd00::1", "[[" + To("fd00::2", 2, {1}) + "]]");
  const std::string lost = Node("fd00::8", "[[" + To("fd00::9", 3, {1}) + "]]");
  const struct {
    const char* name;
    std::string nodes;
    std::vector<std::string> paths;
    uint64_t damaged;
  } rows[] = {
      {"Whole", good, {"fd00::1 fd00::2"}, 0},
      {"LinksAreNoArray", good + "," + Node("fd00::2", "7"), {"fd00::1 fd00::2"}, 1},
      {"APositionIsNoArray", good + "," + Node("fd00::2", "[7]"), {"fd00::1 fd00::2"}, 1},
      {"APositionIsEmpty", good + "," + Node("fd00::2", "[[]]"), {"fd00::1 fd00::2"}, 1},
      {"BehindADamagedPositionAllIsLost",
       Node("fd00::1", "[[7],[" + To("fd00::2", 3, {1}) + "]]") + "," + lost,
       {"fd00::1"},
       1},
      {"ANodeWithoutAddress", good + R"(,{"links":[]})", {"fd00::1 fd00::2"}, 1},
      {"AnAddressThatIsNone",
       good + "," + Node("fd00::2", R"([[{"addr":"x"}]])"),
       {"fd00::1 fd00::2"},
       1},
      {"WithoutLinksItEnds", R"({"addr":"fd00::1"})", {"fd00::1"}, 0},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const ImportResult result = Scamper(Graph(row.nodes));
    ASSERT_EQ(result.tables.size(), 1U);
    EXPECT_EQ(Texts(result.tables[0]), row.paths);
    EXPECT_EQ(result.counts.damaged, row.damaged);
    EXPECT_EQ(Codes(result.tables[0].findings),
              std::vector<std::string>(row.damaged, "damaged-trace"));
  }
}

TEST(ImportScamperGraph, SaysWhereItCutItsPaths) {
  // Diamonds in a row: two to the power of `count` paths.
  const auto diamonds = [](int count) {
    std::string nodes;
    const auto name = [](int n) { return "fd00::" + std::to_string(n); };
    for (int i = 0; i < count; ++i) {
      const int at = 10 * (i + 1);
      nodes +=
          std::string(i == 0 ? "" : ",") +
          Node(name(at), "[[" + To(name(at + 1), 2, {}) + "," + To(name(at + 2), 2, {}) + "]]") +
          "," + Node(name(at + 1), "[[" + To(name(at + 10), 3, {}) + "]]") + "," +
          Node(name(at + 2), "[[" + To(name(at + 10), 3, {}) + "]]");
    }
    return Scamper(Graph(nodes));
  };
  const ImportResult fits = diamonds(10);
  EXPECT_EQ(fits.tables.at(0).paths.size(), kMaxPathsOfGraph);
  EXPECT_THAT(Codes(fits.tables[0].findings), IsEmpty());
  const ImportResult cut = diamonds(40);
  EXPECT_EQ(cut.tables.at(0).paths.size(), kMaxPathsOfGraph);
  EXPECT_THAT(Codes(cut.tables[0].findings), ElementsAre("paths-cut"));
}

TEST(ImportScamperGraph, EndsWhereManyWaysLookTheSame) {
  // Two silent hops side by side, again and again: all paths are equal, so none is over the limit.
  std::string links;
  for (int i = 0; i < 60; ++i) {
    links += std::string(i == 0 ? "" : ",") + R"([{"addr":"*"},{"addr":"*"}])";
  }
  const ImportResult result = Scamper(Graph(Node("fd00::1", "[" + links + "]")));
  EXPECT_EQ(result.tables.at(0).paths.size(), 1U);
  EXPECT_THAT(Codes(result.tables[0].findings), ElementsAre("paths-cut")) << "the search was cut";
}

}  // namespace
}  // namespace weft::topology
