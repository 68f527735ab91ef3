// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "topology/fabric/fabric.h"

namespace weft::lb {

// Reads a fabric for the subcommand `name`; errors begin with the file's name. Warns where the file
// is cut off (and sets `partial`) and where the fabric is in several parts.
absl::StatusOr<topology::Fabric> ReadFabric(const std::string& name, const std::string& path,
                                            bool* partial);

}  // namespace weft::lb
