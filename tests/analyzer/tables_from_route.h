// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "topology/fabric/fabric.h"
#include "topology/records/path_table.h"
#include "topology/route/route.h"

// Path tables as a perfect tracer would write them, from the real routing of a fabric.
namespace weft::analyzer {

// A leaf-spine fabric of topology/generate with its first uplinks changed: `parallel` of the
// leaf-spine links get a second cable, and `missing` others are taken out (each of another leaf and
// spine, so that with enough spines every pair of hosts keeps a path).
struct Shape {
  uint32_t leaves = 4;
  uint32_t spines = 4;
  uint32_t hosts_per_leaf = 2;
  uint32_t parallel = 0;
  uint32_t missing = 0;
};
topology::Fabric MakeFabric(const Shape& shape);

// What breaks, or keeps quiet, while the tables are taken.
struct Faults {
  std::set<std::string> silent_nodes;  // forward, but do not answer TTL-exceeded
  std::set<std::string> dead_nodes;    // a silent blackhole; known paths keep their hops
  std::set<std::pair<std::string, std::string>> dead_links;  // from node, to node
};

// Traces with CRC-32 hashes seeded per switch.
class Tracer {
 public:
  Tracer(const topology::Fabric* fabric, uint32_t seed, Faults faults = {});

  topology::PathTable Trace(const std::string& source, const std::string& destination) const;
  // Every host to every other.
  std::vector<topology::PathTable> TraceAll() const;

 private:
  const topology::Fabric& fabric_;
  topology::Router router_;
  Faults faults_;
};

// Names of the hosts, in the fabric's order.
std::vector<std::string> HostNames(const topology::Fabric& fabric);

// Every path by its state; `states` of all tables together.
uint32_t CountPaths(const std::vector<topology::PathTable>& tables, topology::PathState state);

}  // namespace weft::analyzer
