// SPDX-License-Identifier: Apache-2.0
// scamper's traces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/topology/imported.h"
#include "topology/import/import.h"

namespace weft::topology {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ImportScamperTrace, IsAPathWithItsPort) {
  const ImportResult result =
      Scamper(Trace(Paris(50001), {"1:10.0.0.1", "3:10.0.0.3", "4:10.2.2.2"}, 4));
  ASSERT_EQ(result.tables.size(), 1U);
  const PathTable& table = result.tables[0];
  EXPECT_EQ(table.source_address.ToString(), "10.1.1.2");
  EXPECT_EQ(table.destination_address.ToString(), "10.2.2.2");
  EXPECT_EQ(table.source, "");
  EXPECT_EQ(table.headers.udp_dst_port, 33435);
  EXPECT_EQ(table.headers.traffic_class, 104);
  EXPECT_EQ(table.measured_at, "2019-09-08T00:01:48Z");
  EXPECT_EQ(table.probes_sent, 9U);
  EXPECT_EQ(table.confidence, 0);
  EXPECT_EQ(table.void_reason, "");
  EXPECT_THAT(Texts(table), ElementsAre("10.0.0.1 * 10.0.0.3 !"));
  EXPECT_THAT(table.paths[0].udp_src_ports, ElementsAre(50001));
  EXPECT_EQ(table.paths[0].state, PathState::kAlive);
  EXPECT_THAT(Codes(table.findings), IsEmpty());
  EXPECT_EQ(result.counts.traces, 1U);
}

TEST(ImportScamperTrace, EndsWhereTheDestinationAnsweredFirst) {
  const struct {
    const char* name;
    std::vector<std::string> hops;
    const char* path;
    std::vector<std::string> codes;
  } rows[] = {
      {"AtItsEnd", {"1:10.0.0.1", "2:10.2.2.2"}, "10.0.0.1 !", {}},
      {"TwiceAtItsEnd", {"1:10.0.0.1", "2:10.2.2.2", "3:10.2.2.2"}, "10.0.0.1 !", {}},
      {"InsideTheHops",
       {"1:10.0.0.1", "2:10.2.2.2", "3:10.0.0.3"},
       "10.0.0.1 !",
       {"destination-inside-path"}},
      {"AtTheFirstHop", {"1:10.2.2.2"}, " !", {}},
      {"Nowhere", {"1:10.0.0.1"}, "10.0.0.1 * *", {}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const ImportResult result = Scamper(Trace(Paris(1), row.hops, 3));
    ASSERT_EQ(result.tables.size(), 1U);
    EXPECT_THAT(Texts(result.tables[0]), ElementsAre(row.path));
    EXPECT_EQ(Codes(result.tables[0].findings), row.codes);
  }
}

TEST(ImportScamperTrace, KnowsTheDestinationByWhatOnlyItSays) {
  const struct {
    const char* name;
    const char* answer;
    bool reached;
  } rows[] = {
      {"PortUnreachable", R"("icmp_type":3,"icmp_code":3)", true},
      {"EchoReply", R"("icmp_type":0,"icmp_code":0)", true},
      {"Tcp", R"("tcp_flags":18)", true},
      {"HostUnreachable", R"("icmp_type":3,"icmp_code":1)", false},
      {"TimeExceeded", R"("icmp_type":11,"icmp_code":0)", false},
      {"NotSaid", R"("rtt":1)", false},
  };
  for (const auto& row : rows) {
    const ImportResult result = Scamper(R"({"type":"trace","dst":"10.2.2.2","hop_count":1,"hops":[)"
                                        R"({"addr":"10.2.9.9","probe_ttl":1,)" +
                                        std::string(row.answer) + "}]}");
    ASSERT_EQ(result.tables.size(), 1U) << row.name;
    EXPECT_THAT(Texts(result.tables[0]), ElementsAre(row.reached ? " !" : "10.2.9.9")) << row.name;
  }
}

TEST(ImportScamperTrace, KeepsRepeatedAddressesAndSaysLoops) {
  const struct {
    const char* name;
    std::vector<std::string> hops;
    const char* path;
    std::vector<std::string> codes;
  } rows[] = {
      {"Healthy", {"1:10.0.0.1", "2:10.0.0.2", "3:10.0.0.3"}, "10.0.0.1 10.0.0.2 10.0.0.3", {}},
      {"TwiceInARow",
       {"1:10.0.0.1", "2:10.0.0.2", "3:10.0.0.2"},
       "10.0.0.1 10.0.0.2 10.0.0.2",
       {"repeated-address"}},
      {"Loop",
       {"1:10.0.0.1", "2:10.0.0.2", "3:10.0.0.1"},
       "10.0.0.1 10.0.0.2 10.0.0.1",
       {"routing-loop"}},
      {"LoopBehindSilence", {"1:10.0.0.1", "3:10.0.0.1"}, "10.0.0.1 * 10.0.0.1", {"routing-loop"}},
      {"TwoSilentHopsAreNotOneNode", {"2:10.0.0.2"}, "* 10.0.0.2 *", {}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const ImportResult result = Scamper(Trace(Paris(1), row.hops, 3));
    ASSERT_EQ(result.tables.size(), 1U);
    EXPECT_THAT(Texts(result.tables[0]), ElementsAre(row.path));
    EXPECT_EQ(Codes(result.tables[0].findings), row.codes);
  }
}

TEST(ImportScamperTrace, TellsOneFlowsRespondersFromProbesThatVary) {
  const std::vector<std::string> two_at_hop_2 = {"1:10.0.0.1", "2:10.0.0.2", "2:10.0.0.9",
                                                 "3:10.2.2.2"};
  const struct {
    const char* name;
    const char* method;
    const char* code;
  } rows[] = {
      {"UdpParis", R"("method":"udp-paris","sport":1,"dport":2)", "per-packet-or-changed"},
      {"IcmpParis", R"("method":"icmp-paris","icmp_sum":7)", "per-packet-or-changed"},
      {"Udp", R"("method":"udp","sport":1,"dport":2)", "ports-varied"},
      {"Icmp", R"("method":"icmp")", "ports-varied"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const ImportResult result = Scamper(Trace(row.method, two_at_hop_2, 3));
    ASSERT_EQ(result.tables.size(), 1U);
    EXPECT_THAT(Codes(result.tables[0].findings), ElementsAre(row.code));
    EXPECT_EQ(result.tables[0].findings[0].evidence[0].value, 2);
    EXPECT_THAT(result.tables[0].findings[0].evidence[0].what, HasSubstr("10.0.0.9"));
    EXPECT_THAT(Texts(result.tables[0]), ElementsAre("10.0.0.1 10.0.0.2 !"));
    const bool has_port = std::string(row.name) == "UdpParis";
    EXPECT_EQ(result.tables[0].paths[0].udp_src_ports.size(), has_port ? 1U : 0U);
  }
}

TEST(ImportScamperTrace, FlowsOfOnePairShareATable) {
  const std::string text = Trace(Paris(3), {"1:10.0.0.1", "2:10.2.2.2"}, 2) +
                           Trace(Paris(2), {"1:10.0.0.9", "2:10.2.2.2"}, 2) +
                           Trace(Paris(1), {"1:10.0.0.1", "2:10.2.2.2"}, 2);
  const ImportResult result = Scamper(text);
  ASSERT_EQ(result.tables.size(), 1U);
  EXPECT_THAT(Texts(result.tables[0]), ElementsAre("10.0.0.1 !", "10.0.0.9 !"));
  EXPECT_THAT(result.tables[0].paths[0].udp_src_ports, ElementsAre(1, 3));
  EXPECT_THAT(result.tables[0].paths[1].udp_src_ports, ElementsAre(2));
  EXPECT_EQ(result.tables[0].paths[0].probes_answered, 2U);
  EXPECT_EQ(result.tables[0].probes_sent, 27U);
  EXPECT_THAT(result.tables[0].findings, IsEmpty());
}

TEST(ImportScamperTrace, OneFlowTracedAgainIsOnePathUnlessItChanged) {
  const struct {
    const char* name;
    std::vector<std::string> again;
    int hop_count;
    std::vector<std::string> paths;
    std::vector<std::string> codes;
  } rows[] = {
      {"Same", {"1:10.0.0.1", "3:10.0.0.3", "4:10.2.2.2"}, 4, {"10.0.0.1 * 10.0.0.3 !"}, {}},
      {"SilenceWasBroken",
       {"1:10.0.0.1", "2:10.0.0.2", "4:10.2.2.2"},
       4,
       {"10.0.0.1 10.0.0.2 10.0.0.3 !"},
       {}},
      {"TheDestinationWasSilent", {"1:10.0.0.1"}, 6, {"10.0.0.1 * 10.0.0.3 !"}, {}},
      {"AnotherSwitch",
       {"1:10.0.0.1", "3:10.0.0.9", "4:10.2.2.2"},
       4,
       {"10.0.0.1 * 10.0.0.3 !", "10.0.0.1 * 10.0.0.9 !"},
       {"per-packet-or-changed"}},
      {"Longer",
       {"1:10.0.0.1", "3:10.0.0.3", "5:10.2.2.2"},
       5,
       {"10.0.0.1 * 10.0.0.3 !", "10.0.0.1 * 10.0.0.3 * !"},
       {"per-packet-or-changed"}},
      {"BehindTheDestination",
       {"1:10.0.0.1", "5:10.0.0.5"},
       5,
       {"10.0.0.1 * 10.0.0.3 !", "10.0.0.1 * * * 10.0.0.5"},
       {"per-packet-or-changed"}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const ImportResult result =
        Scamper(Trace(Paris(1), {"1:10.0.0.1", "3:10.0.0.3", "4:10.2.2.2"}, 4) +
                Trace(Paris(1), row.again, row.hop_count));
    ASSERT_EQ(result.tables.size(), 1U);
    EXPECT_EQ(Texts(result.tables[0]), row.paths);
    EXPECT_EQ(Codes(result.tables[0].findings), row.codes);
  }
}

TEST(ImportScamperTrace, WhatSeveralFlowsSawIsNotFilledInFromOne) {
  const ImportResult result =
      Scamper(Trace(Paris(1), {"1:10.0.0.1", "3:10.2.2.2"}, 3) +
              Trace(Paris(2), {"1:10.0.0.1", "3:10.2.2.2"}, 3) +
              Trace(Paris(1), {"1:10.0.0.1", "2:10.0.0.2", "3:10.2.2.2"}, 3));
  ASSERT_EQ(result.tables.size(), 1U);
  EXPECT_THAT(Texts(result.tables[0]), ElementsAre("10.0.0.1 * !"));
}

TEST(ImportScamperTrace, OtherHeadersAreAnotherTable) {
  const ImportResult result =
      Scamper(Trace(Paris(1), {"1:10.0.0.1"}, 1) +
              Trace(R"("method":"udp-paris","sport":1,"dport":4791)", {"1:10.0.0.1"}, 1));
  ASSERT_EQ(result.tables.size(), 2U);
  EXPECT_EQ(result.tables[1].headers.udp_dst_port, 4791);
}

TEST(ImportScamperTrace, MplsLabelsAreIgnored) {
  const ImportResult result = Scamper(
      R"({"type":"trace","dst":"10.2.2.2","hop_count":1,"hops":[{"addr":"10.0.0.1","probe_ttl":1,)"
      R"("icmpext":[{"ie_cn":1,"ie_ct":1,"ie_dl":4,"mpls_labels":[{"mpls_ttl":1,"mpls_s":1,)"
      R"("mpls_exp":0,"mpls_label":24001}]}]}]})");
  ASSERT_EQ(result.tables.size(), 1U);
  EXPECT_THAT(Texts(result.tables[0]), ElementsAre("10.0.0.1"));
  EXPECT_THAT(result.tables[0].findings, IsEmpty());
}

}  // namespace
}  // namespace weft::topology
