// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/flows/flow_state.h"

// Messages out of packets, whatever the order in which these come. A message is whole once its
// first, its last and all packets between were seen.
namespace weft::analyzer {

// Of a packet with message data, what its message needs.
struct Piece {
  int64_t time_ns = 0;
  uint64_t bytes = 0;
  uint32_t psn = 0;
  wire::MessageKind kind = wire::MessageKind::kOther;
  bool starts = false;
  bool ends = false;
};

// A packet whose PSN is the next one. Returns true where it ends a whole message.
inline bool ExtendMessage(Stream& stream, MessageStats& stats, bool is_response,
                          const Piece& piece);
// Of a message whose first packet was not seen, at its last.
void EndHeadless(Stream& stream, MessageStats& stats);
// The packets that follow are not the next ones: sets aside what is open.
void BreakMessage(Stream& stream, Flow& flow);
// A packet with an earlier PSN, not seen before. Returns the bytes of the message that it makes
// whole, or -1.
int64_t FillMessage(Stream& stream, Flow& flow, MessageStats& stats, bool is_response,
                    const Moment& moment);
// A message of one packet, whatever the order: a READ request or an atomic.
inline void CountMessage(MessageStats& stats, uint64_t bytes) {
  stats.min_bytes = stats.messages == 0 ? bytes : std::min(stats.min_bytes, bytes);
  stats.max_bytes = std::max(stats.max_bytes, bytes);
  ++stats.messages;
  stats.bytes += bytes;
}
// The end: what is not whole is counted as incomplete.
void EndMessages(Stream& stream, Flow& flow);

inline MessageStats& StatsOf(Flow& flow, wire::MessageKind kind) {
  switch (kind) {
    case wire::MessageKind::kWrite:
      return flow.write;
    case wire::MessageKind::kReadRequest:
      return flow.read_request;
    case wire::MessageKind::kReadResponse:
      return flow.read_response;
    case wire::MessageKind::kAtomicRequest:
      return flow.atomic;
    default:
      return flow.send;
  }
}

inline bool ExtendMessage(Stream& stream, MessageStats& stats, bool is_response,
                          const Piece& piece) {
  Segment& message = stream.message;
  // A READ that is asked for again from its middle on is answered by a First: the same message.
  if (message.is_open && piece.starts && !is_response) {
    ++stats.incomplete;
    message.is_open = false;
  }
  if (!message.is_open) {
    message = {.first_ns = piece.time_ns,
               .first_psn = piece.psn,
               .kind = piece.kind,
               .is_open = true,
               .has_first = piece.starts};
  }
  message.bytes += piece.bytes;
  message.last_psn = piece.psn;
  if (!piece.ends) return false;
  message.is_open = false;
  message.has_last = true;
  if (!message.has_first) {
    EndHeadless(stream, stats);
    return false;
  }
  CountMessage(stats, message.bytes);
  return true;
}

}  // namespace weft::analyzer
