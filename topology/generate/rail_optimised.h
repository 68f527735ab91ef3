// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "topology/fabric/fabric.h"
#include "topology/generate/addressing.h"

namespace weft::topology {

// Machines of several NICs, in blocks: NIC r of every machine of a block is on leaf r of the block,
// so that NICs of one number talk within their leaf. All leaves are linked to all spines.
struct RailOptimisedOptions {
  uint32_t blocks = 2;
  uint32_t machines_per_block = 4;  // 0 to 1024: NICs of a leaf
  uint32_t rails = 8;               // 1 to 16: NICs of a machine, leaves of a block
  uint32_t spines = 4;              // 1 to 512; blocks x rails: 1 to 4096
  // Of one direction, above 0; absent: not known, and left out of the records.
  std::optional<double> uplink_bps{};
  std::optional<double> host_bps{};
  Addressing addressing{};
  uint32_t parallel = 1;  // cables between a leaf and a spine, 1 to 64; at most 2^22 in all
};

// Order: leaf1.. (block by block; leaf((b-1)R + r + 1) serves rail r of block b), spine1.., then
// the NICs, machine by machine: each is a host node "host1-1-nic0" with the interface "eth0", of
// the machine "host1-1" (the first of block 1). Leaves and NICs have their rail. Interfaces of
// switches are named after their peer; addresses are as addressing.h says. InvalidArgument: names
// the option out of bounds.
absl::StatusOr<Fabric> GenerateRailOptimised(const RailOptimisedOptions& options);

}  // namespace weft::topology
