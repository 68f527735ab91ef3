// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "topology/records/fabric_records.h"

namespace weft::topo {

// "10.0.0.1"; the first that the node has (a switch's loopback, a host's interface), empty if none.
std::string FirstAddress(const topology::Node& node);

const char* KindName(topology::NodeKind kind);  // "host", "switch", "unknown"

}  // namespace weft::topo
