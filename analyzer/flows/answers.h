// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/flows/flow_state.h"

// What the packets of one end say about the requests of the other: ACKs, NAKs, READ responses,
// atomics' results; round trips, completions and waits come from them. InfiniBand Architecture
// Specification, volume 1, sections 9.7.5 to 9.7.7.
namespace weft::analyzer {

inline constexpr int64_t kUnansweredNs = 20'000;
inline constexpr int64_t kTypicalGaps = 10;  // times the typical gap between requests is no wait

// One request after another, `gap` ns apart: the typical gap drifts towards the median.
inline void DriftTypicalGap(Flow& flow, int64_t gap) {
  int64_t& typical = flow.typical_gap_ns;
  if (typical == 0) {
    typical = std::max<int64_t>(gap, 1);
    return;
  }
  const int64_t step = typical / 16 + 1;
  if (gap > typical) typical += step;
  if (gap < typical) typical = std::max<int64_t>(typical - step, 1);
}

inline constexpr int64_t kIdleNs = 5'000;

// All requests of `flow` are covered, and the next one comes now: how long its sender took, as seen
// here. Notes how quickly it can.
inline int64_t NoteReaction(Flow& flow, int64_t now_ns) {
  const int64_t answered = flow.peer->last_answer_ns;
  const int64_t wait = now_ns - std::max(flow.last_request_ns, answered);
  if (answered >= flow.last_request_ns && wait >= 0) {
    ++flow.reactions;
    if (flow.min_reaction_ns < 0 || wait < flow.min_reaction_ns) flow.min_reaction_ns = wait;
  }
  return wait;
}
inline bool IsShortWait(const Flow& flow, int64_t wait) {
  return wait <= kIdleNs || wait <= kTypicalGaps * flow.typical_gap_ns;
}

inline bool AllIsAcked(const Flow& flow) {
  return flow.is_acked && !flow.requests.end_is_unknown &&
         PsnsFrom(flow.requests.expected, flow.acked_psn) >= -1;
}

// Requests of `flow` are out that no answer has covered.
inline bool IsAwaited(const Flow& flow) {
  return flow.is_acked && PsnsFrom(flow.requests.expected, flow.acked_psn) < -1;
}
// Whether nothing moving for `wait` ns is more than `flow`'s own pace explains.
inline bool IsLongWait(const Flow& flow, int64_t wait) {
  return wait > kUnansweredNs && wait > kTypicalGaps * flow.typical_gap_ns;
}

// A message of SEND or WRITE has ended with `psn`: its answer is awaited from now on.
inline void AwaitMessage(Flow& flow, int64_t now_ns, bool is_timed, uint32_t psn) {
  const Segment& message = flow.requests.message;
  flow.awaited.Push({.first_ns = message.first_ns,
                     .last_ns = now_ns,
                     .first_psn = message.first_psn,
                     .last_psn = psn,
                     .is_whole = is_timed && message.has_first,
                     .is_repeated = message.is_repeated});
}

// PSNs that `moment`, a request of `flow`, takes; 0: not known (a READ whose number of responses
// depends on an MTU that was not seen, or whose length was cut off).
uint32_t PsnSpan(const Flow& flow, const Moment& moment);

// A request of `flow`, before its PSN is followed: how long it was waited for.
void NoteWait(Flow& flow, const Moment& moment, FlowObserver* observer);

// An answer in `answers` to requests of `flow`, its peer.
void Answer(Flow& flow, const Moment& moment, FlowObserver* observer);
// Counts an AETH in the flow that carries it, whether or not a peer is known.
void CountAnswer(Flow& answers, const Moment& moment, FlowObserver* observer);

// Before any packet of the pair: nothing moved although something was awaited from `flow`'s peer.
void NoteUnanswered(Flow& flow, const Moment& moment);

// Takes back what answers of a provisional peer had said.
void ForgetAnswers(Flow& flow);

}  // namespace weft::analyzer
