// SPDX-License-Identifier: Apache-2.0
// What holds for every kind of record, over random ones with every field set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/topology/random_records.h"
#include "topology/records/record_file.h"

namespace weft::topology {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kRounds = 200;

template <typename T>
class EveryRecord : public ::testing::Test {
 protected:
  T Next() {
    T record;
    records_.Fill(record);
    return record;
  }

 private:
  RandomRecords records_{1};
};

using AllKinds =
    ::testing::Types<FabricRecord, ForwardingTable, PortCounters, PathTable, Target, ProbeRecord,
                     Demand, Flow, FlowReport, LinkLoad, Assignment, Finding>;
TYPED_TEST_SUITE(EveryRecord, AllKinds);

TYPED_TEST(EveryRecord, ComesBackFromJson) {
  for (int round = 0; round < kRounds; ++round) {
    const TypeParam record = this->Next();
    const std::string json = RecordCodec<TypeParam>::ToJson(record);
    const auto back = RecordCodec<TypeParam>::FromJson(json);
    ASSERT_TRUE(back.ok()) << back.status() << "\n" << json;
    ASSERT_EQ(*back, record) << json;
  }
}

TYPED_TEST(EveryRecord, ComesBackFromBinary) {
  for (int round = 0; round < kRounds; ++round) {
    const TypeParam record = this->Next();
    const auto back = RecordCodec<TypeParam>::FromBinary(RecordCodec<TypeParam>::ToBinary(record));
    ASSERT_TRUE(back.ok()) << back.status();
    ASSERT_EQ(*back, record) << RecordCodec<TypeParam>::ToJson(record);
  }
}

// Names of the fields that hold what an unset field would.
std::vector<std::string> Unset(const nlohmann::json& json, const std::string& name) {
  std::vector<std::string> unset;
  const bool is_default = json.empty() || (json.is_string() && json.get<std::string>().empty()) ||
                          json == 0 || json == false || json == "unknown";
  if (is_default) unset.push_back(name);
  if (!json.is_structured()) return unset;
  for (const auto& [key, value] : json.items()) {
    for (const std::string& inner : Unset(value, name + "." + key)) unset.push_back(inner);
  }
  return unset;
}

// Defaults are printed, so a field that ToRecord forgets would stand there with its default.
TYPED_TEST(EveryRecord, WritesEveryField) {
  for (int round = 0; round < kRounds; ++round) {
    const std::string json = RecordCodec<TypeParam>::ToJson(this->Next());
    ASSERT_THAT(Unset(nlohmann::json::parse(json), ""), IsEmpty()) << json;
  }
}

TYPED_TEST(EveryRecord, IsOneLineOfJson) {
  for (int round = 0; round < kRounds; ++round) {
    ASSERT_EQ(RecordCodec<TypeParam>::ToJson(this->Next()).find('\n'), std::string::npos);
  }
}

TYPED_TEST(EveryRecord, HasAKindOfItsOwn) {
  EXPECT_NE(kRecordKind<TypeParam>.name, nullptr);
  EXPECT_EQ(kRecordKind<TypeParam>.version, 1u);
}

TYPED_TEST(EveryRecord, ComesBackFromAFileOfEitherFormat) {
  for (const char* name : {"records.jsonl", "records.binpb"}) {
    const std::string path = ::testing::TempDir() + "/" + kRecordKind<TypeParam>.name + name;
    std::vector<TypeParam> records;
    for (int round = 0; round < kRounds; ++round) records.push_back(this->Next());
    ASSERT_TRUE(WriteRecords<TypeParam>(path, records).ok());
    const auto file = ReadRecords<TypeParam>(path);
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_FALSE(file->cut);
    EXPECT_EQ(file->records, records);
    std::remove(path.c_str());
  }
}

struct BadRecord {
  const char* name;
  absl::Status (*read)(std::string_view json);
  const char* json;
  const char* message;  // a part of it
};

template <typename T>
absl::Status Read(std::string_view json) {
  return RecordCodec<T>::FromJson(json).status();
}

class RefusedRecord : public ::testing::TestWithParam<BadRecord> {};

TEST_P(RefusedRecord, NamesTheFieldAndItsValue) {
  const absl::Status status = GetParam().read(GetParam().json);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusedRecord,
    ::testing::Values(
        BadRecord{"NeitherNodeNorLink", Read<FabricRecord>, "{}", "expected \"node\" or \"link\""},
        BadRecord{"NodeWithoutName", Read<FabricRecord>, R"({"node":{}})", "node.name \"\""},
        BadRecord{"NodeKind", Read<FabricRecord>, R"({"node":{"name":"a","kind":7}})",
                  "node.kind 7: expected at most 2"},
        BadRecord{"NodeAddress", Read<FabricRecord>,
                  R"({"node":{"name":"a","interfaces":[{"name":"e","address":"10.0.0"}]}})",
                  "node.interfaces.address \"10.0.0\": expected an IPv4 or IPv6 address"},
        BadRecord{"Capacity", Read<FabricRecord>, R"({"link":{"capacity_bps":-1}})",
                  "link.capacity_bps -1"},
        BadRecord{"HopIndex", Read<PathTable>, R"({"paths":[{"hops":[{"hop_index":0}]}]})",
                  "paths.hops.hop_index 0: expected 1 to 255"},
        BadRecord{"PathPort", Read<PathTable>, R"({"paths":[{"udp_src_ports":[65536]}]})",
                  "paths.udp_src_ports 65536"},
        BadRecord{"MoreAnswersThanProbes", Read<PathTable>,
                  R"({"paths":[{"probes_sent":1,"probes_answered":2}]})", "probes_answered 2"},
        BadRecord{"Confidence", Read<PathTable>, R"({"confidence":1.5})", "confidence 1.5"},
        BadRecord{"ConfidenceNan", Read<PathTable>, R"({"confidence":"NaN"})", "confidence nan"},
        BadRecord{"TargetWithoutAddress", Read<Target>, R"({"name":"a"})", "address \"\""},
        BadRecord{"Qpn", Read<Target>, R"({"address":"1.2.3.4","dest_qpn":16777216})",
                  "dest_qpn 16777216: expected at most 16777215"},
        BadRecord{"Ttl", Read<ProbeRecord>, R"({"ttl":256})", "ttl 256"},
        BadRecord{"RttNan", Read<ProbeRecord>, R"({"rtt_us":"NaN"})", "rtt_us nan"},
        BadRecord{"FlowWithoutId", Read<Flow>, "{}", "id \"\""},
        BadRecord{"FlowLabel", Read<Flow>, R"({"id":"a","flow_label":1048576})",
                  "flow_label 1048576"},
        BadRecord{"RateInfinite", Read<Demand>, R"({"rate_bps":"Infinity"})", "rate_bps inf"},
        BadRecord{"Bound", Read<Assignment>, R"({"lower_bound":-0.5})", "lower_bound -0.5"},
        BadRecord{"FindingWithoutCode", Read<Finding>, "{}", "code \"\""},
        BadRecord{"EvidenceInfinite", Read<Finding>,
                  R"({"code":"a","evidence":[{"value":"-Infinity"}]})", "evidence.value -inf"},
        BadRecord{"UnknownField", Read<Flow>, R"({"id":"a","colour":"red"})", "colour"},
        BadRecord{"NotAnObject", Read<Flow>, "[]", ""},
        BadRecord{"NotJson", Read<Flow>, "id: a", ""}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(Records, AbsentMeansUnknownAndNotZero) {
  const auto link = RecordCodec<FabricRecord>::FromJson(R"({"link":{}})");
  EXPECT_EQ(std::get<Link>(*link).capacity_bps, std::nullopt);
  const auto zero = RecordCodec<FabricRecord>::FromJson(R"({"link":{"capacity_bps":0}})");
  EXPECT_EQ(std::get<Link>(*zero).capacity_bps, 0.0);
  EXPECT_THAT(RecordCodec<FabricRecord>::ToJson(*zero), HasSubstr("\"capacity_bps\":0"));
  EXPECT_THAT(RecordCodec<FabricRecord>::ToJson(*link), Not(HasSubstr("capacity_bps")));
}

}  // namespace
}  // namespace weft::topology
