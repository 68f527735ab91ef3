// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "topology/fabric/fabric.h"

namespace weft::lb {

// As command::ReadFabric; warns, too, where the fabric is in several parts.
absl::StatusOr<topology::Fabric> ReadPlanningFabric(const std::string& name,
                                                    const std::string& path, bool* partial);

}  // namespace weft::lb
