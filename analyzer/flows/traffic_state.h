// SPDX-License-Identifier: Apache-2.0
// Internal to analyzer/flows: what the traffic meter keeps.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/flows/host_meter.h"
#include "analyzer/flows/traffic_meter.h"

namespace weft::analyzer {

inline constexpr int64_t kSecondNs = 1'000'000'000;

// The one priority of 802.3x pause is kept as [0].
struct HeldPriorities {
  std::array<int64_t, wire::kPriorities> since_ns{};
  std::array<bool, wire::kPriorities> is_held{};
};

struct TrafficMeter::State {
  explicit State(int64_t bin) : hosts(bin) { traffic.bin_ns = bin; }

  Traffic traffic;
  Second* second = nullptr;
  // Of `second`, where there is one and it is not the last of too many; else empty.
  int64_t second_start_ns = 0;
  int64_t second_end_ns = 0;
  int64_t last_time_ns = 0;
  absl::flat_hash_map<int64_t, uint32_t> seconds_by_start;

  HostMeter hosts;

  absl::flat_hash_map<uint64_t, uint32_t> pause_by_sender;
  std::vector<HeldPriorities> held;
  absl::flat_hash_map<uint64_t, uint32_t> neighbour_by_sender;

  void NoteTime(const CapturedPacket& packet);
  void FindSecond(int64_t time_ns);
  void AddRdma(const wire::FrameView& view, const CapturedPacket& packet, HostSlots& slots);
  void AddPause(const wire::FrameView& view, const CapturedPacket& packet);
  void AddLldp(const wire::FrameView& view, const CapturedPacket& packet);
};

}  // namespace weft::analyzer
