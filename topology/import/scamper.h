// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/status.h"
#include "topology/import/flow_tables.h"
#include "topology/import/import.h"
#include "topology/import/json_fields.h"

// scamper's JSON objects. The fields are those that scamper and sc_warts2json write; all that is
// not named here is not looked at.
namespace weft::topology {

// A finding about a piece of a file that was left out. `where` names it: "traces.jsonl:7, hop 3".
Finding DamagedTrace(const std::string& where, const std::string& problem);

// {"type":"trace", src, dst, method, sport, dport, tos, firsthop, hop_count, stop_reason,
// start:{sec},
//  hops:[{addr, probe_ttl, icmp_type, icmp_code, tcp_flags}..]}
// A hop that cannot be read is left out, counted in `counts` and named in the table's findings.
// InvalidArgument: there is no trace without what is wrong.
absl::Status ReadScamperTrace(const Json& object, const std::string& origin, FlowTables& tables,
                              ImportCounts& counts);

// {"type":"tracelb", src, dst, dport, tos, firsthop, probec, start:{sec},
//  nodes:[{addr, links:[[{addr, probes:[{ttl, flowid}..]}..]..]}..]}
// A node's links are positions in order, each an array of what answered there; "*" is silence.
absl::Status ReadScamperGraph(const Json& object, const std::string& origin, FlowTables& tables,
                              ImportCounts& counts);

}  // namespace weft::topology
