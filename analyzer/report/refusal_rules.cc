// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/report/capture_rules.h"

namespace weft::analyzer {
namespace {

using topology::Severity;

// One or two short waits at a start are ordinary.
constexpr uint64_t kRnrNaks = 3;
constexpr int64_t kRnrStallNs = 1'000'000;
constexpr double kRnrErrorShare = 10;  // percent of the time

struct Refusal {
  wire::NakCode nak;
  const char* code;
  const char* explanation;
  const char* what_to_do;
};

constexpr std::array<Refusal, 4> kRefusals = {{
    {wire::NakCode::kInvalidRequest, "invalid-request",
     "The responder refused a request that it cannot serve: longer than its receive buffer, an "
     "operation that its QP does not allow, or another path MTU.",
     "Compare both QPs' settings and the size of receive buffers."},
    {wire::NakCode::kRemoteAccessError, "remote-access-error",
     "The responder refused an address, key or right: the QP fails with it.",
     "Check the R_Key, the registered range and its access rights, and whether the memory was "
     "deregistered meanwhile."},
    {wire::NakCode::kRemoteOperationalError, "remote-operational-error",
     "The responder failed while it served the request.",
     "See the responder's own log; its NIC, PCIe or memory is at fault."},
    {wire::NakCode::kInvalidRdRequest, "invalid-rd-request",
     "The responder refused a reliable-datagram request.", "Check the RD context and Q_Key."},
}};

void NotReady(const Direction& direction, Drafts& drafts) {
  const FlowStats& data = direction.data;
  const FlowStats& answers = *direction.answers;
  if (answers.rnr_naks.count == 0) return;
  const bool thin = answers.rnr_naks.count < kRnrNaks && data.rnr_stall_ns < kRnrStallNs;
  const double stall_share =
      data.rnr_stall_ns <= 0
          ? 0
          : Share(static_cast<uint64_t>(data.rnr_stall_ns),
                  static_cast<uint64_t>(std::max<int64_t>(direction.span_ns(), data.rnr_stall_ns)));
  const Severity severity = thin ? Severity::kInfo
                            : answers.rnr_naks.count >= kRnrNaks && stall_share >= kRnrErrorShare
                                ? Severity::kError
                                : Severity::kWarning;
  FindingDraft draft("receiver-not-ready", severity, NameOf(data.key),
                     static_cast<double>(answers.rnr_naks.count));
  draft.Packets("RNR NAKs", answers.rnr_naks)
      .Number("longest wait that one asked for", Milliseconds(answers.rnr_timer_ns), "ms")
      .Number("the sender stood still", Milliseconds(data.rnr_stall_ns), "ms")
      .Number("share of the flow's time", stall_share, "%");
  const auto& cm = direction.connection.cm;
  if (cm && cm->rnr_retry_count < 7) {
    draft.Count("RNR retries agreed by CM, then the QP fails", cm->rnr_retry_count, "retries");
  }
  draft.Explain(
      "The receiver had no receive buffer posted when messages came (its out_of_buffer "
      "counter counts the same). It is too slow; the network is not at fault.",
      "Post more receives, earlier, at the receiver; shorten its RNR timer.");
  drafts.push_back(std::move(draft));
}

}  // namespace

void RefusalRules(const Direction& direction, Drafts& drafts) {
  if (!direction.BothSeen()) return;
  NotReady(direction, drafts);
  for (const Refusal& refusal : kRefusals) {
    const Tally& naks = direction.answers->naks[static_cast<size_t>(refusal.nak)];
    if (naks.count == 0) continue;  // one is enough: the QP fails with it
    drafts.push_back(FindingDraft(refusal.code, Severity::kError, NameOf(direction.data.key),
                                  static_cast<double>(naks.count))
                         .Packets(absl::StrCat("NAKs, ", wire::ToString(refusal.nak)), naks)
                         .Explain(refusal.explanation, refusal.what_to_do));
  }
}

}  // namespace weft::analyzer
