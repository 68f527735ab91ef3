// SPDX-License-Identifier: Apache-2.0
#include "topology/route/hash.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "topology/route/route.h"

namespace weft::topology {
namespace {

constexpr HashModel::Function kCrc32 = HashModel::Function::kCrc32;

HashedHeaders Headers(uint16_t udp_src_port) {
  return {wire::IpAddress::V4(0x0a000001), wire::IpAddress::V4(0x0a000003), 17, udp_src_port, 4791};
}

TEST(Hash, IsTheCrc32OfSeedAddressesProtocolAndPorts) {
  // python3 -c 'import zlib; print(hex(zlib.crc32(bytes.fromhex(
  //   "01020304" "0a000001" "0a000003" "11" "c000" "12b7"))))'
  EXPECT_EQ(Hash({kCrc32, 0x01020304}, Headers(0xc000)), 0x123091fu);
}

TEST(Hash, EveryFieldAndTheSeedMatter) {
  const uint32_t base = Hash({kCrc32, 1}, Headers(0xc000));
  EXPECT_EQ(Hash({kCrc32, 1}, Headers(0xc000)), base);
  EXPECT_NE(Hash({kCrc32, 2}, Headers(0xc000)), base);
  std::vector<HashedHeaders> changed(5, Headers(0xc000));
  changed[0].source = wire::IpAddress::V4(0x0a000002);
  changed[1].destination = wire::IpAddress::V4(0x0a000002);
  changed[2].protocol = 6;
  changed[3].udp_src_port = 0xc001;
  changed[4].udp_dst_port = 4792;
  for (const HashedHeaders& headers : changed) EXPECT_NE(Hash({kCrc32, 1}, headers), base);
}

TEST(Hash, FieldsBeyondTheFiveTupleCountOnlyWhereTheModelHasThem) {
  struct Row {
    HashedField field;
    HashedHeaders changed;
  };
  const HashedHeaders base = Headers(0xc000);
  std::vector<Row> rows(7, Row{HashedField::kNone, base});
  rows[0].field = HashedField::kUdpSrcPort;
  rows[0].changed.udp_src_port = 0xc001;
  rows[1].field = HashedField::kSourceAddress;
  rows[1].changed.source = wire::IpAddress::V4(0x0a000002);
  rows[2].field = HashedField::kDestinationAddress;
  rows[2].changed.destination = wire::IpAddress::V4(0x0a000002);
  rows[3].field = HashedField::kDestQpn;
  rows[3].changed.dest_qpn = 17;
  rows[4].field = HashedField::kBthOpcode;
  rows[4].changed.bth_opcode = 4;
  rows[5].field = HashedField::kFlowLabel;
  rows[5].changed.flow_label = 0xabcde;
  rows[6].field = HashedField::kDscp;
  rows[6].changed.traffic_class = 26 << 2;
  for (HashModel::Function function : {kCrc32, HashModel::Function::kMixed}) {
    for (const Row& row : rows) {
      HashModel with{function, 5};
      HashModel without = with;
      with.fields = with.fields.With(row.field);
      without.fields = without.fields.Without(row.field);
      EXPECT_NE(Hash(with, row.changed), Hash(with, base)) << ToString(row.field);
      EXPECT_EQ(Hash(without, row.changed), Hash(without, base)) << ToString(row.field);
    }
  }
}

TEST(Hash, CongestionMarksAreNoPartOfTheDscp) {
  HashModel model;
  model.fields = model.fields.With(HashedField::kDscp);
  HashedHeaders marked = Headers(0xc000);
  marked.traffic_class = 3;
  EXPECT_EQ(Hash(model, marked), Hash(model, Headers(0xc000)));
}

TEST(Hash, Ipv6AddressesCountInFull) {
  HashedHeaders headers = Headers(0xc000);
  headers.source = *wire::IpAddress::Parse("fd00::1");
  headers.destination = *wire::IpAddress::Parse("fd00::3");
  const uint32_t base = Hash({}, headers);
  headers.destination = *wire::IpAddress::Parse("fd01::3");
  EXPECT_NE(Hash({}, headers), base);
}

// hash(p ^ d) = hash(p) ^ hash(d) ^ hash(0) for CRC-32 and not for the mixed one.
TEST(Hash, OnlyTheMixedOneIsNotLinear) {
  int broken = 0;
  for (uint16_t p = 1; p < 200; ++p) {
    const auto d = static_cast<uint16_t>(p * 331);
    const auto sum = [&](const HashModel& model) {
      return Hash(model, Headers(p)) ^ Hash(model, Headers(d)) ^ Hash(model, Headers(0)) ^
             Hash(model, Headers(p ^ d));
    };
    ASSERT_EQ(sum({kCrc32, 9}), 0u);
    broken += sum({HashModel::Function::kMixed, 9}) != 0 ? 1 : 0;
  }
  EXPECT_EQ(broken, 199);
}

TEST(ChooseMember, TakesTheRemainderOrTheHighBits) {
  for (uint16_t port = 0xc000; port < 0xc100; ++port) {
    const uint32_t hash = Hash({kCrc32, 1}, Headers(port));
    HashModel model{kCrc32, 1, HashModel::Choice::kModulo};
    EXPECT_EQ(ChooseMember(model, Headers(port), 6), hash % 6);
    model.choice = HashModel::Choice::kScaled;
    EXPECT_EQ(ChooseMember(model, Headers(port), 6), Bucket(hash, 6));
  }
}

TEST(Bucket, ScalesTheHighBits) {
  EXPECT_EQ(Bucket(0, 3), 0u);
  EXPECT_EQ(Bucket(0x55555555, 3), 0u);
  EXPECT_EQ(Bucket(0x55555556, 3), 1u);
  EXPECT_EQ(Bucket(0xffffffff, 3), 2u);
  EXPECT_EQ(Bucket(0xffffffff, 1), 0u);
  EXPECT_EQ(Bucket(0xc0000000, 4), 3u);
}

class Spread : public ::testing::TestWithParam<uint32_t> {};

// Chi-square of 10,000 random ports over the buckets: below mean + 4 standard deviations
// (degrees of freedom d = buckets - 1, mean d, variance 2d).
TEST_P(Spread, IsEven) {
  const uint32_t buckets = GetParam();
  constexpr int kPorts = 10'000;
  std::mt19937 random(1);
  std::vector<int> counts(buckets);
  for (int i = 0; i < kPorts; ++i) {
    ++counts[Bucket(Hash({kCrc32, 5}, Headers(static_cast<uint16_t>(random()))), buckets)];
  }
  const double expected = double{kPorts} / buckets;
  double chi_square = 0;
  for (int count : counts) chi_square += (count - expected) * (count - expected) / expected;
  const double freedom = buckets - 1;
  EXPECT_LT(chi_square, freedom + 4 * std::sqrt(2 * freedom));
}

INSTANTIATE_TEST_SUITE_P(All, Spread, ::testing::Values(2, 3, 4, 6, 8, 16, 31, 64),
                         [](const auto& row) { return "Of" + std::to_string(row.param); });

// Two tiers of choices: leaf -> agg1 or agg2 -> one of that agg's own two cores -> far -> b.
Fabric TwoChoices() {
  Fabric fabric;
  const auto add = [&](const char* name, NodeKind kind, std::vector<Interface> interfaces) {
    EXPECT_TRUE(fabric.AddNode({name, kind, std::nullopt, std::move(interfaces)}).ok());
  };
  const auto link = [&](const char* a, const char* b) {
    EXPECT_TRUE(fabric.AddLink({{a, b}, {b, a}, std::nullopt}).ok());
  };
  add("a", NodeKind::kHost, {{"leaf", wire::IpAddress::V4(0x0a000001)}});
  add("b", NodeKind::kHost, {{"far", wire::IpAddress::V4(0x0a000003)}});
  add("leaf", NodeKind::kSwitch, {{"a", {}}, {"agg1", {}}, {"agg2", {}}});
  add("agg1", NodeKind::kSwitch, {{"leaf", {}}, {"core1", {}}, {"core2", {}}});
  add("agg2", NodeKind::kSwitch, {{"leaf", {}}, {"core3", {}}, {"core4", {}}});
  add("far", NodeKind::kSwitch,
      {{"b", {}}, {"core1", {}}, {"core2", {}}, {"core3", {}}, {"core4", {}}});
  link("a", "leaf");
  link("b", "far");
  for (const char* agg : {"agg1", "agg2"}) {
    link("leaf", agg);
    for (const char* core :
         agg[3] == '1' ? std::array{"core1", "core2"} : std::array{"core3", "core4"}) {
      add(core, NodeKind::kSwitch, {{agg, {}}, {"far", {}}});
      link(agg, core);
      link(core, "far");
    }
  }
  return fabric;
}

std::set<std::string> CoresUsed(const Fabric& fabric, std::vector<HashModel> hashes) {
  const Router router(&fabric, std::move(hashes), {});
  std::set<std::string> cores;
  for (uint32_t port = 0xc000; port < 0xd000; ++port) {
    const auto route = router.Route(Headers(static_cast<uint16_t>(port)));
    EXPECT_TRUE(route.ok()) << route.status();
    cores.insert(fabric.node(fabric.To((*route)[2])).name);
  }
  return cores;
}

TEST(Polarisation, TheSameSeedAtTwoTiersLeavesHalfOfTheCoresIdle) {
  const Fabric fabric = TwoChoices();
  const std::vector<HashModel> same(fabric.nodes().size(), {kCrc32, 9});
  EXPECT_EQ(CoresUsed(fabric, same), (std::set<std::string>{"core1", "core4"}));
}

// With groups of a size that is not a power of two, another seed would help; here it does not.
TEST(Polarisation, OtherSeedsLeaveHalfIdleToo) {
  const Fabric fabric = TwoChoices();
  for (uint32_t seed = 1; seed < 20; ++seed) {
    std::vector<HashModel> hashes(fabric.nodes().size(), {kCrc32, 0});
    hashes[*fabric.FindNode("agg1")].seed = seed;
    hashes[*fabric.FindNode("agg2")].seed = seed * 7919;
    EXPECT_EQ(CoresUsed(fabric, hashes).size(), 2u) << seed;
  }
}

// CRC-32 is linear, so another seed only renames the members of a group of 4: no cure.
TEST(Polarisation, AnotherSeedRenamesTheBucketsOfAPowerOfTwo) {
  std::array<std::array<int, 4>, 4> seen = {};
  for (uint32_t port = 0xc000; port < 0xd000; ++port) {
    const HashedHeaders headers = Headers(static_cast<uint16_t>(port));
    ++seen[Bucket(Hash({kCrc32, 1}, headers), 4)][Bucket(Hash({kCrc32, 0xdeadbeef}, headers), 4)];
  }
  for (const auto& row : seen) {
    int targets = 0;
    for (int count : row) targets += count > 0 ? 1 : 0;
    EXPECT_EQ(targets, 1);
  }
}

}  // namespace
}  // namespace weft::topology
