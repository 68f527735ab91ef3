// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "lb/assign/pair_table.h"
#include "lb/assign/problem.h"
#include "topology/fabric/fabric.h"
#include "topology/records/finding.h"
#include "topology/records/flow.h"
#include "topology/records/path_table.h"

namespace weft::lb {

// A route that one pair can take or has taken, with the ports that lead there.
struct PairRoute {
  uint32_t route = kNoRoute;
  topology::PathState state = topology::PathState::kUnknown;
  std::vector<uint16_t> udp_src_ports;           // measured, ascending
  std::vector<uint16_t> computed_udp_src_ports;  // by a verified hash, ascending
  bool HasPorts() const { return !udp_src_ports.empty() || !computed_udp_src_ports.empty(); }
};

// Two NICs between which flows run.
struct FlowPair {
  PairKey key;
  std::string source;  // names, for messages
  std::string destination;
  // Its flows keep their ports: both NICs are under one leaf, or a switch that no port steers takes
  // all of them the same way.
  bool keeps_ports = false;
  std::vector<PairRoute> routes;  // measured and placed in the fabric, by route
  // Routes that are known to live between these leaves but have no port here, by route.
  std::vector<uint32_t> routes_without_port;
};

// A planning problem made of records. Nothing depends on the order of flows, tables, nodes or links
// in the input.
struct Candidates {
  std::vector<topology::Flow> flows;  // by id
  Problem problem;                    // one entry per flow, in that order
  std::vector<uint32_t> pair_of_flow;
  std::vector<FlowPair> pairs;
  // A step over several switches side by side is "*".
  std::vector<std::vector<std::string>> switches_of_route;
  // By link of the problem: its cables, one way; several where they count as one link.
  std::vector<std::vector<topology::Direction>> cables_of_link;
  // By pair: what cannot be planned or used, and why; then what counts as one link.
  std::vector<topology::Finding> findings;
};

// InvalidArgument: an id used twice, a flow without a rate, a link between switches that a path
// crosses and whose capacity is not known.
absl::StatusOr<Candidates> FindCandidates(const topology::Fabric& fabric,
                                          std::span<const topology::Flow> flows,
                                          std::span<const topology::PathTable> tables);

}  // namespace weft::lb
