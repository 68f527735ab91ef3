// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analyzer/report/capture_rules.h"

namespace weft::analyzer {
namespace {

using topology::Severity;

// Long enough to be no coincidence of two messages.
constexpr uint64_t kSharedBins = 10;
constexpr double kSharedShare = 50;  // percent of the bins with traffic
constexpr int64_t kLeastSpanNs = 10'000'000;
constexpr double kCollapsedShare = 50;  // percent of the line rate
constexpr uint64_t kMarks = 32;
constexpr double kBurstRatio = 10;
constexpr uint64_t kBurstBytes = 100'000;  // a small buffer's worth
constexpr double kBurstRateShare = 50;     // percent of the line rate

struct Troubles {
  uint64_t flows = 0;
  uint64_t lossy_flows = 0;  // NAKs or repetitions
  uint64_t naks = 0;
  uint64_t repeated = 0;
  uint64_t marks = 0;
  uint64_t cnps = 0;
  std::set<wire::NetworkAddress> sources;
  std::set<wire::NetworkAddress> troubled_sources;
  std::set<wire::NetworkAddress> fine_elsewhere;  // troubled sources with fine flows elsewhere
};

bool IsTroubled(const Direction& direction) {
  const FlowStats& data = direction.data;
  const uint64_t cnps = direction.BothSeen() ? direction.answers->cnps.count : 0;
  return SequenceNaks(direction) + data.go_back_n.count + data.timeouts.count > 0 || cnps > 0 ||
         data.ce.count >= kMarks;
}

std::map<wire::NetworkAddress, Troubles> TroublesByDestination(
    std::span<const Direction> directions) {
  std::map<wire::NetworkAddress, Troubles> all;
  std::map<wire::NetworkAddress, std::set<wire::NetworkAddress>> fine;  // source to destinations
  for (const Direction& direction : directions) {
    const FlowStats& data = direction.data;
    if (data.payload_bytes == 0) continue;
    Troubles& at = all[data.key.destination];
    ++at.flows;
    at.sources.insert(data.key.source);
    const uint64_t naks = SequenceNaks(direction);
    at.naks += naks;
    at.repeated += data.retransmitted.count;
    at.marks += data.ce.count;
    if (direction.BothSeen()) at.cnps += direction.answers->cnps.count;
    if (naks + data.retransmitted.count > 0) ++at.lossy_flows;
    if (IsTroubled(direction)) {
      at.troubled_sources.insert(data.key.source);
    } else {
      fine[data.key.source].insert(data.key.destination);
    }
  }
  for (auto& [destination, at] : all) {
    for (const wire::NetworkAddress& source : at.troubled_sources) {
      const auto& others = fine[source];
      const bool elsewhere = std::ranges::any_of(
          others,
          [self = destination](const wire::NetworkAddress& other) { return other != self; });
      if (elsewhere) at.fine_elsewhere.insert(source);
    }
  }
  return all;
}

double RateShare(uint64_t bytes, int64_t span_ns, uint64_t line_rate_bps) {
  if (span_ns <= 0 || line_rate_bps == 0) return 0;
  const double bps = static_cast<double>(bytes) * 8e9 / static_cast<double>(span_ns);
  return 100 * bps / static_cast<double>(line_rate_bps);
}

void Describe(const Receiver& receiver, const Troubles& at, int64_t bin_ns, FindingDraft& draft) {
  draft.Count("senders", at.sources.size(), "hosts")
      .Count("most senders in one bin", receiver.most_sources, "hosts")
      .Count("first packet of that bin", receiver.most_sources_packet, "packet number")
      .Number("bin", Milliseconds(bin_ns), "ms")
      .Number("bins with several senders", Share(receiver.shared_bins, receiver.busy_bins), "%")
      .Count("fullest bin", receiver.peak_bytes, "bytes")
      .Count("QPs with data", at.flows, "QPs")
      .Count("QPs with NAKs or repeated packets", at.lossy_flows, "QPs")
      .Count("NAKs, PSN sequence error", at.naks, "NAKs")
      .Count("repeated packets", at.repeated)
      .Count("marked CE", at.marks)
      .Count("CNPs", at.cnps);
}

void Collapse(const Receiver& receiver, const Troubles& at, const Traffic& traffic,
              double rate_share, uint64_t line_rate_bps, Drafts& drafts) {
  FindingDraft draft("incast-collapse", Severity::kError, receiver.destination.ToString(),
                     static_cast<double>(receiver.packets));
  draft.Number("sum of all senders", rate_share, "% of the line rate")
      .Number("line rate", static_cast<double>(line_rate_bps) / 1e9, "Gb/s");
  Describe(receiver, at, traffic.bin_ns, draft);
  draft.Explain(
      "Several senders at once overflow the queue in front of one receiver; all QPs lose "
      "and repeat together, and the sum stays far below the link's rate.",
      "Make the class lossless (PFC) or the senders slower (ECN with CNPs), and let "
      "fewer of them send to one receiver at a time.");
  drafts.push_back(std::move(draft));
}

void Incast(const Receiver& receiver, const Troubles& at, const Traffic& traffic, double peak_share,
            Drafts& drafts) {
  FindingDraft draft("incast", Severity::kWarning, receiver.destination.ToString(),
                     static_cast<double>(receiver.packets) / 2);
  Describe(receiver, at, traffic.bin_ns, draft);
  if (peak_share > 0) draft.Number("fullest bin", peak_share, "% of the line rate");
  if (!at.fine_elsewhere.empty()) {
    draft.Count("of the troubled senders, do well to other receivers", at.fine_elsewhere.size(),
                "hosts");
  }
  draft.Explain(
      "Several senders at once meet at one receiver: congestion at the end point, which "
      "no choice of paths through the fabric takes away.",
      "Change who sends to whom when (ring order, rails, number of peers at a time), "
      "not the hash.");
  drafts.push_back(std::move(draft));
}

void Microbursts(const Traffic& traffic, uint64_t line_rate_bps, Drafts& drafts) {
  for (const Microburst& burst : traffic.bursts) {
    const double bytes = static_cast<double>(burst.bytes);
    if (burst.bytes < kBurstBytes || bytes < kBurstRatio * burst.mean_bytes) continue;
    const double share = RateShare(burst.bytes, burst.bin_ns, line_rate_bps);
    // Where the line rate is known a burst must near it; elsewhere several senders make it one.
    if (line_rate_bps > 0 ? share < kBurstRateShare : burst.sources < 2) continue;
    FindingDraft draft("microburst", Severity::kInfo, burst.destination.ToString(), bytes / 1500);
    draft.Count("in the bin", burst.bytes, "bytes")
        .Number("bin", Milliseconds(burst.bin_ns), "ms")
        .Number("mean of a bin", burst.mean_bytes, "bytes")
        .Count("senders in the bin", burst.sources, "hosts")
        .Count("first packet of the bin", burst.first_packet, "packet number");
    if (share > 0) draft.Number("of the line rate", share, "%");
    draft.Explain(
        "Much more than usual came to this host in a short time. A mean over seconds "
        "does not show it; queues do.",
        "Compare with marks, drops and pauses at that time.");
    drafts.push_back(std::move(draft));
  }
}

}  // namespace

void IncastRules(const CaptureAnalysis& analysis, std::span<const Direction> directions,
                 uint64_t line_rate_bps, Drafts& drafts) {
  const Traffic& traffic = analysis.traffic;
  const auto troubles = TroublesByDestination(directions);
  for (const Receiver& receiver : traffic.receivers) {
    const auto found = troubles.find(receiver.destination);
    if (found == troubles.end()) continue;
    const Troubles& at = found->second;
    if (receiver.most_sources < 2 || receiver.shared_bins < kSharedBins) continue;
    if (Share(receiver.shared_bins, receiver.busy_bins) < kSharedShare) continue;
    if (at.troubled_sources.size() < 2) continue;  // many to one without trouble is no fault
    const int64_t span_ns = receiver.last_ns - receiver.first_ns;
    const double rate = RateShare(receiver.bytes, span_ns, line_rate_bps);
    if (line_rate_bps > 0 && span_ns >= kLeastSpanNs && rate < kCollapsedShare &&
        at.lossy_flows == at.flows) {
      Collapse(receiver, at, traffic, rate, line_rate_bps, drafts);
    } else {
      Incast(receiver, at, traffic, RateShare(receiver.peak_bytes, traffic.bin_ns, line_rate_bps),
             drafts);
    }
  }
  Microbursts(traffic, line_rate_bps, drafts);
}

}  // namespace weft::analyzer
