// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "probe/hashing/hop_findings.h"
#include "tests/probe/hashing_network.h"

namespace weft::probe {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using topology::HashModel;
using topology::HopMode;

constexpr int64_t kMs = 1'000'000;

topology::LeafSpineOptions TwoTiers(uint32_t spines, bool ipv6 = false) {
  return {.leaves = 2, .spines = spines, .hosts_per_leaf = 2, .addressing = {.ipv6 = ipv6}};
}

topology::ThreeTierOptions ThreeTiers(bool ipv6 = false) {
  return {.pods = 2,
          .leaves_per_pod = 2,
          .spines_per_pod = 2,
          .cores = 4,
          .hosts_per_leaf = 2,
          .addressing = {.ipv6 = ipv6}};
}

struct HopModeRow {
  std::string name;
  HopMode mode;
};

void PrintTo(const HopModeRow& row, std::ostream* out) { *out << row.name; }

class HopModes : public testing::TestWithParam<HopModeRow> {};

// The table is that of the fabric while it hashed: how a trace goes on other fabrics is the
// tracer's matter.
TEST_P(HopModes, AreToldAtTheLeafOfTwoTiers) {
  for (const bool ipv6 : {false, true}) {
    for (uint64_t seed = 1; seed <= Seeds(10); ++seed) {
      ExaminedFabric examined(TwoTiers(4, ipv6), "host2-1", {.seed = seed});
      const TraceResult traced = examined.Traced();
      examined.hop("leaf1").mode = GetParam().mode;
      const HopsResult result = examined.Examined(traced);
      const HopReport* leaf = ReportOf(result, examined.fabric, "leaf1");
      ASSERT_NE(leaf, nullptr);
      EXPECT_EQ(leaf->behaviour.mode, GetParam().mode) << seed << ": " << leaf->mode.reason;
      EXPECT_GT(leaf->behaviour.mode_probes, 20U);
      EXPECT_EQ(leaf->behaviour.fields.empty(), GetParam().mode != HopMode::kHashed);
      EXPECT_THAT(CodesOf(result), IsEmpty());
      EXPECT_THAT(SteeringText(*leaf),
                  HasSubstr(GetParam().mode == HopMode::kHashed ? "source ports steer here"
                                                                : "steering has no effect"));
    }
  }
}

TEST_P(HopModes, AreToldAtASpineOfThreeTiers) {
  for (uint64_t seed = 1; seed <= Seeds(6); ++seed) {
    ExaminedFabric examined(ThreeTiers(), "host3-1",
                            {.seed = seed, .hash_function = HashModel::Function::kMixed});
    const TraceResult traced = examined.Traced();
    examined.hop("spine1").mode = GetParam().mode;
    const HopsResult result = examined.Examined(traced);
    for (const auto& [name, mode] : {std::pair{"leaf1", HopMode::kHashed},
                                     {"spine1", GetParam().mode},
                                     {"spine2", HopMode::kHashed}}) {
      const HopReport* report = ReportOf(result, examined.fabric, name);
      ASSERT_NE(report, nullptr) << name;
      EXPECT_EQ(report->behaviour.mode, mode) << name << " " << report->mode.reason;
    }
  }
}

TEST_P(HopModes, AfterAHopThatDoesNotHashTheNextOnesAreUnknown) {
  ExaminedFabric examined(ThreeTiers(), "host3-1",
                          {.seed = 1, .hash_function = HashModel::Function::kMixed});
  const TraceResult traced = examined.Traced();
  examined.hop("leaf1").mode = GetParam().mode;
  const HopsResult result = examined.Examined(traced);
  const HopReport* spine = ReportOf(result, examined.fabric, "spine1");
  ASSERT_NE(spine, nullptr);
  if (GetParam().mode == HopMode::kHashed) {
    EXPECT_EQ(spine->behaviour.mode, HopMode::kHashed);
    return;
  }
  EXPECT_EQ(spine->behaviour.mode, HopMode::kUnknown);
  EXPECT_EQ(spine->behaviour.next_hop_count, 0U);
  EXPECT_THAT(spine->note, HasSubstr("does not keep a flow on one way"));
}

INSTANTIATE_TEST_SUITE_P(Modes, HopModes,
                         testing::Values(HopModeRow{"Hashed", HopMode::kHashed},
                                         HopModeRow{"PerPacket", HopMode::kPerPacket},
                                         HopModeRow{"Flowlet", HopMode::kFlowlet},
                                         HopModeRow{"Adaptive", HopMode::kAdaptive}),
                         [](const auto& row) { return row.param.name; });

// From a trace of the fabric as it is, not as it was.
TEST(HopModes, APerPacketLeafIsToldFromItsOwnTrace) {
  for (uint64_t seed = 1; seed <= Seeds(10); ++seed) {
    ExaminedFabric examined(TwoTiers(4), "host2-1", {.seed = seed});
    examined.hop("leaf1").mode = HopMode::kPerPacket;
    const HopsResult result = examined.Examined();
    const HopReport* leaf = ReportOf(result, examined.fabric, "leaf1");
    ASSERT_NE(leaf, nullptr);
    EXPECT_EQ(leaf->behaviour.mode, HopMode::kPerPacket) << leaf->mode.reason;
  }
}

TEST(HopModes, AHashedHopIsHashedOrUnknownUnderLossAndLimits) {
  uint64_t known = 0;
  for (uint64_t seed = 1; seed <= Seeds(200); ++seed) {
    ExaminedFabric examined(TwoTiers(2), "host2-1", {.seed = seed});
    examined.hops.flows_per_next_hop = 0;
    examined.hops.load_packets = 32;
    const TraceResult traced = examined.Traced();
    SimulatedNetwork& network = examined.fabric.network();
    network.fault(examined.fabric.direction("host1-1", "leaf1")).loss_probability =
        0.1 * static_cast<double>(seed % 5);
    for (const topology::NodeIndex node : examined.fabric.Switches()) {
      network.fault(node).icmp_per_second = seed % 3 == 0 ? 5 : 0;
      network.fault(node).silent = seed % 40 == 1;
    }
    const HopsResult result = examined.Examined(traced);
    const HopReport* leaf = ReportOf(result, examined.fabric, "leaf1");
    ASSERT_NE(leaf, nullptr);
    const HopMode mode = leaf->behaviour.mode;
    EXPECT_TRUE(mode == HopMode::kHashed || mode == HopMode::kUnknown) << leaf->mode.reason;
    EXPECT_FALSE(leaf->mode.change);
    known += mode == HopMode::kHashed ? 1 : 0;
    EXPECT_THAT(CodesOf(result), IsEmpty()) << seed;
  }
  EXPECT_GE(known, Seeds(200) * 3 / 4);
}

TEST(HopModes, AChangeOfTheNetworkIsAFindingAndTheHopIsHashed) {
  uint64_t found = 0;
  for (uint64_t seed = 1; seed <= Seeds(20); ++seed) {
    ExaminedFabric examined(TwoTiers(4), "host2-1", {.seed = seed});
    const TraceResult traced = examined.Traced();
    SimulatedFabric& fabric = examined.fabric;
    const std::vector<topology::LinkIndex> down = {fabric.direction("leaf1", "spine2").link,
                                                   fabric.direction("leaf2", "spine2").link};
    fabric.network().At(fabric.network().now_ns() + 2'000 * kMs,
                        [down](SimulatedNetwork& network) { network.SetLinksDown(down); });
    const HopsResult result = examined.Examined(traced);
    const HopReport* leaf = ReportOf(result, fabric, "leaf1");
    ASSERT_NE(leaf, nullptr);
    EXPECT_EQ(leaf->behaviour.mode, HopMode::kHashed) << leaf->mode.reason;
    if (!leaf->mode.change) continue;
    ++found;
    EXPECT_THAT(CodesOf(result), ElementsAre("route-changed"));
    EXPECT_LE(leaf->mode.change->from_ns, leaf->mode.change->to_ns);
    EXPECT_THAT(result.table.void_reason, HasSubstr("changed after the trace"));
  }
  EXPECT_GE(found, Seeds(20) * 9 / 10);
}

TEST(HopQuality, HealthyFabricsHaveNoFindings) {
  for (uint64_t seed = 1; seed <= Seeds(40); ++seed) {
    ExaminedFabric examined(TwoTiers(seed % 2 == 0 ? 3 : 4), "host2-1", {.seed = seed});
    examined.hops.load_packets = 0;
    const HopsResult result = examined.Examined();
    EXPECT_THAT(CodesOf(result), IsEmpty()) << seed;
    const HopReport* leaf = ReportOf(result, examined.fabric, "leaf1");
    EXPECT_EQ(leaf->quality.evenness, Evenness::kEven);
  }
}

// Links that went down between the trace and the sample are no matter of the hash.
TEST(HopQuality, ANextHopThatIsGoneIsNoUnevenHash) {
  for (uint64_t seed = 1; seed <= Seeds(5); ++seed) {
    ExaminedFabric examined(TwoTiers(4), "host2-1", {.seed = seed});
    examined.hops.load_packets = 0;
    const TraceResult traced = examined.Traced();
    const std::vector<topology::LinkIndex> down = {
        examined.fabric.direction("leaf1", "spine2").link,
        examined.fabric.direction("leaf2", "spine2").link};
    examined.fabric.network().SetLinksDown(down);
    const HopsResult result = examined.Examined(traced);
    EXPECT_THAT(CodesOf(result), IsEmpty());
    EXPECT_THAT(ReportOf(result, examined.fabric, "leaf1")->note, HasSubstr("no longer goes by"));
  }
}

HopReport HashedReport(std::vector<uint32_t> flows) {
  HopReport report;
  report.behaviour.hop_index = 1;
  report.behaviour.node = "leaf1";
  report.behaviour.mode = HopMode::kHashed;
  report.behaviour.next_hop_count = static_cast<uint32_t>(flows.size());
  report.quality = JudgeQuality(flows);
  return report;
}

TEST(HopQuality, AnUnevenHashIsAFindingWithItsNumbers) {
  const std::vector<HopReport> reports = {HashedReport({30, 33, 31, 2}),
                                          HashedReport({24, 22, 26, 24})};
  std::vector<topology::Finding> findings;
  AddFindings(reports, findings);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].code, "uneven-hash");
  EXPECT_EQ(findings[0].subject, "leaf1");
  ASSERT_EQ(findings[0].evidence.size(), 5U);
  EXPECT_EQ(*findings[0].evidence[0].value, 96);
  EXPECT_EQ(*findings[0].evidence[3].value, 2);
  EXPECT_LT(*findings[0].evidence[4].value, 1e-4);
}

TEST(HopQuality, FewFlowsAreNoVerdict) {
  ExaminedFabric examined(TwoTiers(4), "host2-1");
  examined.hops.flows_per_next_hop = 4;
  const HopsResult result = examined.Examined();
  EXPECT_EQ(ReportOf(result, examined.fabric, "leaf1")->quality.evenness, Evenness::kCollision);
  EXPECT_THAT(CodesOf(result), IsEmpty());
}

TEST(HopExperiment, OneLeafHasNothingToExamine) {
  ExaminedFabric examined(TwoTiers(4), "host1-2");
  const HopsResult result = examined.Examined();
  ASSERT_EQ(result.hops.size(), 1U);
  EXPECT_EQ(result.hops[0].behaviour.next_hop_count, 1U);
  EXPECT_EQ(result.hops[0].behaviour.mode, HopMode::kUnknown);
  EXPECT_THAT(CodesOf(result), IsEmpty());
}

TEST(HopExperiment, StopsWhereItIsTold) {
  ExaminedFabric examined(TwoTiers(4), "host2-1");
  const TraceResult traced = examined.Traced();
  examined.hops.stop = [] { return true; };
  const HopsResult result = examined.Examined(traced);
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.probes_sent, 0U);
  EXPECT_EQ(ReportOf(result, examined.fabric, "leaf1")->behaviour.mode, HopMode::kUnknown);
}

}  // namespace
}  // namespace weft::probe
