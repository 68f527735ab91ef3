// SPDX-License-Identifier: Apache-2.0
#include "analyzer/flows/traffic_meter.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "analyzer/flows/traffic_state.h"
#include "wire/dcbx.h"
#include "wire/lldp.h"

namespace weft::analyzer {
namespace {

constexpr size_t kMaxSeconds = 100'000;
constexpr size_t kMaxPauses = 1'024;
constexpr size_t kMaxNeighbours = 1'024;
constexpr uint8_t kCe = 3;

uint64_t MacNumber(const wire::MacAddress& mac) {
  uint64_t number = 0;
  for (const uint8_t byte : mac) number = number << 8 | byte;
  return number;
}

}  // namespace

void TrafficMeter::State::NoteTime(const CapturedPacket& packet) {
  if (!packet.has_time) {
    second = nullptr;
    second_end_ns = second_start_ns;
    return;
  }
  const int64_t now = packet.time_ns;
  if (!traffic.has_times) {
    traffic.has_times = true;
    traffic.first_ns = traffic.last_ns = now;
  } else if (now < last_time_ns) {
    ++traffic.backward_steps;
    traffic.first_ns = std::min(traffic.first_ns, now);
  } else {
    traffic.last_ns = std::max(traffic.last_ns, now);
  }
  last_time_ns = now;
  if (second == nullptr || now < second->start_ns || now - second->start_ns >= kSecondNs) {
    FindSecond(now);
    second_start_ns = second->start_ns;
    second_end_ns = second_start_ns + kSecondNs;
  }
  ++second->packets;
}

void TrafficMeter::State::FindSecond(int64_t time_ns) {
  const int64_t start = FloorTo(time_ns, kSecondNs);
  if (const auto found = seconds_by_start.find(start); found != seconds_by_start.end()) {
    second = &traffic.seconds[found->second];
    return;
  }
  if (traffic.seconds.size() < kMaxSeconds) {
    seconds_by_start.emplace(start, static_cast<uint32_t>(traffic.seconds.size()));
    traffic.seconds.push_back({.start_ns = start});
  }
  second = &traffic.seconds.back();
}

void TrafficMeter::State::AddRdma(const wire::FrameView& view, const CapturedPacket& packet,
                                  HostSlots& slots) {
  if (second != nullptr) {
    ++second->roce_packets;
    second->roce_bytes += packet.wire_bytes;
  }
  if (view.icrc == wire::IcrcState::kCut) ++traffic.unchecked_icrc;
  if (view.icrc == wire::IcrcState::kBad) ++traffic.bad_icrc;
  if ((view.traffic_class & 3) == kCe) {
    ++traffic.ecn_ce;
    if (second != nullptr) ++second->ecn_ce;
    if (packet.has_time && !traffic.first_ce_ns) traffic.first_ce_ns = packet.time_ns;
  }
  const wire::MessageKind kind = view.rdma.info().kind;
  if (kind == wire::MessageKind::kCnp) {
    ++traffic.cnps;
    if (second != nullptr) ++second->cnps;
    if (packet.has_time && !traffic.first_cnp_ns) traffic.first_cnp_ns = packet.time_ns;
  } else if (kind == wire::MessageKind::kAck && view.rdma.Has(wire::header::kAeth)) {
    const wire::AckKind ack = wire::AckKindOf(view.rdma.aeth.syndrome);
    if (ack == wire::AckKind::kNak) {
      ++traffic.naks;
      if (second != nullptr) ++second->naks;
    } else if (ack == wire::AckKind::kRnrNak) {
      ++traffic.rnr_naks;
      if (second != nullptr) ++second->rnr_naks;
    }
  }

  hosts.Add(view, packet, slots);
}

void TrafficMeter::State::AddPause(const wire::FrameView& view, const CapturedPacket& packet) {
  const wire::PauseFrame& frame = view.pause;
  if (frame.Pauses()) {
    ++traffic.pause_frames;
    if (second != nullptr) ++second->pause_frames;
    if (packet.has_time && !traffic.first_pause_ns) traffic.first_pause_ns = packet.time_ns;
  }
  const uint64_t key = MacNumber(view.mac_source) << 1 | (frame.is_pfc ? 1 : 0);
  auto found = pause_by_sender.find(key);
  if (found == pause_by_sender.end()) {
    if (traffic.pauses.size() == kMaxPauses) return;
    found = pause_by_sender.emplace(key, static_cast<uint32_t>(traffic.pauses.size())).first;
    traffic.pauses.push_back({.sender = view.mac_source,
                              .is_pfc = frame.is_pfc,
                              .first_ns = packet.time_ns,
                              .last_ns = packet.time_ns});
    held.emplace_back();
  }
  PauseLink& link = traffic.pauses[found->second];
  HeldPriorities& holds = held[found->second];
  link.last_ns = std::max(link.last_ns, packet.time_ns);
  for (size_t priority = 0; priority < (frame.is_pfc ? wire::kPriorities : 1); ++priority) {
    if (!frame.Enables(priority)) continue;
    bool& is_held = holds.is_held[priority];
    if (frame.quanta[priority] != 0) {
      link.xoff[priority].Note(packet.number);
      link.quanta[priority] += frame.quanta[priority];
      if (!is_held) holds.since_ns[priority] = packet.time_ns;
      is_held = packet.has_time;
      continue;
    }
    link.xon[priority].Note(packet.number);
    if (is_held && packet.time_ns > holds.since_ns[priority]) {
      link.held_ns[priority] += packet.time_ns - holds.since_ns[priority];
    }
    is_held = false;
  }
}

void TrafficMeter::State::AddLldp(const wire::FrameView& view, const CapturedPacket& packet) {
  const uint64_t key = MacNumber(view.mac_source);
  auto found = neighbour_by_sender.find(key);
  if (found == neighbour_by_sender.end()) {
    if (traffic.neighbours.size() == kMaxNeighbours) return;
    found =
        neighbour_by_sender.emplace(key, static_cast<uint32_t>(traffic.neighbours.size())).first;
    traffic.neighbours.push_back({.sender = view.mac_source, .first_packet = packet.number});
  }
  LldpNeighbour& neighbour = traffic.neighbours[found->second];
  ++neighbour.packets;
  // The latest word counts; what it leaves out stays as it was said before.
  const std::optional<wire::Lldp> lldp = wire::ParseLldp(view.lldp);
  if (!lldp) return;
  if (lldp->chassis) neighbour.chassis = wire::ChassisIdText(*lldp->chassis);
  if (lldp->port) neighbour.port = wire::PortIdText(*lldp->port);
  if (!lldp->port_description.empty()) {
    neighbour.port_description = wire::LldpText(lldp->port_description);
  }
  if (!lldp->system_name.empty()) neighbour.system_name = wire::LldpText(lldp->system_name);
  const std::optional<wire::Dcbx> dcbx = wire::ParseDcbx(*lldp);
  if (dcbx && dcbx->pfc) neighbour.pfc_classes = dcbx->pfc->enabled_priorities;
}

TrafficMeter::TrafficMeter(const Options& options) {
  assert(options.bin_ns > 0);
  state_ = std::make_unique<State>(options.bin_ns);
}
TrafficMeter::~TrafficMeter() = default;

void TrafficMeter::Add(const wire::FrameView& view, const CapturedPacket& packet,
                       HostSlots* slots) {
  State& state = *state_;
  Traffic& traffic = state.traffic;
  ++traffic.packets;
  traffic.bytes += packet.wire_bytes;
  if (packet.bytes.size() < packet.wire_bytes) ++traffic.cut_packets;
  ++traffic.by_class[static_cast<size_t>(view.frame_class)];
  for (size_t i = 0; i < view.tunnel_count; ++i) {
    const auto begin = view.tunnels.begin();
    // A packet in two tunnels of a kind is one packet with such a tunnel.
    if (std::find(begin, begin + i, view.tunnels[i]) != begin + i) continue;
    ++traffic.by_tunnel[static_cast<size_t>(view.tunnels[i])];
  }
  state.NoteTime(packet);
  if (wire::IsRdma(view.frame_class)) {
    HostSlots unknown;
    state.AddRdma(view, packet, slots != nullptr ? *slots : unknown);
  } else if (view.frame_class == wire::FrameClass::kPfc ||
             view.frame_class == wire::FrameClass::kPause) {
    state.AddPause(view, packet);
  } else if (view.frame_class == wire::FrameClass::kLldp) {
    state.AddLldp(view, packet);
  }
}

Traffic TrafficMeter::Finish() {
  state_->hosts.Finish(state_->traffic);
  std::ranges::sort(state_->traffic.seconds, {}, &Second::start_ns);
  return std::move(state_->traffic);
}

}  // namespace weft::analyzer
