// SPDX-License-Identifier: Apache-2.0
#include "analyzer/flows/psn_stream.h"

#include <algorithm>

#include "analyzer/flows/message_segments.h"

namespace weft::analyzer {
namespace {

using Kind = FlowEvent::Kind;

// Silence after which a repetition that no NAK asked for is a timer's doing. Where NAKs can not be
// seen, only a silence that no round trip explains.
constexpr int64_t kSilenceNs = 50'000;
constexpr int64_t kSilenceUnknownRttNs = 1'000'000;
constexpr int64_t kSilenceOneWayNs = 4'000'000;

StreamTrouble& TroubleOf(Stream& stream) {
  if (!stream.trouble) stream.trouble = std::make_unique<StreamTrouble>();
  return *stream.trouble;
}

int64_t SilenceNs(const Flow& flow) {
  if (flow.peer == nullptr) return kSilenceOneWayNs;
  if (flow.min_rtt_ns < 0) return kSilenceUnknownRttNs;
  return std::max(kSilenceNs, 4 * flow.min_rtt_ns);
}

// How long ago the same packet was seen, if it is among the last few; or -1.
int64_t SeenNsAgo(const Stream& stream, const Moment& moment) {
  const uint32_t wanted = moment.psn() | uint32_t{moment.view.rdma.bth.opcode} << 24;
  const uint32_t known = std::min<uint32_t>(stream.count, Stream::kRecent);
  for (uint32_t back = 1; back <= known; ++back) {
    const Stream::Recent& one = stream.recent[(stream.count - back) % Stream::kRecent];
    if (one.psn_opcode != wanted) continue;
    if (!moment.timed()) return back == 1 ? 0 : kDuplicateNs + 1;
    return static_cast<int64_t>(TicksOf(moment.now_ns()) - one.ticks) << Stream::kTickBits;
  }
  return -1;
}

void Forget(Flow& flow, StreamTrouble& trouble, const Hole& hole, bool acked) {
  trouble.forgotten_psns += hole.count;
  if (!acked || !flow.is_acked || hole.was_nakked) return;
  const int32_t covered = PsnsFrom(hole.first_psn, flow.acked_psn) + 1;
  if (covered <= 0) return;
  Tally& lost = flow.oddities().capture_lost;
  lost.Note(hole.packet);
  lost.count += std::min(static_cast<uint32_t>(covered), hole.count) - 1;
}

// Takes `span` PSNs (0: to the end of the hole) out of the holes. True where one of them was there.
bool Fill(StreamTrouble& trouble, uint32_t psn, uint32_t span) {
  for (size_t i = 0; i < trouble.holes.size(); ++i) {
    Hole& hole = trouble.holes[i];
    const int32_t at = PsnsFrom(hole.first_psn, psn);
    if (at < 0 || static_cast<uint32_t>(at) >= hole.count) continue;
    const auto before = static_cast<uint32_t>(at);
    const uint32_t taken = span == 0 ? hole.count - before : std::min(span, hole.count - before);
    const uint32_t behind = hole.count - before - taken;
    Hole rest = hole;
    rest.first_psn = PsnPlus(psn, taken);
    rest.count = behind;
    hole.count = before;
    const auto here = trouble.holes.begin() + static_cast<std::ptrdiff_t>(i);
    if (before == 0 && behind == 0) {
      trouble.holes.erase(here);
    } else if (before == 0) {
      hole = rest;
    } else if (behind != 0) {
      trouble.holes.insert(here + 1, rest);
    }
    return true;
  }
  return false;
}

void TellBurst(const Flow& flow, const Burst& burst, Kind kind, FlowObserver* observer) {
  if (observer == nullptr) return;
  observer->OnEvent({.kind = kind,
                     .flow = &flow.key,
                     .packet = burst.first_packet,
                     .time_ns = burst.first_ns,
                     .psn = burst.first_psn,
                     .opcode = burst.opcode,
                     .value = burst.back});
}

// Once a burst, when it is sure: at its start, or at the first packet that had been seen.
void TellRetransmission(const Flow& flow, Burst& burst, FlowObserver* observer) {
  if (burst.is_told) return;
  burst.is_told = true;
  TellBurst(flow, burst, Kind::kRetransmission, observer);
}

// What a burst was is known at its end: late packets that the stream takes in its stride, or a
// repetition that goes on over packets that had been seen.
void CloseBurst(Flow& flow, Stream& stream, FlowObserver* observer) {
  Burst& burst = stream.trouble->burst;
  if (!burst.is_open) return;
  burst.is_open = false;
  Oddities& odd = flow.oddities();
  const bool by_timer = !burst.was_asked && burst.after_silence;
  if (burst.repeated == 0 && !burst.was_asked && !by_timer) {
    for (uint64_t i = 0; i < burst.filled; ++i) {
      odd.reordered.Note(i < Tally::kKept ? burst.filled_packets[i] : 0);
    }
    TellBurst(flow, burst, Kind::kReordered, observer);
    return;
  }
  const bool goes_on = burst.repeated > 0 &&
                       (burst.repeated + burst.filled > 1 || burst.next_psn == stream.expected);
  (goes_on ? odd.go_back_n : odd.selective).Note(burst.first_packet);
  if (by_timer) odd.timeouts.Note(burst.first_packet);
}

void OpenBurst(Flow& flow, Stream& stream, Role role, uint32_t back, const Moment& moment) {
  StreamTrouble& trouble = *stream.trouble;
  const int64_t silent_since = flow.last_request_ns;
  const bool is_request = role == Role::kRequests;
  trouble.burst = {.is_open = true,
                   .was_asked = is_request && flow.nak_pending,
                   .after_silence = is_request && moment.timed() && flow.request_packets > 1 &&
                                    moment.now_ns() - silent_since > SilenceNs(flow),
                   .first_psn = moment.psn(),
                   .next_psn = moment.psn(),
                   .first_packet = moment.packet.number,
                   .first_ns = moment.now_ns(),
                   .opcode = moment.view.rdma.bth.opcode,
                   .back = back};
  if (!is_request) return;
  if (flow.nak_pending && flow.min_reaction_ns < 0) flow.min_reaction_ns = INT64_MAX;
  if (flow.nak_pending && moment.timed() && !flow.rnr_pending && flow.peer != nullptr) {
    const int64_t reaction = moment.now_ns() - flow.peer->last_answer_ns;
    if (reaction >= 0) {
      flow.min_reaction_ns = std::min(flow.min_reaction_ns, reaction);
      ++flow.reactions;
    }
  }
  // Packets on their way when the NAK went by may still come before those that it asks for.
  if (moment.psn() == flow.nak_psn) flow.nak_pending = false;
  for (size_t i = 0; i < flow.awaited.size(); ++i) {
    Awaited& awaited = flow.awaited.at(i);
    if (PsnsFrom(moment.psn(), awaited.last_psn) >= 0) awaited.is_repeated = true;
  }
}

// An interval between two times that one PSN was sent.
void NoteInterval(Flow& flow, StreamTrouble& trouble, int64_t seen_ns_ago, const Moment& moment) {
  if (!moment.timed()) return;
  int64_t interval = seen_ns_ago;
  if (trouble.had_burst && trouble.last_burst_psn == moment.psn()) {
    interval = moment.now_ns() - trouble.last_burst_ns;
  }
  if (interval > 0) flow.oddities().retransmission_interval.Add(interval);
  trouble.had_burst = true;
  trouble.last_burst_psn = moment.psn();
  trouble.last_burst_ns = moment.now_ns();
}

Place TakeEarlier(Flow& flow, Stream& stream, Role role, uint32_t span, const Moment& moment,
                  FlowObserver* observer) {
  StreamTrouble& trouble = TroubleOf(stream);
  const int64_t ago = SeenNsAgo(stream, moment);
  const bool is_first_sight =
      Fill(trouble, moment.psn(), span) || PsnsFrom(stream.first_psn, moment.psn()) < 0;
  if (is_first_sight && PsnPlus(moment.psn(), 1) == stream.first_psn) {
    stream.first_psn = moment.psn();
  }
  // A repetition goes on where one of its packets was lost again.
  const Burst& going = trouble.burst;
  const int32_t onward = PsnsFrom(going.next_psn, moment.psn());
  const bool is_repetition = going.repeated > 0 || going.was_asked || going.after_silence;
  const bool continues = going.is_open && (onward == 0 || (onward > 0 && is_repetition));
  Oddities& odd = flow.oddities();
  const bool is_copy = ago >= 0 && ago <= kDuplicateNs && !flow.nak_pending && !continues;
  if (!is_first_sight && (is_copy || role == Role::kUnreliable)) {
    odd.duplicates.Note(moment.packet.number);
    Tell(observer, flow, moment, Kind::kDuplicate, 0);
    return Place::kDuplicate;
  }
  if (!continues) {
    CloseBurst(flow, stream, observer);
    const int32_t back = PsnsFrom(moment.psn(), stream.expected);
    OpenBurst(flow, stream, role, static_cast<uint32_t>(back), moment);
    if (!is_first_sight) NoteInterval(flow, trouble, ago, moment);
  }
  Burst& burst = trouble.burst;
  if (burst.was_asked || burst.after_silence) TellRetransmission(flow, burst, observer);
  burst.next_psn = PsnPlus(moment.psn(), std::max(span, 1u));
  if (is_first_sight) {
    if (burst.filled < Tally::kKept) burst.filled_packets[burst.filled] = moment.packet.number;
    ++burst.filled;
    return Place::kLate;
  }
  ++burst.repeated;
  TellRetransmission(flow, burst, observer);
  if (stream.message.is_open) stream.message.is_repeated = true;
  odd.retransmitted.Note(moment.packet.number);
  const bool is_spurious =
      role == Role::kRequests && flow.is_acked && PsnsFrom(moment.psn(), flow.acked_psn) >= 0;
  if (is_spurious) odd.spurious.Note(moment.packet.number);
  return Place::kRepeated;
}

// Of a request without data: what a READ asks for, or the 8 bytes of an atomic.
uint64_t AskedBytes(const Moment& moment) {
  if (moment.info.kind != wire::MessageKind::kReadRequest) return 8;
  return moment.view.rdma.Has(wire::header::kReth) ? moment.view.rdma.reth.length : 0;
}

void StartLife(Flow& flow, Stream& stream, Role role, const Moment& moment,
               FlowObserver* observer) {
  if (stream.trouble) {
    CloseBurst(flow, stream, observer);
    for (const Hole& hole : stream.trouble->holes) {
      Forget(flow, *stream.trouble, hole, role == Role::kRequests);
    }
    stream.trouble->holes.clear();
  }
  EndMessages(stream, flow);
  stream.is_started = true;
  stream.first_psn = moment.psn();
  stream.count = 0;
  if (role == Role::kRequests) {
    flow.is_acked = false;
    flow.awaited.Clear();
  }
}

void OpenHole(Flow& flow, Stream& stream, Role role, uint32_t missing, const Moment& moment,
              FlowObserver* observer) {
  StreamTrouble& trouble = TroubleOf(stream);
  BreakMessage(stream, flow);
  if (trouble.holes.size() == StreamTrouble::kMaxHoles) {
    Forget(flow, trouble, trouble.holes.front(), role == Role::kRequests);
    trouble.holes.erase(trouble.holes.begin());
  }
  trouble.holes.push_back(
      {.first_psn = stream.expected, .count = missing, .packet = moment.packet.number});
  flow.oddities().gaps.Note(moment.packet.number);
  Tell(observer, flow, moment, Kind::kGap, missing);
}

}  // namespace

Place Follow(Flow& flow, Stream& stream, Role role, uint32_t span, MessageStats& stats,
             const Moment& moment, FlowObserver* observer) {
  const int32_t ahead = stream.is_started ? PsnsFrom(stream.expected, moment.psn()) : 0;
  if (ahead < 0 && ahead >= -kMaxPsnStep) {
    const Place place = TakeEarlier(flow, stream, role, span, moment, observer);
    Remember(stream, moment.psn(), moment.view.rdma.bth.opcode, moment.now_ns());
    if (place != Place::kLate) return place;
    if (!moment.info.has_payload) {
      CountMessage(stats, AskedBytes(moment));
      return place;
    }
    const int64_t bytes = FillMessage(stream, flow, stats, role == Role::kResponses, moment);
    if (bytes >= 0) Tell(observer, flow, moment, Kind::kMessage, bytes);
    return place;
  }
  if (!stream.is_started || ahead > kMaxPsnStep || ahead < -kMaxPsnStep) {
    StartLife(flow, stream, role, moment, observer);
  } else if (stream.trouble) [[unlikely]] {
    CloseBurst(flow, stream, observer);
  }
  if (ahead > 0 && ahead <= kMaxPsnStep) {
    // Between two READ responses stand the PSNs of other requests.
    const bool may_skip =
        stream.end_is_unknown ||
        (role == Role::kResponses && (!stream.message.is_open || moment.info.starts_message));
    if (!may_skip) {
      OpenHole(flow, stream, role, static_cast<uint32_t>(ahead), moment, observer);
    } else {
      BreakMessage(stream, flow);
    }
  }
  stream.expected = PsnPlus(moment.psn(), std::max(span, 1u));
  stream.end_is_unknown = span == 0;
  Remember(stream, moment.psn(), moment.view.rdma.bth.opcode, moment.now_ns());
  if (!moment.info.has_payload) {
    BreakMessage(stream, flow);
    CountMessage(stats, AskedBytes(moment));
    return Place::kNew;
  }
  const Piece piece = {.time_ns = moment.now_ns(),
                       .bytes = moment.view.rdma.payload_bytes,
                       .psn = moment.psn(),
                       .kind = moment.info.kind,
                       .starts = moment.info.starts_message,
                       .ends = moment.info.ends_message};
  if (ExtendMessage(stream, stats, role == Role::kResponses, piece)) {
    Tell(observer, flow, moment, Kind::kMessage, static_cast<int64_t>(stream.message.bytes));
  }
  return Place::kNew;
}

void NoteNak(Flow& flow, uint32_t psn) {
  flow.nak_pending = true;
  flow.nak_psn = psn;
  Stream& stream = flow.requests;
  if (!stream.is_started) return;
  if (stream.trouble) {
    for (Hole& hole : stream.trouble->holes) {
      const int32_t at = PsnsFrom(hole.first_psn, psn);
      if (at < 0 || static_cast<uint32_t>(at) >= hole.count) continue;
      hole.was_nakked = true;
      ++flow.oddities().lost_before;
      return;
    }
  }
  if (PsnsFrom(stream.expected, psn) < 0 && PsnsFrom(stream.first_psn, psn) >= 0) {
    ++flow.oddities().lost_behind;
  }
}

uint64_t EndStream(Flow& flow, Stream& stream, Role role, bool acked, FlowObserver* observer) {
  uint64_t missing = 0;
  if (stream.trouble) {
    CloseBurst(flow, stream, observer);
    for (const Hole& hole : stream.trouble->holes) {
      Forget(flow, *stream.trouble, hole, acked && role == Role::kRequests);
    }
    stream.trouble->holes.clear();
    missing = stream.trouble->forgotten_psns;
  }
  EndMessages(stream, flow);
  return missing;
}

}  // namespace weft::analyzer
