// SPDX-License-Identifier: Apache-2.0
#include "programs/weft-analyze/inputs.h"

#include <utility>

#include "analyzer/infer/infer.h"
#include "programs/command/fabric_input.h"
#include "programs/command/output.h"

namespace weft::analyze {

absl::StatusOr<std::vector<topology::PathTable>> ReadTables(const std::string& name,
                                                            const std::vector<std::string>& paths,
                                                            bool* partial) {
  auto tables = command::ReadRecordFiles<topology::PathTable>(name, paths, partial);
  if (!tables.ok() || !tables->empty()) return tables;
  std::string files;
  for (const std::string& path : paths) files += (files.empty() ? "" : ", ") + path;
  return absl::NotFoundError(files + ": no path tables: expected at least one");
}

absl::StatusOr<topology::Fabric> ReadOrInferFabric(const std::string& name, const std::string& path,
                                                   std::span<const topology::PathTable> tables,
                                                   bool* partial) {
  if (!path.empty()) return command::ReadFabric(name, path, partial);
  absl::StatusOr<analyzer::InferredFabric> inferred = analyzer::InferFabric(tables);
  if (!inferred.ok()) return inferred.status();
  return std::move(inferred->fabric);
}

}  // namespace weft::analyze
