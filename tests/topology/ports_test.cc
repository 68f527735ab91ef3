// SPDX-License-Identifier: Apache-2.0
#include "topology/route/ports.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "topology/generate/three_tier.h"

namespace weft::topology {
namespace {

using ::testing::IsEmpty;

using Function = HashModel::Function;
using Choice = HashModel::Choice;

struct Row {
  const char* name;
  uint32_t spines_per_pod;
  uint32_t cores;
  HashModel leaf;
  HashModel spine;
  size_t least_paths;  // that ports lead to
};

class PortsForPath : public ::testing::TestWithParam<Row> {
 protected:
  void SetUp() override {
    ThreeTierOptions options;
    options.spines_per_pod = GetParam().spines_per_pod;
    options.cores = GetParam().cores;
    fabric_ = *GenerateThreeTier(options);
    std::vector<HashModel> hashes(fabric_.nodes().size());
    for (size_t i = 0; i < hashes.size(); ++i) {
      hashes[i] = fabric_.nodes()[i].tier == 0u ? GetParam().leaf : GetParam().spine;
      hashes[i].seed = static_cast<uint32_t>(i) * 2654435761U;
    }
    router_.emplace(&fabric_, hashes, std::span<const LinkIndex>());
    from_ = *fabric_.FindNode("host1-1");
    to_ = *fabric_.FindNode("host4-2");
    headers_.source = fabric_.node(from_).interfaces[0].address;
    headers_.destination = fabric_.node(to_).interfaces[0].address;
  }

  Fabric fabric_;
  std::optional<Router> router_;
  NodeIndex from_ = 0;
  NodeIndex to_ = 0;
  HashedHeaders headers_;
};

TEST_P(PortsForPath, AreExactlyThoseThatTakeIt) {
  std::map<std::vector<uint32_t>, std::vector<uint16_t>> expected;
  const auto key = [](const std::vector<Direction>& path) {
    std::vector<uint32_t> indices;
    for (Direction direction : path) indices.push_back(direction.index());
    return indices;
  };
  for (uint32_t port = 0xc000; port <= 0xffff; ++port) {
    headers_.udp_src_port = static_cast<uint16_t>(port);
    expected[key(*router_->Route(headers_))].push_back(headers_.udp_src_port);
  }
  headers_.udp_src_port = 7;  // does not count
  const auto paths = router_->AllPaths(from_, to_, 1000);
  ASSERT_EQ(paths.size(), GetParam().cores);
  EXPECT_GE(expected.size(), GetParam().least_paths);
  for (const std::vector<Direction>& path : paths) {
    EXPECT_EQ(PortsFor(*router_, headers_, path, {.limit = 20'000}), expected[key(path)]);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, PortsForPath,
    ::testing::Values(
        Row{"Linear", 4, 16, {}, {Function::kCrc32, 0, Choice::kModulo}, 16},
        Row{"Polarised", 4, 16, {}, {}, 4},  // the same bits twice: most paths have no port
        Row{"LeafOfThree", 3, 12, {}, {Function::kCrc32, 0, Choice::kModulo}, 12},
        Row{"SpineIsMixed", 4, 16, {}, {Function::kMixed}, 16},
        Row{"AllMixed", 2, 6, {Function::kMixed}, {Function::kMixed, 0, Choice::kModulo}, 6},
        Row{"PortNotHashed",
            4,
            16,
            {Function::kCrc32, 0, Choice::kScaled,
             HashedFields::FiveTuple().Without(HashedField::kUdpSrcPort)},
            {Function::kCrc32, 0, Choice::kModulo},
            4}),
    [](const auto& row) { return std::string(row.param.name); });

TEST_P(PortsForPath, BeginWhereAskedAndLeaveOutWhatIsTaken) {
  const auto paths = router_->AllPaths(from_, to_, 1000);
  PortsForOptions options{.limit = 5, .from_port = 0xf800};
  options.usable = [](uint16_t port) { return port % 2 == 1; };
  size_t checked = 0;
  for (const std::vector<Direction>& path : paths) {
    uint32_t before = 0;
    for (uint16_t port : PortsFor(*router_, headers_, path, options)) {
      const uint32_t turned = (port - 0xf800U) & 0x3fff;
      EXPECT_GE(turned, before);
      before = turned;
      EXPECT_EQ(port % 2, 1);
      headers_.udp_src_port = port;
      EXPECT_EQ(*router_->Route(headers_), path);
      ++checked;
    }
  }
  EXPECT_GT(checked, 0u);
}

TEST_P(PortsForPath, AWayThatIsNoPathHasNone) {
  std::vector<Direction> path = router_->AllPaths(from_, to_, 1)[0];
  EXPECT_THAT(PortsFor(*router_, headers_, {}), IsEmpty());
  EXPECT_THAT(PortsFor(*router_, headers_, std::span(path).first(3)), IsEmpty());
  std::swap(path[1], path[2]);
  EXPECT_THAT(PortsFor(*router_, headers_, path), IsEmpty());
  headers_.destination = wire::IpAddress::V4(1);
  EXPECT_THAT(PortsFor(*router_, headers_, router_->AllPaths(from_, to_, 1)[0]), IsEmpty());
}

}  // namespace
}  // namespace weft::topology
