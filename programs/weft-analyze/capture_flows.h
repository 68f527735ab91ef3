// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "analyzer/flows/connection.h"
#include "topology/fabric/fabric.h"
#include "topology/records/flow.h"

namespace weft::analyze {

// The flows with data of RoCEv2, as records for planning: goodput for rate, the commonest source
// port. Nodes are named by the fabric where it knows their address, else by the address.
std::vector<topology::Flow> FlowRecords(std::span<const analyzer::Connection> connections,
                                        const topology::Fabric* fabric);

}  // namespace weft::analyze
