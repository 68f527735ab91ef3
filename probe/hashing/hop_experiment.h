// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "probe/hashing/field_trial.h"
#include "probe/hashing/hop_vertex.h"
#include "probe/hashing/mode_judge.h"
#include "probe/hashing/quality.h"
#include "probe/trace/icmp_budget.h"
#include "probe/trace/probe_runner.h"
#include "topology/records/path_table.h"

// How each hop chooses, found by experiment: its mode, the fields it hashes, and how evenly.
namespace weft::probe {

struct HopsInput {
  topology::PathTable table;  // as traced
  ProbeTarget target;
  bool answers = false;  // the destination answers probes, so a load can be put on a flow
  // Other hosts behind the same switches: only to them may the destination address be varied.
  std::vector<wire::IpAddress> others{};
};

struct HopsOptions {
  double confidence = 0.99;                // that no field of the run is called ignored wrongly
  std::vector<wire::IpAddress> sources{};  // this host's other addresses, on the same interface
  std::vector<uint32_t> live_qpns{};       // destination QPs to try first
  // Packets of one flow that are sent to its destination at once, to see whether a load moves it;
  // 0: none.
  uint32_t load_packets = 128;
  uint32_t flows_per_next_hop = 16;  // to judge evenness by; 0: not judged
  uint32_t tries = 3;
  int64_t timeout_ns = 500'000'000;
  double probes_per_second = 2000;
  uint64_t seed = 1;
  std::vector<uint16_t> avoid_ports{};
  std::function<void(const std::string& what)> progress{};  // may be empty
  std::function<bool()> stop{};                             // may be empty
};

struct HopReport {
  topology::HopBehaviour behaviour;
  bool is_explored = false;          // one next hop: all fields were varied, and it stays one
  std::string note;                  // why something is not known; empty: nothing is lacking
  ModeVerdict mode;                  // where there are several next hops
  std::vector<FieldFinding> fields;  // where they are hashed
  HashQuality quality;               // where the source port is
};

struct HopsResult {
  topology::PathTable table;  // with hop_behaviours and findings
  std::vector<HopReport> hops;
  uint64_t probes_sent = 0;
  bool stopped = false;
};

// Nearest hops first, since the way to a hop must be known to be stable before the hop can be
// judged. `budget` paces all probes whose TTL ends in a switch. Fails only where the endpoint does.
absl::StatusOr<HopsResult> ExamineHops(Endpoint& endpoint, IcmpBudget& budget,
                                       const HopsInput& input, const HopsOptions& options);

}  // namespace weft::probe
