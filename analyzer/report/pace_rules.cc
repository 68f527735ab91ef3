// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "analyzer/report/capture_rules.h"

namespace weft::analyzer {
namespace {

using topology::Severity;

constexpr uint64_t kMessages = 20;
constexpr uint64_t kGaps = 10;
// Below it, messages are control, and waiting between them is what they do.
constexpr uint64_t kBulkBytes = uint64_t{32} * 1024;
// A bulk transfer that pauses longer than this between messages has nothing to send.
constexpr int64_t kLongestStepNs = 1'000'000;
constexpr double kSenderIdleShare = 20;  // percent of the time
constexpr double kUnansweredShare = 20;
// Stalls that a user sees: each at least this long, alike, and most of the time.
constexpr uint64_t kStalls = 5;
constexpr int64_t kStallNs = 5'000'000;
constexpr double kStallShare = 50;

struct Messages {
  uint64_t count = 0;
  uint64_t mean_bytes = 0;
};

Messages MessagesOf(const FlowStats& data) {
  Messages all;
  uint64_t bytes = 0;
  for (const MessageStats* stats : {&data.send, &data.write, &data.read_request}) {
    all.count += stats->messages;
    bytes += stats->bytes;
  }
  if (all.count > 0) all.mean_bytes = bytes / all.count;
  return all;
}

double TimeShare(int64_t part_ns, const Direction& direction) {
  if (part_ns <= 0 || direction.span_ns() <= 0) return 0;
  return Share(static_cast<uint64_t>(part_ns), static_cast<uint64_t>(direction.span_ns()));
}

bool IsRegularStall(const DurationSummary& gaps, const Direction& direction) {
  return gaps.count >= kStalls && gaps.median_ns >= kStallNs && gaps.max_ns <= 4 * gaps.median_ns &&
         TimeShare(gaps.total_ns, direction) >= kStallShare;
}

void RegularStalls(const Direction& direction, const DurationSummary& gaps, const Messages& all,
                   Drafts& drafts) {
  const FlowStats& data = direction.data;
  const Tally& vendor = data.vendor;
  FindingDraft draft("regular-stalls", Severity::kWarning, NameOf(data.key),
                     static_cast<double>(data.packets));
  draft.Count("gaps", gaps.count, "gaps")
      .Number("median gap", Milliseconds(gaps.median_ns), "ms")
      .Number("longest gap", Milliseconds(gaps.max_ns), "ms")
      .Number("share of the flow's time", TimeShare(gaps.total_ns, direction), "%")
      .Count("messages", all.count, "messages")
      .Count("mean message", all.mean_bytes, "bytes")
      .Count("repeated packets", data.retransmitted.count)
      .Count("first packet", data.first_packet, "packet number")
      .Packets("manufacturer's opcodes there", vendor)
      .Packets("manufacturer's opcodes back", direction.answers->vendor);
  draft.Explain(
      "Bulk traffic stands still again and again for about the same time, without loss: "
      "a timer is at work, not the network.",
      "Compare with enhanced connection establishment (ECE) and RTT-based congestion "
      "control turned off at both ends.");
  drafts.push_back(std::move(draft));
}

void SenderLimited(const Direction& direction, const Messages& all, Drafts& drafts) {
  const FlowStats& data = direction.data;
  const DurationSummary& idle = data.sender_idle;
  if (idle.count < kGaps || idle.median_ns > kLongestStepNs) return;
  const double share = TimeShare(idle.total_ns, direction);
  if (share < kSenderIdleShare) return;
  const double seconds = static_cast<double>(direction.span_ns()) / 1e9;
  drafts.push_back(
      FindingDraft("sender-limited", Severity::kInfo, NameOf(data.key),
                   static_cast<double>(data.packets))
          .Count("gaps with everything acknowledged", idle.count, "gaps")
          .Number("median gap", Microseconds(idle.median_ns), "us")
          .Number("share of the flow's time", share, "%")
          .Count("messages", all.count, "messages")
          .Count("mean message", all.mean_bytes, "bytes")
          .Number("goodput", static_cast<double>(data.goodput_bytes) * 8 / seconds / 1e9, "Gb/s")
          .Count("repeated packets", data.retransmitted.count)
          .Count("CNPs back", direction.answers->cnps.count)
          .Count("first packet", data.first_packet, "packet number")
          .Explain("Between messages the sender waits while nothing is outstanding, and there is "
                   "no loss, no mark and no CNP: the sender's own steps limit the rate, not the "
                   "network.",
                   "Keep more messages in flight, use larger ones, or more QPs."));
}

void ReceiverLimited(const Direction& direction, Drafts& drafts) {
  const FlowStats& data = direction.data;
  const FlowStats& answers = *direction.answers;
  const double share = TimeShare(data.unanswered.total_ns, direction);
  const bool waits = data.unanswered.count >= kGaps && share >= kUnansweredShare;
  const bool no_credits = answers.zero_credit_acks >= kGaps;
  if (!waits && !no_credits) return;
  FindingDraft draft("receiver-limited", Severity::kInfo, NameOf(data.key),
                     static_cast<double>(data.packets) / 2);
  draft.Count("gaps with something unacknowledged", data.unanswered.count, "gaps")
      .Number("median gap", Microseconds(data.unanswered.median_ns), "us")
      .Number("share of the flow's time", share, "%")
      .Count("ACKs that grant no credit", answers.zero_credit_acks, "ACKs")
      .Count("first packet", data.first_packet, "packet number");
  draft.Explain(
      "The sender waits for answers while no packet moves, without loss: the receiver "
      "answers late or grants no credits, or a queue holds the packets.",
      "Look at the receiver's pace (its CPU, PCIe, receive buffers), then at queues.");
  drafts.push_back(std::move(draft));
}

}  // namespace

void PaceRules(const Direction& direction, Drafts& drafts) {
  if (!direction.BothSeen() || !direction.data.has_times || !IsReliable(direction.data)) return;
  if (HasTrouble(direction)) return;  // what is slow has a better reason
  const Messages all = MessagesOf(direction.data);
  const bool is_bulk = all.count >= kMessages && all.mean_bytes >= kBulkBytes;
  for (const DurationSummary* gaps : {&direction.data.unanswered, &direction.data.sender_idle}) {
    if (is_bulk && IsRegularStall(*gaps, direction)) {
      return RegularStalls(direction, *gaps, all, drafts);
    }
  }
  if (is_bulk) SenderLimited(direction, all, drafts);
  ReceiverLimited(direction, drafts);
}

void PacketRules(const Direction& direction, Drafts& drafts) {
  const FlowStats& data = direction.data;
  if (data.bad_icrc.count > 0) {
    const uint64_t checked = data.packets - std::min(data.packets, data.unchecked_icrc);
    // Not one right ICRC of many: no wire does that.
    const bool never_right = checked >= kGaps && data.bad_icrc.count == checked;
    drafts.push_back(
        FindingDraft("bad-icrc",
                     never_right || data.bad_icrc.count < 3 ? Severity::kWarning : Severity::kError,
                     NameOf(data.key), static_cast<double>(data.bad_icrc.count))
            .Packets("wrong ICRC", data.bad_icrc)
            .Count("checked", checked)
            .Explain(never_right
                         ? "No packet's ICRC is right: the capture was taken before the NIC put "
                           "it in, or a tool rewrote the packets (addresses made anonymous)."
                         : "Packets were damaged on the way, where no link checksum saw it, or "
                           "rewritten by a device.",
                     never_right ? "Take the capture elsewhere to judge damage."
                                 : "Check switches that rewrite headers, memory and PCIe."));
  }
  if (data.vendor.count > 0) {
    drafts.push_back(FindingDraft("vendor-opcodes", Severity::kInfo, NameOf(data.key),
                                  static_cast<double>(data.vendor.count))
                         .Packets("manufacturer's opcodes", data.vendor)
                         .Explain("Packets of a manufacturer's own kind (RTT probes, say). They "
                                  "are not malformed.",
                                  "Nothing."));
  }
  if (data.reserved.count > 0) {
    drafts.push_back(FindingDraft("reserved-opcodes", Severity::kInfo, NameOf(data.key),
                                  static_cast<double>(data.reserved.count))
                         .Packets("opcodes that nobody has defined", data.reserved)
                         .Explain("Packets with a right ICRC and an opcode that the specification "
                                  "does not define.",
                                  "See what sends them."));
  }
  // A capture of two points, or of both sides of a mirror.
  if (data.duplicates.count >= kGaps && Share(data.duplicates.count, data.packets) >= 1) {
    drafts.push_back(FindingDraft("capture-duplicates", Severity::kInfo, NameOf(data.key),
                                  static_cast<double>(data.duplicates.count))
                         .Packets("captured twice", data.duplicates)
                         .Explain("The capture holds packets twice (two interfaces, or a mirror "
                                  "of both directions). They are not retransmissions.",
                                  "Capture at one point."));
  }
}

}  // namespace weft::analyzer
