// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/report/capture_rules.h"

namespace weft::analyzer {
namespace {

using topology::Severity;

// A lossless fabric loses nothing. From here on it costs throughput that a user sees: each lost
// packet makes a go-back-N sender repeat a round trip's worth of packets.
constexpr double kLossErrorShare = 0.1;  // percent of packets repeated
constexpr uint64_t kLossErrorPackets = 100;
// Packets behind an earlier place: fewer may be one odd moment.
constexpr uint64_t kReordered = 3;
constexpr uint64_t kSpurious = 3;
// Repeated packets per burst from which going back costs more than the loss itself.
constexpr uint64_t kRepeatedPerBurst = 10;
constexpr uint8_t kDefaultRetries = 7;  // the most that 3 bits hold, and the usual setting

const Tally* NakTally(const Direction& direction) {
  if (!direction.BothSeen()) return nullptr;
  return &direction.answers->naks[static_cast<size_t>(wire::NakCode::kPsnSequenceError)];
}

// The least time in which an answer came. Messages sent once give it best.
std::optional<int64_t> RoundTripNs(const FlowStats& data) {
  if (data.ack_rtt.count > 0) return data.ack_rtt.min_ns;
  if (data.completion.count > 0) return data.completion.min_ns;
  return std::nullopt;
}

bool IsSpurious(const Direction& direction) {
  const FlowStats& data = direction.data;
  if (SequenceNaks(direction) > 0) return false;
  if (data.spurious.count >= kSpurious && data.spurious.count * 2 >= data.retransmitted.count) {
    return true;
  }
  const std::optional<int64_t> rtt_ns = RoundTripNs(data);
  return rtt_ns && data.retransmission_interval.count >= kSpurious &&
         data.retransmission_interval.median_ns < *rtt_ns;
}

// Every hole that was seen was filled by a packet that came late, not by a repetition.
bool IsReorderedOnly(const FlowStats& data) {
  return data.reordered.count >= kReordered && data.missing_psns == 0 &&
         data.reordered.count >= data.gaps.count && data.timeouts.count == 0;
}

void Spurious(const Direction& direction, Drafts& drafts) {
  const FlowStats& data = direction.data;
  FindingDraft draft("spurious-retransmission", Severity::kWarning, NameOf(data.key),
                     static_cast<double>(data.retransmitted.count));
  draft.Packets("repeated", data.retransmitted)
      .Packets("repeated although acknowledged before", data.spurious)
      .Number("share of all packets", Share(data.retransmitted.count, data.packets), "%");
  if (data.retransmission_interval.count > 0) {
    draft.Number("retransmission interval, median",
                 Milliseconds(data.retransmission_interval.median_ns), "ms");
  }
  if (const auto rtt_ns = RoundTripNs(data)) {
    draft.Number("round trip, least", Milliseconds(*rtt_ns), "ms");
  }
  draft.Explain(
      "The sender repeats before the answer can be there: its retransmission interval is "
      "shorter than the round trip. Nothing was lost.",
      "Raise the ACK timeout above the round trip, and turn adaptive retransmission off "
      "where it overrides that timeout.");
  drafts.push_back(std::move(draft));
}

void Reordering(const Direction& direction, Drafts& drafts) {
  const FlowStats& data = direction.data;
  if (data.reordered.count < kReordered) return;
  const uint64_t naks = SequenceNaks(direction);
  FindingDraft draft("reordering", naks > 0 ? Severity::kWarning : Severity::kInfo,
                     NameOf(data.key), static_cast<double>(data.reordered.count));
  draft.Packets("late by PSN, seen for the first time", data.reordered)
      .Number("share of all packets", Share(data.reordered.count, data.packets), "%");
  if (naks > 0) {
    draft.Packets("NAKs that it cost", *NakTally(direction))
        .Packets("repeated for it", data.retransmitted);
  }
  draft.Explain(
      "Packets of the flow overtake each other: the sign of adaptive routing or spraying.",
      naks > 0 ? "The receiver takes it for loss. Turn adaptive routing off for this traffic, or "
                 "out-of-order reception on at the receiver."
               : "Nothing, where the receiver is made for it.");
  drafts.push_back(std::move(draft));
}

void PacketLoss(const Direction& direction, Drafts& drafts) {
  const FlowStats& data = direction.data;
  const uint64_t naks = SequenceNaks(direction);
  // A NAK, or a burst that repeats: each is a fact, one is enough.
  if (naks + data.go_back_n.count + data.selective.count == 0) return;
  if (IsReorderedOnly(data) || IsSpurious(direction)) return;
  // Bursts after an RNR NAK are that NAK's doing.
  const bool not_ready = direction.BothSeen() && direction.answers->rnr_naks.count > 0;
  if (naks == 0 && not_ready && data.timeouts.count == 0) return;
  // Repeated after silence only: the ACK may have been lost, or never sent. See ack-timeouts.
  if (naks == 0 && data.timeouts.count > 0 && data.timeouts.count >= data.go_back_n.count) return;
  const double share = Share(data.retransmitted.count, data.packets);
  const bool is_error = data.retransmitted.count >= kLossErrorPackets && share >= kLossErrorShare;
  FindingDraft draft("packet-loss", is_error ? Severity::kError : Severity::kWarning,
                     NameOf(data.key), static_cast<double>(data.retransmitted.count + naks));
  if (const Tally* tally = NakTally(direction)) draft.Packets("NAKs, PSN sequence error", *tally);
  draft.Packets("repeated packets", data.retransmitted)
      .Number("share of all packets", share, "%")
      .Packets("go-back-N bursts", data.go_back_n)
      .Packets("repeated alone", data.selective)
      .Packets("holes seen at the capture: lost before it", data.gaps);
  if (naks > data.gaps.count) {
    draft.Count("NAKs without a hole at the capture: lost beyond it", naks - data.gaps.count,
                "NAKs");
  }
  draft.Explain("The network lost packets of this flow. Drop counters may read 0 all the same.",
                "Look at the links before or beyond the capture point as the holes tell; check "
                "PFC and buffers of this class, cables and transceivers.");
  drafts.push_back(std::move(draft));
}

void GoBackN(const Direction& direction, Drafts& drafts) {
  const FlowStats& data = direction.data;
  if (data.go_back_n.count == 0 || IsSpurious(direction)) return;
  const double share = Share(data.retransmitted.count, data.packets);
  if (data.retransmitted.count < data.go_back_n.count * kRepeatedPerBurst || share < 1) return;
  drafts.push_back(
      FindingDraft("go-back-n", Severity::kWarning, NameOf(data.key),
                   static_cast<double>(data.retransmitted.count) / 2)
          .Packets("go-back-N bursts", data.go_back_n)
          .Number("packets repeated per burst",
                  static_cast<double>(data.retransmitted.count) /
                      static_cast<double>(data.go_back_n.count),
                  "packets")
          .Number("share of all packets", share, "%")
          .Explain("For every lost packet the sender repeats all that it had sent after it.",
                   "Find the loss first. Selective repeat at both ends makes each loss cheap."));
}

void Selective(const Direction& direction, Drafts& drafts) {
  const FlowStats& data = direction.data;
  if (data.selective.count < 3) return;
  drafts.push_back(
      FindingDraft("selective-repeat", Severity::kInfo, NameOf(data.key),
                   static_cast<double>(data.selective.count))
          .Packets("repeated alone", data.selective)
          .Explain("The ends repeat single packets: selective repeat is on.", "Nothing."));
}

bool IsClassZero(const FlowStats& data) {
  return std::ranges::all_of(data.classes, [](const ClassUse& use) { return use.dscp == 0; }) &&
         std::ranges::all_of(data.priorities, [](uint8_t priority) { return priority == 0; });
}

void Timeouts(const Direction& direction, Drafts& drafts) {
  const FlowStats& data = direction.data;
  if (data.timeouts.count == 0 || IsSpurious(direction)) return;
  FindingDraft draft("ack-timeouts", Severity::kWarning, NameOf(data.key),
                     static_cast<double>(data.timeouts.count));
  draft.Packets("bursts repeated after silence, no NAK asked for them", data.timeouts);
  if (data.retransmission_interval.count > 0) {
    draft.Number("retransmission interval, median",
                 Milliseconds(data.retransmission_interval.median_ns), "ms");
  }
  const auto& cm = direction.connection.cm;
  if (cm && cm->ack_timeout_code > 0) {
    draft.Number("ACK timeout agreed by CM", Milliseconds(wire::AckTimeoutNs(cm->ack_timeout_code)),
                 "ms");
  }
  if (!data.classes.empty() && IsClassZero(data)) {
    draft.Fact("all packets are in DSCP 0: perhaps no lossless class");
  }
  draft.Explain(
      "The sender waited for an ACK in vain: the last packets of a message, or their ACK, "
      "were lost, or the receiver was silent.",
      "Check loss in both directions and the class of ACKs.");
  drafts.push_back(std::move(draft));
}

// The sender tried as often as it may, and nothing came back after the first attempt.
void RetryExceeded(const Direction& direction, Drafts& drafts) {
  const FlowStats& data = direction.data;
  if (!direction.BothSeen() || !data.has_times || data.retransmission_interval.count == 0) return;
  const auto& cm = direction.connection.cm;
  const uint64_t retries =
      std::max<uint64_t>(3, cm && cm->retry_count > 0 ? cm->retry_count : kDefaultRetries);
  const int64_t silent_ns = data.last_ns - direction.answers->last_ns;
  if (data.timeouts.count < retries || silent_ns < 3 * data.retransmission_interval.median_ns) {
    return;
  }
  drafts.push_back(FindingDraft("retry-exceeded", Severity::kError, NameOf(data.key),
                                static_cast<double>(data.packets))
                       .Packets("bursts repeated after silence", data.timeouts)
                       .Count("retries until the QP fails", retries, "retries")
                       .Number("silence of the other end at the end", Milliseconds(silent_ns), "ms")
                       .Count("last packet", data.last_packet, "packet number")
                       .Explain("The sender repeated until it ran out of retries, and the other "
                                "end stayed silent: the QP has probably failed (status 12, later "
                                "work requests are flushed with status 5).",
                                "This pair is the culprit; flushes elsewhere are consequences. "
                                "Check whether the other end or its link was down."));
}

// Holes of which nothing tells whether the network or the capture lost the packets.
void UnexplainedHoles(const Direction& direction, Drafts& drafts) {
  const FlowStats& data = direction.data;
  if (data.transport == wire::Transport::kUd) return;
  if (data.missing_psns <= data.capture_lost.count) return;
  if (SequenceNaks(direction) > 0 || data.retransmitted.count > 0) return;
  if (direction.connection.vantage == Vantage::kSomePaths) return;
  const uint64_t missing = data.missing_psns - data.capture_lost.count;
  drafts.push_back(FindingDraft("unexplained-holes", Severity::kInfo, NameOf(data.key),
                                static_cast<double>(missing))
                       .Count("PSNs never seen", missing)
                       .Packets("holes, by the packet behind each", data.gaps)
                       .Explain(data.transport == wire::Transport::kUc
                                    ? "UC neither acknowledges nor repeats: the network or the "
                                      "capture lost these packets."
                                    : "No NAK and no repetition speaks of these packets: more "
                                      "likely the capture lost them than the network.",
                                "Capture both directions without drops to tell."));
}

}  // namespace

void LossRules(const Direction& direction, Drafts& drafts) {
  if (IsSpurious(direction)) Spurious(direction, drafts);
  Reordering(direction, drafts);
  PacketLoss(direction, drafts);
  GoBackN(direction, drafts);
  Selective(direction, drafts);
  Timeouts(direction, drafts);
  RetryExceeded(direction, drafts);
  UnexplainedHoles(direction, drafts);
}

}  // namespace weft::analyzer
