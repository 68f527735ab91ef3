// SPDX-License-Identifier: Apache-2.0
#include "analyzer/polarisation/polarisation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "analyzer/infer/infer.h"
#include "analyzer/polarisation/distributions.h"
#include "tests/analyzer/tables_from_route.h"

namespace weft::analyzer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using topology::Fabric;
using topology::Finding;
using topology::PathTable;
using Function = topology::HashModel::Function;

std::vector<std::string> Codes(const HashReport& report) {
  std::set<std::string> codes;
  for (const Finding& finding : report.findings) codes.insert(finding.code);
  return {codes.begin(), codes.end()};
}

HashReport Judge(const Fabric& fabric, const std::vector<PathTable>& tables) {
  auto report = JudgeHashing(fabric, tables, std::nullopt);
  EXPECT_TRUE(report.ok()) << report.status();
  return *std::move(report);
}

// ---- the distributions

TEST(UsedMembers, AgreesWithCountingAllPlacements) {
  for (uint32_t members = 1; members <= 4; ++members) {
    for (uint32_t flows = 0; flows <= 6; ++flows) {
      const auto total = static_cast<uint32_t>(std::lround(std::pow(members, flows)));
      std::vector<double> counted(std::min(flows, members) + 1, 0);
      for (uint32_t placement = 0; placement < total; ++placement) {
        std::set<uint32_t> used;
        uint32_t rest = placement;
        for (uint32_t flow = 0; flow < flows; ++flow, rest /= members) used.insert(rest % members);
        counted[used.size()] += 1.0 / total;
      }
      const std::vector<double> computed = UsedMembersDistribution(flows, members);
      ASSERT_EQ(computed.size(), counted.size());
      for (size_t u = 0; u < counted.size(); ++u) EXPECT_NEAR(computed[u], counted[u], 1e-12);
    }
  }
  EXPECT_THAT(UsedMembersDistribution(3, 0), IsEmpty());
}

// Abramowitz and Stegun, table 26.8: 5 % and 0.1 % points.
TEST(ChiSquare, HasItsPercentagePoints) {
  EXPECT_NEAR(ChiSquareTail(3.84146, 1), 0.05, 1e-6);
  EXPECT_NEAR(ChiSquareTail(7.81473, 3), 0.05, 1e-6);
  EXPECT_NEAR(ChiSquareTail(10.8276, 1), 0.001, 1e-6);
  EXPECT_NEAR(ChiSquareTail(124.342, 100), 0.05, 1e-6);
  EXPECT_EQ(ChiSquareTail(0, 5), 1);
  EXPECT_EQ(CombinedPValue(0, 0), 1);
  EXPECT_NEAR(CombinedPValue(std::log(0.03), 1), 0.03, 1e-12);
}

// ---- tiers that choose alike

struct AlikeRow {
  std::string name;
  PodShape shape;
  Hashing hashing;
  double never_used_share = 0;
};
class TiersAlike : public ::testing::TestWithParam<AlikeRow> {};
TEST_P(TiersAlike, AreNamedWithTheShareOfPathsThatIsNeverUsed) {
  const AlikeRow& row = GetParam();
  const Fabric built = MakePods(row.shape);
  const Tracer tracer(&built, 1, {}, row.hashing);
  const HashReport report = Judge(built, TraceSome(tracer, built, 8, 1));
  ASSERT_THAT(Codes(report), ElementsAre("polarised"));
  ASSERT_EQ(report.findings.size(), 1U);
  const Finding& finding = report.findings[0];
  EXPECT_EQ(finding.severity, topology::Severity::kWarning);
  EXPECT_EQ(finding.subject, "tiers 0 and 1");
  EXPECT_NEAR(*finding.evidence[3].value, row.never_used_share * 100, 1e-9);
  ASSERT_EQ(report.tiers.size(), 1U);
  EXPECT_LT(report.tiers[0].p_value, kPolarisedPValue);
  EXPECT_EQ(report.unplaced, 0U);
}
const PodShape kFourByFour = {2, 2, 4, 16, 1, false, Numbering::kNumbered, 1};
const PodShape kUnnumbered = {2, 2, 4, 16, 1, false, Numbering::kUnnumbered, 1};
const PodShape kTwoByFour = {2, 2, 2, 8, 1, true, Numbering::kNumbered, 1};
INSTANTIATE_TEST_SUITE_P(
    Rows, TiersAlike,
    ::testing::Values(
        AlikeRow{"OneSeedForAll", kFourByFour, {Function::kMixed, true}, 0.75},
        AlikeRow{"OneSeedForAllUnnumbered", kUnnumbered, {Function::kMixed, true}, 0.75},
        AlikeRow{"OneSeedForAllTwoOfFour", kTwoByFour, {Function::kMixed, true}, 0.5},
        // Linear: a seed renames the members and does not spread anew.
        AlikeRow{"LinearHashWithSeeds", kFourByFour, {Function::kCrc32, false}, 0.75}),
    [](const auto& test) { return test.param.name; });

TEST(TiersApart, StaySilentOverHundredsOfSeeds) {
  const Fabric built = MakePods(kFourByFour);
  for (uint32_t seed = 0; seed < 300; ++seed) {
    const Tracer tracer(&built, seed, {}, kMixedHashing);
    const HashReport report = Judge(built, TraceSome(tracer, built, 3, seed));
    ASSERT_THAT(Codes(report), IsEmpty()) << "seed " << seed;
    for (const TierPair& tiers : report.tiers) {
      ASSERT_EQ(tiers.verdict, HashVerdict::kEven) << "seed " << seed;
      ASSERT_EQ(tiers.members_used, tiers.members) << "seed " << seed;
    }
  }
}

TEST(TiersAlike, AreFoundInTheInferredFabricToo) {
  const Fabric built = MakePods(kTwoByFour);
  const Tracer tracer(&built, 1, {}, {Function::kCrc32, false});
  const std::vector<PathTable> tables = tracer.TraceAll();
  const auto inferred = InferFabric(tables);
  ASSERT_TRUE(inferred.ok());
  // CRC-32 seeds rename members, so that over all leaves every core is seen, yet no flow of a leaf
  // has them all to choose from.
  const HashReport report = Judge(inferred->fabric, tables);
  EXPECT_THAT(Codes(report), ElementsAre("polarised"));
}

// Keeps only so many ports of every table, spread over its paths.
void KeepPorts(std::vector<PathTable>* tables, size_t count) {
  for (PathTable& table : *tables) {
    std::vector<uint16_t> ports;
    for (const topology::Path& path : table.paths) {
      ports.insert(ports.end(), path.udp_src_ports.begin(), path.udp_src_ports.end());
    }
    std::sort(ports.begin(), ports.end());
    ports.resize(std::min(ports.size(), count));
    for (topology::Path& path : table.paths) {
      std::erase_if(path.udp_src_ports, [&](uint16_t port) {
        return !std::binary_search(ports.begin(), ports.end(), port);
      });
    }
  }
}

TEST(FewFlows, AreUnknownAndAPlainCollisionWithItsProbability) {
  const Fabric built = MakePods(kFourByFour);
  std::vector<PathTable> tables = {
      Tracer(&built, 5, {}, kMixedHashing).Trace("host1-1", "host4-1")};
  KeepPorts(&tables, 4);
  const HashReport report = Judge(built, tables);
  EXPECT_EQ(report.flow_count, 4U);
  ASSERT_EQ(report.tiers.size(), 1U);
  EXPECT_EQ(report.tiers[0].verdict, HashVerdict::kUnknown);
  for (const HashGroup& group : report.groups) EXPECT_EQ(group.verdict, HashVerdict::kUnknown);
  for (const Finding& finding : report.findings) {
    EXPECT_EQ(finding.code, "few-flows");
    EXPECT_EQ(finding.severity, topology::Severity::kInfo);
  }
  EXPECT_THAT(Codes(report), ElementsAre("few-flows"));
}

// ---- uneven hashes

// Moves flows of the first path of every table that leaves leaf1 by spine1 to another spine.
TEST(UnevenHash, IsSaidByDistinctFlowsAndItsHealthyTwinIsNot) {
  const Fabric built = MakeFabric({2, 4, 1, 0, 0});
  std::vector<PathTable> tables = {
      Tracer(&built, 1, {}, kMixedHashing).Trace("host1-1", "host2-1")};
  EXPECT_THAT(Codes(Judge(built, tables)), IsEmpty());
  std::vector<topology::Path>& paths = tables[0].paths;
  ASSERT_EQ(paths.size(), 4U);
  std::vector<uint16_t>& from = paths[0].udp_src_ports;
  std::vector<uint16_t>& to = paths[1].udp_src_ports;
  const size_t moved = from.size() / 2;
  to.insert(to.end(), from.end() - static_cast<std::ptrdiff_t>(moved), from.end());
  from.resize(from.size() - moved);
  const HashReport report = Judge(built, tables);
  ASSERT_THAT(Codes(report), ElementsAre("uneven-hash"));
  EXPECT_EQ(report.findings[0].subject, "leaf1");
  EXPECT_LT(*report.groups[0].p_value, 1e-4);
  EXPECT_EQ(report.groups[0].verdict, HashVerdict::kUneven);
}

TEST(UnevenHash, EightFlowsOnTwoLinksAreACollisionAndNoBadHash) {
  // One link has 7 of 8 flows: as a lab of two uplinks reported, with distinct source ports.
  const Fabric built = MakeFabric({2, 2, 1, 0, 0});
  std::vector<PathTable> tables = {
      Tracer(&built, 1, {}, kMixedHashing).Trace("host1-1", "host2-1")};
  ASSERT_EQ(tables[0].paths.size(), 2U);
  tables[0].paths[0].udp_src_ports.resize(8);
  tables[0].paths[1].udp_src_ports.clear();
  const HashReport report = Judge(built, tables);
  ASSERT_THAT(Codes(report), ElementsAre("few-flows"));
  EXPECT_NEAR(*report.findings[0].evidence[1].value, 2.0 / 256, 1e-12);
  EXPECT_EQ(report.groups[0].verdict, HashVerdict::kUnknown);
}

// ---- weighted groups

// A leaf whose table of next hops holds some spines more often than others, as switches with
// weights keep it: a real hash over the slots, for `flow_count` source ports of one pair.
std::vector<PathTable> WeightedTables(const Fabric& fabric, uint32_t seed,
                                      const std::vector<uint32_t>& weights, uint32_t flow_count) {
  PathTable table = Tracer(&fabric, seed, {}, kMixedHashing).Trace("host1-1", "host2-1");
  EXPECT_EQ(table.paths.size(), weights.size());
  std::vector<size_t> slots;
  for (size_t path = 0; path < table.paths.size(); ++path) {
    table.paths[path].udp_src_ports.clear();
    slots.insert(slots.end(), weights[path], path);
  }
  topology::HashModel model;
  model.function = Function::kMixed;
  model.seed = seed;
  topology::HashedHeaders headers;
  headers.source = table.source_address;
  headers.destination = table.destination_address;
  for (uint32_t i = 0; i < flow_count; ++i) {
    headers.udp_src_port = static_cast<uint16_t>(0xc000 + i * 7);
    const uint32_t slot =
        topology::ChooseMember(model, headers, static_cast<uint32_t>(slots.size()));
    table.paths[slots[slot]].udp_src_ports.push_back(headers.udp_src_port);
  }
  return {table};
}

class WeightedGroup : public ::testing::TestWithParam<uint32_t> {};
TEST_P(WeightedGroup, IsUnevenByDistinctFlowsAndItsTwinOfEqualWeightsIsNot) {
  const Fabric built = MakeFabric({2, 4, 1, 0, 0});
  const HashReport weighted = Judge(built, WeightedTables(built, GetParam(), {4, 1, 1, 2}, 400));
  ASSERT_THAT(Codes(weighted), ElementsAre("uneven-hash"));
  EXPECT_EQ(weighted.findings[0].subject, "leaf1");
  EXPECT_EQ(weighted.flow_count, 400U);
  EXPECT_LT(*weighted.groups[0].p_value, kUnevenPValue);
  EXPECT_EQ(weighted.groups[0].verdict, HashVerdict::kUneven);
  const HashReport even = Judge(built, WeightedTables(built, GetParam(), {2, 2, 2, 2}, 400));
  EXPECT_THAT(Codes(even), IsEmpty());
  EXPECT_EQ(even.groups[0].verdict, HashVerdict::kEven);
}
TEST_P(WeightedGroup, OfFewFlowsIsAPlainCollisionWithItsProbability) {
  const Fabric built = MakeFabric({2, 4, 1, 0, 0});
  const HashReport report = Judge(built, WeightedTables(built, GetParam(), {8, 1, 1, 1}, 6));
  ASSERT_EQ(report.groups.size(), 1U);
  EXPECT_EQ(report.groups[0].verdict, HashVerdict::kUnknown);
  EXPECT_FALSE(report.groups[0].p_value.has_value());
  ASSERT_THAT(Codes(report), ElementsAre("few-flows"));
  EXPECT_EQ(report.findings[0].severity, topology::Severity::kInfo);
  EXPECT_GT(*report.findings[0].evidence[1].value, 0);
  EXPECT_LE(*report.findings[0].evidence[1].value, 1);
}
INSTANTIATE_TEST_SUITE_P(Seeds, WeightedGroup, ::testing::Values(1U, 2U, 3U));

TEST(Hashing, OnlyTheGivenFlowsAreJudged) {
  const Fabric built = MakeFabric({2, 2, 1, 0, 0});
  const std::vector<PathTable> tables = {
      Tracer(&built, 1, {}, kMixedHashing).Trace("host1-1", "host2-1")};
  std::vector<topology::Flow> flows(3);
  for (size_t i = 0; i < flows.size(); ++i) {
    flows[i].source = "host1-1";
    flows[i].destination = "host2-1";
    flows[i].udp_src_port = tables[0].paths[0].udp_src_ports[i];
  }
  flows[2].udp_src_port = 1;  // was not measured
  const auto report = JudgeHashing(built, tables, flows);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->flow_count, 3U);
  EXPECT_EQ(report->unplaced, 1U);
  ASSERT_EQ(report->groups.size(), 1U);
  EXPECT_EQ(report->groups[0].flow_count, 2U);
}

TEST(Hashing, SwitchesThatDoNotHashAreLeftOutAndSaid) {
  const Fabric built = MakePods(kFourByFour);
  std::vector<PathTable> tables =
      TraceSome(Tracer(&built, 1, {}, {Function::kMixed, true}), built, 8, 1);
  for (PathTable& table : tables) {
    for (const char* leaf : {"leaf1", "leaf2", "leaf3", "leaf4"}) {
      topology::HopBehaviour hop;
      hop.hop_index = 1;
      hop.node = leaf;
      hop.mode = topology::HopMode::kPerPacket;
      table.hop_behaviours.push_back(hop);
    }
  }
  const HashReport report = Judge(built, tables);
  EXPECT_THAT(Codes(report), ElementsAre("hop-not-hashed"));
  EXPECT_THAT(report.findings[0].subject, HasSubstr("leaf1"));
  EXPECT_THAT(report.tiers, IsEmpty());
}

TEST(Hashing, VoidAndHiddenTablesSayNothing) {
  const Fabric built = MakeFabric({2, 2, 1, 0, 0});
  std::vector<PathTable> tables = Tracer(&built, 1).TraceAll();
  tables[0].void_reason = "the group of leaf1 has changed";
  tables[1].hidden_reason = "overlay: paths hidden";
  EXPECT_EQ(Judge(built, tables).flow_count, 0U);
}

TEST(Hashing, AFabricWithoutHostsIsAnError) {
  const auto report = JudgeHashing(Fabric(), {}, std::nullopt);
  EXPECT_EQ(report.status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace weft::analyzer
