// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "topology/records/finding.h"
#include "topology/records/path_table.h"

// What other tools traced, as path tables, so that whatever reads ours reads theirs.
//
// What their files do not say stays unknown: the nodes' names, the confidence, and (but for the
// cases below) source ports that one could steer with. A silent hop stays a silent hop; two of them
// are never one node. An address that answers at two hops in a row stays there twice. The
// destination ends a path, wherever it answers. MPLS labels are not looked at.
namespace weft::topology {

enum class TraceFormat : uint8_t {
  // JSON of scamper and sc_warts2json: one object a line, of which "trace" and "tracelb" are read.
  // A UDP trace that kept its ports (method udp-paris) has its source port in the table. A tracelb
  // is a graph without the path of each flow: its paths are those that the graph allows.
  kScamper,
  // JSON of dublin-traceroute: one document. It varies the destination port, so each flow is a
  // table
  // of its own and has no source port; where it varied the source port (then its flows are named
  // after that), the ports are in the table.
  kDublinTraceroute,
};
const char* ToString(TraceFormat format);  // "scamper", "dublin-traceroute"
std::optional<TraceFormat> ParseTraceFormat(std::string_view name);

// A tracelb's graph may allow more paths than one would read: the rest is cut, and a finding says
// so.
inline constexpr size_t kMaxPathsOfGraph = 1024;

struct ImportCounts {
  uint64_t traces = 0;         // traces, graphs and flows that are in the tables
  uint64_t other_objects = 0;  // of other kinds: cycle marks, pings, what a wrapper adds
  uint64_t damaged = 0;        // lines, flows, hops and links that could not be read
};

struct ImportResult {
  std::vector<PathTable> tables;  // in order of first appearance
  std::vector<Finding> findings;  // of the file; those of a pair stand in its table
  ImportCounts counts;
};

// `text` is a whole file, bounded by the caller: what is built of it takes up to some twenty times
// its bytes. `name` is what messages call it. InvalidArgument: nothing in it is of this format;
// what is damaged in a file that is, is left out, counted and named by findings (damaged-trace).
// Other findings: repeated-address, routing-loop, per-packet-or-changed, ports-varied, paths-cut,
// destination-inside-path, zero-ttl-forwarding, nat-on-path.
absl::StatusOr<ImportResult> ImportTraces(TraceFormat format, std::string_view text,
                                          const std::string& name);

}  // namespace weft::topology
