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

// A three-tier fabric of topology/generate. kMixed: leaf-spine links are numbered, spine-core links
// are not, so spines answer with both kinds of addresses.
enum class Numbering : uint8_t { kNumbered, kUnnumbered, kMixed };
struct PodShape {
  uint32_t pods = 2;
  uint32_t leaves = 2;  // per pod, as spines
  uint32_t spines = 2;
  uint32_t cores = 4;
  uint32_t hosts_per_leaf = 1;
  bool ipv6 = false;
  Numbering numbering = Numbering::kNumbered;
  uint32_t parallel = 1;
  bool loopbacks_near = false;  // kMixed: loopbacks and links are of one /16 or /112
};
topology::Fabric MakePods(const PodShape& shape);

// What breaks, or keeps quiet, while the tables are taken.
struct Faults {
  std::set<std::string> silent_nodes;  // forward, but do not answer TTL-exceeded
  std::set<std::string> dead_nodes;    // a silent blackhole; known paths keep their hops
  std::set<std::pair<std::string, std::string>> dead_links;  // from node, to node
};

// How the switches hash. By default CRC-32 seeded per switch, which is linear; kMixed spreads anew
// at every tier, unless all switches have one seed.
struct Hashing {
  topology::HashModel::Function function = topology::HashModel::Function::kCrc32;
  bool one_seed = false;
};
inline constexpr Hashing kMixedHashing = {topology::HashModel::Function::kMixed, false};

// Traces as switches answer: with the address of the interface that the probe came in by, else with
// their own.
class Tracer {
 public:
  Tracer(const topology::Fabric* fabric, uint32_t seed, Faults faults = {}, Hashing hashing = {});

  topology::PathTable Trace(const std::string& source, const std::string& destination) const;
  // Every host to every other.
  std::vector<topology::PathTable> TraceAll() const;

 private:
  const topology::Fabric& fabric_;
  topology::Router router_;
  Faults faults_;
};

// The given number of pairs, drawn from a seed, in a random order.
std::vector<topology::PathTable> TraceSome(const Tracer& tracer, const topology::Fabric& fabric,
                                           size_t pairs, uint32_t seed);

// Names of the hosts, in the fabric's order.
std::vector<std::string> HostNames(const topology::Fabric& fabric);

// Every path by its state; `states` of all tables together.
uint32_t CountPaths(const std::vector<topology::PathTable>& tables, topology::PathState state);

}  // namespace weft::analyzer
