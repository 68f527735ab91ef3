// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "topology/fabric/fabric.h"
#include "topology/records/flow.h"
#include "topology/records/path_table.h"

// What a perfect trace of the flows' pairs says in a generated fabric.
namespace weft::lb {

struct TraceOptions {
  uint32_t ports_per_path = 3;
  std::set<std::string> dead_spines;
  uint64_t seed = 1;  // which spine each flow's own port takes, evenly at random
};

// A table per pair (each direction that a flow has) with all its shortest paths, over the spines or
// cores in order. Port number n of path p is 50000 + 10 p + n; the port of each flow is on one path
// too.
std::vector<topology::PathTable> TracePairs(const topology::Fabric& fabric,
                                            std::span<const topology::Flow> flows,
                                            const TraceOptions& options);

// The leaf that a host interface is plugged into.
std::string LeafOf(const topology::Fabric& fabric, const wire::IpAddress& nic);
// The address on `node` of its link to `neighbour`.
wire::IpAddress AddressTowards(const topology::Fabric& fabric, const std::string& node,
                               const std::string& neighbour);

// The table's path over a spine, and the table of a flow's pair.
topology::Path& PathOver(topology::PathTable& table, const std::string& spine);
topology::PathTable& TableOf(std::vector<topology::PathTable>& tables, const topology::Flow& flow);

}  // namespace weft::lb
