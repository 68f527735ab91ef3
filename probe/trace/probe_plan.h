// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "probe/trace/hop_graph.h"

namespace weft::probe {

struct PlannedProbe {
  uint32_t flow = 0;  // in the graph
  uint32_t ttl = 0;
  bool repeats = false;   // the flow was answered there already: HopRepeats wants to know again
  uint32_t in_a_row = 1;  // so many of this flow shall follow each other without a wait
  bool operator==(const PlannedProbe&) const = default;
};

// Which probes the graph lacks, for the first hop that lacks any; empty: every stopping rule holds,
// every wanted flow is on a known path, and every path has `ports_per_path` flows as far as they
// can be found. At most one probe per flow. Adds the flows it needs to the graph; the new ones'
// ports come from `new_port` (nullopt: there are no more, and the plan does without).
//
// Multipath Detection Algorithm with node control, where the flows that a vertex is short of are
// looked for so that few probes are wasted: new flows are asked at the hop after it, where the
// answer tells, through the link that is already known, which vertex they passed; and the flows
// that are known to pass a vertex are asked there only after that, to fill up what the new ones
// left.
std::vector<PlannedProbe> PlanProbes(HopGraph& graph, uint32_t ports_per_path,
                                     const std::function<std::optional<uint16_t>()>& new_port);

}  // namespace weft::probe
