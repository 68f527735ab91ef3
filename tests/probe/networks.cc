// SPDX-License-Identifier: Apache-2.0
#include "tests/probe/networks.h"

#include <gmock/gmock.h>

#include <utility>

namespace weft::probe {

using topology::Addressing;
using topology::HopMode;
using topology::LeafSpineOptions;
using topology::Path;
using topology::PathState;
using topology::PathTable;
using topology::ThreeTierOptions;

namespace {

// Hashes of one linear function differ by their seeds too little to spread anew what another has
// spread.
void MixHashes(SimulatedFabric& f) {
  for (const topology::NodeIndex i : f.Switches()) {
    f.network().hop(i).hash.function = topology::HashModel::Function::kMixed;
  }
}

}  // namespace

Build Clos(Fault fault, Addressing addressing, uint32_t parallel) {
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

Build Pods(Fault fault, Addressing addressing) {
  return [=](uint64_t seed) {
    auto fabric =
        std::make_unique<SimulatedFabric>(ThreeTierOptions{.pods = 2, .addressing = addressing},
                                          SimulatedNetworkOptions{.seed = seed});
    MixHashes(*fabric);
    if (fault) fault(*fabric);
    return fabric;
  };
}

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

Check HopOne(HopMode mode) {
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

Check SubjectHas(const std::string& text) {
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

void GoesDownAt(SimulatedFabric& f, int64_t time_ns, const std::vector<std::string>& spines) {
  std::vector<topology::LinkIndex> links;
  for (const std::string& spine : spines) {
    links.push_back(f.direction("leaf1", spine).link);
    links.push_back(f.direction("leaf2", spine).link);
  }
  f.network().At(time_ns, [links](SimulatedNetwork& network) { network.SetLinksDown(links); });
}

std::vector<std::string> AllSwitches() {
  return {"leaf1", "leaf2", "spine1", "spine2", "spine3", "spine4"};
}

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

}  // namespace weft::probe
