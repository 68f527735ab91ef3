// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "absl/status/statusor.h"
#include "topology/fabric/fabric.h"

namespace weft::topology {

// A known fabric, made with the generators of this folder.
struct FabricPreset {
  const char* name;  // "roce-24k"
  const char* what;  // one line of help
  absl::StatusOr<Fabric> (*generate)();
};

// The two fabrics on which Llama 3 was trained ("The Llama 3 Herd of Models", section 3.3.1), as
// far as they are known:
//
// roce-24k: 8 pods of 192 racks; a rack has 2 machines of 8 NICs and a leaf with as much up as
// down.
//   3,072 NICs a pod, 24,576 in all, every link 400 Gb/s. 8 spines a pod, of 2 cables to every leaf
//   and 11 to each of 5 cores: 440 cables leave a pod of 3,072 NICs, 1 : 6.98 (1 : 7 itself is no
//   whole number of cables).
// infiniband-24k: full bisection over three tiers of 48-port switches: 42 pods of 24 leaves and 24
//   spines, 576 cores: 2,592 switches. 3,024 machines of 8 NICs, rail by rail on the leaves: 24,192
//   NICs, every link 4 lanes of NDR (400 Gb/s).
std::span<const FabricPreset> FabricPresets();

}  // namespace weft::topology
