// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "topology/fabric/fabric.h"
#include "topology/generate/addressing.h"

namespace weft::topology {

// Parallel leaf-spine fabrics that meet only in the machines.
struct DualPlaneOptions {
  uint32_t planes = 2;            // 2 to 8
  uint32_t leaves_per_plane = 4;  // planes x leaves_per_plane: 1 to 4096
  uint32_t spines_per_plane = 4;  // planes x spines_per_plane: 1 to 512
  uint32_t hosts_per_leaf = 4;    // 0 to 1024
  // A machine has a NIC for each plane (nodes "host1-1-nic0" of the machine "host1-1", each with
  // "eth0"), instead of one NIC with a port into each (node "host1-1" with "eth0", "eth1"..).
  bool separate_nics = false;
  // Of one direction, above 0; absent: not known, and left out of the records.
  std::optional<double> uplink_bps{};
  std::optional<double> host_bps{};
  Addressing addressing{};
  uint32_t parallel = 1;  // cables between a leaf and a spine, 1 to 64; at most 2^22 in all
};

// Order: leaf1.. plane by plane (leaf((p)L + l) is leaf l of plane p, which counts from 0),
// spine1.. likewise, then hosts. Host host1-1 is on the first leaf of every plane. Switches, and
// NICs that are in one plane, have their plane. Names and addresses are as those of
// GenerateLeafSpine. InvalidArgument: names the option out of bounds.
absl::StatusOr<Fabric> GenerateDualPlane(const DualPlaneOptions& options);

}  // namespace weft::topology
