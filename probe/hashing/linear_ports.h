// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "probe/trace/icmp_budget.h"
#include "probe/trace/probe_runner.h"
#include "topology/records/path_table.h"

namespace weft::probe {

struct LinearPortsOptions {
  uint32_t ports_per_path = 16;  // to compute
  uint32_t verify_count = 16;    // random ports that must lead where the map says
  uint32_t tries = 3;
  int64_t timeout_ns = 500'000'000;
  double probes_per_second = 2000;
  uint64_t seed = 1;
  std::vector<uint16_t> avoid_ports{};
  std::function<bool()> stop{};  // may be empty
};

struct LinearPortsResult {
  // Where the hash was verified to be linear, its paths have computed_udp_src_ports; otherwise it
  // is as it was.
  topology::PathTable table;
  bool verified = false;
  std::string reason;  // why not
  uint32_t learnt_ports = 0;
  uint32_t verified_ports = 0;
  uint32_t rank = 0;  // 2^rank different choices
  uint64_t probes_sent = 0;
  // What it takes at the least to find as many ports on each path by asking where random ports
  // lead: one probe each at the TTLs that tell the paths apart.
  uint64_t probes_by_search = 0;
};

// Learns where all source ports of one pair lead from those of 15 to 25 of them, if its hops hash
// linearly, checks it on random ones, and computes ports for every path of the table. Falls back on
// the table where that does not hold. Fails only where the endpoint does.
absl::StatusOr<LinearPortsResult> LearnPorts(Endpoint& endpoint, IcmpBudget& budget,
                                             const topology::PathTable& table,
                                             const ProbeTarget& target,
                                             const LinearPortsOptions& options);

// TTLs at which the answers tell all paths of the table apart, as few as are found; empty: there is
// only one path, or silence keeps them from being told.
std::vector<uint32_t> TellingTtls(const topology::PathTable& table);

}  // namespace weft::probe
