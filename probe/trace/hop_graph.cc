// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/hop_graph.h"

#include <algorithm>
#include <cassert>

#include "probe/trace/mda.h"

namespace weft::probe {
namespace {

void AddOnce(std::vector<uint32_t>& values, uint32_t value) {
  if (std::ranges::find(values, value) == values.end()) values.push_back(value);
}

bool IsVertex(uint32_t vertex) { return vertex < HopGraph::kBeyond; }

bool EndsFlows(VertexKind kind) {
  return kind == VertexKind::kDestination || kind == VertexKind::kRefusal;
}

}  // namespace

HopGraph::HopGraph(uint32_t max_ttl, uint32_t silent_hop_limit)
    : max_ttl_(max_ttl), silent_hop_limit_(silent_hop_limit), hops_(1) {
  hops_[0].vertices.push_back({.kind = VertexKind::kSource, .address = {}, .next_hops = {}});
}

uint32_t HopGraph::AddFlow(uint16_t udp_src_port, bool wanted) {
  flows_.push_back({.udp_src_port = udp_src_port,
                    .wanted = wanted,
                    .answers = {HopAnswer::kUnasked},
                    .measured = {0},
                    .vertices = {0},
                    .answered_ms = {0}});
  return static_cast<uint32_t>(flows_.size() - 1);
}

void HopGraph::Record(uint32_t flow, uint32_t ttl, HopAnswer answer, const wire::IpAddress& address,
                      int64_t time_ns) {
  assert(ttl >= 1 && ttl <= max_ttl_);
  Flow& f = flows_[flow];
  if (f.answers.size() <= ttl) {
    f.answers.resize(ttl + 1, HopAnswer::kUnasked);
    f.measured.resize(ttl + 1, kUnknown);
    f.answered_ms.resize(ttl + 1);
  }
  if (hops_.size() <= ttl) hops_.resize(ttl + 1);
  f.answers[ttl] = answer;
  f.answered_ms[ttl] = static_cast<uint32_t>(time_ns / 1'000'000);
  if (answer == HopAnswer::kInterface) {
    f.measured[ttl] = FindOrAddVertex(ttl, VertexKind::kInterface, address);
  } else if (answer == HopAnswer::kRefusal) {
    f.measured[ttl] = FindOrAddVertex(ttl, VertexKind::kRefusal, address);
  } else if (answer == HopAnswer::kDestination) {
    f.measured[ttl] = FindOrAddVertex(ttl, VertexKind::kDestination, {});
  }
}

void HopGraph::ForgetSilence(uint32_t flow, uint32_t ttl) {
  std::vector<HopAnswer>& answers = flows_[flow].answers;
  for (size_t t = ttl; t < answers.size() && answers[t] == HopAnswer::kSilent; ++t) {
    answers[t] = HopAnswer::kUnasked;
  }
}

HopAnswer HopGraph::Answer(uint32_t flow, uint32_t ttl) const {
  const Flow& f = flows_[flow];
  return ttl < f.answers.size() ? f.answers[ttl] : HopAnswer::kUnasked;
}

uint32_t HopGraph::VertexAt(uint32_t flow, uint32_t hop) const {
  const Flow& f = flows_[flow];
  return hop < f.vertices.size() ? f.vertices[hop] : kUnknown;
}

bool HopGraph::CanGoOn(uint32_t flow, uint32_t hop) const {
  const uint32_t vertex = VertexAt(flow, hop);
  if (!IsVertex(vertex) || flows_[flow].unusable || hop >= max_ttl_) return false;
  if (EndsFlows(hops_[hop].vertices[vertex].kind) || Loops(flow, hop)) return false;
  if (hop < silent_hop_limit_) return true;
  for (uint32_t back = 0; back < silent_hop_limit_; ++back) {
    const uint32_t earlier = VertexAt(flow, hop - back);
    if (!IsVertex(earlier) || hops_[hop - back].vertices[earlier].kind != VertexKind::kSilent) {
      return true;
    }
  }
  return false;
}

bool HopGraph::Loops(uint32_t flow, uint32_t hop) const {
  const uint32_t vertex = VertexAt(flow, hop);
  if (!IsVertex(vertex) || !hops_[hop].vertices[vertex].is_repeated) return false;
  const wire::IpAddress& address = hops_[hop].vertices[vertex].address;
  bool left = false;  // another one answered in between
  for (uint32_t h = hop; h-- > 1;) {
    const uint32_t earlier = VertexAt(flow, h);
    if (!IsVertex(earlier)) return false;
    const TraceVertex& v = hops_[h].vertices[earlier];
    if (left && v.address == address) return true;
    left = left || (v.kind == VertexKind::kInterface && v.address != address);
  }
  return false;
}

uint32_t HopGraph::VertexOfNewFlow(uint32_t hop) const {
  uint32_t vertex = 0;
  for (uint32_t h = 0; h < hop; ++h) {
    const TraceVertex& v = hops_[h].vertices[vertex];
    if (!v.open() || !v.settled() || v.next_hops.size() != 1) return kUnknown;
    vertex = v.next_hops[0];
  }
  return vertex;
}

uint32_t HopGraph::OnlyPredecessor(uint32_t hop, uint32_t next) const {
  const auto& all = hops_[hop].predecessors;
  return next < all.size() && all[next].size() == 1 ? all[next][0] : kUnknown;
}

std::span<const uint32_t> HopGraph::Predecessors(uint32_t hop, uint32_t next) const {
  const auto& all = hops_[hop].predecessors;
  return next < all.size() ? std::span<const uint32_t>(all[next]) : std::span<const uint32_t>();
}

uint32_t HopGraph::OpenVertexCount() const {
  uint32_t count = 0;
  for (const HopState& hop : hops_) {
    count += static_cast<uint32_t>(std::ranges::count_if(hop.vertices, &TraceVertex::open));
  }
  return count;
}

uint32_t HopGraph::NeededProbeCount() const {
  uint32_t count = 0;
  for (const HopState& hop : hops_) {
    for (const TraceVertex& vertex : hop.vertices) count += vertex.needed_count;
  }
  return count;
}

uint32_t HopGraph::FindOrAddVertex(uint32_t hop, VertexKind kind, const wire::IpAddress& address) {
  std::vector<TraceVertex>& vertices = hops_[hop].vertices;
  const auto known = std::ranges::find_if(
      vertices, [&](const TraceVertex& v) { return v.kind == kind && v.address == address; });
  if (known == vertices.end()) {
    vertices.push_back({.kind = kind, .address = address, .next_hops = {}});
    if (kind == VertexKind::kInterface) MarkRepeated(address);
    return static_cast<uint32_t>(vertices.size() - 1);
  }
  return static_cast<uint32_t>(known - vertices.begin());
}

void HopGraph::MarkRepeated(const wire::IpAddress& address) {
  bool seen = false;
  for (uint32_t hop = 1; hop < hops_.size(); ++hop) {
    for (TraceVertex& vertex : hops_[hop].vertices) {
      if (vertex.kind != VertexKind::kInterface || vertex.address != address) continue;
      vertex.is_repeated = seen;
      seen = true;
    }
  }
}

uint32_t HopGraph::MeasuredVertex(uint32_t flow, uint32_t hop) const {
  const std::vector<uint32_t>& measured = flows_[flow].measured;
  return hop < measured.size() ? measured[hop] : kUnknown;
}

void HopGraph::Resolve(double alpha) {
  // The conclusions forward use the counts, which need the conclusions: the second round works with
  // the counts of the first.
  for (int round = 0; round < 2; ++round) {
    for (Flow& flow : flows_) {
      flow.vertices.assign(hops_.size(), kUnknown);
      flow.vertices[0] = 0;
    }
    for (uint32_t hop = 0; hop < hops_.size(); ++hop) ResolveHop(hop);
    Count(alpha);
  }
}

void HopGraph::ResolveHop(uint32_t hop) {
  hops_[hop].predecessors.clear();
  PlaceMeasured(hop);
  AddLinks(hop);
  PlaceUnasked(hop);
  AddLinks(hop);
  PlaceSilent(hop);
}

void HopGraph::PlaceMeasured(uint32_t hop) {
  if (hop == 0) return;
  for (uint32_t flow = 0; flow < flows_.size(); ++flow) {
    const uint32_t before = flows_[flow].vertices[hop - 1];
    const bool ended =
        before == kBeyond || (IsVertex(before) && EndsFlows(hops_[hop - 1].vertices[before].kind));
    flows_[flow].vertices[hop] = ended ? kBeyond : MeasuredVertex(flow, hop);
  }
}

// Which vertex follows which, from the flows that are placed here and were answered at the next
// hop.
void HopGraph::AddLinks(uint32_t hop) {
  if (hop + 1 >= hops_.size()) return;
  for (uint32_t flow = 0; flow < flows_.size(); ++flow) {
    const uint32_t here = flows_[flow].vertices[hop];
    const uint32_t next = MeasuredVertex(flow, hop + 1);
    if (!IsVertex(here) || !IsVertex(next)) continue;
    auto& predecessors = hops_[hop].predecessors;
    if (predecessors.size() <= next) predecessors.resize(next + 1);
    AddOnce(predecessors[next], here);
  }
}

void HopGraph::PlaceUnasked(uint32_t hop) {
  if (hop == 0) return;
  for (uint32_t flow = 0; flow < flows_.size(); ++flow) {
    uint32_t& here = flows_[flow].vertices[hop];
    if (here != kUnknown || Answer(flow, hop) != HopAnswer::kUnasked) continue;
    here = Backward(flow, hop);
    const uint32_t before = flows_[flow].vertices[hop - 1];
    if (here == kUnknown && IsVertex(before)) {
      const TraceVertex& v = hops_[hop - 1].vertices[before];
      if (v.open() && v.settled() && v.next_hops.size() == 1) here = v.next_hops[0];
    }
  }
}

void HopGraph::PlaceSilent(uint32_t hop) {
  if (hop == 0) return;
  for (uint32_t flow = 0; flow < flows_.size(); ++flow) {
    uint32_t& here = flows_[flow].vertices[hop];
    if (here != kUnknown || Answer(flow, hop) != HopAnswer::kSilent) continue;
    here = Backward(flow, hop);
    if (here == kUnknown) here = Between(flow, hop);
    if (here == kUnknown) here = FindOrAddVertex(hop, VertexKind::kSilent, {});
  }
}

// All paths meet in the destination, so it tells nothing of where a flow came from.
uint32_t HopGraph::Backward(uint32_t flow, uint32_t hop) const {
  if (hop + 1 >= hops_.size()) return kUnknown;
  const uint32_t next = MeasuredVertex(flow, hop + 1);
  if (!IsVertex(next) || hops_[hop + 1].vertices[next].kind == VertexKind::kDestination) {
    return kUnknown;
  }
  return OnlyPredecessor(hop, next);
}

// The one vertex that follows the flow's one before and leads, over links that are known, to its
// next one that answered.
uint32_t HopGraph::Between(uint32_t flow, uint32_t hop) const {
  const uint32_t before = flows_[flow].vertices[hop - 1];
  uint32_t next_hop = hop + 1;
  while (next_hop < hops_.size() && !IsVertex(MeasuredVertex(flow, next_hop))) ++next_hop;
  if (next_hop >= hops_.size() || !IsVertex(before)) return kUnknown;
  const uint32_t after = MeasuredVertex(flow, next_hop);
  uint32_t found = kUnknown;
  for (uint32_t v = 0; v < hops_[hop].vertices.size(); ++v) {
    if (!Follows(hop - 1, before, v) || !LeadsTo(hop, v, next_hop, after)) continue;
    if (found != kUnknown) return kUnknown;
    found = v;
  }
  return found;
}

bool HopGraph::Follows(uint32_t hop, uint32_t vertex, uint32_t next) const {
  const auto& predecessors = hops_[hop].predecessors;
  return next < predecessors.size() &&
         std::ranges::find(predecessors[next], vertex) != predecessors[next].end();
}

// The destination, once reached, answers at every larger TTL too.
bool HopGraph::LeadsTo(uint32_t hop, uint32_t vertex, uint32_t last_hop, uint32_t last) const {
  if (hops_[hop].vertices[vertex].kind == VertexKind::kDestination) {
    return hops_[last_hop].vertices[last].kind == VertexKind::kDestination;
  }
  if (hop == last_hop) return vertex == last;
  for (uint32_t next = 0; next < hops_[hop + 1].vertices.size(); ++next) {
    if (Follows(hop, vertex, next) && LeadsTo(hop + 1, next, last_hop, last)) return true;
  }
  return false;
}

void HopGraph::Count(double alpha) {
  for (uint32_t hop = 0; hop < hops_.size(); ++hop) CountHop(hop, alpha);
}

void HopGraph::CountHop(uint32_t hop, double alpha) {
  for (TraceVertex& vertex : hops_[hop].vertices) {
    vertex.member_count = vertex.usable_count = vertex.flow_count = vertex.needed_count = 0;
    vertex.next_hops.clear();
  }
  auto& members = hops_[hop].members;
  members.resize(hops_[hop].vertices.size());
  for (auto& flows : members) flows.clear();
  for (uint32_t flow = 0; flow < flows_.size(); ++flow) {
    const uint32_t here = flows_[flow].vertices[hop];
    if (!IsVertex(here)) continue;
    TraceVertex& vertex = hops_[hop].vertices[here];
    ++vertex.member_count;
    members[here].push_back(flow);
    if (!CanGoOn(flow, hop)) continue;
    ++vertex.usable_count;
    if (Answer(flow, hop + 1) == HopAnswer::kUnasked) continue;
    ++vertex.flow_count;
    const uint32_t next = VertexAt(flow, hop + 1);
    if (IsVertex(next)) AddOnce(vertex.next_hops, next);
  }
  for (TraceVertex& vertex : hops_[hop].vertices) {
    if (vertex.usable_count == 0 && vertex.kind != VertexKind::kSource) continue;
    const auto k = static_cast<uint32_t>(std::max<size_t>(1, vertex.next_hops.size()));
    vertex.needed_count = StoppingPoint(k, alpha);
    if (LeadsNowhere(hop, vertex)) {
      vertex.needed_count = std::min(vertex.needed_count, vertex.usable_count);
    }
  }
}

bool HopGraph::LeadsNowhere(uint32_t hop, const TraceVertex& vertex) const {
  return vertex.kind == VertexKind::kSilent && vertex.flow_count > 0 &&
         std::ranges::all_of(vertex.next_hops, [&](uint32_t next) {
           return hops_[hop + 1].vertices[next].kind == VertexKind::kSilent;
         });
}

uint32_t HopGraph::SilentFlowCount(uint32_t hop) const {
  if (hop >= hops_.size()) return 0;
  for (const TraceVertex& vertex : hops_[hop].vertices) {
    if (vertex.kind == VertexKind::kSilent) return vertex.member_count;
  }
  return 0;
}

}  // namespace weft::probe
