// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "topology/fabric/fabric.h"

namespace weft::command {

// The fabric of a record file ("-": stdin); errors begin with the file's name. A file that ends
// inside a record is named in a warning of program `name` and sets *partial; a link whose nodes
// were cut off is an error.
absl::StatusOr<topology::Fabric> ReadFabric(const std::string& name, const std::string& path,
                                            bool* partial);

}  // namespace weft::command
