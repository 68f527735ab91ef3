// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/capture_findings.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "analyzer/report/capture_rules.h"

namespace weft::analyzer {
namespace {

uint64_t LineRate(std::span<const CaptureInterface> interfaces,
                  const CaptureFindingOptions& options) {
  uint64_t rate = options.line_rate_bps;
  if (rate != 0) return rate;
  for (const CaptureInterface& interface : interfaces) rate = std::max(rate, interface.speed_bps);
  return rate;
}

std::vector<Direction> DirectionsOf(const std::vector<Connection>& connections) {
  std::vector<Direction> directions;
  for (const Connection& connection : connections) {
    const FlowStats* backward = connection.backward ? &*connection.backward : nullptr;
    directions.push_back({connection, connection.forward, backward});
    if (backward != nullptr) directions.push_back({connection, *backward, &connection.forward});
  }
  return directions;
}

}  // namespace

bool IsReliable(const FlowStats& flow) {
  return flow.transport == wire::Transport::kRc || flow.transport == wire::Transport::kXrc;
}

uint64_t SequenceNaks(const Direction& direction) {
  if (!direction.BothSeen()) return 0;
  return direction.answers->naks[static_cast<size_t>(wire::NakCode::kPsnSequenceError)].count;
}

bool HasTrouble(const Direction& direction) {
  const FlowStats& data = direction.data;
  if (data.retransmitted.count + data.timeouts.count + data.ce.count + data.missing_psns > 0) {
    return true;
  }
  if (!direction.BothSeen()) return false;
  const FlowStats& answers = *direction.answers;
  if (answers.cnps.count + answers.rnr_naks.count > 0) return true;
  return std::ranges::any_of(answers.naks, [](const Tally& naks) { return naks.count > 0; });
}

std::vector<topology::Finding> CaptureFindings(const CaptureAnalysis& analysis,
                                               std::span<const CaptureInterface> interfaces,
                                               const CaptureFindingOptions& options) {
  Drafts drafts;
  const uint64_t line_rate_bps = LineRate(interfaces, options);
  FileRules(analysis, interfaces, drafts);
  PortRules(analysis, drafts);
  const std::vector<Direction> directions = DirectionsOf(analysis.connections);
  for (const Direction& direction : directions) {
    PathRules(direction, drafts);
    LossRules(direction, drafts);
    RefusalRules(direction, drafts);
    EcnRules(direction, drafts);
    PaceRules(direction, drafts);
    PacketRules(direction, drafts);
  }
  for (const Connection& connection : analysis.connections) ConnectionRules(connection, drafts);
  IncastRules(analysis, directions, line_rate_bps, drafts);
  PauseRules(analysis, line_rate_bps, drafts);
  return Ranked(std::move(drafts));
}

}  // namespace weft::analyzer
