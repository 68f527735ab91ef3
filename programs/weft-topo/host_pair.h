// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "topology/fabric/fabric.h"
#include "topology/route/route.h"

namespace weft::topo {

struct HostPair {
  topology::NodeIndex from = 0;
  topology::NodeIndex to = 0;
};

// Two different hosts, each by name, or else by address. InvalidArgument: what is wrong with which.
absl::StatusOr<HostPair> FindPair(const topology::Fabric& fabric, const std::string& from,
                                  const std::string& to);

// What packets between the two wear, by the first address of each; no source port yet.
// InvalidArgument: one has no address.
absl::StatusOr<topology::HashedHeaders> HeadersBetween(const topology::Fabric& fabric,
                                                       HostPair pair);

}  // namespace weft::topo
