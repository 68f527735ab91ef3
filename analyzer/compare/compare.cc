// SPDX-License-Identifier: Apache-2.0
#include "analyzer/compare/compare.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/collisions/collisions.h"

namespace weft::analyzer {
namespace {

using topology::FlowReport;

// By id, so that no figure depends on the order of the files.
using ReportsById = std::map<std::string, const FlowReport*>;

absl::StatusOr<ReportsById> SortReports(const Round& round) {
  ReportsById reports;
  for (const FlowReport& report : round.reports) {
    if (reports.emplace(report.flow.id, &report).second) continue;
    return absl::InvalidArgumentError(absl::StrCat("round \"", round.name, "\": flow \"",
                                                   report.flow.id,
                                                   "\" is reported twice: expected once"));
  }
  return reports;
}

void SumGoodput(const ReportsById& reports, RoundSummary* summary) {
  double sum = 0;
  double sum_of_squares = 0;
  uint32_t rated = 0;
  for (const auto& [id, report] : reports) {
    ++summary->flows;
    summary->offered_bps += report->flow.rate_bps;
    if (!report->report_received) {
      ++summary->flows_without_report;
      continue;
    }
    summary->sent_bytes += report->sent_bytes;
    summary->received_bytes += report->received_bytes;
    if (report->sent_bytes > 0) {
      const double share = report->received_bytes / report->sent_bytes;
      if (!summary->min_flow_share || share < *summary->min_flow_share) {
        summary->min_flow_share = share;
        summary->min_flow = id;
      }
    }
    if (report->window_seconds > 0) {
      const double goodput_bps = report->received_bytes * 8 / report->window_seconds;
      sum += goodput_bps;
      sum_of_squares += goodput_bps * goodput_bps;
      ++rated;
    }
  }
  if (summary->sent_bytes > 0) {
    summary->goodput_share = summary->received_bytes / summary->sent_bytes;
  }
  if (sum_of_squares > 0) summary->jain_index = sum * sum / (rated * sum_of_squares);
}

uint32_t CountMoved(const ReportsById& first, const ReportsById& now) {
  uint32_t moved = 0;
  for (const auto& [id, report] : now) {
    const auto before = first.find(id);
    if (before != first.end() && before->second->flow.udp_src_port != report->flow.udp_src_port) {
      ++moved;
    }
  }
  return moved;
}

absl::Status AddLinkFigures(const topology::Fabric& fabric, const Round& round,
                            const ReportsById& reports, RoundSummary* summary) {
  if (round.tables.empty()) {
    summary->flows_without_path = summary->flows;
    return absl::OkStatus();
  }
  std::vector<topology::Flow> flows;
  for (const auto& [id, report] : reports) flows.push_back(report->flow);
  auto collisions = FindCollisions(fabric, flows, round.tables);
  if (!collisions.ok()) return collisions.status();
  summary->fullest_link = collisions->fullest_link;
  summary->fullest_link_name = collisions->fullest_link_name;
  summary->idle_links = collisions->idle_links;
  summary->flows_without_path = static_cast<uint32_t>(collisions->unplaced.size());
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<RoundSummary>> CompareRounds(const topology::Fabric& fabric,
                                                        std::span<const Round> rounds) {
  std::vector<RoundSummary> summaries;
  ReportsById first;
  for (const Round& round : rounds) {
    absl::StatusOr<ReportsById> reports = SortReports(round);
    if (!reports.ok()) return reports.status();
    RoundSummary summary;
    summary.name = round.name;
    SumGoodput(*reports, &summary);
    absl::Status status = AddLinkFigures(fabric, round, *reports, &summary);
    if (!status.ok()) return status;
    if (summaries.empty()) {
      first = *reports;
    } else {
      summary.flows_moved = CountMoved(first, *reports);
    }
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

}  // namespace weft::analyzer
