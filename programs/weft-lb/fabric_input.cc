// SPDX-License-Identifier: Apache-2.0
#include "programs/weft-lb/fabric_input.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "programs/command/fabric_input.h"
#include "programs/command/output.h"

namespace weft::lb {

absl::StatusOr<topology::Fabric> ReadPlanningFabric(const std::string& name,
                                                    const std::string& path, bool* partial) {
  absl::StatusOr<topology::Fabric> fabric = command::ReadFabric(name, path, partial);
  if (!fabric.ok()) return fabric;
  const std::vector<uint32_t> parts = fabric->Components();
  const uint32_t part_count = parts.empty() ? 0 : *std::max_element(parts.begin(), parts.end()) + 1;
  if (part_count > 1) {
    command::PrintWarning(name, path + ": the fabric is in " + std::to_string(part_count) +
                                    " parts; hosts of different parts have no path");
  }
  return fabric;
}

}  // namespace weft::lb
