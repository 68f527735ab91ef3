// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topology/records/fabric_records.h"
#include "topology/records/finding.h"
#include "topology/records/flow.h"
#include "topology/records/record_codec.h"

namespace weft::topology {

// What the flows of a file put on one direction of one link.
struct LinkLoad {
  DirectedLink link;
  std::optional<double> capacity_bps;
  double offered_bps = 0;
  std::optional<double> load;  // offered over capacity; absent: capacity not known
  std::vector<std::string> flows;
  bool between_switches = false;
  bool operator==(const LinkLoad&) const = default;
};
template <>
inline constexpr RecordKind kRecordKind<LinkLoad> = {"link-load", 1};

// A plan: which path every flow takes, and how good that is. Loads are offered rate over capacity
// of directed switch-to-switch links: 0.80 = 16 Mbit/s on 20.
struct Assignment {
  std::vector<Flow> flows;
  uint32_t flows_moved = 0;
  double fullest_link = 0;
  double lower_bound = 0;    // integral: no whole-flow assignment has a less full fullest link
  double fluid_bound = 0;    // the same for flows that can be split
  double carried_share = 0;  // of the offered rate, what this assignment carries (max-min fair)
  double fits_share = 0;     // the most that any whole-flow assignment could carry (upper bound)
  std::string method;        // "exact", "local search"
  std::vector<LinkLoad> links;
  std::vector<Finding> findings;
  bool operator==(const Assignment&) const = default;
};
template <>
inline constexpr RecordKind kRecordKind<Assignment> = {"assignment", 1};

}  // namespace weft::topology
