// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "analyzer/flows/connection.h"
#include "analyzer/flows/flow_state.h"
#include "analyzer/flows/pairing.h"

namespace weft::analyzer {

// Ends every stream, settles which flows belong together, and gives connections by first packet.
std::vector<Connection> ReportFlows(std::deque<Flow>& flows, const CmBook& cm,
                                    FlowObserver* observer);

size_t MemoryOf(const Flow& flow);

}  // namespace weft::analyzer
