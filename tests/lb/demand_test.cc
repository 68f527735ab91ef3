// SPDX-License-Identifier: Apache-2.0
#include "lb/demand/demand.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/lb/traced_paths.h"
#include "topology/generate/leaf_spine.h"
#include "wire/flow_label.h"

namespace weft::lb {
namespace {

using ::testing::HasSubstr;
using topology::Fabric;
using topology::Flow;

Fabric LeafSpine(uint32_t leaves, uint32_t spines, uint32_t hosts) {
  return topology::GenerateLeafSpine({leaves, spines, hosts, 20e6, std::nullopt}).value();
}

TEST(PermutationFlows, EveryHostSendsToAnotherLeafAndIsSentToEquallyOften) {
  for (uint32_t leaves : {2U, 3U, 4U, 9U}) {
    for (uint32_t per_host : {1U, 3U}) {
      const Fabric fabric = LeafSpine(leaves, 2, 4);
      for (uint64_t seed = 1; seed <= 20; ++seed) {
        const auto flows = PermutationFlows(fabric, {16e6, per_host, seed});
        ASSERT_TRUE(flows.ok());
        ASSERT_EQ(flows->size(), leaves * 4 * per_host);
        std::map<std::string, std::set<std::string>> sends_to;
        std::map<std::string, size_t> received;
        for (const Flow& flow : *flows) {
          EXPECT_NE(LeafOf(fabric, flow.source_address), LeafOf(fabric, flow.destination_address));
          EXPECT_EQ(flow.rate_bps, 16e6);
          EXPECT_TRUE(flow.path.empty());
          sends_to[flow.source].insert(flow.destination);
          ++received[flow.destination];
        }
        EXPECT_EQ(sends_to.size(), leaves * 4);
        EXPECT_EQ(received.size(), leaves * 4);
        for (const auto& [host, targets] : sends_to) EXPECT_EQ(targets.size(), 1U) << host;
        for (const auto& [host, count] : received) EXPECT_EQ(count, per_host) << host;
      }
    }
  }
}

TEST(PermutationFlows, PortsFollowFromTheQpnsAsRoceV2sDefaultHasIt) {
  const auto flows = PermutationFlows(LeafSpine(4, 4, 8), {16e6, 4, 7}).value();
  std::set<std::pair<std::string, uint32_t>> qpns;
  for (const Flow& flow : flows) {
    EXPECT_GT(flow.source_qpn, 1U);
    EXPECT_LE(flow.source_qpn, 0xffffffU);
    EXPECT_TRUE(qpns.emplace(flow.source, flow.source_qpn).second) << "QPNs of a host differ";
    EXPECT_TRUE(qpns.emplace(flow.destination, flow.dest_qpn).second);
    EXPECT_EQ(flow.flow_label, wire::DefaultFlowLabel(flow.source_qpn, flow.dest_qpn));
    EXPECT_EQ(flow.udp_src_port, wire::UdpSourcePortOf(flow.flow_label));
    EXPECT_GE(flow.udp_src_port, 0xc000);
  }
}

TEST(PermutationFlows, TheSeedDecides) {
  const Fabric fabric = LeafSpine(4, 4, 4);
  EXPECT_EQ(PermutationFlows(fabric, {16e6, 1, 3}).value(),
            PermutationFlows(fabric, {16e6, 1, 3}).value());
  EXPECT_NE(PermutationFlows(fabric, {16e6, 1, 3}).value(),
            PermutationFlows(fabric, {16e6, 1, 4}).value());
}

TEST(PermutationFlows, TheOrderOfTheFabricsRecordsMakesNoDifference) {
  const Fabric fabric = LeafSpine(4, 4, 4);
  std::vector<topology::FabricRecord> records = fabric.ToRecords();
  const auto first_link = std::find_if(records.begin(), records.end(), [](const auto& record) {
    return std::holds_alternative<topology::Link>(record);
  });
  std::reverse(records.begin(), first_link);
  std::reverse(first_link, records.end());
  EXPECT_EQ(PermutationFlows(Fabric::FromRecords(records).value(), {}).value(),
            PermutationFlows(fabric, {}).value());
}

TEST(PermutationFlows, IdsAreAsWideAsTheCountNeeds) {
  const Fabric fabric = LeafSpine(2, 1, 2);
  EXPECT_EQ(PermutationFlows(fabric, {}).value().front().id, "f01");
  EXPECT_EQ(PermutationFlows(fabric, {1e6, 25, 1}).value().front().id, "f001");
}

struct BadPermutation {
  const char* name;
  uint32_t leaves;
  PermutationOptions options;
  const char* message;
};

class PermutationRefuses : public ::testing::TestWithParam<BadPermutation> {};

TEST_P(PermutationRefuses, AndSaysWhy) {
  const auto flows = PermutationFlows(LeafSpine(GetParam().leaves, 2, 2), GetParam().options);
  ASSERT_FALSE(flows.ok());
  EXPECT_THAT(std::string(flows.status().message()), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    BadInput, PermutationRefuses,
    ::testing::Values(BadPermutation{"OneLeaf", 1, {}, "hosts under 1 leaf: expected at least 2"},
                      BadPermutation{"NoRate", 2, {0, 1, 1}, "rate 0 bit/s: expected more than 0"},
                      BadPermutation{"NoFlows", 2, {1, 0, 1}, "flows per host 0: expected 1 to"},
                      BadPermutation{"TooManyFlows", 2, {1, 5000, 1}, "flows per host 5000"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(PermutationFlows, ALeafWithMoreThanHalfOfTheHostsHasNone) {
  const std::vector<topology::FabricRecord> records = [] {
    std::vector<topology::FabricRecord> kept;
    for (topology::FabricRecord& record : LeafSpine(2, 1, 3).ToRecords()) {
      const auto* node = std::get_if<topology::Node>(&record);
      const auto* link = std::get_if<topology::Link>(&record);
      const auto gone = [](const std::string& name) { return name == "host2-3"; };
      if (node != nullptr && gone(node->name)) continue;
      if (link != nullptr && (gone(link->a.node) || gone(link->b.node))) continue;
      kept.push_back(record);
    }
    return kept;
  }();
  const auto flows = PermutationFlows(Fabric::FromRecords(records).value(), {});
  ASSERT_FALSE(flows.ok());
  EXPECT_THAT(std::string(flows.status().message()),
              HasSubstr("3 of 5 hosts are under leaf1: expected at most half"));
}

TEST(FlowsFromDemands, ARateIsSplitEvenlyOverItsFlows) {
  const Fabric fabric = LeafSpine(2, 2, 2);
  const std::vector<topology::Demand> demands = {{"host1-1", "host2-1", 12e6, 3},
                                                 {"host1-2", "host1-1", 5e6, 1}};
  const auto flows = FlowsFromDemands(fabric, demands, 1).value();
  ASSERT_EQ(flows.size(), 4U);
  EXPECT_EQ(flows[0].rate_bps, 4e6);
  EXPECT_EQ(flows[2].destination, "host2-1");
  EXPECT_EQ(flows[3].rate_bps, 5e6);
  EXPECT_EQ(flows[3].id, "f04");
}

struct BadDemand {
  const char* name;
  topology::Demand demand;
  const char* message;
};

class DemandsRefuse : public ::testing::TestWithParam<BadDemand> {};

TEST_P(DemandsRefuse, AndSayWhy) {
  const std::vector<topology::Demand> demands = {{"host1-1", "host2-1", 1e6, 1}, GetParam().demand};
  const auto flows = FlowsFromDemands(LeafSpine(2, 2, 2), demands, 1);
  ASSERT_FALSE(flows.ok());
  EXPECT_THAT(std::string(flows.status().message()), HasSubstr("demand 2 ("));
  EXPECT_THAT(std::string(flows.status().message()), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    BadInput, DemandsRefuse,
    ::testing::Values(BadDemand{"UnknownHost", {"host1-1", "nobody", 1, 1}, "\"nobody\": expected"},
                      BadDemand{
                          "ASwitch", {"leaf1", "host2-1", 1, 1}, "\"leaf1\": expected a host"},
                      BadDemand{"ToItself", {"host1-1", "host1-1", 1, 1}, "expected two hosts"},
                      BadDemand{"NoRate", {"host1-1", "host2-1", 0, 1}, "rate_bps 0"},
                      BadDemand{"NoFlows", {"host1-1", "host2-1", 1, 0}, "flow_count 0"}),
    [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace weft::lb
