// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/probe/simulated_fabric.h"

// Networks that do not play along, and their healthy twins: what a trace must say of each.
namespace weft::probe {

inline constexpr int64_t kMillisecond = 1'000'000;

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

class Networks : public testing::TestWithParam<NetworkRow> {};

using Build = std::function<std::unique_ptr<SimulatedFabric>(uint64_t seed)>;
using Check = std::function<void(const SimulatedFabric&, const TraceResult&)>;
using Fault = std::function<void(SimulatedFabric&)>;

inline constexpr topology::Addressing kIpv6 = {.ipv6 = true};
inline constexpr topology::Addressing kUnnumbered = {.unnumbered = true};
inline constexpr topology::Addressing kIpv6Unnumbered = {.ipv6 = true, .unnumbered = true};

// Three leaves, four links up from each, two hosts a leaf.
Build Clos(Fault fault, topology::Addressing addressing = {}, uint32_t parallel = 1);
// Two pods of two leaves and two spines, four cores: four paths between pods, two in a pod.
Build Pods(Fault fault, topology::Addressing addressing = {});
// Two switches with one cable between them.
std::unique_ptr<SimulatedFabric> TwoSwitches(uint64_t seed);
// All six of Clos.
std::vector<std::string> AllSwitches();

Fault Mode(const std::string& node, topology::HopMode mode);
Fault Silent(const std::vector<std::string>& nodes);
Fault Limited(const std::vector<std::string>& nodes, double per_second);
Fault Rewriting(const std::string& node, uint8_t dscp);
// A spine's links go down while the trace runs.
void GoesDownAt(SimulatedFabric& fabric, int64_t time_ns, const std::vector<std::string>& spines);

void AllAlive(const SimulatedFabric& fabric, const TraceResult& result);
// Every port of the table really goes where it says.
void PortsAreRight(const SimulatedFabric& fabric, const TraceResult& result);
Check HopOne(topology::HopMode mode);
// The first finding's.
Check SubjectHas(const std::string& text);

}  // namespace weft::probe
