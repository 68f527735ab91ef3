// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "topology/fabric/fabric.h"

namespace weft::topology {

// A fat tree of InfiniBand switches with `radix` ports, half of them down: as many up as down, so
// full bisection. Two tiers: radix / 2 spines, up to radix leaves, radix^2 / 2 NICs. Three: pods of
// radix / 2 leaves and as many spines, radix^2 / 4 cores, up to radix pods and radix^3 / 4 NICs.
struct InfiniBandFatTreeOptions {
  uint32_t radix = 36;                      // even, 2 to 254
  uint32_t tiers = 2;                       // 2 or 3
  std::optional<uint32_t> leaves{};         // two tiers: 1 to radix (default)
  std::optional<uint32_t> pods{};           // three tiers: 1 to radix (default)
  std::optional<uint32_t> nics_per_leaf{};  // 0 to radix / 2 (default)
  // Rails: a machine has this many NICs, each on the next leaf of a block of as many. Divides the
  // leaves (of a pod). 1: a machine is on one leaf.
  uint32_t nics_per_machine = 1;
  uint32_t lmc = 0;           // 0 to 7: a NIC has 2^lmc LIDs
  std::string speed = "HDR";  // of one lane: "SDR" to "XDR"
  uint32_t width = 4;         // lanes of a link: 1, 2, 4, 8 or 12
};

// Order: leaf1.., spine1.., core1.. (numbered through all pods; spine i of every pod is linked to
// cores i * radix/2 to (i+1) * radix/2 - 1, from 0), then the NICs, machine by machine: a host node
// "host1-1 mlx5_0" of the machine "host1-1" (the first of block 1). Interfaces are port numbers; a
// switch's first ports go down, a leaf's or spine's others up, and it has the port "0".
//
//               node GUID              port GUID        LID
//   switches    0x0200010000000000 + n node GUID        n, n from 1 in this order
//   NICs        0x0200020000000000     node GUID + 1    the next ones, aligned to 2^lmc
//                 + 16 n (n from 1)
// A NIC's or switch's system GUID is its node GUID. With `nics_per_machine` above 1 leaves and NICs
// have their rail.
// InvalidArgument: names the option out of bounds; LIDs run out at kMaxLid.
absl::StatusOr<Fabric> GenerateInfiniBandFatTree(const InfiniBandFatTreeOptions& options);

}  // namespace weft::topology
