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

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using topology::FieldUse;
using topology::HashedField;
using topology::HashedFields;
using topology::HashModel;
using topology::HopMode;

constexpr HashedField kAll[] = {HashedField::kUdpSrcPort, HashedField::kDestinationAddress,
                                HashedField::kDestQpn,    HashedField::kBthOpcode,
                                HashedField::kFlowLabel,  HashedField::kDscp};

struct FieldsRow {
  std::string name;
  HashedFields fields;
  bool ipv6 = false;
  HashModel::Function function = HashModel::Function::kMixed;
  bool unnumbered = false;
};

void PrintTo(const FieldsRow& row, std::ostream* out) { *out << row.name; }

class Fields : public testing::TestWithParam<FieldsRow> {};

// Of other destinations there are too few to be sure that their address is ignored.
void ExpectFields(const HopReport& report, const FieldsRow& row, uint64_t seed) {
  for (const HashedField field : kAll) {
    if (field == HashedField::kFlowLabel && !row.ipv6) continue;
    const FieldUse use = UseOf(report, field);
    const std::string what = std::string(topology::ToString(field)) + ", seed " +
                             std::to_string(seed) + ": " + NameOf(report.behaviour);
    if (row.fields.Has(field)) {
      EXPECT_EQ(use, FieldUse::kHashed) << what;
    } else if (field == HashedField::kDestinationAddress) {
      EXPECT_NE(use, FieldUse::kHashed) << what;
    } else {
      EXPECT_EQ(use, FieldUse::kIgnored) << what;
    }
  }
}

TEST_P(Fields, AreFoundAtTheLeafOfTwoTiers) {
  const FieldsRow& row = GetParam();
  for (uint64_t seed = 1; seed <= Seeds(6); ++seed) {
    ExaminedFabric examined(
        topology::LeafSpineOptions{.leaves = 2,
                                   .spines = 4,
                                   .hosts_per_leaf = 12,
                                   .addressing = {.ipv6 = row.ipv6, .unnumbered = row.unnumbered}},
        "host2-1", {.seed = seed});
    HashModel& hash = examined.hop("leaf1").hash;
    hash.fields = row.fields;
    hash.function = row.function;
    for (int i = 2; i <= 12; ++i) {
      examined.others.push_back(examined.fabric.address("host2-" + std::to_string(i)));
    }
    const HopsResult result = examined.Examined();
    const HopReport* leaf = ReportOf(result, examined.fabric, "leaf1");
    ASSERT_NE(leaf, nullptr);
    EXPECT_EQ(leaf->behaviour.mode, HopMode::kHashed) << leaf->note;
    ExpectFields(*leaf, row, seed);
    const bool ignores_port = !row.fields.Has(HashedField::kUdpSrcPort);
    EXPECT_EQ(CodesOf(result), ignores_port ? std::vector<std::string>{"source-port-ignored"}
                                            : std::vector<std::string>{});
    for (const HopReport& report : result.hops) {
      if (&report == leaf || report.behaviour.hop_index != 2) continue;
      EXPECT_EQ(report.behaviour.next_hop_count, 1U);
      // Where only the few addresses choose, a spine may get too few flows; then it says so.
      EXPECT_TRUE(report.is_explored || (ignores_port && !report.note.empty())) << report.note;
    }
  }
}

constexpr HashedFields kTuple = HashedFields::FiveTuple();

INSTANTIATE_TEST_SUITE_P(
    Rows, Fields,
    testing::Values(
        FieldsRow{"FiveTuple", kTuple}, FieldsRow{"FiveTupleV6", kTuple, true},
        FieldsRow{"FiveTupleCrc", kTuple, false, HashModel::Function::kCrc32},
        FieldsRow{"FiveTupleCrcV6", kTuple, true, HashModel::Function::kCrc32},
        FieldsRow{"AddressesOnly", kTuple.Without(HashedField::kUdpSrcPort)},
        FieldsRow{"AddressesOnlyV6", kTuple.Without(HashedField::kUdpSrcPort), true},
        FieldsRow{"PortAndQpn", kTuple.With(HashedField::kDestQpn)},
        FieldsRow{"QpnForPort",
                  kTuple.Without(HashedField::kUdpSrcPort).With(HashedField::kDestQpn)},
        FieldsRow{"QpnForPortV6",
                  kTuple.Without(HashedField::kUdpSrcPort).With(HashedField::kDestQpn), true},
        FieldsRow{"Opcode", kTuple.With(HashedField::kBthOpcode)},
        FieldsRow{"Dscp", kTuple.With(HashedField::kDscp)},
        FieldsRow{"FlowLabel", kTuple.With(HashedField::kFlowLabel), true},
        FieldsRow{"FlowLabelForPort",
                  kTuple.Without(HashedField::kUdpSrcPort).With(HashedField::kFlowLabel), true},
        FieldsRow{"Unnumbered", kTuple.With(HashedField::kFlowLabel), true,
                  HashModel::Function::kMixed, true},
        FieldsRow{"PortAlone", HashedFields().With(HashedField::kUdpSrcPort)}),
    [](const auto& row) { return row.param.name; });

TEST(Fields, AreFoundAtEveryTierOfThree) {
  for (const bool ipv6 : {false, true}) {
    for (uint64_t seed = 1; seed <= Seeds(4); ++seed) {
      ExaminedFabric examined(topology::ThreeTierOptions{.pods = 2,
                                                         .leaves_per_pod = 2,
                                                         .spines_per_pod = 2,
                                                         .cores = 4,
                                                         .hosts_per_leaf = 2,
                                                         .addressing = {.ipv6 = ipv6}},
                              "host3-1",
                              {.seed = seed, .hash_function = HashModel::Function::kMixed});
      examined.hop("leaf1").hash.fields = kTuple.With(HashedField::kDscp);
      examined.hop("spine1").hash.fields = kTuple.With(HashedField::kDestQpn);
      examined.hop("spine2").hash.fields = kTuple.With(HashedField::kBthOpcode);
      const HopsResult result = examined.Examined();
      const std::vector<std::pair<std::string, FieldsRow>> expected = {
          {"leaf1", {"", kTuple.With(HashedField::kDscp), ipv6}},
          {"spine1", {"", kTuple.With(HashedField::kDestQpn), ipv6}},
          {"spine2", {"", kTuple.With(HashedField::kBthOpcode), ipv6}}};
      for (const auto& [name, row] : expected) {
        const HopReport* report = ReportOf(result, examined.fabric, name);
        ASSERT_NE(report, nullptr) << name;
        FieldsRow without_destination = row;
        // No other hosts were given, so it was not tried.
        without_destination.fields = row.fields.Without(HashedField::kDestinationAddress);
        EXPECT_EQ(report->behaviour.next_hop_count, 2U);
        ExpectFields(*report, without_destination, seed);
      }
      EXPECT_THAT(CodesOf(result), IsEmpty());
    }
  }
}

TEST(Fields, TheSourceAddressIsTriedWhereTheHostHasSeveral) {
  for (const bool hashed : {true, false}) {
    ExaminedFabric examined(topology::LeafSpineOptions{.leaves = 2, .spines = 4}, "host2-1",
                            {.seed = 3, .hash_function = HashModel::Function::kMixed});
    if (!hashed) examined.hop("leaf1").hash.fields = kTuple.Without(HashedField::kSourceAddress);
    // One address is all that a generated host has: nothing can be said, and nothing is.
    examined.hops.sources = {examined.fabric.address("host1-1")};
    const HopsResult result = examined.Examined();
    const HopReport* leaf = ReportOf(result, examined.fabric, "leaf1");
    EXPECT_EQ(UseOf(*leaf, HashedField::kSourceAddress), FieldUse::kUnknown);
  }
}

TEST(Fields, APortThatIsIgnoredIsAFindingThatSaysWhatWouldSpread) {
  ExaminedFabric examined(topology::LeafSpineOptions{.leaves = 2, .spines = 4}, "host2-1",
                          {.seed = 2, .hash_function = HashModel::Function::kMixed});
  examined.hop("leaf1").hash.fields =
      kTuple.Without(HashedField::kUdpSrcPort).With(HashedField::kDestQpn);
  const HopsResult result = examined.Examined();
  ASSERT_THAT(CodesOf(result), ElementsAre("source-port-ignored"));
  const topology::Finding& finding = result.table.findings[0];
  EXPECT_EQ(finding.severity, topology::Severity::kWarning);
  EXPECT_THAT(finding.what_to_do, HasSubstr("destination QP"));
  ASSERT_EQ(finding.evidence.size(), 4U);
  EXPECT_GE(*finding.evidence[0].value, 5);     // ports
  EXPECT_EQ(*finding.evidence[1].value, 1);     // next hops that they led to
  EXPECT_EQ(*finding.evidence[2].value, 4);     // next hops that it has
  EXPECT_LT(*finding.evidence[3].value, 1e-3);  // by chance
  const HopReport* leaf = ReportOf(result, examined.fabric, "leaf1");
  const std::string name = leaf->behaviour.address.ToString();
  EXPECT_THAT(Sentences(*leaf), Contains(HasSubstr(name + " ignores the source port")));
  EXPECT_THAT(Sentences(*leaf), Contains(HasSubstr(name + " hashes the destination QP")));
  EXPECT_THAT(SteeringText(*leaf), HasSubstr("do not steer"));
}

TEST(Fields, ASilentNextTierLeavesThemUnknown) {
  ExaminedFabric examined(topology::LeafSpineOptions{.leaves = 2, .spines = 4}, "host2-1");
  for (int i = 1; i <= 4; ++i) {
    examined.fabric.network().fault(examined.fabric.node("spine" + std::to_string(i))).silent =
        true;
  }
  const HopsResult result = examined.Examined();
  const HopReport* leaf = ReportOf(result, examined.fabric, "leaf1");
  ASSERT_NE(leaf, nullptr);
  EXPECT_EQ(leaf->behaviour.mode, HopMode::kUnknown);
  for (const topology::FieldEffect& effect : leaf->behaviour.fields) {
    EXPECT_EQ(effect.effect, FieldUse::kUnknown);
  }
  EXPECT_THAT(CodesOf(result), IsEmpty());
}

TEST(Fields, OneSilentNextHopHidesNothingOfTheOthers) {
  for (uint64_t seed = 1; seed <= Seeds(5); ++seed) {
    ExaminedFabric examined(topology::LeafSpineOptions{.leaves = 2, .spines = 4}, "host2-1",
                            {.seed = seed, .hash_function = HashModel::Function::kMixed});
    examined.hop("leaf1").hash.fields = kTuple.With(HashedField::kDestQpn);
    examined.fabric.network().fault(examined.fabric.node("spine2")).silent = true;
    const HopsResult result = examined.Examined();
    const HopReport* leaf = ReportOf(result, examined.fabric, "leaf1");
    ASSERT_NE(leaf, nullptr);
    EXPECT_EQ(leaf->behaviour.mode, HopMode::kHashed);
    EXPECT_EQ(UseOf(*leaf, HashedField::kUdpSrcPort), FieldUse::kHashed);
    EXPECT_EQ(UseOf(*leaf, HashedField::kDestQpn), FieldUse::kHashed);
    EXPECT_NE(UseOf(*leaf, HashedField::kDscp), FieldUse::kHashed);
    EXPECT_THAT(CodesOf(result), IsEmpty());
  }
}

TEST(Fields, IcmpLimitsAndLossChangeNoEffectIntoItsOpposite) {
  for (uint64_t seed = 1; seed <= Seeds(10); ++seed) {
    ExaminedFabric examined(topology::LeafSpineOptions{.leaves = 2, .spines = 4}, "host2-1",
                            {.seed = seed, .hash_function = HashModel::Function::kMixed});
    examined.hop("leaf1").hash.fields =
        kTuple.Without(HashedField::kUdpSrcPort).With(HashedField::kDestQpn);
    for (const topology::NodeIndex node : examined.fabric.Switches()) {
      examined.fabric.network().fault(node).icmp_per_second = 40;
    }
    examined.fabric.network()
        .fault(examined.fabric.direction("host1-1", "leaf1"))
        .loss_probability = 0.05;
    const HopsResult result = examined.Examined();
    const HopReport* leaf = ReportOf(result, examined.fabric, "leaf1");
    ASSERT_NE(leaf, nullptr);
    EXPECT_EQ(leaf->behaviour.mode, HopMode::kHashed) << leaf->note;
    EXPECT_EQ(UseOf(*leaf, HashedField::kDestQpn), FieldUse::kHashed);
    EXPECT_EQ(UseOf(*leaf, HashedField::kUdpSrcPort), FieldUse::kIgnored);
    EXPECT_EQ(UseOf(*leaf, HashedField::kDscp), FieldUse::kIgnored);
  }
}

}  // namespace
}  // namespace weft::probe
