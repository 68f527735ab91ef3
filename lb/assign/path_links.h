// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "topology/fabric/fabric.h"
#include "topology/records/path_table.h"
#include "wire/ip_address.h"

namespace weft::lb {

// One step of a path: a link, or several side by side, by index. Parallel cables that no trace
// tells apart, or the ways over which a switch spreads packets whatever their ports.
using Step = std::vector<topology::Direction>;

// Finds the links that a measured path crosses. Keeps a pointer to the fabric, which must outlive
// it and not grow.
class PathLinks {
 public:
  explicit PathLinks(const topology::Fabric* fabric);

  // The link into the interface that has this address, towards its node. nullopt: no such
  // interface, or nothing is plugged into it.
  std::optional<topology::Direction> Into(const wire::IpAddress& address) const;

  // From the source's host link to the destination's. A switch answers from the interface on which
  // the probe came in; where another address of it stands there (a loopback, as of switches whose
  // links have none), all cables from the hop before are the step. A silent hop is placed where
  // only one switch can stand. InvalidArgument: the hop that cannot be placed in the fabric.
  absl::StatusOr<std::vector<Step>> Of(const wire::IpAddress& source,
                                       const wire::IpAddress& destination,
                                       const topology::Path& path) const;

 private:
  std::optional<topology::NodeIndex> NodeOfHop(const topology::Path& path, size_t hop,
                                               topology::NodeIndex before) const;
  std::optional<topology::NodeIndex> OnlyNodeBetween(topology::NodeIndex before,
                                                     topology::NodeIndex after) const;
  // Every cable from one node to the other.
  Step Cables(topology::NodeIndex from, topology::NodeIndex to) const;

  const topology::Fabric* fabric_;
  absl::flat_hash_map<wire::IpAddress, topology::Direction> into_;
};

}  // namespace weft::lb
