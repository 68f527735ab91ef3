// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "probe/trace/tracer.h"
#include "tests/probe/simulated_fabric.h"

// A trace from host1-1 to host2-1, and what is compared with the fabric.
namespace weft::probe {

inline TraceResult TraceOne(SimulatedFabric& fabric, const TraceOptions& options = {},
                            const std::vector<uint16_t>& wanted_ports = {}) {
  const auto endpoint = fabric.Open("host1-1");
  TraceDestination destination = fabric.Destination("host2-1");
  destination.wanted_ports = wanted_ports;
  const auto results = Trace(*endpoint, {&destination, 1}, options);
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? (*results)[0] : TraceResult();
}

// State by the spine that a path crosses; a path that shows no spine of the fabric by "?".
inline std::map<std::string, topology::PathState> StatesBySpine(const SimulatedFabric& fabric,
                                                                const topology::PathTable& table) {
  std::map<std::string, topology::PathState> states;
  const auto all = fabric.TruePaths("host1-1", "host2-1");
  for (const topology::Path& path : table.paths) {
    std::string via = "?";
    for (const auto& [spine, hops] : all) {
      if (AddressesOf(path) == hops) via = spine;
    }
    EXPECT_FALSE(states.contains(via)) << via << " has two paths";
    states[via] = path.state;
  }
  return states;
}

// Every port of the table, on paths that are seen to the end, goes where the table says.
inline void ExpectPortsLeadWhereTheTableSays(const SimulatedFabric& fabric,
                                             const topology::PathTable& table) {
  const auto all = fabric.TruePaths("host1-1", "host2-1");
  for (const topology::Path& path : table.paths) {
    for (const uint16_t port : path.udp_src_ports) {
      const auto& hops = all.at(fabric.SpineOf("host1-1", "host2-1", port));
      ASSERT_EQ(path.hops.size(), hops.size());
      for (size_t i = 0; i < hops.size(); ++i) {
        if (!path.hops[i].address.empty()) {
          EXPECT_EQ(path.hops[i].address, hops[i]) << "port " << port;
        }
      }
    }
  }
}

}  // namespace weft::probe
