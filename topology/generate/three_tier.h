// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "topology/fabric/fabric.h"
#include "topology/generate/addressing.h"

namespace weft::topology {

// Bounds under which every address fits its range and every interface name fits the 15 characters
// that Linux allows.
inline constexpr uint32_t kMaxThreeTierSwitches = 4096;  // leaves in all; spines in all; cores
inline constexpr uint32_t kMaxThreeTierHostsPerLeaf = 1024;

struct ThreeTierOptions {
  uint32_t pods = 2;
  uint32_t leaves_per_pod = 2;  // pods x leaves_per_pod: 1 to kMaxThreeTierSwitches
  uint32_t spines_per_pod = 2;  // pods x spines_per_pod: 1 to kMaxThreeTierSwitches
  uint32_t cores = 4;           // a multiple of spines_per_pod, at most kMaxThreeTierSwitches
  uint32_t hosts_per_leaf = 2;  // 0 to kMaxThreeTierHostsPerLeaf
  // Of one direction, above 0; absent: not known, and left out of the records.
  std::optional<double> uplink_bps{};  // leaf to spine
  std::optional<double> core_bps{};    // spine to core
  std::optional<double> host_bps{};
  Addressing addressing{};
  uint32_t parallel = 1;  // cables of each link between switches, 1 to 64; at most 2^22 in all
  std::optional<uint32_t> core_parallel{};  // of a spine-core link, where that is another number
  uint32_t nics_per_host = 0;               // as in LeafSpineOptions
};

// Pods of leaves and spines, and cores between the pods. In a pod every leaf is linked to every
// spine. Spine i of every pod is in plane i, and linked to each of the plane's cores /
// spines_per_pod cores, which are numbered plane by plane: with 2 spines a pod and 4 cores, core1
// and core2 join the first spines of the pods, core3 and core4 the second ones.
//
// Order: leaf1.. and spine1.. (numbered through all pods: leaves of pod p, from 1, are
// leaf((p-1)L+1) to leaf(pL)), core1.., then host1-1 (the first host of leaf1).. . Tiers: leaf 0,
// spine 1, core 2. Interfaces are named after their peer, a host's is "eth0"; addresses are as
// addressing.h says, links of leaves before those of cores.
// InvalidArgument: names the option out of bounds.
absl::StatusOr<Fabric> GenerateThreeTier(const ThreeTierOptions& options);

}  // namespace weft::topology
