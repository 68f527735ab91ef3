// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/probe_plan.h"

#include <algorithm>

namespace weft::probe {
namespace {

// New flows asked at once while looking for those that a vertex is short of.
constexpr uint32_t kMaxSearchBatch = 256;
// How many flows are tried, for each one that is asked for, before the search is given up: enough
// for a vertex that gets a quarter of its even share.
constexpr uint32_t kSearchFactor = 4;
constexpr uint32_t kSearchStart = 64;

class Planner {
 public:
  Planner(HopGraph& graph, const std::function<std::optional<uint16_t>()>& new_port)
      : graph_(graph), new_port_(new_port) {}

  std::vector<PlannedProbe> Plan(uint32_t ports_per_path) {
    Scout();
    for (uint32_t hop = 0; hop < graph_.hop_count() && plan_.empty(); ++hop) PlanHop(hop);
    if (plan_.empty()) PlaceWantedFlows();
    if (plan_.empty() && ports_per_path > 0) FindMorePorts(ports_per_path);
    return std::move(plan_);
  }

 private:
  // Every vertex is first passed by one flow, as far as switches answer: what follows it says where
  // the switch stands, before the many are asked, and these can be paced apart.
  void Scout() {
    const std::vector<HopGraph::Flow>& flows = graph_.flows();
    const bool is_new = std::ranges::none_of(
        flows, [](const HopGraph::Flow& flow) { return flow.answers.size() > 1; });
    if (is_new) return AskNewFlows(1, 1);
    for (uint32_t hop = 1; hop < graph_.hop_count(); ++hop) {
      for (uint32_t v = 0; v < graph_.vertices(hop).size(); ++v) {
        const TraceVertex& vertex = graph_.vertices(hop)[v];
        const bool answers = vertex.kind == VertexKind::kInterface;
        if (answers && vertex.open() && vertex.flow_count == 0) AskMembers(hop, v, 1);
      }
    }
  }

  void PlanHop(uint32_t hop) {
    PlaceAnsweredFlows(hop);
    if (plan_.empty()) LookPastEachVertex(hop);
    if (plan_.empty()) LookForMissingFlows(hop);
    if (plan_.empty()) FillUp(hop);
  }

  // A flow that was answered at the next hop, by one that may follow several vertices here.
  void PlaceAnsweredFlows(uint32_t hop) {
    for (uint32_t flow = 0; flow < graph_.flows().size(); ++flow) {
      const HopAnswer next = graph_.Answer(flow, hop + 1);
      if (next == HopAnswer::kUnasked || next == HopAnswer::kSilent) continue;
      if (graph_.VertexAt(flow, hop) == HopGraph::kUnknown) Ask(flow, hop);
    }
  }

  // One flow past every vertex first, to learn the links; all past a silent one, since the next
  // hop's answer may tell which vertex it really was.
  void LookPastEachVertex(uint32_t hop) {
    for (uint32_t v = 0; v < graph_.vertices(hop).size(); ++v) {
      const TraceVertex& vertex = graph_.vertices(hop)[v];
      if (!vertex.open()) continue;
      if (vertex.kind == VertexKind::kSilent) {
        AskMembers(hop, v, vertex.usable_count);
      } else if (vertex.flow_count == 0) {
        AskMembers(hop, v, 1);
      }
    }
  }

  void LookForMissingFlows(uint32_t hop) {
    const uint32_t passed_by_all = graph_.VertexOfNewFlow(hop);
    uint32_t missing = 0;
    uint32_t needed = 0;
    bool next_hop_tells = true;
    for (uint32_t v = 0; v < graph_.vertices(hop).size(); ++v) {
      const TraceVertex& vertex = graph_.vertices(hop)[v];
      needed += vertex.needed_count;
      if (!vertex.open() || vertex.usable_count >= vertex.needed_count) continue;
      missing += vertex.needed_count - vertex.usable_count;
      next_hop_tells = next_hop_tells && NextHopTells(hop, v);
    }
    const auto flow_count = static_cast<uint32_t>(graph_.flows().size());
    if (missing == 0 || flow_count > kSearchStart + kSearchFactor * needed) return;
    const bool ask_next = passed_by_all != HopGraph::kUnknown || next_hop_tells;
    AskNewFlows(std::min(missing, kMaxSearchBatch), ask_next ? hop + 1 : hop);
  }

  bool NextHopTells(uint32_t hop, uint32_t v) const {
    return std::ranges::all_of(graph_.vertices(hop)[v].next_hops, [&](uint32_t next) {
      const VertexKind kind = graph_.vertices(hop + 1)[next].kind;
      return kind == VertexKind::kInterface && graph_.OnlyPredecessor(hop, next) == v;
    });
  }

  void FillUp(uint32_t hop) {
    for (uint32_t v = 0; v < graph_.vertices(hop).size(); ++v) {
      const TraceVertex& vertex = graph_.vertices(hop)[v];
      if (vertex.open() && !vertex.settled()) {
        AskMembers(hop, v, vertex.needed_count - vertex.flow_count);
      }
    }
  }

  // Wanted flows first, then those whose place was measured, then those whose place was concluded.
  void AskMembers(uint32_t hop, uint32_t vertex, uint32_t count) {
    for (const int round : {0, 1, 2}) {
      for (const uint32_t flow : graph_.members(hop, vertex)) {
        if (count == 0) return;
        if (graph_.Answer(flow, hop + 1) != HopAnswer::kUnasked) continue;
        if (!graph_.CanGoOn(flow, hop)) continue;
        const bool measured = graph_.Answer(flow, hop) != HopAnswer::kUnasked;
        if (round != (graph_.flows()[flow].wanted ? 0 : measured ? 1 : 2)) continue;
        Ask(flow, hop + 1);
        --count;
      }
    }
  }

  // Flows of which nothing was asked yet, then new ones.
  void AskNewFlows(uint32_t count, uint32_t ttl) {
    for (uint32_t flow = 0; flow < graph_.flows().size() && count > 0; ++flow) {
      if (graph_.flows()[flow].answers.size() > 1 || graph_.flows()[flow].unusable) continue;
      Ask(flow, ttl);
      --count;
    }
    for (; count > 0; --count) {
      const std::optional<uint16_t> port = new_port_();
      if (!port) return;
      Ask(graph_.AddFlow(*port, false), ttl);
    }
  }

  void PlaceWantedFlows() {
    for (uint32_t flow = 0; flow < graph_.flows().size(); ++flow) {
      if (graph_.flows()[flow].wanted) PlaceFlow(flow);
    }
  }

  void PlaceFlow(uint32_t flow) {
    if (graph_.flows()[flow].unusable) return;
    for (uint32_t hop = 1; hop < graph_.hop_count(); ++hop) {
      const uint32_t vertex = graph_.VertexAt(flow, hop);
      if (vertex == HopGraph::kBeyond) return;
      if (vertex != HopGraph::kUnknown) continue;
      if (graph_.Answer(flow, hop) == HopAnswer::kUnasked) Ask(flow, hop);
      return;
    }
  }

  // New flows are asked where the paths differ most. (Each flow is on one path; the vertex there is
  // what it is counted by.)
  void FindMorePorts(uint32_t ports_per_path) {
    uint32_t hop = 0;
    for (uint32_t h = 1; h < graph_.hop_count(); ++h) {
      if (graph_.vertices(h).size() > graph_.vertices(hop).size()) hop = h;
    }
    uint32_t missing = 0;
    uint32_t vertex_count = 0;
    for (const TraceVertex& vertex : graph_.vertices(hop)) {
      if (vertex.member_count == 0) continue;
      ++vertex_count;
      if (vertex.member_count < ports_per_path) missing += ports_per_path - vertex.member_count;
    }
    const auto flow_count = static_cast<uint32_t>(graph_.flows().size());
    if (missing == 0 || flow_count > kSearchStart + kSearchFactor * vertex_count * ports_per_path)
      return;
    AskNewFlows(std::min(missing, kMaxSearchBatch), std::max(hop, uint32_t{1}));
  }

  void Ask(uint32_t flow, uint32_t ttl) {
    if (is_planned_.size() <= flow) is_planned_.resize(flow + 1);
    if (is_planned_[flow]) return;
    is_planned_[flow] = true;
    plan_.push_back({.flow = flow, .ttl = ttl});
  }

  HopGraph& graph_;
  const std::function<std::optional<uint16_t>()>& new_port_;
  std::vector<PlannedProbe> plan_;
  std::vector<bool> is_planned_;  // by flow
};

}  // namespace

std::vector<PlannedProbe> PlanProbes(HopGraph& graph, uint32_t ports_per_path,
                                     const std::function<std::optional<uint16_t>()>& new_port) {
  return Planner(graph, new_port).Plan(ports_per_path);
}

}  // namespace weft::probe
