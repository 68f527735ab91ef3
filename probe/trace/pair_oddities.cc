// SPDX-License-Identifier: Apache-2.0
// What PairTrace tells of hops that are not as one expects.
#include <cstdint>
#include <optional>
#include <vector>

#include "probe/trace/pair_trace.h"

namespace weft::probe {
namespace {

void Enter(std::vector<AddressRepeat>& repeats, const wire::IpAddress& address, uint32_t first,
           uint32_t again) {
  for (AddressRepeat& repeat : repeats) {
    if (repeat.address != address || repeat.first_hop != first) continue;
    ++repeat.flow_count;
    return;
  }
  repeats.push_back({address, first, again, 1});
}

}  // namespace

// A quote shows the class as it came to the switch: whoever changed it stands before.
void PairTrace::WatchClass(const PlannedProbe& probe, const ProbeOutcome& outcome) {
  const std::optional<uint8_t> seen = outcome.kind == EventKind::kReply
                                          ? outcome.received_traffic_class
                                          : outcome.quoted_traffic_class;
  if (!seen || outcome.kind == EventKind::kLost) return;
  const bool by_receiver = outcome.kind == EventKind::kReply;
  const uint32_t hop_index = by_receiver ? 0 : probe.ttl;
  const auto enter = [&](std::optional<ClassChange>& change) {
    const auto order = [](uint32_t hop) { return hop == 0 ? UINT32_MAX : hop; };
    if (change && order(change->hop_index) < order(hop_index)) return;
    if (!change || order(hop_index) < order(change->hop_index)) {
      change = {.hop_index = hop_index,
                .address = outcome.hop_address,
                .before = PlaceOf(probe).before,
                .traffic_class = *seen,
                .probe_count = 0};
    }
    ++change->probe_count;
  };
  if ((*seen >> 2) != (options_.traffic_class >> 2)) enter(dscp_change_);
  if ((*seen & 3) != (options_.traffic_class & 3)) enter(ecn_change_);
}

std::vector<topology::HopBehaviour> PairTrace::HopBehaviours() const {
  std::vector<topology::HopBehaviour> behaviours;
  for (const RepeatVerdict& verdict : repeats_.Verdicts()) {
    if (verdict.hop == 0) continue;
    const bool behind_another = !changing_.empty() && verdict.hop > changing_[0].hop;
    topology::HopMode mode = topology::HopMode::kUnknown;
    if (!behind_another && verdict.stability == FlowStability::kStable) {
      mode = topology::HopMode::kHashed;
    } else if (!behind_another && verdict.stability == FlowStability::kPerPacket) {
      mode = topology::HopMode::kPerPacket;
    }
    behaviours.push_back({.hop_index = verdict.hop,
                          .address = verdict.address,
                          .node = {},
                          .next_hop_count = verdict.next_hop_count,
                          .mode = mode,
                          .mode_probes = verdict.probe_count,
                          .fields = {}});
  }
  return behaviours;
}

EndToEnd PairTrace::EndToEndPast(uint32_t hop, const wire::IpAddress& address) const {
  EndToEnd sum;
  for (uint32_t v = 0; hop < graph_.hop_count() && v < graph_.vertices(hop).size(); ++v) {
    if (graph_.vertices(hop)[v].address != address) continue;
    for (const uint32_t flow : graph_.members(hop, v)) {
      if (flow >= end_to_end_.size()) continue;
      sum.sent += end_to_end_[flow].sent;
      sum.answered += end_to_end_[flow].answered;
    }
  }
  return sum;
}

std::vector<AddressRepeat> PairTrace::RepeatedAddresses() const {
  std::vector<AddressRepeat> repeats;
  for (uint32_t hop = 2; hop < graph_.hop_count(); ++hop) {
    for (uint32_t v = 0; v < graph_.vertices(hop).size(); ++v) {
      if (!graph_.vertices(hop)[v].is_repeated) continue;
      for (const uint32_t flow : graph_.members(hop, v)) {
        const uint32_t before = graph_.VertexAt(flow, hop - 1);
        const wire::IpAddress& address = graph_.vertices(hop)[v].address;
        if (before < HopGraph::kBeyond && graph_.vertices(hop - 1)[before].address == address) {
          Enter(repeats, address, hop - 1, hop);
        }
      }
    }
  }
  return repeats;
}

std::vector<AddressRepeat> PairTrace::Loops() const {
  std::vector<AddressRepeat> loops;
  for (uint32_t hop = 3; hop < graph_.hop_count(); ++hop) {
    for (uint32_t v = 0; v < graph_.vertices(hop).size(); ++v) {
      if (!graph_.vertices(hop)[v].is_repeated) continue;
      const wire::IpAddress& address = graph_.vertices(hop)[v].address;
      for (const uint32_t flow : graph_.members(hop, v)) {
        if (!graph_.Loops(flow, hop)) continue;
        uint32_t first = hop - 1;
        while (graph_.vertices(first)[graph_.VertexAt(flow, first)].address != address) --first;
        Enter(loops, address, first, hop);
      }
    }
  }
  return loops;
}

}  // namespace weft::probe
