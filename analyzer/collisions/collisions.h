// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "topology/fabric/fabric.h"
#include "topology/records/assignment.h"
#include "topology/records/finding.h"
#include "topology/records/flow.h"
#include "topology/records/path_table.h"

namespace weft::analyzer {

// A flow that could not be put on a path, and why: nothing is guessed.
struct UnplacedFlow {
  std::string flow;
  std::string reason;  // "the path is dead: leaf1, spine2, leaf3"
  bool dead = false;   // its path is known, and dead
};

// A link of `links` that stands for several cables between two switches, which traces do not tell
// apart. Its capacity is theirs together; unknown where their number is.
struct LinkBundle {
  topology::DirectedLink link;
  uint32_t cables = 0;  // 0: one or more
};

// What the flows put on every link.
struct CollisionReport {
  uint32_t flow_count = 0;
  std::vector<UnplacedFlow> unplaced;  // in the order of the flows
  // Directed links between switches that living paths use, the fullest first (then the most flows,
  // then by name); those without a flow are idle.
  std::vector<topology::LinkLoad> links;
  std::vector<topology::LinkLoad> host_links;      // the same for links to and from hosts
  std::vector<topology::DirectedLink> dead_links;  // between switches; only dead paths lead there
  // Offered over capacity of the fullest link between switches; absent: no capacity is known.
  std::optional<double> fullest_link;
  std::string fullest_link_name;    // "leaf1 -> spine2"; empty where absent
  std::vector<LinkBundle> bundles;  // in the order of `links`; those with flows
  uint32_t idle_links = 0;          // between switches
  uint32_t links_with_several = 0;  // between switches, at least 2 flows
  // elephant-collision: a link between switches with more offered than it carries (error), or with
  // several flows while an equal choice has none (warning). cables-not-told-apart (info) sums up
  // `bundles`, flow-path-dead (error) and flow-path-unknown (warning) `unplaced`.
  std::vector<topology::Finding> findings;
};

// A flow's path is the one of its pair's table (by addresses, else by names) that lists its source
// port; of several tables of a pair the latest measured counts, the last given among equals. The
// fabric gives names, links and capacities. InvalidArgument: two flows have one id.
absl::StatusOr<CollisionReport> FindCollisions(const topology::Fabric& fabric,
                                               std::span<const topology::Flow> flows,
                                               std::span<const topology::PathTable> tables);

}  // namespace weft::analyzer
