// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "analyzer/flows/flow_state.h"

// PSNs in order, passed over, late and repeated. InfiniBand Architecture Specification, volume 1,
// sections 9.7.1 to 9.7.3 (PSNs, requests) and 9.7.5 (responses).
namespace weft::analyzer {

// A larger step is taken for a new life of the QP.
inline constexpr int32_t kMaxPsnStep = 65'536;
// The same packet again within this time, unasked for: a capture's doing. A repetition needs a
// round trip at least.
inline constexpr int64_t kDuplicateNs = 5'000;

enum class Role : uint8_t { kRequests, kResponses, kUnreliable };

enum class Place : uint8_t {
  kNew,        // the next one, the first one, or ahead of a hole
  kLate,       // an earlier PSN that had not been seen
  kRepeated,   // an earlier PSN that had been seen
  kDuplicate,  // a capture's second copy
};

inline uint32_t TicksOf(int64_t time_ns) {
  return static_cast<uint32_t>(static_cast<uint64_t>(time_ns) >> Stream::kTickBits);
}
// A packet was seen: among the last few its second copy is known.
inline void Remember(Stream& stream, uint32_t psn, uint8_t opcode, int64_t time_ns) {
  stream.recent[stream.count++ % Stream::kRecent] = {.psn_opcode = psn | uint32_t{opcode} << 24,
                                                     .ticks = TicksOf(time_ns)};
}

// Follows `stream` of `flow` by one packet of `span` PSNs (0: not known, a READ request) and counts
// what it shows, messages included. `stats` is where the packet's message belongs.
Place Follow(Flow& flow, Stream& stream, Role role, uint32_t span, MessageStats& stats,
             const Moment& moment, FlowObserver* observer);

// A NAK names `psn`: the next burst was asked for.
void NoteNak(Flow& flow, uint32_t psn);
// The end of the capture: closes what is open. `acked`: PSNs up to flow.acked_psn were received.
// Returns PSNs never seen.
uint64_t EndStream(Flow& flow, Stream& stream, Role role, bool acked, FlowObserver* observer);

}  // namespace weft::analyzer
