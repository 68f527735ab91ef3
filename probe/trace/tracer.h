// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "probe/endpoint/endpoint.h"
#include "probe/trace/probe_runner.h"
#include "topology/fabric/fabric.h"
#include "topology/records/path_table.h"
#include "topology/records/probe_record.h"

namespace weft::probe {

// A tunnel of the prober's own host, into which its route to a destination leads.
struct OwnTunnel {
  std::string device;      // "vxlan100"
  std::string kind;        // "vxlan"
  wire::IpAddress remote;  // its other end, in the underlay; none: not known
};

struct TraceDestination {
  ProbeTarget target;
  std::string name{};                    // empty: not known
  std::vector<uint16_t> wanted_ports{};  // these are traced first and end up in the table
  std::optional<OwnTunnel> own_tunnel{};
};

struct TraceProgress {
  uint64_t probes_sent = 0;
  size_t destinations_done = 0;
  size_t waiting = 0;  // probes that the budget holds back
  size_t slow = 0;     // of these and those in flight: asked slowly, to tell silence from a limit
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
  // Limited-TTL probes a second that may end in one switch, from all who share them; 0: not paced.
  double icmp_per_second = 50;
  uint32_t probers = 1;  // processes that trace at the same time: each takes its part
  // What the probes wear. The flow label is IPv6's.
  uint8_t traffic_class = 0;
  uint32_t flow_label = 0;
  // What is built, where that is known: hops that are no neighbours there hide something between.
  const topology::Fabric* blueprint = nullptr;
  // Why the endpoint does not see what IPv4 errors quote, for the user; empty: it does.
  std::string quotes_unseen_reason{};
  // Called with what became of each probe, except those that only ask whether paths are alive; may
  // be empty. Times count from the beginning of the run.
  std::function<void(const topology::ProbeRecord&)> on_probe{};
  // Called between steps with what is done so far; may be empty.
  std::function<void(const TraceProgress&)> progress{};
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

// One source.
struct TraceJob {
  Endpoint* endpoint = nullptr;
  std::vector<TraceDestination> destinations;
  std::string source_name{};  // as TraceOptions::source_name, which does not count here
};

// The same from several sources at once, whose endpoints share one clock (as simulated ones do).
// They share one IcmpBudget, and the confidence is for all of them together. Results by job.
absl::StatusOr<std::vector<std::vector<TraceResult>>> TraceAll(std::span<const TraceJob> jobs,
                                                               const TraceOptions& options);

}  // namespace weft::probe
