// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "topology/fabric/fabric.h"
#include "topology/records/assignment.h"
#include "topology/records/flow.h"
#include "topology/records/path_table.h"

namespace weft::lb {

// A path that the best plan needs and for which a pair has no measured port.
struct WantedPath {
  std::string source;
  std::string destination;
  std::vector<std::string> switches;
  bool operator==(const WantedPath&) const = default;
};

// The links from the switches of one tier to those of another, one way.
struct TierLoad {
  uint32_t from_tier = 0;
  uint32_t to_tier = 0;
  uint32_t links = 0;
  uint32_t crossed = 0;  // by a planned flow
  double mean_load = 0;  // of all of them
  double fullest = 0;
  bool operator==(const TierLoad&) const = default;
};

struct Plan {
  // Flows by id, with port, label and path filled in; "*" in a path: any of several switches, as a
  // switch before it spreads the packets. flows_moved counts those whose path is not
  // the one that their port led to, or of which that is not known. Links: every switch-to-switch
  // link, and the host links that flows cross.
  topology::Assignment assignment;
  std::vector<uint16_t> ports_before;  // of each flow of the assignment
  // Fullest switch-to-switch link as the flows are placed by their present ports; absent where no
  // port of theirs is in a table.
  std::optional<double> fullest_link_before;
  uint32_t unknown_before = 0;  // planned flows whose present path is not known
  uint32_t unplanned = 0;       // flows left as they are; a finding says why
  std::vector<WantedPath> wanted;
  std::vector<TierLoad> tiers;  // upwards first, from the leaves; links of unknown tiers left out
};

// Plans flows onto measured, living paths: the fullest switch-to-switch link as little full as
// possible, then as much carried as possible, then as few flows moved as possible. "exact" where
// the rates are equal, the fabric is a complete leaf-spine or three-tier fat tree of equal links
// and the fullest link meets the lower bound, else "local search". Where a switch lets no source
// port choose the way, and where no trace tells parallel cables apart, the links of the group count
// as one of their summed capacity: all are equally full, and each lists all flows that may cross
// it. The order of flows, tables, nodes and links makes no difference. Thread-compatible; no I/O.
// InvalidArgument: as FindCandidates (candidates.h).
absl::StatusOr<Plan> PlanFlows(const topology::Fabric& fabric,
                               std::span<const topology::Flow> flows,
                               std::span<const topology::PathTable> tables);

}  // namespace weft::lb
