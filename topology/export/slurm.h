// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "topology/export/export.h"
#include "topology/fabric/fabric.h"

namespace weft::topology {

struct SlurmOptions {
  // For topology/block: blocks are the leaves of the tree, and these the numbers of nodes that a
  // job may ask for at once: ascending, each the first times a power of two (up to 2^15). None:
  // topology/tree.
  std::vector<uint32_t> block_sizes;
  bool operator==(const SlurmOptions&) const = default;
};

// For Slurm's topology.conf(5) and topology.yaml(5). Nodes are machines: a host, or all NICs of one
// `machine`. InvalidArgument: block sizes that Slurm would refuse; says which.
absl::StatusOr<Exported> ExportSlurmConf(const Fabric& fabric, const SlurmOptions& options);
absl::StatusOr<Exported> ExportSlurmYaml(const Fabric& fabric, const SlurmOptions& options);

}  // namespace weft::topology
