// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/probe/simulated_fabric.h"

// For tests of simulated networks that hold over IPv4 and IPv6, with addresses on every interface
// and with loopbacks only.
namespace weft::probe {

inline constexpr int64_t kMillisecond = 1'000'000;
inline constexpr uint8_t kEct0 = 2;
// Neighbouring source ports spread: with CRC-32's high bits they do not.
inline const SimulatedNetworkOptions kMixed = {.hash_function =
                                                   topology::HashModel::Function::kMixed};

inline Probe ProbeTo(const wire::IpAddress& destination, uint8_t ttl = 64) {
  return {.id = 1,
          .destination = destination,
          .dest_qpn = 0x12,
          .udp_src_port = 50000,
          .reply_udp_src_port = 50001,
          .ttl = ttl,
          .timeout_ns = 10 * kMillisecond};
}

// What becomes of one probe.
inline Event OutcomeOf(Endpoint& endpoint, const Probe& probe) {
  EXPECT_TRUE(endpoint.Send({&probe, 1}).ok());
  std::vector<Event> events;
  EXPECT_TRUE(endpoint.Poll(endpoint.Now() + 1000 * kMillisecond, events).ok());
  return events.empty() ? Event() : events.back();
}

struct FamilyRow {
  std::string name;
  topology::Addressing addressing;
};

class SimulatedNetworkOf : public testing::TestWithParam<FamilyRow> {
 protected:
  topology::LeafSpineOptions LeafSpine(uint32_t leaves, uint32_t spines,
                                       uint32_t hosts_per_leaf = 1) const {
    return {.leaves = leaves,
            .spines = spines,
            .hosts_per_leaf = hosts_per_leaf,
            .addressing = GetParam().addressing};
  }
  // One path from host1-1 to host2-1: leaf1, spine1, leaf2.
  topology::LeafSpineOptions OnePath() const { return LeafSpine(2, 1); }
  topology::ThreeTierOptions ThreeTier() const {
    return {.pods = 2,
            .leaves_per_pod = 2,
            .spines_per_pod = 2,
            .cores = 4,
            .hosts_per_leaf = 2,
            .addressing = GetParam().addressing};
  }
  bool unnumbered() const { return GetParam().addressing.unnumbered; }
  bool is_v6() const { return GetParam().addressing.ipv6; }

  // What answers at each TTL from 1 until the destination does (kind EventKind::kReply), at most
  // `last`.
  static std::vector<Event> Trace(SimulatedFabric& fabric, Probe probe, uint8_t last = 8) {
    const auto endpoint = fabric.Open("host1-1");
    std::vector<Event> events;
    for (uint8_t ttl = 1; ttl <= last; ++ttl) {
      probe.ttl = ttl;
      events.push_back(OutcomeOf(*endpoint, probe));
      if (events.back().kind == EventKind::kReply) break;
    }
    return events;
  }
  static std::vector<Event> Trace(SimulatedFabric& fabric, const std::string& to) {
    return Trace(fabric, ProbeTo(fabric.address(to)));
  }
  // Names of the switches that answer, "*" for silence, the destination's own name for its reply.
  static std::vector<std::string> Names(const SimulatedFabric& fabric,
                                        const std::vector<Event>& events) {
    std::vector<std::string> names;
    for (const Event& event : events) {
      const auto node = fabric.fabric().FindAddress(event.hop_address);
      names.push_back(event.kind == EventKind::kReply ? "reply"
                      : node                          ? fabric.fabric().node(*node).name
                                                      : "*");
    }
    return names;
  }
};

inline const auto kFamilies =
    testing::Values(FamilyRow{"Ipv4", {}}, FamilyRow{"Ipv6", {.ipv6 = true}},
                    FamilyRow{"Ipv4Unnumbered", {.unnumbered = true}},
                    FamilyRow{"Ipv6Unnumbered", {.ipv6 = true, .unnumbered = true}});
inline std::string FamilyName(const testing::TestParamInfo<FamilyRow>& row) {
  return row.param.name;
}

}  // namespace weft::probe
