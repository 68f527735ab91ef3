// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analyzer/report/capture_rules.h"

namespace weft::analyzer {
namespace {

using topology::Severity;

// A storm: the link stands still for most of a time that queues cannot explain.
constexpr uint64_t kStormFrames = 100;
constexpr int64_t kStormNs = 100'000'000;
constexpr double kStormShare = 50;  // percent of the time
// Without XON and line rate only their rate tells: with the longest pause of a 100 Gb/s link
// (65535 quanta, 336 us) a standing pause takes 3,000 frames a second.
constexpr double kStormFramesPerSecond = 1'000;
constexpr double kQuantumBits = 512;

struct Paused {
  size_t priority = 0;
  uint64_t xoff = 0;
  double share = 0;  // percent of the link's time, at most 100; 0: unknown
};

Paused WorstOf(const PauseLink& link, uint64_t line_rate_bps) {
  Paused worst;
  const double span_ns = static_cast<double>(link.last_ns - link.first_ns);
  for (size_t i = 0; i < wire::kPriorities; ++i) {
    if (link.xoff[i].count == 0) continue;
    double share = 0;
    if (span_ns > 0) {
      double paused_ns = static_cast<double>(link.held_ns[i]);
      if (paused_ns == 0 && line_rate_bps > 0) {
        paused_ns = static_cast<double>(link.quanta[i]) * kQuantumBits * 1e9 /
                    static_cast<double>(line_rate_bps);
      }
      share = std::min(100.0, 100 * paused_ns / span_ns);
    }
    if (share > worst.share || (share == worst.share && link.xoff[i].count > worst.xoff)) {
      worst = {i, link.xoff[i].count, share};
    }
  }
  return worst;
}

bool IsStorm(const PauseLink& link, const Paused& worst) {
  const int64_t span_ns = link.last_ns - link.first_ns;
  if (worst.xoff < kStormFrames || span_ns < kStormNs) return false;
  if (worst.share > 0) return worst.share >= kStormShare;
  return link.xon[worst.priority].count == 0 &&
         static_cast<double>(worst.xoff) * 1e9 / static_cast<double>(span_ns) >=
             kStormFramesPerSecond;
}

// A host's own MAC stands in its packets; a router's stands in those of several hosts.
bool IsHost(const PauseLink& link) { return link.hosts_behind == 1 && link.host_ttl_is_fresh; }

void NameSender(const PauseLink& link, const Traffic& traffic, FindingDraft& draft) {
  if (IsHost(link)) {
    draft.Fact(
        absl::StrCat("sent by host ", link.host.ToString(), ", whose packets have this MAC"));
  } else if (link.hosts_behind > 1) {
    draft.Fact("sent by a router or switch: packets of several hosts have this MAC");
    draft.Count("hosts behind this MAC", link.hosts_behind, "hosts");
  } else {
    draft.Fact("whether a host or a switch sent them is unknown");
  }
  const auto neighbour = std::ranges::find(traffic.neighbours, link.sender, &LldpNeighbour::sender);
  if (neighbour == traffic.neighbours.end()) return;
  draft.Fact(
      neighbour->system_name.empty()
          ? absl::StrCat("LLDP of this MAC in packet ", neighbour->first_packet)
          : absl::StrCat("LLDP of this MAC: ", neighbour->system_name, " ", neighbour->port));
}

void NameFirst(const Traffic& traffic, FindingDraft& draft) {
  if (!traffic.first_ce_ns || !traffic.first_pause_ns) return;
  const int64_t lead_ns = *traffic.first_ce_ns - *traffic.first_pause_ns;
  draft.Number(lead_ns > 0 ? "the first pause came before the first CE mark by"
                           : "the first CE mark came before the first pause by",
               Milliseconds(lead_ns > 0 ? lead_ns : -lead_ns), "ms");
}

void Pauses(const PauseLink& link, const Traffic& traffic, uint64_t line_rate_bps, Drafts& drafts) {
  const Paused worst = WorstOf(link, line_rate_bps);
  if (worst.xoff == 0) return;  // only XON: nothing was paused
  const bool is_storm = IsStorm(link, worst);
  const char* code = is_storm ? "pause-storm" : IsHost(link) ? "host-sends-pause" : "pause-seen";
  const Severity severity = is_storm       ? Severity::kError
                            : IsHost(link) ? Severity::kWarning
                                           : Severity::kInfo;
  FindingDraft draft(code, severity, wire::MacText(link.sender), static_cast<double>(worst.xoff));
  for (size_t i = 0; i < wire::kPriorities; ++i) {
    const std::string of = link.is_pfc ? absl::StrCat(" of priority ", i) : " of the whole link";
    draft.Packets(absl::StrCat("XOFF", of), link.xoff[i]);
    draft.Packets(absl::StrCat("XON", of), link.xon[i]);
    if (link.xoff[i].count > 0)
      draft.Count(absl::StrCat("asked for", of), link.quanta[i], "quanta");
  }
  draft.Number("from the first to the last", Milliseconds(link.last_ns - link.first_ns), "ms");
  if (worst.share > 0) draft.Number("paused at least, of that time", worst.share, "%");
  NameSender(link, traffic, draft);
  NameFirst(traffic, draft);
  draft.Explain(is_storm ? "The link is paused most of the time: a pause storm, which spreads to "
                           "everything behind it."
                : IsHost(link) ? "A host pauses its switch: it cannot take what it is sent. This "
                                 "is an end point's limit, not a full link of the fabric."
                               : "Pause frames are link-local: these are about this link alone.",
                is_storm       ? "Find why the sender of the pause cannot drain: its NIC, PCIe, "
                                 "CPU; set a PFC watchdog."
                : IsHost(link) ? "Look at incast towards the host, its PCIe and memory."
                               : "Compare with the rate and marks at that time.");
  drafts.push_back(std::move(draft));
}

void PauseBeforeMark(const Traffic& traffic, Drafts& drafts) {
  if (!traffic.first_ce_ns || !traffic.first_pause_ns) return;
  if (*traffic.first_pause_ns >= *traffic.first_ce_ns) return;
  drafts.push_back(
      FindingDraft("pause-before-ce", Severity::kInfo, "capture",
                   static_cast<double>(traffic.pause_frames))
          .Number("first pause before the first CE mark by",
                  Milliseconds(*traffic.first_ce_ns - *traffic.first_pause_ns), "ms")
          .Count("pause frames", traffic.pause_frames)
          .Count("marked CE", traffic.ecn_ce)
          .Explain("Flow control acted before marking did: the pause threshold may lie below "
                   "where marking begins.",
                   "Let marking begin well below the queue length at which PFC pauses."));
}

}  // namespace

void PauseRules(const CaptureAnalysis& analysis, uint64_t line_rate_bps, Drafts& drafts) {
  for (const PauseLink& link : analysis.traffic.pauses) {
    Pauses(link, analysis.traffic, line_rate_bps, drafts);
  }
  PauseBeforeMark(analysis.traffic, drafts);
}

}  // namespace weft::analyzer
