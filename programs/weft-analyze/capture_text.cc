// SPDX-License-Identifier: Apache-2.0
#include "programs/weft-analyze/capture_text.h"

#include <algorithm>
#include <cstdio>
#include <span>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "programs/command/output.h"
#include "programs/weft-analyze/printing.h"

namespace weft::analyze {
namespace {

using analyzer::Connection;
using analyzer::DurationSummary;
using analyzer::FlowStats;

constexpr size_t kConnectionRows = 12;
constexpr size_t kFindingsInFull = 6;
constexpr size_t kSecondRows = 10;

std::string Nanoseconds(int64_t ns) {
  return command::FormatSeconds(static_cast<double>(ns) / 1e9);
}

std::string Share(uint64_t part, uint64_t whole) {
  if (whole == 0) return "0 %";
  return Percent(static_cast<double>(part) / static_cast<double>(whole));
}

std::string Inputs(const std::vector<std::string>& inputs) {
  constexpr size_t kNamed = 3;
  std::string text = absl::StrJoin(std::span(inputs).first(std::min(kNamed, inputs.size())), ", ");
  if (inputs.size() > kNamed) absl::StrAppend(&text, " and ", inputs.size() - kNamed, " more");
  return text;
}

void PrintHead(const CaptureResult& result) {
  const analyzer::Traffic& traffic = result.analysis.traffic;
  const analyzer::CaptureTotals& totals = result.analysis.totals;
  std::printf("%s: %s packets, %s on the wire", Inputs(result.inputs).c_str(),
              Grouped(totals.packets).c_str(), FormatBytes(traffic.bytes).c_str());
  if (traffic.has_times) {
    std::printf(", %s from %s", Nanoseconds(traffic.last_ns - traffic.first_ns).c_str(),
                TimeText(traffic.first_ns).c_str());
  }
  std::printf("\n");
  std::printf("RDMA: %s packets (%s), %s\n", Grouped(totals.roce_packets).c_str(),
              Share(totals.roce_packets, totals.packets).c_str(),
              Count(totals.connections, "connection").c_str());
  std::vector<std::string> classes;
  for (size_t i = 0; i < traffic.by_class.size(); ++i) {
    if (traffic.by_class[i] == 0) continue;
    classes.push_back(absl::StrCat(wire::ToString(static_cast<wire::FrameClass>(i)), " ",
                                   Grouped(traffic.by_class[i])));
  }
  std::printf("holds: %s", classes.empty() ? "nothing" : absl::StrJoin(classes, ", ").c_str());
  for (size_t i = 0; i < traffic.by_tunnel.size(); ++i) {
    if (traffic.by_tunnel[i] == 0) continue;
    std::printf("; %s in %s", Grouped(traffic.by_tunnel[i]).c_str(),
                wire::ToString(static_cast<wire::Tunnel>(i)));
  }
  std::printf("\n");
}

void PrintCompleteness(const CaptureResult& result) {
  const analyzer::CaptureTotals& totals = result.analysis.totals;
  const uint64_t cut = result.analysis.traffic.cut_packets;
  if (cut > 0) {
    std::printf("captured without their ends: %s packets (%s)\n", Grouped(cut).c_str(),
                Share(cut, totals.packets).c_str());
  }
  for (const analyzer::CaptureInterface& interface : result.interfaces) {
    if (interface.dropped.value_or(0) == 0) continue;
    std::printf("dropped by the capturing system: %s packets (%s %s)\n",
                Grouped(*interface.dropped).c_str(), interface.file.c_str(),
                interface.name.c_str());
  }
  if (result.was_interrupted) std::printf("interrupted: this is the result so far\n");
  for (const analyzer::CaptureProblem& problem : result.problems) {
    std::printf("%s: read up to byte %s: %s\n", problem.file.c_str(),
                Grouped(problem.offset).c_str(), problem.what.c_str());
  }
}

void PrintTotals(const analyzer::CaptureTotals& totals) {
  std::printf(
      "retransmitted %s, NAK %s, RNR NAK %s, CE %s, CNP %s, ICRC: %s bad, %s not checkable\n",
      Grouped(totals.retransmitted_packets).c_str(), Grouped(totals.naks).c_str(),
      Grouped(totals.rnr_naks).c_str(), Grouped(totals.ecn_ce).c_str(),
      Grouped(totals.cnps).c_str(), Grouped(totals.bad_icrc).c_str(),
      Grouped(totals.unchecked_icrc).c_str());
}

void PrintFindings(const CaptureResult& result, const CaptureTextOptions& options) {
  if (result.findings.empty()) {
    std::printf("\nno findings\n");
    return;
  }
  const size_t in_full = options.verbose_findings
                             ? result.findings.size()
                             : std::min(kFindingsInFull, result.findings.size());
  std::printf("\n");
  command::PrintFindings(std::span(result.findings).first(in_full));
  const auto others = std::span(result.findings).subspan(in_full);
  for (const topology::Finding& finding : others.first(std::min(kFindingsInFull, others.size()))) {
    std::printf("%s: %s: %s\n", topology::ToString(finding.severity), finding.code.c_str(),
                finding.subject.c_str());
  }
  if (others.size() > kFindingsInFull) {
    std::printf("and %zu findings more (--all, or --format json)\n",
                others.size() - kFindingsInFull);
  }
}

// "12.0 us / 30.1 us": median and 99th percentile.
std::string MedianAndP99(const DurationSummary& summary) {
  if (summary.count == 0) return "-";
  return Nanoseconds(summary.median_ns) + " / " + Nanoseconds(summary.p99_ns);
}

uint64_t Naks(const FlowStats& flow) {
  uint64_t naks = flow.rnr_naks.count;
  for (const analyzer::Tally& tally : flow.naks) naks += tally.count;
  return naks;
}

// A flow, with what its peer said of it.
std::vector<std::string> Row(const FlowStats& flow, const FlowStats* peer,
                             const Connection& connection) {
  const auto goodput = GoodputBps(flow);
  const uint64_t messages = flow.send.messages + flow.write.messages + flow.read_request.messages +
                            flow.read_response.messages + flow.atomic.messages;
  return {FlowName(flow),
          wire::ToString(flow.transport),
          Grouped(flow.packets),
          Grouped(messages),
          goodput ? command::FormatRate(*goodput) : "-",
          Grouped(flow.retransmitted.count),
          peer != nullptr ? Grouped(Naks(*peer)) : "-",
          Share(flow.ecn[3], flow.packets),
          peer != nullptr ? Grouped(peer->cnps.count) : "-",
          MedianAndP99(flow.ack_rtt),
          MedianAndP99(flow.completion),
          ToString(connection.pairing)};
}

uint64_t Bytes(const Connection& connection) {
  return connection.forward.payload_bytes +
         (connection.backward ? connection.backward->payload_bytes : 0);
}

void PrintConnections(const CaptureResult& result, const CaptureTextOptions& options) {
  std::vector<const Connection*> busiest;
  for (const Connection& connection : result.analysis.connections) busiest.push_back(&connection);
  std::ranges::stable_sort(
      busiest, [](const Connection* a, const Connection* b) { return Bytes(*a) > Bytes(*b); });
  if (busiest.empty()) return;
  std::vector<std::vector<std::string>> rows = {
      {"flow", "", "packets", "messages", "goodput", "retrans", "NAKed", "CE", "CNP got",
       "ACK RTT (median / p99)", "completion (median / p99)", "paired by"}};
  size_t shown = 0;
  for (const Connection* connection : busiest) {
    if (!options.all_connections && shown == kConnectionRows) break;
    ++shown;
    const FlowStats* backward = connection->backward ? &*connection->backward : nullptr;
    rows.push_back(Row(connection->forward, backward, *connection));
    if (backward == nullptr || backward->payload_bytes == 0) continue;
    rows.push_back(Row(*backward, &connection->forward, *connection));
  }
  std::printf("\n%s", command::FormatTable(rows).c_str());
  if (shown < busiest.size()) {
    std::printf("and %zu connections with less data (--all, or --format csv)\n",
                busiest.size() - shown);
  }
}

void PrintLinks(const CaptureResult& result) {
  if (!result.links) return;
  std::vector<std::vector<std::string>> rows = {{"link", "flows", "goodput", "share", "load"}};
  double total = 0;
  for (const topology::LinkLoad& link : result.links->links) total += link.offered_bps;
  for (const topology::LinkLoad& link : result.links->links) {
    if (rows.size() > kConnectionRows) break;
    rows.push_back({ToString(link.link), std::to_string(link.flows.size()),
                    command::FormatRate(link.offered_bps),
                    total > 0 ? Percent(link.offered_bps / total) : "-", Percent(link.load)});
  }
  std::printf("\n%s", command::FormatTable(rows).c_str());
  if (!result.links->unplaced.empty()) {
    std::printf("%s on no known path\n", Count(result.links->unplaced.size(), "flow").c_str());
  }
}

void PrintPauses(const analyzer::Traffic& traffic) {
  for (const analyzer::PauseLink& pause : traffic.pauses) {
    for (size_t priority = 0; priority < pause.xoff.size(); ++priority) {
      if (pause.xoff[priority].count + pause.xon[priority].count == 0) continue;
      std::printf("%s from %s%s: %s XOFF, %s XON\n", pause.is_pfc ? "PFC" : "pause",
                  wire::MacText(pause.sender).c_str(),
                  pause.is_pfc ? absl::StrCat(", priority ", priority).c_str() : "",
                  Grouped(pause.xoff[priority].count).c_str(),
                  Grouped(pause.xon[priority].count).c_str());
    }
  }
}

void PrintSeconds(const analyzer::Traffic& traffic) {
  if (traffic.seconds.size() < 2) return;
  std::vector<std::vector<std::string>> rows = {
      {"second", "RDMA packets", "rate", "CE", "CNP", "NAK", "RNR", "pause"}};
  for (const analyzer::Second& second : traffic.seconds) {
    if (rows.size() > kSecondRows) break;
    rows.push_back({Grouped(static_cast<uint64_t>(
                        (second.start_ns - traffic.seconds.front().start_ns) / 1'000'000'000)),
                    Grouped(second.roce_packets),
                    command::FormatRate(static_cast<double>(second.roce_bytes) * 8),
                    Grouped(second.ecn_ce), Grouped(second.cnps), Grouped(second.naks),
                    Grouped(second.rnr_naks), Grouped(second.pause_frames)});
  }
  std::printf("\n%s", command::FormatTable(rows).c_str());
  if (traffic.seconds.size() > kSecondRows) {
    std::printf("and %zu seconds more (--per second --format csv)\n",
                traffic.seconds.size() - kSecondRows);
  }
}

}  // namespace

std::string FlowName(const FlowStats& flow) {
  std::string name = flow.key.source.ToString();
  if (flow.source_qpn) absl::StrAppend(&name, " QP ", *flow.source_qpn);
  return absl::StrCat(name, " -> ", flow.key.destination.ToString(), " QP ", flow.key.dest_qpn);
}

std::string TimeText(int64_t ns) {
  return absl::FormatTime("%Y-%m-%d %H:%M:%E*S UTC", absl::FromUnixNanos(ns), absl::UTCTimeZone());
}

void PrintCaptureText(const CaptureResult& result, const CaptureTextOptions& options) {
  PrintHead(result);
  PrintCompleteness(result);
  if (result.analysis.totals.roce_packets > 0) PrintTotals(result.analysis.totals);
  PrintPauses(result.analysis.traffic);
  PrintFindings(result, options);
  PrintConnections(result, options);
  PrintLinks(result);
  PrintSeconds(result.analysis.traffic);
}

}  // namespace weft::analyze
