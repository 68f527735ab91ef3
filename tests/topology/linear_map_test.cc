// SPDX-License-Identifier: Apache-2.0
#include "topology/route/linear_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "topology/generate/three_tier.h"
#include "topology/route/route.h"

namespace weft::topology {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Function = HashModel::Function;
using Choice = HashModel::Choice;
using Leads = std::function<std::string(uint16_t)>;

// Measures what the learner asks for.
LinearMapLearner Learn(const Leads& leads, uint16_t base = 0xc000,
                       std::function<bool(uint16_t)> usable = {}) {
  LinearMapLearner learner(base, std::move(usable));
  while (const auto port = learner.NextPort()) learner.Learn(leads(*port));
  return learner;
}

// One switch with `members` next hops, named so that the names say nothing of their order.
Leads OneSwitch(const HashModel& model, uint32_t members, uint32_t pair = 0) {
  return [=](uint16_t port) {
    HashedHeaders headers{wire::IpAddress::V4(0x0a000001 + 2 * pair),
                          wire::IpAddress::V4(0x0a000101 + 6 * pair), 17, port, 4791};
    return "member " + std::to_string(ChooseMember(model, headers, members) * 7919 % 104729);
  };
}

// Whether a map passes what a caller would do with it: 16 random ports, measured and compared.
bool Verifies(const LinearMap& map, const Leads& leads, std::mt19937& random) {
  for (int i = 0; i < 16; ++i) {
    const auto port = static_cast<uint16_t>(0xc000 | random());
    if (map.Predict(port) != leads(port)) return false;
  }
  return true;
}

struct Row {
  const char* name;
  Choice choice;
  uint32_t members;
  uint32_t probes;
};

class LinearHash : public ::testing::TestWithParam<Row> {};

TEST_P(LinearHash, IsLearntAndPredictsEveryPort) {
  const auto [name, choice, members, probes] = GetParam();
  for (uint32_t seed = 0; seed < 6; ++seed) {
    const Leads leads = OneSwitch({Function::kCrc32, seed * 2654435761U, choice}, members, seed);
    const auto base = static_cast<uint16_t>(0xc000 + seed * 811);
    const LinearMapLearner learner = Learn(leads, base);
    ASSERT_THAT(learner.contradiction(), IsEmpty());
    ASSERT_EQ(learner.measured_count(), probes);
    ASSERT_EQ(learner.measured().front().udp_src_port, base);
    const auto map = LinearMap::From(learner);
    ASSERT_TRUE(map);
    EXPECT_EQ(map->choice_count(), members);
    EXPECT_EQ(1U << map->rank(), members);
    for (uint32_t port = 0xc000; port <= 0xffff; ++port) {
      ASSERT_EQ(map->Predict(static_cast<uint16_t>(port)), leads(static_cast<uint16_t>(port)));
    }
  }
}

TEST_P(LinearHash, GivesExactlyThePortsOfAChoice) {
  const Leads leads = OneSwitch({Function::kCrc32, 5, GetParam().choice}, GetParam().members);
  const auto map = LinearMap::From(Learn(leads));
  ASSERT_TRUE(map);
  std::map<std::string, std::vector<uint16_t>> expected;
  for (uint32_t port = 0xc000; port <= 0xffff; ++port) {
    expected[leads(static_cast<uint16_t>(port))].push_back(static_cast<uint16_t>(port));
  }
  for (const auto& [choice, ports] : expected) {
    EXPECT_EQ(map->PortsFor(choice, 20'000), ports);
  }
  EXPECT_THAT(map->PortsFor("nowhere", 10), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(All, LinearHash,
                         ::testing::Values(Row{"Scaled2", Choice::kScaled, 2, 15},
                                           Row{"Scaled4", Choice::kScaled, 4, 16},
                                           Row{"Scaled8", Choice::kScaled, 8, 19},
                                           Row{"Scaled16", Choice::kScaled, 16, 26},
                                           Row{"Scaled64", Choice::kScaled, 64, 72},
                                           Row{"Modulo2", Choice::kModulo, 2, 15},
                                           Row{"Modulo4", Choice::kModulo, 4, 16},
                                           Row{"Modulo8", Choice::kModulo, 8, 19},
                                           Row{"Modulo16", Choice::kModulo, 16, 26}),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(LinearMap, PortsBeginWhereAskedAndLeaveOutWhatIsTaken) {
  const Leads leads = OneSwitch({Function::kCrc32, 5}, 4);
  const auto map = LinearMap::From(Learn(leads));
  ASSERT_TRUE(map);
  const std::string choice = leads(0xf000);
  const std::vector<uint16_t> all = map->PortsFor(choice, 20'000);
  auto at = static_cast<size_t>(std::lower_bound(all.begin(), all.end(), 0xf000) - all.begin());
  std::vector<uint16_t> expected;
  while (expected.size() < 3000) {
    if (all[at] % 2 == 0) expected.push_back(all[at]);
    at = (at + 1) % all.size();
    if (all[at] == 0xf000) break;
  }
  EXPECT_EQ(map->PortsFor(choice, 3000, 0xf000, [](uint16_t port) { return port % 2 == 0; }),
            expected);
}

TEST(LinearMap, OneWayForAllPortsIsRankZero) {
  const LinearMapLearner learner = Learn([](uint16_t) { return "only"; });
  EXPECT_EQ(learner.measured_count(), 15u);
  const auto map = LinearMap::From(learner);
  ASSERT_TRUE(map);
  EXPECT_EQ(map->rank(), 0u);
  EXPECT_EQ(map->Predict(0xffff), "only");
}

TEST(LinearMap, IsNotMadeBeforeTheLearnerIsDone) {
  LinearMapLearner learner(0xc000);
  const Leads leads = OneSwitch({Function::kCrc32, 5}, 4);
  while (const auto port = learner.NextPort()) {
    EXPECT_FALSE(LinearMap::From(learner));
    learner.Learn(leads(*port));
  }
  EXPECT_TRUE(LinearMap::From(learner));
}

// Of every four ports three are taken, the base among them: a whole bit cannot be varied alone.
TEST(LinearMap, GoesRoundPortsThatAreTaken) {
  const Leads leads = OneSwitch({Function::kCrc32, 9}, 8);
  const auto usable = [](uint16_t port) { return port % 4 == 3 || port >= 0xe000; };
  LinearMapLearner learner(0xc000, usable);
  int skipped = 0;
  while (const auto port = learner.NextPort()) {
    ASSERT_TRUE(usable(*port));
    if (*port % 5 == 0) {  // found out only when it is to be bound
      ++skipped;
      learner.Skip();
    } else {
      learner.Learn(leads(*port));
    }
  }
  EXPECT_GT(skipped, 0);
  EXPECT_EQ(learner.measured_count(), 19u);
  const auto map = LinearMap::From(learner);
  ASSERT_TRUE(map);
  for (uint32_t port = 0xc000; port <= 0xffff; ++port) {
    ASSERT_EQ(map->Predict(static_cast<uint16_t>(port)), leads(static_cast<uint16_t>(port)));
  }
}

TEST(LinearMap, ThatRefusedPortsLeaveOpenIsNotClaimed) {
  const Leads leads = OneSwitch({Function::kCrc32, 9}, 8);
  const LinearMapLearner learner =
      Learn(leads, 0xc000, [](uint16_t port) { return port >= 0xc000 && port < 0xc004; });
  EXPECT_LE(learner.measured_count(), 4u);
  EXPECT_FALSE(LinearMap::From(learner));
}

// Three pods' worth of choices in a row: leaf, spine of the pod, and on the way down none.
TEST(LinearMap, LearnsWholePathsOfSeveralHops) {
  ThreeTierOptions options;
  options.spines_per_pod = 4;
  options.cores = 16;
  options.parallel = 2;  // the core's and the far spine's cables are choices, too
  const Fabric fabric = *GenerateThreeTier(options);
  const auto address = [&](const char* host) {
    return fabric.FindInterface(*fabric.FindNode(host), "eth0")->address;
  };
  for (uint32_t seed = 1; seed <= 2; ++seed) {
    std::vector<HashModel> hashes(fabric.nodes().size());
    for (size_t i = 0; i < hashes.size(); ++i) {
      hashes[i].seed = seed * 977 + static_cast<uint32_t>(i);
      // Tiers that choose by other bits, so that the choices are not the same ones.
      hashes[i].choice = fabric.nodes()[i].tier == 0u ? Choice::kScaled : Choice::kModulo;
    }
    const Router router(&fabric, hashes, {});
    const Leads leads = [&](uint16_t port) {
      HashedHeaders headers{address("host1-1"), address("host4-2"), 17, port};
      std::string path;
      const auto route = *router.Route(headers);
      for (Direction direction : route) {
        path += ToString(fabric.Describe(direction).from) + " ";
      }
      return path;
    };
    std::set<std::string> all;
    for (uint32_t port = 0xc000; port <= 0xffff; ++port) {
      all.insert(leads(static_cast<uint16_t>(port)));
    }
    const LinearMapLearner learner = Learn(leads);
    ASSERT_THAT(learner.contradiction(), IsEmpty());
    const auto map = LinearMap::From(learner);
    ASSERT_TRUE(map);
    EXPECT_EQ(map->choice_count(), all.size());
    EXPECT_GE(all.size(), 32u);
    EXPECT_EQ(learner.measured_count(), 14 - map->rank() + all.size());
    for (uint32_t port = 0xc000; port <= 0xffff; ++port) {
      ASSERT_EQ(map->Predict(static_cast<uint16_t>(port)), leads(static_cast<uint16_t>(port)));
    }
  }
}

struct Crooked {
  const char* name;
  HashModel model;
  uint32_t members;
  double least_contradicted;  // share of seeds
};

class NonlinearHash : public ::testing::TestWithParam<Crooked> {};

TEST_P(NonlinearHash, IsNeverClaimedToBeLinear) {
  const auto [name, crooked, members, least_contradicted] = GetParam();
  constexpr uint32_t kSeeds = 1000;
  std::mt19937 random(3);
  int contradicted = 0;
  int wrong = 0;
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    HashModel model = crooked;
    model.seed = seed;
    const Leads leads = OneSwitch(model, members, seed % 97);
    const LinearMapLearner learner = Learn(leads, static_cast<uint16_t>(0xc000 + seed));
    if (!learner.contradiction().empty()) {
      ++contradicted;
      continue;
    }
    const auto map = LinearMap::From(learner);
    ASSERT_TRUE(map);
    ASSERT_FALSE(Verifies(*map, leads, random)) << seed;
    ++wrong;
  }
  RecordProperty("contradicted", contradicted);
  RecordProperty("wrong", wrong);
  EXPECT_EQ(contradicted + wrong, static_cast<int>(kSeeds));
  EXPECT_GE(contradicted, least_contradicted * kSeeds);
}

INSTANTIATE_TEST_SUITE_P(
    All, NonlinearHash,
    ::testing::Values(Crooked{"Mixed2", {Function::kMixed, 0, Choice::kScaled}, 2, 0},
                      Crooked{"Mixed4", {Function::kMixed, 0, Choice::kScaled}, 4, 0.5},
                      Crooked{"Mixed8", {Function::kMixed, 0, Choice::kModulo}, 8, 0.9},
                      Crooked{"Mixed16", {Function::kMixed, 0, Choice::kScaled}, 16, 0.99},
                      Crooked{"CrcModulo3", {Function::kCrc32, 0, Choice::kModulo}, 3, 0.99},
                      Crooked{"CrcScaled3", {Function::kCrc32, 0, Choice::kScaled}, 3, 0.99},
                      Crooked{"CrcModulo6", {Function::kCrc32, 0, Choice::kModulo}, 6, 0.99},
                      Crooked{"CrcScaled6", {Function::kCrc32, 0, Choice::kScaled}, 6, 0.99}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(LinearMapLearner, SaysWhyItGaveUp) {
  LinearMapLearner three = Learn(OneSwitch({Function::kCrc32, 0, Choice::kModulo}, 3));
  EXPECT_THAT(three.contradiction(),
              HasSubstr("must lead alike if the hash is linear, and lead to \"member "));
  EXPECT_EQ(three.NextPort(), std::nullopt);
  LinearMapLearner many = Learn([](uint16_t port) { return std::to_string(port); });
  EXPECT_EQ(many.contradiction(), "more than 256 choices");
}

}  // namespace
}  // namespace weft::topology
