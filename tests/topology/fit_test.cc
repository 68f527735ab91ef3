// SPDX-License-Identifier: Apache-2.0
#include "topology/route/fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <random>

namespace weft::topology {
namespace {

using ::testing::HasSubstr;

using Function = HashModel::Function;
using Choice = HashModel::Choice;
using Kind = FittedHash::Kind;
using Chooser = std::function<uint32_t(const HashedHeaders&)>;

// What probes of several pairs wear.
HashedHeaders RandomHeaders(std::mt19937& random) {
  HashedHeaders headers;
  headers.source = wire::IpAddress::V4(0x0a000000 + static_cast<uint32_t>(random() % 256));
  headers.destination = wire::IpAddress::V4(0x0a010000 + static_cast<uint32_t>(random() % 1024));
  headers.udp_src_port = static_cast<uint16_t>(0xc000 | random());
  headers.dest_qpn = static_cast<uint32_t>(random() % 4096);
  headers.traffic_class = static_cast<uint8_t>(random() % 64 << 2);
  return headers;
}

std::vector<HashSample> Samples(const Chooser& choose, size_t count, uint32_t seed = 1) {
  std::mt19937 random(seed);
  std::vector<HashSample> samples;
  for (size_t i = 0; i < count; ++i) {
    const HashedHeaders headers = RandomHeaders(random);
    samples.push_back({headers, "spine" + std::to_string(choose(headers) * 7 % 101)});
  }
  return samples;
}

Chooser ByModel(const HashModel& model, uint32_t members) {
  return [=](const HashedHeaders& headers) { return ChooseMember(model, headers, members); };
}

// Of headers that no sample wore; unknown counts as wrong.
size_t WrongPredictions(const FittedHash& fit, const Chooser& choose) {
  size_t wrong = 0;
  for (const HashSample& sample : Samples(choose, 1000, 99)) {
    wrong += fit.Predict(sample.headers) == sample.next_hop ? 0U : 1U;
  }
  return wrong;
}

struct Row {
  const char* name;
  HashModel model;
  uint32_t members;
};

class FitKnownModel : public ::testing::TestWithParam<Row> {};

TEST_P(FitKnownModel, FindsTheModelAndPredictsOtherPairs) {
  const auto [name, model, members] = GetParam();
  const Chooser choose = ByModel(model, members);
  const FittedHash fit = FitHash(Samples(choose, 100), {.members = members, .seeds = {0, 42}});
  ASSERT_EQ(fit.kind(), Kind::kKnownModel) << fit.reason();
  EXPECT_EQ(fit.model().function, model.function);
  EXPECT_EQ(fit.model().choice, model.choice);
  EXPECT_EQ(fit.model().fields, model.fields);
  EXPECT_EQ(fit.alternatives(), 0u);
  EXPECT_EQ(WrongPredictions(fit, choose), 0u);
}

INSTANTIATE_TEST_SUITE_P(
    All, FitKnownModel,
    ::testing::Values(
        Row{"Crc4OfAnySeed", {Function::kCrc32, 0xdeadbeef}, 4},
        Row{"Crc8Modulo", {Function::kCrc32, 7, Choice::kModulo}, 8},
        Row{"Crc6OfAKnownSeed", {Function::kCrc32, 42}, 6},
        Row{"Mixed4OfAKnownSeed", {Function::kMixed, 42}, 4},
        Row{"WithTheDestinationQp",
            {Function::kCrc32, 3, Choice::kScaled,
             HashedFields::FiveTuple().With(HashedField::kDestQpn)},
            4},
        Row{"WithoutThePort",
            {Function::kCrc32, 3, Choice::kScaled,
             HashedFields::FiveTuple().Without(HashedField::kUdpSrcPort).With(HashedField::kDscp)},
            4}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(FitHash, SaysNoneWhereNothingExplains) {
  for (uint32_t seed = 1; seed <= 50; ++seed) {
    // A seed that is not among those tried, and a group that is no power of two.
    for (const HashModel& model :
         {HashModel{Function::kMixed, seed}, HashModel{Function::kCrc32, seed}}) {
      const uint32_t members = model.function == Function::kMixed ? 4 : 6;
      const FittedHash fit = FitHash(Samples(ByModel(model, members), 200, seed));
      ASSERT_EQ(fit.kind(), Kind::kNone);
      ASSERT_THAT(fit.reason(), HasSubstr("explains 200 samples over "));
      ASSERT_EQ(fit.Predict(Samples(ByModel(model, members), 1)[0].headers), "");
    }
  }
}

// XOR of ports and addresses folded to two bits: none of the known models, but linear.
TEST(FitHash, FitsAnAffineMapWhereNoKnownModelDoes) {
  const Chooser choose = [](const HashedHeaders& headers) {
    const uint32_t folded = headers.source.v4() ^ headers.destination.v4() ^ headers.udp_src_port;
    return (static_cast<uint32_t>(std::popcount(folded & 0x5a5a5a5a)) & 1) << 1 |
           (static_cast<uint32_t>(std::popcount(folded & 0x3333cccc)) & 1);
  };
  const FittedHash fit = FitHash(Samples(choose, 200));
  ASSERT_EQ(fit.kind(), Kind::kAffine) << fit.reason();
  EXPECT_EQ(WrongPredictions(fit, choose), 0u);
}

TEST(FitHash, TooFewSamplesTellNothing) {
  const Chooser choose = ByModel({Function::kCrc32, 9}, 4);
  const FittedHash few = FitHash(Samples(choose, 12));
  EXPECT_EQ(few.kind(), Kind::kNone);
  EXPECT_THAT(few.reason(), HasSubstr("12 samples are too few"));
  EXPECT_EQ(FitHash({}).kind(), Kind::kNone);
  const FittedHash one = FitHash(Samples([](const HashedHeaders&) { return 0; }, 50));
  EXPECT_THAT(one.reason(), HasSubstr("no choice"));
}

TEST(FitHash, DoesNotPredictWhereAFieldThatNeverVariedHasAnotherValue) {
  const Chooser choose = ByModel({Function::kCrc32, 9}, 4);
  const std::vector<HashSample> samples = Samples(choose, 100);
  const FittedHash fit = FitHash(samples);
  ASSERT_EQ(fit.kind(), Kind::kKnownModel);
  HashedHeaders headers = samples[0].headers;
  EXPECT_EQ(fit.Predict(headers), samples[0].next_hop);
  headers.bth_opcode = 4;
  EXPECT_EQ(fit.Predict(headers), "");
}

// The source address varies in one bit. Where this bit changes no choice, the samples cannot say
// whether the address is hashed.
TEST(FitHash, SaysHowManyModelsItCannotTellApart) {
  const HashModel model{Function::kCrc32, 9};
  const Chooser choose = ByModel(model, 2);
  int told = 0;
  int untold = 0;
  for (uint32_t bit = 0; bit < 24; ++bit) {
    std::vector<HashSample> samples = Samples(choose, 200);
    for (size_t i = 0; i < samples.size(); ++i) {
      HashedHeaders& headers = samples[i].headers;
      headers.source = wire::IpAddress::V4(0x0a000000 ^ (i % 2 == 0 ? 0 : 1U << bit));
      headers.destination = wire::IpAddress::V4(0x0a010001);
      headers.dest_qpn = 77;
      headers.traffic_class = 0;
      samples[i].next_hop = choose(headers) == 0 ? "spine1" : "spine2";
    }
    HashedHeaders one = samples[0].headers;
    one.source = samples[1].headers.source;
    const bool matters = choose(one) != choose(samples[0].headers);
    const FittedHash fit = FitHash(samples);
    ASSERT_EQ(fit.kind(), Kind::kKnownModel) << fit.reason();
    EXPECT_EQ(fit.alternatives(), matters ? 0u : 1u) << bit;
    ++(matters ? told : untold);
  }
  EXPECT_GT(told, 0);
  EXPECT_GT(untold, 0);
}

}  // namespace
}  // namespace weft::topology
