// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "topology/fabric/fabric.h"
#include "topology/records/flow.h"
#include "topology/records/path_table.h"

namespace weft::analyzer {

// One round of measurement: what every flow sent and received, and the paths as they then were.
struct Round {
  std::string name;
  std::vector<topology::FlowReport> reports;
  std::vector<topology::PathTable> tables;  // empty: link figures are not known
};

// A share is payload received over payload sent in the same window; absent: not known.
struct RoundSummary {
  std::string name;
  uint32_t flows = 0;
  uint32_t flows_without_report = 0;  // the receiver's report is missing: in no share, in no sum
  double sent_bytes = 0;              // of flows with a report, as the next
  double received_bytes = 0;
  std::optional<double> goodput_share;
  double offered_bps = 0;  // of all flows
  std::optional<double> min_flow_share;
  std::string min_flow;  // the first by id among equals
  // (sum x)^2 / (n sum x^2) over the goodputs of the flows with a report: 1 is fair, 1/n is one
  // flow taking all. Jain, Chiu, Hawe, DEC-TR-301, 1984. Absent where nothing arrived.
  std::optional<double> jain_index;
  std::optional<double> fullest_link;  // offered over capacity, links between switches
  std::string fullest_link_name;
  std::optional<uint32_t> idle_links;
  uint32_t flows_without_path = 0;  // dead, or not known: in no link figure
  // Flows, told by id, whose source port is another than in the first round; absent in the first.
  std::optional<uint32_t> flows_moved;
};

// In the order given. InvalidArgument names a flow that is twice in one round.
absl::StatusOr<std::vector<RoundSummary>> CompareRounds(const topology::Fabric& fabric,
                                                        std::span<const Round> rounds);

}  // namespace weft::analyzer
