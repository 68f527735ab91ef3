// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/status.h"
#include "topology/import/flow_tables.h"
#include "topology/import/import.h"
#include "topology/import/json_fields.h"

namespace weft::topology {

// dublin-traceroute's document:
// {flows: {PORT: [{sent: {timestamp, ip: {src, dst, ttl}, udp: {sport, dport}},
//                  received: null or {ip: {src}, icmp: {type, code}},
//                  is_last, nat_id, zerottl_forwarding_bug}..]..}}
// The flows are named after the port that was varied. What is behind is_last, and MPLS labels, are
// not looked at. A flow or hop that cannot be read is left out, counted in `counts` and named in
// `findings` or the table's findings. InvalidArgument: there are no flows.
absl::Status ReadDublinTraceroute(const Json& document, const std::string& name, FlowTables& tables,
                                  std::vector<Finding>& findings, ImportCounts& counts);

}  // namespace weft::topology
