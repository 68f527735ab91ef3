// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "topology/fabric/fabric.h"

namespace weft::topology {

// Bounds under which every address fits its half of 10.0.0.0/8 and every interface name (its peer's
// name) fits the 15 characters that Linux allows.
inline constexpr uint32_t kMaxLeaves = 4096;
inline constexpr uint32_t kMaxSpines = 512;
inline constexpr uint32_t kMaxHostsPerLeaf = 1024;

struct LeafSpineOptions {
  uint32_t leaves = 4;          // 1 to kMaxLeaves
  uint32_t spines = 4;          // 1 to kMaxSpines
  uint32_t hosts_per_leaf = 4;  // 0 to kMaxHostsPerLeaf
  // Of one direction, above 0; absent: not known, and left out of the records.
  std::optional<double> uplink_bps;
  std::optional<double> host_bps;
};

// Every leaf linked to every spine once, in this order: leaf1.., spine1.., then host1-1 (the first
// host of leaf1).. . An interface is named after its peer (leaf1 has "spine1" and "host1-1"), a
// host's is "eth0". Links are numbered from 0 and take /31s: host links 10.0.0.0 + 2i for the leaf
// and + 1 for the host, uplinks 10.128.0.0 + 2i for the leaf and + 1 for the spine.
// InvalidArgument: names the option out of bounds.
absl::StatusOr<Fabric> GenerateLeafSpine(const LeafSpineOptions& options);

}  // namespace weft::topology
