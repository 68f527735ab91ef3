// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "analyzer/flows/flow_state.h"

// Messages out of packets, whatever the order in which these come. A message is whole once its
// first, its last and all packets between were seen.
namespace weft::analyzer {

// A packet whose PSN is the next one. Returns true where it ends a whole message.
bool ExtendMessage(Stream& stream, MessageStats& stats, bool is_response, const Moment& moment);
// The packets that follow are not the next ones: sets aside what is open.
void BreakMessage(Stream& stream, Flow& flow);
// A packet with an earlier PSN, not seen before. Returns the bytes of the message that it makes
// whole, or -1.
int64_t FillMessage(Stream& stream, Flow& flow, MessageStats& stats, bool is_response,
                    const Moment& moment);
// A message of one packet, whatever the order: a READ request or an atomic.
void CountMessage(MessageStats& stats, uint64_t bytes);
// The end: what is not whole is counted as incomplete.
void EndMessages(Stream& stream, Flow& flow);

MessageStats& StatsOf(Flow& flow, wire::MessageKind kind);

}  // namespace weft::analyzer
