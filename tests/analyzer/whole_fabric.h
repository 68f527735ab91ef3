// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "topology/check/check.h"
#include "topology/fabric/fabric.h"

// A whole three-tier fabric, traced on the simulated network from all its hosts at once and then
// inferred: what a fabric costs to measure, and whether the result is what was built.
namespace weft::analyzer {

struct WholeFabricOptions {
  double icmp_per_second = 50;  // the tracers' budget for each switch
  // What each switch answers at most; 0: no limit. Above the budget nothing need be asked twice.
  double switch_icmp_per_second = 0;
  uint64_t seed = 1;
};

struct WholeFabricResult {
  topology::CheckResult check;  // the fabric that was built against the inferred one
  uint32_t pairs = 0;
  uint32_t incomplete_pairs = 0;  // whose trace says that something is lacking
  uint64_t probes_sent = 0;
  uint64_t probes_asked = 0;          // what the MDA stopping rule asks for
  double traced_seconds = 0;          // virtual
  double tracing_seconds = 0;         // of this machine, tracing and simulating
  double inferring_seconds = 0;       // of this machine, inferring and checking
  std::vector<std::string> findings;  // "code subject", of tables and of the inference
};

// Every host traces one other, so that each link is crossed: the first host of each leaf the first
// host of the leaf at its place in the next pod, all others their neighbour under the same leaf.
// `leaves_per_pod` says how the leaves (in the fabric's order) make pods.
absl::StatusOr<WholeFabricResult> MeasureWholeFabric(const topology::Fabric& fabric,
                                                     uint32_t leaves_per_pod,
                                                     const WholeFabricOptions& options);

}  // namespace weft::analyzer
