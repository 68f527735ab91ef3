// SPDX-License-Identifier: Apache-2.0
#include "analyzer/flows/answers.h"

#include <algorithm>
#include <bit>

#include "analyzer/flows/psn_stream.h"

namespace weft::analyzer {
namespace {

using Kind = FlowEvent::Kind;

constexpr uint32_t kSmallestMtu = 256;
constexpr uint32_t kLargestMtu = 4096;
constexpr int64_t kUnansweredUnknownRttNs = 100'000'000;

bool IsMtu(uint32_t bytes) {
  return bytes >= kSmallestMtu && bytes <= kLargestMtu && std::has_single_bit(bytes);
}

// Requests up to `psn` have arrived. Returns how many more than before.
uint32_t Cover(Flow& flow, uint32_t psn) {
  if (!flow.requests.is_started) return 0;
  const int32_t beyond = PsnsFrom(flow.requests.expected, psn);
  if (beyond > kMaxPsnStep || beyond < -kMaxPsnStep) return 0;
  if (!flow.is_acked) {
    flow.is_acked = true;
    flow.acked_psn = psn;
    const int32_t count = PsnsFrom(flow.requests.first_psn, psn) + 1;
    return count > 0 ? static_cast<uint32_t>(count) : 0;
  }
  const int32_t more = PsnsFrom(flow.acked_psn, psn);
  if (more <= 0) return 0;
  flow.acked_psn = psn;
  return static_cast<uint32_t>(more);
}

void SampleRtt(Flow& flow, const Awaited& awaited, const Moment& moment) {
  if (awaited.is_repeated || !moment.timed()) return;
  const int64_t rtt = moment.now_ns() - awaited.last_ns;
  if (rtt < 0) return;
  flow.ack_rtt.Add(rtt);
  if (flow.min_rtt_ns < 0 || rtt < flow.min_rtt_ns) flow.min_rtt_ns = rtt;
}

void SampleCompletion(Flow& flow, const Awaited& awaited, const Moment& moment) {
  if (!awaited.is_whole || !moment.timed() || moment.now_ns() < awaited.first_ns) return;
  flow.completion.Add(moment.now_ns() - awaited.first_ns);
}

// Ends what an answer to `psn` covers. A READ is ended by its last response alone.
void EndAwaited(Flow& flow, uint32_t psn, bool ends_read, const Moment& moment) {
  AwaitedRing& ring = flow.awaited;
  while (!ring.empty()) {
    Awaited& oldest = ring.at(0);
    if (oldest.is_read) {
      const int32_t from_first = PsnsFrom(oldest.first_psn, psn);
      if (from_first < 0) return;
      if (from_first == 0 && !oldest.is_answered) {
        oldest.is_answered = true;
        SampleRtt(flow, oldest, moment);
      }
      const int32_t from_last = PsnsFrom(oldest.last_psn, psn);
      const bool is_last = oldest.end_is_unknown ? ends_read : from_last == 0;
      if (!is_last && (oldest.end_is_unknown || from_last < 0)) return;
      if (is_last) SampleCompletion(flow, oldest, moment);
    } else {
      if (PsnsFrom(oldest.last_psn, psn) < 0) return;
      SampleRtt(flow, oldest, moment);
      SampleCompletion(flow, oldest, moment);
    }
    const bool was_open_read = oldest.is_read && oldest.end_is_unknown;
    ring.Pop();
    if (was_open_read) return;
  }
}

// An ACK that went by the capture still has its way to the sender before it: only who stands beside
// the sender, or has seen it react in half the time, can blame it.
void NoteIdle(Flow& flow, const Moment& moment, FlowObserver* observer) {
  const int64_t quickest = flow.min_reaction_ns;
  const int64_t wait = NoteReaction(flow, moment.now_ns());
  if (IsShortWait(flow, wait)) return;
  if (!IsNearer(flow, *flow.peer) && (quickest < 0 || wait / 2 < quickest)) return;
  flow.oddities().sender_idle.Add(wait);
  Tell(observer, flow, moment, Kind::kIdle, wait);
}

}  // namespace

uint32_t PsnSpan(const Flow& flow, const Moment& moment) {
  if (moment.info.kind != wire::MessageKind::kReadRequest) return 1;
  if (!moment.view.rdma.Has(wire::header::kReth)) return 0;
  const uint32_t length = moment.view.rdma.reth.length;
  if (length <= kSmallestMtu) return 1;
  uint32_t mtu = std::max(flow.agreed_mtu, flow.path_mtu);
  if (flow.peer != nullptr) mtu = std::max(mtu, flow.peer->path_mtu);
  if (!IsMtu(mtu)) return 0;
  return (length - 1) / mtu + 1;
}

void NoteWait(Flow& flow, const Moment& moment, FlowObserver* observer) {
  if (!moment.timed()) return;
  const int64_t now = moment.now_ns();
  if (flow.rnr_pending) {
    flow.rnr_pending = false;
    if (now > flow.rnr_since_ns) flow.oddities().rnr_stall_ns += now - flow.rnr_since_ns;
  } else if (flow.peer != nullptr && flow.last_request_ns != 0 && AllIsAcked(flow)) {
    NoteIdle(flow, moment, observer);
  }
  if (flow.last_request_ns != 0) DriftTypicalGap(flow, now - flow.last_request_ns);
}

void CountAnswer(Flow& answers, const Moment& moment, FlowObserver* observer) {
  if (!moment.view.rdma.Has(wire::header::kAeth)) return;
  const uint8_t syndrome = moment.view.rdma.aeth.syndrome;
  switch (wire::AckKindOf(syndrome)) {
    case wire::AckKind::kAck:
      if (moment.info.kind == wire::MessageKind::kAck) ++answers.acks;
      if (wire::CreditsOf(syndrome) == uint32_t{0}) ++answers.zero_credit_acks;
      return;
    case wire::AckKind::kRnrNak: {
      Oddities& odd = answers.oddities();
      const int64_t timer = wire::RnrTimerNs(syndrome);
      odd.rnr_naks.Note(moment.packet.number);
      odd.rnr_timer_ns = std::max(odd.rnr_timer_ns, timer);
      Tell(observer, answers, moment, Kind::kRnrNak, timer);
      return;
    }
    case wire::AckKind::kNak: {
      const wire::NakCode code = wire::NakCodeOf(syndrome);
      answers.oddities().naks[static_cast<size_t>(code)].Note(moment.packet.number);
      Tell(observer, answers, moment, Kind::kNak, static_cast<int64_t>(code));
      return;
    }
    case wire::AckKind::kReserved:
      return;
  }
}

void Answer(Flow& flow, const Moment& moment, FlowObserver* observer) {
  const bool has_aeth = moment.view.rdma.Has(wire::header::kAeth);
  const bool is_response = moment.info.kind == wire::MessageKind::kReadResponse;
  if (!has_aeth && !is_response) return;  // cut: it may be a NAK
  const wire::AckKind kind =
      has_aeth ? wire::AckKindOf(moment.view.rdma.aeth.syndrome) : wire::AckKind::kAck;
  const uint32_t psn = moment.psn();
  if (kind == wire::AckKind::kReserved) return;
  if (kind != wire::AckKind::kAck) {
    const uint32_t before = PsnPlus(psn, wire::kPsnMask);
    Cover(flow, before);
    EndAwaited(flow, before, false, moment);
    const bool is_sequence =
        kind == wire::AckKind::kNak &&
        wire::NakCodeOf(moment.view.rdma.aeth.syndrome) == wire::NakCode::kPsnSequenceError;
    if (is_sequence) NoteNak(flow, psn);
    if (kind == wire::AckKind::kRnrNak) {
      flow.nak_pending = true;
      flow.nak_psn = psn;
      flow.rnr_pending = moment.timed();
      flow.rnr_since_ns = moment.now_ns();
    }
    return;
  }
  const uint32_t covered = Cover(flow, psn);
  if (flow.nak_pending && PsnsFrom(flow.nak_psn, psn) >= 0) flow.nak_pending = false;
  EndAwaited(flow, psn, is_response && moment.info.ends_message, moment);
  if (!is_response && flow.peer != nullptr) {
    Tell(observer, *flow.peer, moment, Kind::kAck, covered);
  }
}

void NoteUnanswered(Flow& flow, const Moment& moment) {
  if (!moment.timed() || flow.peer == nullptr || flow.rnr_pending || !IsAwaited(flow)) return;
  const int64_t wait = moment.now_ns() - std::max(flow.last_ns, flow.peer->last_ns);
  if (!IsLongWait(flow, wait)) return;
  const int64_t patience = flow.min_rtt_ns < 0 ? kUnansweredUnknownRttNs : 3 * flow.min_rtt_ns;
  if (wait > patience) flow.oddities().unanswered.Add(wait);
}

void ForgetAnswers(Flow& flow) {
  flow.peer = nullptr;
  flow.is_paired = false;
  flow.evidence = {};
  flow.is_acked = false;
  flow.awaited.Clear();
  flow.ack_rtt = {};
  flow.completion = {};
  flow.min_rtt_ns = -1;
  flow.min_reaction_ns = -1;
  flow.reactions = 0;
  if (!flow.odd) return;
  flow.odd->sender_idle = {};
  flow.odd->unanswered = {};
  flow.odd->spurious = {};
  flow.odd->rnr_stall_ns = 0;
  flow.odd->lost_before = flow.odd->lost_behind = 0;
}

void AwaitedRing::Push(const Awaited& awaited) {
  constexpr size_t kFirst = 4;
  if (count_ == kMax) return;
  if (count_ == slots_.size()) {
    std::vector<Awaited> larger(slots_.empty() ? kFirst : slots_.size() * 2);
    for (size_t i = 0; i < count_; ++i) larger[i] = at(i);
    slots_ = std::move(larger);
    head_ = 0;
  }
  slots_[(head_ + count_) & (slots_.size() - 1)] = awaited;
  ++count_;
}

}  // namespace weft::analyzer
