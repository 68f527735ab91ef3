// SPDX-License-Identifier: Apache-2.0
#include "topology/route/hop_chooser.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "topology/generate/leaf_spine.h"
#include "topology/route/flow_memory.h"

namespace weft::topology {
namespace {

constexpr int64_t kPeriodNs = 500'000;

class HopChooserTest : public ::testing::Test {
 protected:
  HashedHeaders Headers(uint16_t udp_src_port) const {
    return {wire::IpAddress::V4(0x0a000001), wire::IpAddress::V4(0x0a000003), 17, udp_src_port};
  }
  HopChooser Choose(HopMode mode, uint64_t seed = 1,
                    HashedFields fields = HashedFields::FiveTuple()) {
    HopModel model{{}, mode, kPeriodNs, 64};
    model.hash.fields = fields;
    std::vector<HashModel> hashes(fabric_.nodes().size(), model.hash);
    router_.emplace(&fabric_, hashes, std::span<const LinkIndex>());
    return HopChooser(&*router_, std::vector<HopModel>(hashes.size(), model), seed);
  }
  std::string Name(std::optional<Direction> way) const {
    return way ? fabric_.node(fabric_.To(*way)).name : "none";
  }

  // host1-1 under leaf1, host2-1 under leaf2; four spines.
  Fabric fabric_ = *GenerateLeafSpine({2, 4, 1});
  NodeIndex leaf1_ = *fabric_.FindNode("leaf1");
  NodeIndex spine1_ = *fabric_.FindNode("spine1");
  std::optional<Router> router_;
};

TEST_F(HopChooserTest, WhereHashedTheRouterDecides) {
  for (HopMode mode : {HopMode::kHashed, HopMode::kUnknown}) {
    HopChooser chooser = Choose(mode);
    for (uint16_t port = 50'000; port < 50'100; ++port) {
      EXPECT_EQ(chooser.NextHop(leaf1_, Headers(port), port),
                router_->NextHop(leaf1_, Headers(port)));
    }
  }
}

TEST_F(HopChooserTest, EveryModeKeepsToTheGroup) {
  for (HopMode mode :
       {HopMode::kHashed, HopMode::kPerPacket, HopMode::kFlowlet, HopMode::kAdaptive}) {
    HopChooser chooser = Choose(mode);
    EXPECT_EQ(Name(chooser.NextHop(spine1_, Headers(50'000), 0)), "leaf2") << ToString(mode);
    EXPECT_EQ(Name(chooser.NextHop(*fabric_.FindNode("host2-1"), Headers(50'000), 0)), "none");
    HashedHeaders elsewhere = Headers(50'000);
    elsewhere.destination = wire::IpAddress::V4(0x01020304);
    EXPECT_EQ(Name(chooser.NextHop(leaf1_, elsewhere, 0)), "none") << ToString(mode);
  }
}

TEST_F(HopChooserTest, PerPacketSpreadsOneFlowEvenly) {
  HopChooser chooser = Choose(HopMode::kPerPacket);
  std::map<std::string, int> counts;
  for (int i = 0; i < 4000; ++i) ++counts[Name(chooser.NextHop(leaf1_, Headers(50'000), i))];
  ASSERT_EQ(counts.size(), 4u);
  // Binomial, mean 1000, standard deviation 27.
  for (const auto& [spine, count] : counts) EXPECT_NEAR(count, 1000, 5 * 27) << spine;
}

TEST_F(HopChooserTest, AFlowletStaysUntilAPause) {
  HopChooser chooser = Choose(HopMode::kFlowlet);
  std::set<std::string> over_pauses;
  int64_t now = 0;
  for (int burst = 0; burst < 50; ++burst) {
    std::set<std::string> in_burst;
    for (int i = 0; i < 20; ++i) {
      in_burst.insert(Name(chooser.NextHop(leaf1_, Headers(50'000), now)));
      now += kPeriodNs - 1;
    }
    EXPECT_EQ(in_burst.size(), 1u);
    over_pauses.merge(in_burst);
    now += 1;
  }
  EXPECT_EQ(over_pauses.size(), 4u);
}

TEST_F(HopChooserTest, AdaptiveIsStableWhileIdleAndStartsAsTheHashSays) {
  HopChooser chooser = Choose(HopMode::kAdaptive);
  for (int i = 0; i < 2000; ++i) {  // 50 packets a period, on one member
    const auto way = chooser.NextHop(leaf1_, Headers(50'000), i * kPeriodNs / 50);
    ASSERT_EQ(way, router_->NextHop(leaf1_, Headers(50'000)));
  }
}

TEST_F(HopChooserTest, AdaptiveMovesUnderLoadOnceAPeriod) {
  HopChooser chooser = Choose(HopMode::kAdaptive);
  std::vector<std::string> ways;
  for (int i = 0; i < 2000; ++i) {  // 200 packets a period
    const std::string way = Name(chooser.NextHop(leaf1_, Headers(50'000), i * kPeriodNs / 200));
    if (ways.empty() || ways.back() != way) ways.push_back(way);
  }
  EXPECT_EQ(ways.size(), 10u) << "one for each period";
  EXPECT_GE(std::set<std::string>(ways.begin(), ways.end()).size(), 2u);
}

TEST_F(HopChooserTest, OneSeedGivesOneSequenceAndAnotherAnother) {
  const auto sequence = [&](uint64_t seed) {
    std::string ways;
    HopChooser chooser = Choose(HopMode::kPerPacket, seed);
    for (int i = 0; i < 100; ++i) ways += Name(chooser.NextHop(leaf1_, Headers(50'000), i));
    return ways;
  };
  EXPECT_EQ(sequence(7), sequence(7));
  EXPECT_NE(sequence(7), sequence(8));
}

TEST_F(HopChooserTest, AFlowIsWhatTheFieldsTellApart) {
  const auto ways = [&](HashedFields fields) {
    std::set<std::string> seen;
    HopChooser chooser = Choose(HopMode::kFlowlet, 1, fields);
    for (uint16_t port = 50'000; port < 50'064; ++port) {
      seen.insert(Name(chooser.NextHop(leaf1_, Headers(port), 0)));
    }
    return seen.size();
  };
  EXPECT_EQ(ways(HashedFields::FiveTuple()), 4u);
  EXPECT_EQ(ways(HashedFields::FiveTuple().Without(HashedField::kUdpSrcPort)), 1u);
}

TEST_F(HopChooserTest, AFlowLeavesAMemberThatRoutingTookAway) {
  HopChooser chooser = Choose(HopMode::kFlowlet);
  const Direction first = *chooser.NextHop(leaf1_, Headers(50'000), 0);
  const std::vector<LinkIndex> down = {first.link};
  const Router after(&fabric_, std::vector<HashModel>(fabric_.nodes().size()), down);
  chooser.SetRouter(&after);
  const Direction second = *chooser.NextHop(leaf1_, Headers(50'000), 1);
  EXPECT_NE(first, second);
  chooser.SetRouter(&*router_);
  EXPECT_EQ(chooser.NextHop(leaf1_, Headers(50'000), 2), second) << "it stays where it went";
}

TEST(FlowMemory, ForgetsWhatWasUsedLongestAgo) {
  FlowMemory<int> memory(3);
  const auto use = [&](uint16_t port) -> bool {
    FlowKey key;
    key.headers.udp_src_port = port;
    bool fresh = false;
    int& value = memory.Use(key, &fresh);
    EXPECT_EQ(value, fresh ? 0 : port);
    value = port;
    return fresh;
  };
  for (uint16_t port = 1; port <= 3; ++port) EXPECT_TRUE(use(port));
  EXPECT_FALSE(use(1));
  EXPECT_TRUE(use(4)) << "in the place of 2";
  EXPECT_FALSE(use(1));
  EXPECT_FALSE(use(3));
  EXPECT_TRUE(use(2)) << "in the place of 4";
  EXPECT_EQ(memory.size(), 3u);
  for (uint16_t port = 100; port < 10'000; ++port) EXPECT_TRUE(use(port));
  EXPECT_EQ(memory.size(), 3u);
}

}  // namespace
}  // namespace weft::topology
