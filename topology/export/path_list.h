// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "topology/export/export.h"
#include "topology/fabric/fabric.h"

namespace weft::topology {

struct PathListOptions {
  size_t pairs = 1000;  // at most this many pairs of hosts, in the order of the fabric's nodes
  size_t limit = 64;    // at most this many paths of each
  bool operator==(const PathListOptions&) const = default;
};

// A CSV line for each shortest path of each pair of hosts, the earlier host of the fabric first
// (the way back has the same paths, reversed):
//   Source,Destination,Path,Paths,Hops,Switches,Ports
// Path counts from 1 and Paths is how many the pair has (with a "+" where there are more than
// `limit`); Hops is the number of switches; Switches and Ports are joined by " > ", the ports being
// those that the path leaves each node by. A pair without a path has one line, with Paths 0.
// Findings say what the bounds have cut off.
Exported ExportPaths(const Fabric& fabric, const PathListOptions& options);

}  // namespace weft::topology
