// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/probe/simulated_fabric.h"

// Networks that do not play along, and their healthy twins: what a trace must say of each.
namespace weft::probe {
namespace {

using topology::Addressing;
using topology::HopMode;
using topology::LeafSpineOptions;
using topology::Path;
using topology::PathState;
using topology::PathTable;
using topology::ThreeTierOptions;

constexpr int64_t kMillisecond = 1'000'000;

struct NetworkRow {
  std::string name;
  std::function<std::unique_ptr<SimulatedFabric>(uint64_t seed)> build;
  std::set<std::string> codes;  // of all findings, exactly
  size_t path_count;
  struct More {
    size_t silent_count = 0;  // paths with a silent hop
    std::string to = "host2-1";
    uint8_t traffic_class = 0;
    bool with_blueprint = false;
    // More that must be so; may be empty.
    std::function<void(const SimulatedFabric&, const TraceResult&)> check{};
  };
  More more{};
};

using Fault = std::function<void(SimulatedFabric&)>;

// Hashes of one linear function differ by their seeds too little to spread anew what another has
// spread.
void MixHashes(SimulatedFabric& f) {
  for (const topology::NodeIndex i : f.Switches()) {
    f.network().hop(i).hash.function = topology::HashModel::Function::kMixed;
  }
}

// Three leaves, four links up from each, two hosts a leaf.
auto Clos(Fault fault, Addressing addressing = {}, uint32_t parallel = 1) {
  return [=](uint64_t seed) {
    auto fabric = std::make_unique<SimulatedFabric>(LeafSpineOptions{.leaves = 3,
                                                                     .spines = 4 / parallel,
                                                                     .hosts_per_leaf = 2,
                                                                     .addressing = addressing,
                                                                     .parallel = parallel},
                                                    SimulatedNetworkOptions{.seed = seed});
    MixHashes(*fabric);
    if (fault) fault(*fabric);
    return fabric;
  };
}

// Two pods of two leaves and two spines, four cores: four paths between pods, two in a pod.
auto Pods(Fault fault, Addressing addressing = {}) {
  return [=](uint64_t seed) {
    auto fabric =
        std::make_unique<SimulatedFabric>(ThreeTierOptions{.pods = 2, .addressing = addressing},
                                          SimulatedNetworkOptions{.seed = seed});
    MixHashes(*fabric);
    if (fault) fault(*fabric);
    return fabric;
  };
}

// Two switches with one cable between them.
std::unique_ptr<SimulatedFabric> TwoSwitches(uint64_t seed) {
  topology::Fabric fabric;
  const auto address = [](const char* text) { return *wire::IpAddress::Parse(text); };
  const auto must = [](const auto& result) { EXPECT_TRUE(result.ok()) << result.status(); };
  must(fabric.AddNode(
      {.name = "leaf1",
       .kind = topology::NodeKind::kSwitch,
       .tier = 0,
       .interfaces = {{"host1-1", address("10.0.0.0")}, {"leaf2", address("10.128.0.0")}}}));
  must(fabric.AddNode(
      {.name = "leaf2",
       .kind = topology::NodeKind::kSwitch,
       .tier = 0,
       .interfaces = {{"host2-1", address("10.0.0.2")}, {"leaf1", address("10.128.0.1")}}}));
  must(fabric.AddNode({.name = "host1-1",
                       .kind = topology::NodeKind::kHost,
                       .tier = {},
                       .interfaces = {{"eth0", address("10.0.0.1")}}}));
  must(fabric.AddNode({.name = "host2-1",
                       .kind = topology::NodeKind::kHost,
                       .tier = {},
                       .interfaces = {{"eth0", address("10.0.0.3")}}}));
  must(fabric.AddLink({{"leaf1", "leaf2"}, {"leaf2", "leaf1"}, {}}));
  must(fabric.AddLink({{"leaf1", "host1-1"}, {"host1-1", "eth0"}, {}}));
  must(fabric.AddLink({{"leaf2", "host2-1"}, {"host2-1", "eth0"}, {}}));
  return std::make_unique<SimulatedFabric>(std::move(fabric),
                                           SimulatedNetworkOptions{.seed = seed});
}

void AllAlive(const SimulatedFabric&, const TraceResult& result) {
  EXPECT_EQ(result.problem, "");
  for (const Path& path : result.table.paths) EXPECT_EQ(path.state, PathState::kAlive);
}

// Every port of the table really goes where it says.
void PortsAreRight(const SimulatedFabric& fabric, const TraceResult& result) {
  AllAlive(fabric, result);
  const auto all = fabric.TruePaths("host1-1", result.table.destination);
  for (const Path& path : result.table.paths) {
    EXPECT_FALSE(path.udp_src_ports.empty());
    for (const uint16_t port : path.udp_src_ports) {
      const auto& hops = all.at(fabric.SpineOf("host1-1", result.table.destination, port));
      ASSERT_EQ(path.hops.size(), hops.size());
      for (size_t i = 0; i < hops.size(); ++i) {
        if (!path.hops[i].address.empty()) {
          EXPECT_EQ(path.hops[i].address, hops[i]);
        }
      }
    }
  }
}

auto HopOne(HopMode mode) {
  return [mode](const SimulatedFabric&, const TraceResult& result) {
    ASSERT_FALSE(result.table.hop_behaviours.empty());
    EXPECT_EQ(result.table.hop_behaviours[0].hop_index, 1U);
    EXPECT_EQ(result.table.hop_behaviours[0].mode, mode);
    EXPECT_EQ(result.table.hop_behaviours[0].next_hop_count, 4U);
    EXPECT_GE(result.table.hop_behaviours[0].mode_probes, 4U);
    for (const Path& path : result.table.paths) {
      EXPECT_EQ(path.udp_src_ports.empty(), mode != HopMode::kHashed);
    }
  };
}

auto SubjectHas(const std::string& text) {
  return [text](const SimulatedFabric&, const TraceResult& result) {
    ASSERT_FALSE(result.table.findings.empty());
    EXPECT_THAT(result.table.findings[0].subject, testing::HasSubstr(text));
  };
}

Fault Mode(const std::string& node, HopMode mode) {
  return [=](SimulatedFabric& f) { f.network().hop(f.node(node)).mode = mode; };
}

Fault Silent(const std::vector<std::string>& nodes) {
  return [=](SimulatedFabric& f) {
    for (const std::string& name : nodes) f.network().fault(f.node(name)).silent = true;
  };
}

Fault Limited(const std::vector<std::string>& nodes, double per_second) {
  return [=](SimulatedFabric& f) {
    for (const std::string& name : nodes) {
      f.network().fault(f.node(name)).icmp_per_second = per_second;
      f.network().fault(f.node(name)).icmp_burst = 3;
    }
  };
}

Fault Rewriting(const std::string& node, uint8_t dscp) {
  return [=](SimulatedFabric& f) { f.network().fault(f.node(node)).dscp_rewrite = dscp; };
}

// A spine's links go down while the trace runs.
void GoesDownAt(SimulatedFabric& f, int64_t time_ns, const std::vector<std::string>& spines) {
  std::vector<topology::LinkIndex> links;
  for (const std::string& spine : spines) {
    links.push_back(f.direction("leaf1", spine).link);
    links.push_back(f.direction("leaf2", spine).link);
  }
  f.network().At(time_ns, [links](SimulatedNetwork& network) { network.SetLinksDown(links); });
}

class Networks : public testing::TestWithParam<NetworkRow> {};

TEST_P(Networks, AreToldAsTheyAre) {
  const NetworkRow& row = GetParam();
  for (uint64_t seed = 11; seed <= 13; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const std::unique_ptr<SimulatedFabric> fabric = row.build(seed);
    const auto endpoint = fabric->Open("host1-1");
    const TraceDestination destination = fabric->Destination(row.more.to);
    TraceOptions options = {.seed = seed, .traffic_class = row.more.traffic_class};
    if (row.more.with_blueprint) options.blueprint = &fabric->fabric();
    const auto results = Trace(*endpoint, {&destination, 1}, options);
    ASSERT_TRUE(results.ok()) << results.status();
    const PathTable& table = (*results)[0].table;
    std::set<std::string> codes;
    for (const topology::Finding& finding : table.findings) {
      codes.insert(finding.code);
      EXPECT_FALSE(finding.evidence.empty()) << finding.code;
      EXPECT_FALSE(finding.subject.empty()) << finding.code;
    }
    EXPECT_EQ(codes, row.codes);
    EXPECT_EQ(table.paths.size(), row.path_count);
    size_t silent_count = 0;
    for (const Path& path : table.paths) {
      for (const topology::Hop& hop : path.hops) {
        if (hop.address.empty() && !path.udp_src_ports.empty()) {
          ++silent_count;
          break;
        }
      }
    }
    EXPECT_EQ(silent_count, row.more.silent_count);
    EXPECT_EQ(!table.hidden_reason.empty(), row.codes.contains("overlay"));
    if (row.more.check) row.more.check(*fabric, (*results)[0]);
  }
}

constexpr Addressing kIpv6 = {.ipv6 = true};
constexpr Addressing kUnnumbered = {.unnumbered = true};
constexpr Addressing kIpv6Unnumbered = {.ipv6 = true, .unnumbered = true};
const std::vector<std::string> kAllSwitches = {"leaf1",  "leaf2",  "spine1",
                                               "spine2", "spine3", "spine4"};

INSTANTIATE_TEST_SUITE_P(
    Healthy, Networks,
    testing::Values(
        NetworkRow{"TwoTiers", Clos({}), {}, 4, {.check = PortsAreRight}},
        NetworkRow{"WithItsBlueprint", Clos({}), {}, 4, {.with_blueprint = true}},
        NetworkRow{"OneLeaf", Clos({}), {}, 1, {.to = "host1-2", .with_blueprint = true}},
        NetworkRow{"TwoSwitches", TwoSwitches, {}, 1, {.with_blueprint = true, .check = AllAlive}},
        NetworkRow{"Unnumbered", Clos({}, kUnnumbered), {}, 4, {.check = PortsAreRight}},
        NetworkRow{"ParallelCables", Clos({}, {}, 2), {}, 8, {.check = AllAlive}},
        // Cables without addresses cannot be told apart.
        NetworkRow{"ParallelUnnumbered", Clos({}, kUnnumbered, 2), {}, 2, {.check = AllAlive}},
        NetworkRow{"Ipv6", Clos({}, kIpv6), {}, 4, {.check = PortsAreRight}},
        NetworkRow{"Ipv6Unnumbered", Clos({}, kIpv6Unnumbered), {}, 4, {.check = PortsAreRight}},
        NetworkRow{"OnePod", Pods({}), {}, 2, {.check = PortsAreRight}},
        NetworkRow{"TwoPods", Pods({}), {}, 4, {.to = "host3-1", .check = PortsAreRight}},
        NetworkRow{"TwoPodsIpv6", Pods({}, kIpv6), {}, 4, {.to = "host3-1", .check = AllAlive}},
        NetworkRow{"TwoPodsUnnumbered",
                   Pods({}, kUnnumbered),
                   {},
                   4,
                   {.to = "host3-1", .check = AllAlive}},
        // Half of the paths is never used.
        NetworkRow{"Polarised",
                   Pods([](SimulatedFabric& f) {
                     for (const topology::NodeIndex i : f.Switches()) {
                       f.network().hop(i).hash = topology::HashModel();
                     }
                   }),
                   {},
                   2,
                   {.to = "host3-1", .check = PortsAreRight}},
        NetworkRow{"Hashed", Clos({}), {}, 4, {.check = HopOne(HopMode::kHashed)}},
        NetworkRow{"AdaptiveWhileIdle",
                   Clos(Mode("leaf1", HopMode::kAdaptive)),
                   {},
                   4,
                   {.check = AllAlive}},
        // Nothing says that it could be ECN-marked.
        NetworkRow{
            "MarkingNothing",
            Clos([](SimulatedFabric& f) { f.network().fault(f.node("leaf1")).ecn_mark = true; }),
            {},
            4},
        NetworkRow{"AnotherClass", Clos({}), {}, 4, {.traffic_class = 0x6a}},
        NetworkRow{"Jitter",
                   Clos([](SimulatedFabric& f) {
                     f.network().fault(f.direction("spine3", "leaf1")).jitter_ns = 2 * kMillisecond;
                   }),
                   {},
                   4},
        NetworkRow{"GenerousLimit", Clos(Limited(kAllSwitches, 200)), {}, 4},
        NetworkRow{"AnswersFromLoopbacks",
                   Clos(
                       [](SimulatedFabric& f) {
                         for (const topology::NodeIndex i : f.Switches()) {
                           f.network().fault(i).answers_from = AnswersFrom::kLoopback;
                         }
                       },
                       kIpv6Unnumbered),
                   {},
                   4}),
    [](const auto& row) { return row.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Silent, Networks,
    testing::Values(NetworkRow{"OneSpine",
                               Clos(Silent({"spine2"})),
                               {"silent-hop"},
                               4,
                               {.silent_count = 1, .check = AllAlive}},
                    NetworkRow{"TwoSpines",
                               Clos(Silent({"spine2", "spine3"})),
                               {"silent-hop"},
                               4,
                               {.silent_count = 2, .check = PortsAreRight}},
                    NetworkRow{"AllSpines",
                               Clos(Silent({"spine1", "spine2", "spine3", "spine4"})),
                               {"silent-hop"},
                               4,
                               {.silent_count = 4, .check = PortsAreRight}},
                    NetworkRow{"FirstLeaf",
                               Clos(Silent({"leaf1"})),
                               {"silent-hop"},
                               4,
                               {.silent_count = 4, .check = AllAlive}},
                    NetworkRow{"LastLeaf",
                               Clos(Silent({"leaf2"})),
                               {"silent-hop"},
                               4,
                               {.silent_count = 4, .check = AllAlive}},
                    NetworkRow{"ACore",
                               Pods(Silent({"core1"})),
                               {"silent-hop"},
                               4,
                               {.silent_count = 1, .to = "host3-1", .check = AllAlive}},
                    NetworkRow{"LimitedSpine",
                               Clos(Limited({"spine1"}, 1)),
                               {"icmp-rate-limited"},
                               4,
                               {.check = PortsAreRight}},
                    NetworkRow{"AllAreLimited",
                               Clos(Limited(kAllSwitches, 5)),
                               {"icmp-rate-limited"},
                               4,
                               {.check = PortsAreRight}}),
    [](const auto& row) { return row.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Faulty, Networks,
    testing::Values(
        NetworkRow{"PerPacket",
                   Clos(Mode("leaf1", HopMode::kPerPacket)),
                   {"per-packet"},
                   4,
                   {.check = HopOne(HopMode::kPerPacket)}},
        NetworkRow{"Flowlet",
                   Clos(Mode("leaf1", HopMode::kFlowlet)),
                   {"flow-moves"},
                   4,
                   {.check = HopOne(HopMode::kUnknown)}},
        NetworkRow{"ChangesInTheMiddle",
                   Clos([](SimulatedFabric& f) { GoesDownAt(f, 700 * kMillisecond, {"spine2"}); }),
                   {"route-changed"},
                   3,
                   {.check =
                        [](const SimulatedFabric& fabric, const TraceResult& result) {
                          PortsAreRight(fabric, result);
                          EXPECT_EQ(result.table.void_reason, "");
                        }}},
        NetworkRow{"LossOfAPercent",
                   Clos([](SimulatedFabric& f) {
                     f.network().fault(f.direction("leaf1", "spine2")).loss_probability = 0.01;
                   }),
                   {},
                   4},
        NetworkRow{"LossOfATenth",
                   Clos([](SimulatedFabric& f) {
                     f.network().fault(f.direction("leaf1", "spine2")).loss_probability = 0.1;
                   }),
                   {},
                   4},
        NetworkRow{"DeadUplink",
                   Clos([](SimulatedFabric& f) {
                     f.network().fault(f.direction("leaf1", "spine2")).dead = true;
                   }),
                   {},
                   4,
                   {.check =
                        [](const SimulatedFabric&, const TraceResult& result) {
                          EXPECT_EQ(std::ranges::count(result.table.paths, PathState::kDead,
                                                       &Path::state),
                                    1);
                        }}},
        NetworkRow{"DownBeforeItBegan",
                   Clos([](SimulatedFabric& f) { GoesDownAt(f, 0, {"spine2"}); }),
                   {},
                   3,
                   {.check = PortsAreRight}},
        NetworkRow{"RoutingLoop",
                   Clos([](SimulatedFabric& f) {
                     for (const std::string spine : {"spine1", "spine2", "spine3", "spine4"}) {
                       f.network().ForceNextHop(f.node(spine), f.node("host2-1"),
                                                f.direction(spine, "leaf3"));
                     }
                     f.network().ForceNextHop(f.node("leaf3"), f.node("host2-1"),
                                              f.direction("leaf3", "spine1"));
                   }),
                   {"routing-loop"},
                   4},
        NetworkRow{"UnequalBranch",
                   Clos([](SimulatedFabric& f) {
                     f.network().ForceNextHop(f.node("spine2"), f.node("host2-1"),
                                              f.direction("spine2", "leaf3"));
                     f.network().ForceNextHop(f.node("leaf3"), f.node("host2-1"),
                                              f.direction("leaf3", "spine1"));
                   }),
                   {},
                   4,
                   {.check =
                        [](const SimulatedFabric& fabric, const TraceResult& result) {
                          AllAlive(fabric, result);
                          std::multiset<size_t> lengths;
                          for (const Path& path : result.table.paths) {
                            lengths.insert(path.hops.size());
                          }
                          EXPECT_EQ(lengths, (std::multiset<size_t>{3, 3, 3, 5}));
                        }}},
        NetworkRow{"RepeatedAddress",
                   Clos([](SimulatedFabric& f) {
                     f.network().fault(f.node("spine2")).forwards_expired = true;
                   }),
                   {"repeated-address"},
                   4,
                   {.check = AllAlive}},
        NetworkRow{
            "DscpAtALeaf",
            Clos(Rewriting("leaf1", 10)),
            {"dscp-changed"},
            4,
            {.traffic_class = 0x68, .check = SubjectHas("between hop 1 (10.0.0.0) and hop 2")}},
        NetworkRow{"DscpAtTheLastLeaf",
                   Clos(Rewriting("leaf2", 10)),
                   {"dscp-changed"},
                   4,
                   {.traffic_class = 0x68, .check = SubjectHas("and the receiver")}},
        NetworkRow{"DscpAtTheHost",
                   Clos([](SimulatedFabric& f) {
                     f.network().host_fault(f.node("host1-1")).dscp_rewrite = 10;
                   }),
                   {"dscp-changed"},
                   4,
                   {.traffic_class = 0x68, .check = SubjectHas("before the first switch")}},
        NetworkRow{
            "EcnMarked",
            Clos([](SimulatedFabric& f) { f.network().fault(f.node("leaf1")).ecn_mark = true; }),
            {"ecn-marked"},
            4,
            {.traffic_class = 0x02, .check = SubjectHas("between hop 1")}},
        NetworkRow{"Overlay",
                   Clos([](SimulatedFabric& f) {
                     EXPECT_TRUE(f.network().SetTunnelEnds(f.Leaves()).ok());
                   }),
                   {"overlay"},
                   1,
                   {.with_blueprint = true}},
        NetworkRow{"OverlayUnderOneLeaf",
                   Clos([](SimulatedFabric& f) {
                     EXPECT_TRUE(f.network().SetTunnelEnds(f.Leaves()).ok());
                   }),
                   {},
                   1,
                   {.to = "host1-2", .with_blueprint = true}},
        NetworkRow{
            "HiddenSpine",
            Clos([](SimulatedFabric& f) { f.network().fault(f.node("spine2")).keeps_ttl = true; }),
            {"hidden-hop"},
            4,
            {.with_blueprint = true}},
        NetworkRow{"SilentHost",
                   Clos([](SimulatedFabric& f) {
                     f.network().host(f.node("host2-1")) = HostBehaviour::kSilent;
                   }),
                   {},
                   4}),
    [](const auto& row) { return row.param.name; });

// The second change comes earlier or later than what the first made the trace do again.
TEST(ChangingNetwork, ASecondChangeMakesTheTableVoidOrComesTooLateToMatter) {
  uint32_t void_count = 0;
  for (int64_t second = 1000; second <= 16'000; second += 250) {
    const auto fabric = Clos([second](SimulatedFabric& f) {
      GoesDownAt(f, 700 * kMillisecond, {"spine2"});
      GoesDownAt(f, second * kMillisecond, {"spine3"});
    })(11);
    const auto endpoint = fabric->Open("host1-1");
    const TraceDestination destination = fabric->Destination("host2-1");
    const TraceResult result = (*Trace(*endpoint, {&destination, 1}, {}))[0];
    const bool over = fabric->network().now_ns() < second * kMillisecond;
    if (!result.table.void_reason.empty()) {
      EXPECT_THAT(result.table.void_reason, testing::HasSubstr("changed again"));
      ++void_count;
    } else if (!over) {
      SCOPED_TRACE(second);
      PortsAreRight(*fabric, result);
    }
  }
  EXPECT_GT(void_count, 0U);
}

}  // namespace
}  // namespace weft::probe
