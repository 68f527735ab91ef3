// SPDX-License-Identifier: Apache-2.0
// Signs that join addresses into switches beside the numbering of links.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "analyzer/infer/ip_id.h"
#include "tests/analyzer/anatomy.h"

namespace weft::analyzer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using topology::Fabric;
using topology::PathTable;
using topology::ProbeRecord;
using wire::IpAddress;

IpAddress Address(const std::string& text) { return *IpAddress::Parse(text); }

PathTable Table(const std::string& source, const std::string& destination,
                const std::vector<std::string>& hops) {
  PathTable table;
  table.source_address = Address(source);
  table.destination_address = Address(destination);
  topology::Path path;
  path.reaches_destination = true;
  for (const std::string& hop : hops) {
    path.hops.push_back({static_cast<uint32_t>(path.hops.size() + 1), Address(hop), ""});
  }
  table.paths.push_back(std::move(path));
  return table;
}

// Two paths that cross one router, 203.0.113.2 and .9, which nothing in their order shows.
std::vector<PathTable> TwoPaths() {
  return {Table("192.0.2.1", "198.51.100.1", {"192.0.2.254", "203.0.113.2", "203.0.113.30"}),
          Table("192.0.2.1", "198.51.100.9", {"192.0.2.254", "203.0.113.9", "203.0.113.40"})};
}

bool AreJoined(const InferredFabric& inferred, const std::string& a, const std::string& b) {
  return inferred.fabric.FindAddress(Address(a)) == inferred.fabric.FindAddress(Address(b));
}

TEST(JoinSigns, WithoutASignTheTwoStayApart) {
  const auto inferred = InferFabric(TwoPaths());
  ASSERT_TRUE(inferred.ok());
  EXPECT_FALSE(AreJoined(*inferred, "203.0.113.2", "203.0.113.9"));
  EXPECT_THAT(inferred->joins, IsEmpty());
}

TEST(JoinSigns, OneNameJoinsAndNamesTheSwitch) {
  JoinSigns signs;
  signs.names = {{Address("203.0.113.2"), "core-a"}, {Address("203.0.113.9"), "core-a"}};
  const auto inferred = InferFabric(TwoPaths(), signs);
  ASSERT_TRUE(inferred.ok());
  EXPECT_TRUE(AreJoined(*inferred, "203.0.113.2", "203.0.113.9"));
  EXPECT_TRUE(inferred->fabric.FindNode("core-a").has_value());
  ASSERT_EQ(inferred->joins.size(), 1U);
  EXPECT_EQ(inferred->joins[0].sign, JoinSign::kName);
  EXPECT_EQ(inferred->joins[0].reason,
            "203.0.113.2 and 203.0.113.9 are both of core-a, as they are named");
}

Fabric Known(const std::vector<topology::FabricRecord>& nodes) {
  return *Fabric::FromRecords(nodes);
}

TEST(JoinSigns, AGivenFabricJoinsTheAddressesOfANode) {
  const Fabric known = Known({topology::Node{"border",
                                             topology::NodeKind::kSwitch,
                                             std::nullopt,
                                             {{"eth1", Address("203.0.113.2")}},
                                             {Address("203.0.113.9")}}});
  JoinSigns signs;
  signs.known = &known;
  const auto inferred = InferFabric(TwoPaths(), signs);
  ASSERT_TRUE(inferred.ok());
  EXPECT_TRUE(AreJoined(*inferred, "203.0.113.2", "203.0.113.9"));
  ASSERT_EQ(inferred->joins.size(), 1U);
  EXPECT_EQ(inferred->joins[0].sign, JoinSign::kGiven);
  EXPECT_TRUE(inferred->fabric.FindNode("border").has_value());
}

TEST(JoinSigns, NamesThatContradictTheGivenFabricJoinNothingAndAreSaid) {
  const Fabric known = Known(
      {topology::Node{"a", topology::NodeKind::kSwitch, std::nullopt, {}, {Address("203.0.113.2")}},
       topology::Node{
           "b", topology::NodeKind::kSwitch, std::nullopt, {}, {Address("203.0.113.9")}}});
  JoinSigns signs;
  signs.known = &known;
  signs.names = {{Address("203.0.113.2"), "core-a"}, {Address("203.0.113.9"), "core-a"}};
  const auto inferred = InferFabric(TwoPaths(), signs);
  ASSERT_TRUE(inferred.ok());
  EXPECT_FALSE(AreJoined(*inferred, "203.0.113.2", "203.0.113.9"));
  EXPECT_THAT(Codes(*inferred),
              ElementsAre("host-link-not-numbered", "join-contradicted", "leaf-seen-from-below"));
  const auto finding = std::find_if(inferred->findings.begin(), inferred->findings.end(),
                                    [](const auto& f) { return f.code == "join-contradicted"; });
  ASSERT_EQ(finding->evidence.size(), 2U);
  EXPECT_THAT(finding->evidence[0].what, HasSubstr("both of core-a"));
  EXPECT_THAT(finding->evidence[1].what, HasSubstr("one is of a and the other of b"));
}

TEST(JoinSigns, ANameForTwoPlacesOfOnePathIsRefused) {
  JoinSigns signs;
  signs.names = {{Address("203.0.113.2"), "x"}, {Address("203.0.113.30"), "x"}};
  const auto inferred = InferFabric(TwoPaths(), signs);
  ASSERT_TRUE(inferred.ok());
  EXPECT_FALSE(AreJoined(*inferred, "203.0.113.2", "203.0.113.30"));
  EXPECT_THAT(Codes(*inferred),
              ElementsAre("host-link-not-numbered", "join-contradicted", "leaf-seen-from-below"));
}

TEST(JoinSigns, NamesKeepApartWhatTheNumberingWouldJoin) {
  std::vector<PathTable> tables = {
      Table("10.0.0.1", "10.0.0.3", {"10.0.0.0", "10.128.0.1", "10.128.0.2"}),
      Table("10.0.0.3", "10.0.0.1", {"10.0.0.2", "10.128.0.3", "10.128.0.0"})};
  EXPECT_TRUE(AreJoined(*InferFabric(tables), "10.128.0.1", "10.128.0.3"));
  JoinSigns signs;
  signs.names = {{Address("10.128.0.1"), "spine1"}, {Address("10.128.0.3"), "spine2"}};
  const auto inferred = InferFabric(tables, signs);
  ASSERT_TRUE(inferred.ok());
  EXPECT_FALSE(AreJoined(*inferred, "10.128.0.1", "10.128.0.3"));
  EXPECT_THAT(Codes(*inferred), ElementsAre("join-contradicted"));
}

// ---- IP ID

// Answers of one address, every `step_s` from `start_s`, with the ID that `id` gives for the time.
void Answer(const std::string& address, double start_s, double step_s, int count,
            const std::function<double(double)>& id, std::vector<ProbeRecord>* probes) {
  for (int i = 0; i < count; ++i) {
    ProbeRecord probe;
    probe.hop_address = Address(address);
    probe.time_s = start_s + step_s * i;
    probe.hop_ip_id = static_cast<uint16_t>(static_cast<uint64_t>(id(probe.time_s)) & 0xFFFFU);
    probes->push_back(probe);
  }
}

std::vector<IpIdVerdict> Compare(const std::function<double(double)>& a,
                                 const std::function<double(double)>& b) {
  std::vector<ProbeRecord> probes;
  Answer("203.0.113.2", 0.00, 0.1, 20, a, &probes);
  Answer("203.0.113.9", 0.05, 0.1, 20, b, &probes);
  return CompareIpIds(probes);
}

TEST(IpId, OneCounterIsOneSwitchAlsoWhenItWrapsAround) {
  const auto counter = [](double at_s) { return 65'000 + 700 * at_s; };  // wraps after 0.77 s
  const auto verdicts = Compare(counter, counter);
  ASSERT_EQ(verdicts.size(), 1U);
  EXPECT_TRUE(verdicts[0].same);
  EXPECT_EQ(verdicts[0].reason,
            "the IP IDs of 20 and 20 answers go up as one counter: all 38 that came between two of "
            "the other fit, the closest within 70");
}

struct CounterRow {
  std::string name;
  std::function<double(double)> a;
  std::function<double(double)> b;
  size_t verdicts = 0;  // of two counters
};
class IpIdCounters : public ::testing::TestWithParam<CounterRow> {};
TEST_P(IpIdCounters, AreNotTakenForOne) {
  const auto verdicts = Compare(GetParam().a, GetParam().b);
  EXPECT_EQ(verdicts.size(), GetParam().verdicts);
  for (const IpIdVerdict& verdict : verdicts) EXPECT_FALSE(verdict.same);
}
INSTANTIATE_TEST_SUITE_P(
    Rows, IpIdCounters,
    ::testing::Values(
        CounterRow{"TwoOffsets", [](double at_s) { return 100 + 700 * at_s; },
                   [](double at_s) { return 30'000 + 700 * at_s; }, 1},
        CounterRow{"TwoSpeeds", [](double at_s) { return 100 + 700 * at_s; },
                   [](double at_s) { return 100 + 7000 * at_s; }, 1},
        CounterRow{"Zero", [](double) { return 0; }, [](double) { return 0; }, 0},
        CounterRow{"Constant", [](double) { return 77; }, [](double at_s) { return 70 + 9 * at_s; },
                   0},
        CounterRow{"Random", [](double at_s) { return std::fmod(at_s * 7'919'113.7, 65'536.0); },
                   [](double at_s) { return std::fmod(at_s * 7'919'113.7, 65'536.0); }, 0},
        // So fast that the counter may have gone round between two answers.
        CounterRow{"TooFast", [](double at_s) { return 400'000 * at_s; },
                   [](double at_s) { return 400'000 * at_s; }, 0}),
    [](const auto& test) { return test.param.name; });

TEST(IpId, FewAnswersSayNothing) {
  const auto counter = [](double at_s) { return 100 + 70 * at_s; };
  std::vector<ProbeRecord> probes;
  Answer("203.0.113.2", 0.00, 0.1, 7, counter, &probes);
  Answer("203.0.113.9", 0.05, 0.1, 7, counter, &probes);
  EXPECT_THAT(CompareIpIds(probes), IsEmpty());
}

TEST(IpId, AnswersAtDifferentTimesSayNothing) {
  const auto counter = [](double at_s) { return 100 + 70 * at_s; };
  std::vector<ProbeRecord> probes;
  Answer("203.0.113.2", 0, 0.1, 20, counter, &probes);
  Answer("203.0.113.9", 60, 0.1, 20, counter, &probes);
  EXPECT_THAT(CompareIpIds(probes), IsEmpty());
}

// Two hundred routers with counters of their own, of like speed and random places.
TEST(IpId, ManyCountersOfLikeSpeedAreNotTakenForOne) {
  for (uint32_t seed = 0; seed < 5; ++seed) {
    std::mt19937 random(seed);
    std::vector<ProbeRecord> probes;
    for (int router = 0; router < 200; ++router) {
      const auto start = static_cast<double>(random() % 65'536);
      const auto speed = static_cast<double>(100 + random() % 100);
      Answer(
          "203.0." + std::to_string(router) + ".1", static_cast<double>(random() % 100) / 1000, 0.1,
          20, [&](double at_s) { return start + speed * at_s; }, &probes);
    }
    for (const IpIdVerdict& verdict : CompareIpIds(probes)) EXPECT_FALSE(verdict.same);
  }
}

TEST(IpId, OneCounterJoinsAndTwoHoldApart) {
  std::vector<ProbeRecord> probes;
  const auto counter = [](double at_s) { return 65'000 + 700 * at_s; };
  Answer("203.0.113.2", 0.00, 0.1, 20, counter, &probes);
  Answer("203.0.113.9", 0.05, 0.1, 20, counter, &probes);
  JoinSigns signs;
  signs.ip_ids = probes;
  const auto joined = InferFabric(TwoPaths(), signs);
  ASSERT_TRUE(joined.ok());
  EXPECT_TRUE(AreJoined(*joined, "203.0.113.2", "203.0.113.9"));
  ASSERT_EQ(joined->joins.size(), 1U);
  EXPECT_EQ(joined->joins[0].sign, JoinSign::kIpId);

  probes.clear();
  Answer("203.0.113.2", 0.00, 0.1, 20, counter, &probes);
  Answer(
      "203.0.113.9", 0.05, 0.1, 20, [](double at_s) { return 9'000 + 700 * at_s; }, &probes);
  signs.ip_ids = probes;
  signs.names = {{Address("203.0.113.2"), "core-a"}, {Address("203.0.113.9"), "core-a"}};
  const auto apart = InferFabric(TwoPaths(), signs);
  ASSERT_TRUE(apart.ok());
  EXPECT_FALSE(AreJoined(*apart, "203.0.113.2", "203.0.113.9"));
  EXPECT_THAT(Codes(*apart),
              ElementsAre("host-link-not-numbered", "join-contradicted", "leaf-seen-from-below"));
}

}  // namespace
}  // namespace weft::analyzer
