// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "analyzer/flows/flow_state.h"

// What the packets of one end say about the requests of the other: ACKs, NAKs, READ responses,
// atomics' results; round trips, completions and waits come from them. InfiniBand Architecture
// Specification, volume 1, sections 9.7.5 to 9.7.7.
namespace weft::analyzer {

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
