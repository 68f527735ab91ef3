// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "topology/fabric/fabric.h"
#include "topology/records/flow.h"

// Traffic as flows. Ports are those of RoCEv2's default: QPNs drawn by the seed, the label folded
// from both QPNs, the port from the label, so that ECMP places the flows as it would place an
// application's. Ids are "f01", "f02" .. as wide as the count needs. A host's NIC is its first
// interface that has an address and a link to a switch. The same input gives the same flows on
// every machine.
namespace weft::lb {

inline constexpr uint32_t kMaxFlowsPerHost = 4096;

struct PermutationOptions {
  double rate_bps = 16e6;       // of each flow, above 0
  uint32_t flows_per_host = 1;  // 1 to kMaxFlowsPerHost, all to one host
  uint64_t seed = 1;
};

// Every host sends to one host under another leaf, and every host is sent to by one: a random
// permutation of the hosts without a pair under one leaf. InvalidArgument: an option out of bounds,
// or no such permutation exists (one leaf, or a leaf with more than half of the hosts).
absl::StatusOr<std::vector<topology::Flow>> PermutationFlows(const topology::Fabric& fabric,
                                                             const PermutationOptions& options);

// A demand's rate split evenly over its flows, demands in their order. InvalidArgument: names a
// host that the fabric lacks, one that sends to itself, no rate, or a flow_count of 0 or above the
// bound.
absl::StatusOr<std::vector<topology::Flow>> FlowsFromDemands(
    const topology::Fabric& fabric, std::span<const topology::Demand> demands, uint64_t seed);

}  // namespace weft::lb
