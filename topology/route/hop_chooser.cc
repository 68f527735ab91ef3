// SPDX-License-Identifier: Apache-2.0
#include "topology/route/hop_chooser.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "topology/route/flow_memory.h"

namespace weft::topology {
namespace {

// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
uint64_t NextRandom(uint64_t* state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// The destination always counts: another one may have another group.
FlowKey KeyOf(const HashedFields& fields, const HashedHeaders& headers) {
  FlowKey key;
  HashedHeaders& kept = key.headers;
  kept.destination = headers.destination;
  kept.protocol = headers.protocol;
  kept.udp_dst_port = headers.udp_dst_port;
  if (fields.Has(HashedField::kSourceAddress)) kept.source = headers.source;
  if (fields.Has(HashedField::kUdpSrcPort)) kept.udp_src_port = headers.udp_src_port;
  if (fields.Has(HashedField::kDestQpn)) kept.dest_qpn = headers.dest_qpn;
  if (fields.Has(HashedField::kBthOpcode)) kept.bth_opcode = headers.bth_opcode;
  if (fields.Has(HashedField::kFlowLabel)) kept.flow_label = headers.flow_label;
  if (fields.Has(HashedField::kDscp)) kept.traffic_class = headers.traffic_class >> 2;
  return key;
}

bool Contains(std::span<const Direction> group, Direction member) {
  return std::find(group.begin(), group.end(), member) != group.end();
}

}  // namespace

// What one switch remembers.
struct HopChooser::Memory {
  struct Placed {
    Direction member;
    int64_t last = 0;  // kFlowlet: when its last packet came, ns; kAdaptive: in which period
  };
  // Packets that a member took.
  struct Load {
    uint32_t this_period = 0;
    uint32_t last_period = 0;
  };

  // Counts begin anew with each period; of the one before, only its end is kept.
  void EnterPeriod(int64_t now) {
    if (now == period) return;
    for (auto& [direction, load] : loads) {
      load = {0, now == period + 1 ? load.this_period : 0};
    }
    period = now;
  }

  FlowMemory<Placed> flows{kMaxFlowsPerSwitch};
  absl::flat_hash_map<uint32_t, Load> loads;  // by Direction::index()
  int64_t period = 0;
};

HopChooser::HopChooser(const Router* router, std::vector<HopModel> models, uint64_t seed)
    : router_(router), models_(std::move(models)), memories_(models_.size()), random_state_(seed) {
  assert(models_.size() == router_->fabric().nodes().size());
}

HopChooser::~HopChooser() = default;
HopChooser::HopChooser(HopChooser&&) noexcept = default;
HopChooser& HopChooser::operator=(HopChooser&&) noexcept = default;

std::optional<Direction> HopChooser::NextHop(NodeIndex node, const HashedHeaders& headers,
                                             int64_t now_ns) {
  const HopMode mode = models_[node].mode;
  if (mode == HopMode::kHashed || mode == HopMode::kUnknown) {
    return router_->NextHop(node, headers);
  }
  const std::optional<NodeIndex> host = router_->fabric().FindAddress(headers.destination);
  if (!host) return std::nullopt;
  const std::span<const Direction> group = router_->NextHops(node, *host);
  if (group.empty()) return std::nullopt;
  if (group.size() == 1) return group.front();
  if (mode == HopMode::kPerPacket) return RandomMember(group);
  if (mode == HopMode::kFlowlet) return PlaceFlowlet(node, headers, group, now_ns);
  return PlaceAdaptive(node, headers, group, now_ns);
}

HopChooser::Memory& HopChooser::MemoryOf(NodeIndex node) {
  if (!memories_[node]) memories_[node] = std::make_unique<Memory>();
  return *memories_[node];
}

Direction HopChooser::RandomMember(std::span<const Direction> group) {
  const auto high = static_cast<uint32_t>(NextRandom(&random_state_) >> 32);
  return group[Bucket(high, static_cast<uint32_t>(group.size()))];
}

Direction HopChooser::PlaceFlowlet(NodeIndex node, const HashedHeaders& headers,
                                   std::span<const Direction> group, int64_t now_ns) {
  const HopModel& model = models_[node];
  bool fresh = false;
  Memory::Placed& flow = MemoryOf(node).flows.Use(KeyOf(model.hash.fields, headers), &fresh);
  if (fresh || now_ns - flow.last >= model.period_ns || !Contains(group, flow.member)) {
    flow.member = RandomMember(group);
  }
  flow.last = now_ns;
  return flow.member;
}

Direction HopChooser::PlaceAdaptive(NodeIndex node, const HashedHeaders& headers,
                                    std::span<const Direction> group, int64_t now_ns) {
  const HopModel& model = models_[node];
  assert(model.period_ns > 0);
  Memory& memory = MemoryOf(node);
  const int64_t period = now_ns / model.period_ns;
  memory.EnterPeriod(period);
  bool fresh = false;
  Memory::Placed& flow = memory.flows.Use(KeyOf(model.hash.fields, headers), &fresh);
  const auto packets = [&](Direction member) {
    const Memory::Load& load = memory.loads[member.index()];
    return uint64_t{load.this_period} + load.last_period;
  };
  if (fresh || !Contains(group, flow.member)) {
    const auto count = static_cast<uint32_t>(group.size());
    flow.member = group[ChooseMember(model.hash, headers, count)];
  } else if (flow.last != period &&
             memory.loads[flow.member.index()].last_period > model.adaptive_packets) {
    flow.member = *std::min_element(group.begin(), group.end(), [&](Direction a, Direction b) {
      return packets(a) < packets(b);
    });
  }
  flow.last = period;
  ++memory.loads[flow.member.index()].this_period;
  return flow.member;
}

}  // namespace weft::topology
