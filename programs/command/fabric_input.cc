// SPDX-License-Identifier: Apache-2.0
#include "programs/command/fabric_input.h"

#include "programs/command/output.h"

namespace weft::command {

absl::StatusOr<topology::Fabric> ReadFabric(const std::string& name, const std::string& path,
                                            bool* partial) {
  const auto records = ReadRecordFiles<topology::FabricRecord>(name, {path}, partial);
  if (!records.ok()) return records.status();
  absl::StatusOr<topology::Fabric> fabric = topology::Fabric::FromRecords(*records);
  if (fabric.ok()) return fabric;
  return absl::Status(fabric.status().code(), (path == "-" ? "stdin" : path) + ": " +
                                                  std::string(fabric.status().message()));
}

}  // namespace weft::command
