// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "probe/endpoint/endpoint.h"
#include "probe/trace/probe_runner.h"
#include "topology/records/path_table.h"

namespace weft::probe {

struct CheckInput {
  topology::PathTable table;
  ProbeTarget target;
};

struct CheckOptions {
  uint32_t ports_per_path = 2;  // how many of a path's source ports are tried
  uint32_t rounds = 3;          // end to end, by every answer port; more where something is lost
  uint32_t tries = 3;           // of a limited-TTL probe
  int64_t timeout_ns = 500'000'000;
  double probes_per_second = 2000;
  // Limited-TTL probes a second that may end in one switch, from all who share them; 0: not paced.
  double icmp_per_second = 50;
  uint32_t probers = 1;
  uint64_t seed = 1;  // of the answer ports
  // Asked between steps: true ends the check with what there is; may be empty.
  std::function<bool()> stop{};
};

struct CheckResult {
  // As given, with each path's state and end-to-end counts measured anew, and with void_reason
  // where a port no longer leads where the table says (the states are unknown then).
  topology::PathTable table;
  std::string problem;  // why states are unknown; empty: they are not, or the table is void
  uint32_t probes_sent = 0;
};

// Measures known paths again, with the headers that the table was measured with. A path is dead or
// lossy as the rules of liveness.h say, so a path that swallows everything silently is dead, and
// the table stays valid. A table is void when a limited-TTL probe meets another interface than the
// table has where its paths differ. One result per input, in their order. Fails only where the
// endpoint does.
absl::StatusOr<std::vector<CheckResult>> CheckPaths(Endpoint& endpoint,
                                                    std::span<const CheckInput> inputs,
                                                    const CheckOptions& options);

}  // namespace weft::probe
