// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "topology/fabric/fabric.h"
#include "topology/records/path_table.h"

namespace weft::analyze {

// At least one table. NotFound: there is none in all the files.
absl::StatusOr<std::vector<topology::PathTable>> ReadTables(const std::string& name,
                                                            const std::vector<std::string>& paths,
                                                            bool* partial);

// The fabric of `path`; without one, what the tables show of it.
absl::StatusOr<topology::Fabric> ReadOrInferFabric(const std::string& name, const std::string& path,
                                                   std::span<const topology::PathTable> tables,
                                                   bool* partial);

}  // namespace weft::analyze
