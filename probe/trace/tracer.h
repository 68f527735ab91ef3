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

struct TraceDestination {
  ProbeTarget target;
  std::string name{};                    // empty: not known
  std::vector<uint16_t> wanted_ports{};  // these are traced first and end up in the table
};

struct TraceOptions {
  std::string source_name{};  // empty: not known
  std::string measured_at{};  // RFC 3339, UTC
  double confidence = 0.99;   // that the whole run, all destinations together, misses no path
  uint32_t max_ttl = 30;
  uint32_t silent_hop_limit = 3;
  uint32_t ports_per_path = 0;  // at least, as far as they can be found
  uint32_t tries = 3;           // of a probe, before the hop is called silent for it
  int64_t timeout_ns = 500'000'000;
  double probes_per_second = 2000;
  uint64_t seed = 1;
  std::vector<uint16_t> avoid_ports{};
  // Called between steps with what is done so far; may be empty.
  std::function<void(uint64_t probes_sent, size_t destinations_done)> progress{};
  // Asked between steps: true ends the run with what there is; may be empty.
  std::function<bool()> stop{};
};

struct TraceResult {
  topology::PathTable table;
  std::string problem;  // why the table is not all it should be; empty: it is
  bool reached = false;
  std::vector<uint16_t> unplaced_ports;  // wanted ports that are in no path of the table
};

// Finds the paths from one source to several destinations, by the Multipath Detection Algorithm
// with node control. alpha = 1 - confidence is divided by the vertices of the whole run: as their
// number grows, earlier ones are asked again until every stopping rule holds. One result per
// destination, in their order. Fails only where the endpoint does.
absl::StatusOr<std::vector<TraceResult>> Trace(Endpoint& endpoint,
                                               std::span<const TraceDestination> destinations,
                                               const TraceOptions& options);

}  // namespace weft::probe
