// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "topology/records/hop_behaviour.h"

// What repeated probes of unchanged flows say of how a hop chooses. An answer that is missing says
// nothing, so loss and ICMP limits make a verdict unknown, never wrong.
namespace weft::probe {

// One probe of a flow at the TTL after the hop.
struct Sighting {
  static constexpr uint32_t kNowhere = UINT32_MAX;

  uint32_t flow = 0;
  uint32_t next_hop = kNowhere;  // the caller's number; kNowhere: no answer that tells
  int64_t sent_ns = 0;           // on one clock
  int64_t known_ns = 0;          // when it was answered or given up; sent_ns or later
  bool after_load = false;       // a load was put on the flow since its last sighting
};

struct ModeVerdict {
  topology::HopMode mode = topology::HopMode::kUnknown;
  // More sightings of the same kind may still tell.
  bool undecided = false;
  std::string reason;  // in words, with counts
  uint32_t probe_count = 0;
  uint32_t answered_count = 0;
  // Two sightings of one flow that follow each other are a pair. Short: with the smallest gaps that
  // were reached; long: the others; loaded: with a load between them.
  uint32_t short_pairs = 0;
  uint32_t short_changes = 0;
  uint32_t long_pairs = 0;
  uint32_t long_changes = 0;
  uint32_t loaded_pairs = 0;
  uint32_t loaded_changes = 0;
  int64_t longest_short_gap_ns = 0;
  // kFlowlet: the flow stays after a pause of the first (0: none was tried) and moves after one of
  // the second.
  int64_t pause_stays_ns = 0;
  int64_t pause_moves_ns = 0;
  // The network changed once while the hop was watched: between these two times.
  struct Change {
    int64_t from_ns = 0;
    int64_t to_ns = 0;
    uint32_t flow_count = 0;  // that moved
  };
  std::optional<Change> change;
};

// `sightings` in the order in which they were sent.
ModeVerdict JudgeMode(std::span<const Sighting> sightings);

}  // namespace weft::probe
