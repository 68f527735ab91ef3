// SPDX-License-Identifier: Apache-2.0
#include "programs/weft-topo/fabric_input.h"

#include <vector>

#include "programs/command/output.h"

namespace weft::topo {

absl::StatusOr<topology::Fabric> ReadFabric(const std::string& name, const std::string& path,
                                            bool* partial) {
  auto records = command::ReadRecordFiles<topology::FabricRecord>(name, {path}, partial);
  if (!records.ok()) return records.status();
  absl::StatusOr<topology::Fabric> fabric = topology::Fabric::FromRecords(*records);
  if (!fabric.ok()) {
    return absl::Status(fabric.status().code(), (path == "-" ? "stdin" : path) + ": " +
                                                    std::string(fabric.status().message()));
  }
  return fabric;
}

std::string FirstAddress(const topology::Node& node) {
  for (const topology::Interface& interface : node.interfaces) {
    if (!interface.address.empty()) return interface.address.ToString();
  }
  return "";
}

const char* KindName(topology::NodeKind kind) {
  switch (kind) {
    case topology::NodeKind::kHost:
      return "host";
    case topology::NodeKind::kSwitch:
      return "switch";
    case topology::NodeKind::kUnknown:
      break;
  }
  return "unknown";
}

std::string CsvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) {
    quoted += c;
    if (c == '"') quoted += c;
  }
  return quoted + "\"";
}

}  // namespace weft::topo
