// SPDX-License-Identifier: Apache-2.0
#include "analyzer/flows/message_segments.h"

#include <algorithm>

namespace weft::analyzer {
namespace {

bool StandsBehindHole(const Stream& stream, uint32_t psn) {
  if (!stream.trouble) return false;
  const uint32_t before = PsnPlus(psn, wire::kPsnMask);
  return std::any_of(stream.trouble->holes.begin(), stream.trouble->holes.end(),
                     [before](const Hole& hole) {
                       const int32_t at = PsnsFrom(hole.first_psn, before);
                       return at >= 0 && static_cast<uint32_t>(at) < hole.count;
                     });
}

void SetAside(Stream& stream, Flow& flow, const Segment& segment) {
  if (!stream.trouble) stream.trouble = std::make_unique<StreamTrouble>();
  std::vector<Segment>& segments = stream.trouble->segments;
  if (segments.size() == StreamTrouble::kMaxSegments) {
    ++StatsOf(flow, segments.front().kind).incomplete;
    segments.erase(segments.begin());
  }
  segments.push_back(segment);
}

// Joins what stands directly before and behind `piece` to it.
void JoinNeighbours(std::vector<Segment>& segments, Segment& piece, bool is_response) {
  for (size_t i = 0; i < segments.size();) {
    const Segment& other = segments[i];
    const bool is_before = !other.has_last && other.kind == piece.kind &&
                           PsnPlus(other.last_psn, 1) == piece.first_psn &&
                           (!piece.has_first || is_response);
    const bool is_behind = !other.has_first && other.kind == piece.kind && !piece.has_last &&
                           PsnPlus(piece.last_psn, 1) == other.first_psn;
    if (!is_before && !is_behind) {
      ++i;
      continue;
    }
    piece.bytes += other.bytes;
    if (is_before) {
      piece.first_psn = other.first_psn;
      piece.has_first = other.has_first;
    } else {
      piece.last_psn = other.last_psn;
      piece.has_last = other.has_last;
    }
    segments.erase(segments.begin() + static_cast<std::ptrdiff_t>(i));
    i = 0;
  }
}

}  // namespace

void EndHeadless(Stream& stream, MessageStats& stats) {
  if (StandsBehindHole(stream, stream.message.first_psn)) {
    stream.trouble->segments.push_back(stream.message);
  } else {
    ++stats.incomplete;
  }
}

void BreakMessage(Stream& stream, Flow& flow) {
  if (!stream.message.is_open) return;
  stream.message.is_open = false;
  SetAside(stream, flow, stream.message);
}

int64_t FillMessage(Stream& stream, Flow& flow, MessageStats& stats, bool is_response,
                    const Moment& moment) {
  Segment piece = {.first_ns = moment.now_ns(),
                   .bytes = moment.view.rdma.payload_bytes,
                   .first_psn = moment.psn(),
                   .last_psn = moment.psn(),
                   .kind = moment.info.kind,
                   .has_first = moment.info.starts_message,
                   .has_last = moment.info.ends_message,
                   .is_repeated = true};
  if (!stream.trouble) stream.trouble = std::make_unique<StreamTrouble>();
  JoinNeighbours(stream.trouble->segments, piece, is_response);
  Segment& open = stream.message;
  if (open.is_open && !open.has_first && !piece.has_last && open.kind == piece.kind &&
      PsnPlus(piece.last_psn, 1) == open.first_psn) {
    open.first_psn = piece.first_psn;
    open.bytes += piece.bytes;
    open.has_first = piece.has_first;
    open.is_repeated = true;
    return -1;
  }
  if (piece.has_first && piece.has_last) {
    CountMessage(stats, piece.bytes);
    return static_cast<int64_t>(piece.bytes);
  }
  SetAside(stream, flow, piece);
  return -1;
}

void EndMessages(Stream& stream, Flow& flow) {
  BreakMessage(stream, flow);
  if (!stream.trouble) return;
  std::vector<Segment>& segments = stream.trouble->segments;
  std::sort(segments.begin(), segments.end(), [](const Segment& a, const Segment& b) {
    return PsnsFrom(b.first_psn, a.first_psn) < 0;
  });
  bool goes_on = false;  // the one before lacks its end: this may be it
  for (const Segment& segment : segments) {
    if (!goes_on || segment.has_first) ++StatsOf(flow, segment.kind).incomplete;
    goes_on = !segment.has_last;
  }
  segments.clear();
}

}  // namespace weft::analyzer
