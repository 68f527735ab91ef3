// SPDX-License-Identifier: Apache-2.0
// Internal to topology/check: what of a blueprint traces between hosts can have crossed.
#pragma once

#include <vector>

#include "topology/check/check.h"

namespace weft::topology {

struct Coverage {
  std::vector<bool> nodes;
  std::vector<bool> links;
};

// All of the shortest paths between the traced pairs; without pairs, between all hosts in `seen`.
Coverage CoveredByTraces(const Fabric& blueprint, const std::vector<NodeIndex>& seen,
                         const CheckOptions& options);

}  // namespace weft::topology
