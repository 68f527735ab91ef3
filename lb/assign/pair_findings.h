// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "lb/assign/candidates.h"
#include "lb/assign/pair_table.h"
#include "topology/records/finding.h"

// What a plan says about pairs of NICs. Codes are stable.
namespace weft::lb {

// "host1-1 -> host2-1"
std::string SubjectOf(const FlowPair& pair);
// "leaf1 spine2 leaf3"
std::string PathText(const std::vector<std::string>& switches);

// not-in-fabric, error: a flow names an address that no host interface of the fabric has.
topology::Finding NotInFabric(const FlowPair& pair, const wire::IpAddress& address);
// not-measured (no table, or a void one) or no-path (nothing living), error: flows stay as they
// are. `table` may be null.
topology::Finding NoPath(const FlowPair& pair, const PairTable* table);
// no-path, error: the fabric is in several parts, and the two hosts are not in one.
topology::Finding InDifferentParts(const FlowPair& pair);
// paths-hidden, warning: an overlay hides the paths, so flows stay as they are.
topology::Finding PathsHidden(const FlowPair& pair, const std::string& reason);
// path-not-in-fabric, warning: a living path does not lie in the fabric; it is not used.
topology::Finding PathNotInFabric(const FlowPair& pair, const std::string& reason);
// lossy-path, warning: nothing but lossy paths, so they are used.
topology::Finding OnlyLossyPaths(const FlowPair& pair, size_t path_count);
// single-path, info: nothing to balance.
topology::Finding SinglePath(const FlowPair& pair, const std::vector<std::string>& switches);
// path-without-port, info: the plan would be better with a port for this path.
topology::Finding PathWithoutPort(const FlowPair& pair, const std::vector<std::string>& switches);

}  // namespace weft::lb
