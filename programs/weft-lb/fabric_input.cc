// SPDX-License-Identifier: Apache-2.0
#include "programs/weft-lb/fabric_input.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "programs/command/output.h"

namespace weft::lb {

absl::StatusOr<topology::Fabric> ReadFabric(const std::string& name, const std::string& path,
                                            bool* partial) {
  const auto records = command::ReadRecordFiles<topology::FabricRecord>(name, {path}, partial);
  if (!records.ok()) return records.status();
  absl::StatusOr<topology::Fabric> fabric = topology::Fabric::FromRecords(*records);
  if (!fabric.ok()) {
    return absl::Status(fabric.status().code(),
                        path + ": " + std::string(fabric.status().message()));
  }
  const std::vector<uint32_t> parts = fabric->Components();
  const uint32_t part_count = parts.empty() ? 0 : *std::max_element(parts.begin(), parts.end()) + 1;
  if (part_count > 1) {
    command::PrintWarning(name, path + ": the fabric is in " + std::to_string(part_count) +
                                    " parts; hosts of different parts have no path");
  }
  return fabric;
}

}  // namespace weft::lb
