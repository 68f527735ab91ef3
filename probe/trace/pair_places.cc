// SPDX-License-Identifier: Apache-2.0
// What PairTrace and the IcmpBudget tell each other.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "probe/trace/pair_trace.h"

namespace weft::probe {

HopPlace PairTrace::PlaceOf(const PlannedProbe& probe) const {
  HopPlace place = {.ttl = static_cast<uint8_t>(probe.ttl)};
  const uint32_t hop = probe.ttl - 1;
  uint32_t before = graph_.VertexAt(probe.flow, hop);
  if (before == HopGraph::kUnknown && graph_.vertices(hop).size() == 1) before = 0;
  if (before >= HopGraph::kBeyond) {
    place.before = target_.address;
    return place;
  }
  const TraceVertex& vertex = graph_.vertices(hop)[before];
  place.before = hop == 0 ? options_.source : vertex.address;
  if (probe.ttl >= graph_.hop_count()) return place;
  uint32_t next = graph_.VertexAt(probe.flow, probe.ttl);
  // A host has one way out as a rule; of a switch one flow says little.
  const bool has_one_way = vertex.next_hops.size() == 1 && vertex.flow_count > (hop == 0 ? 0U : 1U);
  if (next == HopGraph::kUnknown && has_one_way) next = vertex.next_hops[0];
  if (next >= HopGraph::kBeyond) return place;
  const TraceVertex& expected = graph_.vertices(probe.ttl)[next];
  place.expected = expected.kind == VertexKind::kDestination ? target_.address : expected.address;
  return place;
}

void PairTrace::TeachLinks(IcmpBudget& budget) const {
  for (uint32_t hop = 0; hop + 1 < graph_.hop_count(); ++hop) {
    const std::vector<TraceVertex>& vertices = graph_.vertices(hop);
    const std::vector<TraceVertex>& nexts = graph_.vertices(hop + 1);
    for (uint32_t next = 0; next < nexts.size(); ++next) {
      const std::span<const uint32_t> before = graph_.Predecessors(hop, next);
      if (hop > 0 && nexts[next].kind == VertexKind::kInterface && before.size() > 1) {
        const bool only = std::ranges::all_of(before, [&](uint32_t v) {
          return vertices[v].settled() && vertices[v].next_hops.size() == 1;
        });
        budget.LearnMeeting(nexts[next].address, only);
      }
      for (const uint32_t v : before) {
        if (nexts[next].kind == VertexKind::kDestination) {
          budget.LearnLastHop(vertices[v].address, target_.address);
        } else if (hop == 0) {
          budget.LearnFirstHop(options_.source, nexts[next].address);
        } else {
          budget.LearnLink(vertices[v].address, nexts[next].address);
        }
      }
    }
  }
}

bool PairTrace::ForgetSilence(const HopPlace& place) {
  bool any = false;
  const uint32_t hop = place.ttl - 1U;
  for (uint32_t flow = 0; flow < graph_.flows().size(); ++flow) {
    if (graph_.Answer(flow, place.ttl) != HopAnswer::kSilent) continue;
    const uint32_t before = graph_.VertexAt(flow, hop);
    if (before >= HopGraph::kBeyond) continue;
    const wire::IpAddress address =
        hop == 0 ? options_.source : graph_.vertices(hop)[before].address;
    if (address != place.before) continue;
    graph_.ForgetSilence(flow, place.ttl);
    any = true;
  }
  return any;
}

}  // namespace weft::probe
