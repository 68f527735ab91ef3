// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lb/assign/spread.h"
#include "topology/records/finding.h"

// What a plan says about switches, links and ports, beside pair_findings.h. Codes are stable.
namespace weft::lb {

// steering-no-effect, info: no port chooses the way at this switch, so its ways count as one shared
// link. `ways` is the most that is known for one destination leaf, and `flow_count` is how many
// planned flows meet it.
topology::Finding SteeringNoEffect(const std::string& node, const topology::HopBehaviour& behaviour,
                                   size_t ways, size_t flow_count);

// Cables between the same two switches that no trace tells apart.
struct CableBundle {
  std::string link;      // "leaf1 -> spine1"
  size_t cables = 0;     // links in the fabric's records
  bool or_more = false;  // one of them may stand for several
};
// cables-not-told-apart, info: they count as one link of their summed capacity. Not empty.
topology::Finding CablesNotToldApart(const std::vector<CableBundle>& bundles);

// computed-ports, info: these flows' ports were not measured, but computed from a hash that was
// learnt and verified. Not empty.
topology::Finding ComputedPorts(const std::vector<std::string>& flows, size_t planned);

}  // namespace weft::lb
