// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "topology/fabric/fabric.h"
#include "topology/generate/addressing.h"

namespace weft::topology {

// Bounds under which every address fits its range and every interface name (its peer's name) fits
// the 15 characters that Linux allows.
inline constexpr uint32_t kMaxLeaves = 4096;
inline constexpr uint32_t kMaxSpines = 512;
inline constexpr uint32_t kMaxHostsPerLeaf = 1024;

struct LeafSpineOptions {
  uint32_t leaves = 4;          // 1 to kMaxLeaves
  uint32_t spines = 4;          // 1 to kMaxSpines
  uint32_t hosts_per_leaf = 4;  // 0 to kMaxHostsPerLeaf
  // Of one direction, above 0; absent: not known, and left out of the records.
  std::optional<double> uplink_bps{};
  std::optional<double> host_bps{};
  Addressing addressing{};
  uint32_t parallel = 1;  // cables between a leaf and a spine, 1 to 64; at most 2^22 in all
  // 1 to 16: each NIC of a host is a node of its own, "host1-1-nic0" of the machine "host1-1", and
  // all are on the host's leaf. 0: a host has one NIC, and is the node "host1-1".
  uint32_t nics_per_host = 0;
};

// Every leaf linked to every spine, in this order: leaf1.., spine1.., then host1-1 (the first host
// of leaf1).. . An interface is named after its peer (leaf1 has "spine1" and "host1-1"; further
// cables to the same peer "spine1_2"..), a host's is "eth0". Addresses are as addressing.h says.
// InvalidArgument: names the option out of bounds.
absl::StatusOr<Fabric> GenerateLeafSpine(const LeafSpineOptions& options);

}  // namespace weft::topology
