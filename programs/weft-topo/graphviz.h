// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace weft::topo {

// Runs Graphviz's program `layout` ("dot", "sfdp") on `source` and returns the SVG it prints. No
// shell is between; it is looked up in PATH, and ended after `seconds`.
// NotFound: it is not installed, says which package; DeadlineExceeded; Internal: what it said.
absl::StatusOr<std::string> LayOutAsSvg(const std::string& layout, const std::string& source,
                                        double seconds);

}  // namespace weft::topo
