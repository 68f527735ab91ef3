// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "probe/hashing/hop_asker.h"
#include "probe/hashing/hop_vertex.h"
#include "probe/hashing/mode_judge.h"

namespace weft::probe {

struct ModeWatchOptions {
  uint32_t rounds = 12;       // each asks every flow three times: twice at once, and after a pause
  uint32_t more_rounds = 24;  // where those do not tell
  // Pauses go through these, four times as long each time.
  int64_t shortest_pause_ns = 100'000;
  int64_t longest_pause_ns = 102'400'000;
  // Then each flow is asked before and after a load on it, so many times; 0: no load.
  uint32_t load_rounds = 4;
  uint32_t load_packets = 128;  // of a burst; a load is two to four of them within 1 ms
  // Between two flows' turns, so that the ICMP budget has what the next turn takes at once.
  int64_t between_ns = 0;
};

// Watches at the TTL after `vertex` whether unchanged flows, which are known to pass it, keep their
// next hop: at once, after pauses, and after a load. `flows`: at most a handful.
absl::StatusOr<ModeVerdict> WatchMode(HopAsker& asker, const HopVertex& vertex,
                                      std::span<const HopFlow> flows,
                                      const ModeWatchOptions& options);

}  // namespace weft::probe
