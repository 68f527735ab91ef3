// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "topology/records/flow.h"

namespace weft::lb {

// The planned flows as a port map: a line "srcIP,dstIP=port,port" per pair of NICs, ports in the
// order of the flows' ids, lines in the order of the addresses. Flows without a path are left out.
std::string PortMapText(std::span<const topology::Flow> flows);

}  // namespace weft::lb
