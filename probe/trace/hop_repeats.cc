// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/hop_repeats.h"

#include <algorithm>
#include <cmath>

namespace weft::probe {
namespace {

// The chance that a per-packet hop repeats itself for all flows that are asked again.
constexpr double kMissedChance = 0.004;
constexpr uint32_t kFewestFlows = 4;
constexpr uint32_t kQuickAsks = 6;     // of a flow that moved, in pairs
constexpr size_t kMostMovedFlows = 3;  // of one vertex, that are asked so

uint32_t FlowsToRepeat(size_t next_hop_count) {
  const double flows = std::log(kMissedChance) / -std::log(static_cast<double>(next_hop_count));
  return std::max(kFewestFlows, static_cast<uint32_t>(std::ceil(flows)));
}

}  // namespace

bool HopRepeats::Repeated::moved() const {
  return std::ranges::any_of(answers,
                             [&](const Answer& a) { return a.address != answers[0].address; });
}

void HopRepeats::Choose(const HopGraph& graph) {
  for (uint32_t hop = 0; hop + 1 < graph.hop_count(); ++hop) {
    for (uint32_t v = 0; v < graph.vertices(hop).size(); ++v) {
      const TraceVertex& vertex = graph.vertices(hop)[v];
      const auto answering = std::ranges::count_if(vertex.next_hops, [&](uint32_t next) {
        return graph.vertices(hop + 1)[next].kind == VertexKind::kInterface;
      });
      if (vertex.kind == VertexKind::kSilent || answering < 2) continue;
      vertices_.push_back({.hop = hop,
                           .address = vertex.address,
                           .next_hop_count = static_cast<uint32_t>(vertex.next_hops.size()),
                           .from = {},
                           .to = {}});
      ChooseFlows(graph, v, FlowsToRepeat(static_cast<size_t>(answering)));
    }
  }
}

// One to each next hop, since a next hop that is gone now is noticed by its flows alone; then
// others.
void HopRepeats::ChooseFlows(const HopGraph& graph, uint32_t vertex, uint32_t count) {
  const uint32_t hop = vertices_.back().hop;
  std::vector<bool> has_flow(graph.vertices(hop + 1).size());
  std::vector<uint32_t> chosen;
  std::vector<uint32_t> others;
  for (const uint32_t flow : graph.members(hop, vertex)) {
    if (graph.Answer(flow, hop + 1) != HopAnswer::kInterface) continue;
    const uint32_t next = graph.flows()[flow].measured[hop + 1];
    (has_flow[next] ? others : chosen).push_back(flow);
    has_flow[next] = true;
  }
  for (size_t i = 0; i < others.size() && chosen.size() < count; ++i) chosen.push_back(others[i]);
  for (const uint32_t flow : chosen) {
    const HopGraph::Flow& f = graph.flows()[flow];
    const wire::IpAddress first = graph.vertices(hop + 1)[f.measured[hop + 1]].address;
    flows_.push_back({.vertex = vertices_.size() - 1,
                      .probe = {.flow = flow, .ttl = hop + 1, .repeats = true},
                      .udp_src_port = f.udp_src_port,
                      .answers = {{first, int64_t{f.answered_ms[hop + 1]} * 1'000'000}}});
  }
}

std::vector<PlannedProbe> HopRepeats::Plan(const HopGraph& graph) {
  if (!chosen_) {
    chosen_ = true;
    Choose(graph);
    std::vector<PlannedProbe> plan;
    std::vector<uint32_t> flows;  // one probe of a flow at a time
    for (Repeated& flow : flows_) {
      if (std::ranges::find(flows, flow.probe.flow) != flows.end()) continue;
      flows.push_back(flow.probe.flow);
      plan.push_back(flow.probe);
      ++flow.asked_count;
    }
    if (!plan.empty()) return plan;
  }
  // One flow at a time, so that its probes follow each other closely.
  std::vector<size_t> moved_of(vertices_.size(), 0);
  for (Repeated& flow : flows_) {
    const bool moved = flow.moved();
    if (moved && ++moved_of[flow.vertex] > kMostMovedFlows) continue;
    if (flow.asked_count >= (moved ? 1 + kQuickAsks : 1)) continue;
    // Of every two, the second shall not have to wait for the budget.
    PlannedProbe probe = flow.probe;
    probe.in_a_row = flow.asked_count % 2 == 1 ? 2 : 1;
    ++flow.asked_count;
    return {probe};
  }
  return {};
}

void HopRepeats::OnOutcome(const PlannedProbe& probe, const wire::IpAddress& address,
                           int64_t time_ns) {
  const auto flow = std::ranges::find_if(flows_, [&](const Repeated& repeated) {
    return repeated.probe.flow == probe.flow && repeated.probe.ttl == probe.ttl;
  });
  if (flow != flows_.end() && !address.empty()) flow->answers.push_back({address, time_ns});
}

void HopRepeats::Judge(const Repeated& flow, RepeatVerdict& verdict) const {
  const std::vector<Answer>& answers = flow.answers;
  ++verdict.flow_count;
  verdict.probe_count += static_cast<uint32_t>(answers.size() - 1);
  FlowStability stability = answers.size() > 1 ? FlowStability::kStable : FlowStability::kUnknown;
  uint32_t changes = 0;
  for (size_t i = 1; i < answers.size(); ++i) {
    if (answers[i].address == answers[i - 1].address) continue;
    ++changes;
    const bool quick = i > 1 && answers[i].time_ns - answers[i - 1].time_ns <= kQuickNs;
    if (quick) stability = FlowStability::kPerPacket;
    if (verdict.udp_src_port == 0) {
      verdict.udp_src_port = flow.udp_src_port;
      verdict.from = answers[i - 1].address;
      verdict.to = answers[i].address;
      verdict.after_ns = answers[i - 1].time_ns;
      verdict.by_ns = answers[i].time_ns;
    }
  }
  if (changes > 0) {
    ++verdict.moved_count;
    if (stability != FlowStability::kPerPacket) {
      stability = changes == 1 ? FlowStability::kChangedOnce : FlowStability::kUnstable;
    }
  }
  // One that is per packet decides; a flow may have moved once by chance of a hop that moves all.
  if (verdict.stability == FlowStability::kPerPacket) return;
  if (stability == FlowStability::kPerPacket || stability > verdict.stability) {
    verdict.stability = stability;
  }
}

std::vector<RepeatVerdict> HopRepeats::Verdicts() const {
  std::vector<RepeatVerdict> verdicts = vertices_;
  for (const Repeated& flow : flows_) Judge(flow, verdicts[flow.vertex]);
  for (RepeatVerdict& verdict : verdicts) {
    const bool moves = verdict.stability == FlowStability::kUnstable;
    if (moves && per_packet_.contains(verdict.address)) {
      verdict.stability = FlowStability::kPerPacket;
    }
  }
  return verdicts;
}

}  // namespace weft::probe
