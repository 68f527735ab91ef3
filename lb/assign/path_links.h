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

// Finds the links that a measured path crosses. Keeps a pointer to the fabric, which must outlive
// it and not grow.
class PathLinks {
 public:
  explicit PathLinks(const topology::Fabric* fabric);

  // The link into the interface that has this address, towards its node. nullopt: no such
  // interface, or nothing is plugged into it.
  std::optional<topology::Direction> Into(const wire::IpAddress& address) const;

  // From the source's host link to the destination's. A switch answers from the interface on which
  // the probe came in; where another of its addresses stands there, or a silent hop lies between
  // two that answered, the link is taken if only one is possible. InvalidArgument: the hop that
  // cannot be placed in the fabric.
  absl::StatusOr<std::vector<topology::Direction>> Of(const wire::IpAddress& source,
                                                      const wire::IpAddress& destination,
                                                      const topology::Path& path) const;

 private:
  std::optional<topology::NodeIndex> NodeOfHop(const topology::Path& path, size_t hop) const;
  std::optional<topology::Direction> OnlyLink(topology::NodeIndex from,
                                              topology::NodeIndex to) const;

  const topology::Fabric* fabric_;
  absl::flat_hash_map<wire::IpAddress, topology::Direction> into_;
};

}  // namespace weft::lb
