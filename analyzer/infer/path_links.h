// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topology/fabric/fabric.h"
#include "topology/records/path_table.h"

namespace weft::analyzer {

// Where a table's path lies in a fabric: n hops, n + 1 directed links. Absent: not known.
struct PlacedPath {
  std::vector<std::optional<topology::NodeIndex>> switches;  // per hop
  std::vector<std::optional<topology::Direction>> links;
  // Per link: 1, this very cable; more, one of so many cables between the two, which traces do not
  // tell apart, and the link is their first by interface name; 0, of a number that is not known.
  std::vector<uint32_t> cables;
  bool complete = false;  // every link is known
};

// Cables between two nodes that traces do not tell apart.
struct CableBundle {
  topology::Direction first;  // by the interface name of the node it leaves
  uint32_t cables = 0;        // 0: one or more
};
// nullopt: no link between the two.
std::optional<CableBundle> BundleBetween(const topology::Fabric& fabric, topology::NodeIndex from,
                                         topology::NodeIndex to);

// Finds each hop by its answering address (the interface it was entered by), else by the switch the
// hop was resolved to, else by the far end of the link to the next hop; a link between two known
// neighbours that no address tells is one of their cables, and which one is not guessed.
PlacedPath PlacePath(const topology::Fabric& fabric, const topology::PathTable& table,
                     const topology::Path& path);

// The fabric's name for a table's source or destination, else the table's own, else the address.
std::string EndName(const topology::Fabric& fabric, const std::string& name,
                    const wire::IpAddress& address);
// The same for a hop; "?" for a silent one that cannot be placed.
std::string HopName(const topology::Fabric& fabric, const PlacedPath& placed,
                    const topology::Path& path, size_t hop);

// Packets arrive by this path: it was measured alive or lossy, or not judged but seen to arrive.
bool IsLiving(const topology::Path& path);

}  // namespace weft::analyzer
