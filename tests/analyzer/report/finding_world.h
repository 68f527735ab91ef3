// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/report/capture_findings.h"

// Analyses of captures, made without one: a healthy world, and what may be wrong in it.
namespace weft::analyzer {

inline constexpr int64_t kStartNs = 1'700'000'000'000'000'000;
inline constexpr int64_t kMs = 1'000'000;
inline constexpr wire::NetworkAddress kLeft = wire::NetworkAddress::Ipv4(0x0a000001);
inline constexpr wire::NetworkAddress kRight = wire::NetworkAddress::Ipv4(0x0a000002);
inline constexpr wire::MacAddress kMac = {2, 0, 0, 0, 0, 1};

struct World {
  CaptureAnalysis analysis;
  std::vector<CaptureInterface> interfaces{{.file = "a.pcap", .name = "", .packets = 22'000}};

  Connection& first() { return analysis.connections[0]; }
  FlowStats& data() { return first().forward; }
  FlowStats& answers() { return *first().backward; }
  Tally& naks(wire::NakCode code) { return answers().naks[static_cast<size_t>(code)]; }
  std::vector<topology::Finding> Findings() const { return CaptureFindings(analysis, interfaces); }
};

// `count` packets, from this number on.
Tally Seen(uint64_t count, uint64_t first = 100);
// Writes of 64 KiB there, ACKs back, nothing wrong.
Connection Healthy(uint32_t number, wire::NetworkAddress source = kLeft,
                   wire::NetworkAddress destination = kRight);
World HealthyWorld();
// Two senders at once to kRight.
void ManyToOne(World& world);
void Lossy(Connection& connection);
PauseLink Pause(uint64_t frames, int64_t span_ns);

}  // namespace weft::analyzer
