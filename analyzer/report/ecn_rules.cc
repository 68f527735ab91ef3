// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "analyzer/report/capture_rules.h"

namespace weft::analyzer {
namespace {

using topology::Severity;

// A notification point sends a CNP for the first mark and then at most every 50 us or so; it does
// not leave so many marks without one.
constexpr uint64_t kMarksWithoutCnp = 32;
constexpr double kMarkedShare = 1;          // percent
constexpr double kHeavilyMarkedShare = 10;  // percent: queues stand above the threshold
constexpr uint64_t kCnps = 3;

void MarksWithoutCnp(const Direction& direction, Drafts& drafts) {
  const FlowStats& data = direction.data;
  const double share = Share(data.ce.count, data.packets);
  if (data.ce.count < kMarksWithoutCnp || share < kMarkedShare) return;
  // Only where a CNP would have passed here: the other direction was seen, on all its paths.
  if (direction.answers->cnps.count > 0 || direction.answers->packets == 0) return;
  if (direction.connection.vantage == Vantage::kSomePaths) return;
  drafts.push_back(
      FindingDraft("ce-without-cnp", Severity::kWarning, NameOf(data.key),
                   static_cast<double>(data.ce.count))
          .Packets("marked CE", data.ce)
          .Number("share of the flow's packets", share, "%")
          .Count("CNPs back", 0)
          .Count("packets back", direction.answers->packets)
          .Explain("The network marks congestion and the receiver does not tell the sender: its "
                   "notification point is off, or CNPs are dropped before the capture.",
                   "Turn the notification point (np) on at the receiver and the reaction point "
                   "(rp) at the sender for this class, and let CNPs have a class of their own."));
}

void Congestion(const Direction& direction, Drafts& drafts) {
  const FlowStats& data = direction.data;
  const Tally& cnps = direction.answers->cnps;
  if (cnps.count < kCnps) return;
  const double share = Share(data.ce.count, data.packets);
  const bool heavy = data.ce.count >= kMarksWithoutCnp && share >= kHeavilyMarkedShare;
  if (data.ce.count == 0 && direction.connection.vantage == Vantage::kAtResponder) {
    drafts.push_back(
        FindingDraft("cnp-without-ce", Severity::kInfo, NameOf(data.key),
                     static_cast<double>(cnps.count))
            .Packets("CNPs back", cnps)
            .Count("marked CE at the receiver", 0)
            .Explain("The receiver sends CNPs although no packet came marked: counters and marks "
                     "of this NIC do not mean the same, or a mirror cleared the mark.",
                     "Do not conclude from it that ECN works."));
    return;
  }
  FindingDraft draft("congestion", heavy ? Severity::kWarning : Severity::kInfo, NameOf(data.key),
                     static_cast<double>(data.ce.count + cnps.count));
  draft.Packets("CNPs back", cnps)
      .Packets("marked CE", data.ce)
      .Number("share of the flow's packets", share, "%");
  if (data.ce.count == 0) draft.Fact("no mark here: packets are marked beyond the capture point");
  draft.Explain("The flow meets congestion, and its sender is told to slow down.",
                heavy ? "Find the full link: incast at the receiver, or flows that collide on a "
                        "path."
                      : "Nothing by itself: congestion control is at work.");
  drafts.push_back(std::move(draft));
}

}  // namespace

void EcnRules(const Direction& direction, Drafts& drafts) {
  if (!direction.BothSeen()) return;
  MarksWithoutCnp(direction, drafts);
  Congestion(direction, drafts);
}

}  // namespace weft::analyzer
