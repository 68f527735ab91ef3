// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "topology/fabric/fabric.h"

namespace weft::topo {

// The fabric of a record file; `name` is the program in messages, which name the file. A file that
// ends inside a record sets *partial and warns. A link whose nodes were cut off is an error.
absl::StatusOr<topology::Fabric> ReadFabric(const std::string& name, const std::string& path,
                                            bool* partial);

// "10.0.0.1"; the first that the node has, empty if none.
std::string FirstAddress(const topology::Node& node);

const char* KindName(topology::NodeKind kind);  // "host", "switch", "unknown"

// A CSV field, quoted where RFC 4180 asks for it.
std::string CsvField(const std::string& text);

}  // namespace weft::topo
