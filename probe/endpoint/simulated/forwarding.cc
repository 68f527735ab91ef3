// SPDX-License-Identifier: Apache-2.0
// How packets move through a SimulatedNetwork: origination, links, switches, tunnels.
#include <algorithm>
#include <cassert>

#include "probe/endpoint/simulated/simulated_network.h"
#include "wire/ipv4.h"
#include "wire/udp.h"

namespace weft::probe {
namespace {

constexpr uint16_t kVxlanUdpPort = 4789;  // RFC 7348
constexpr uint8_t kFirstOuterTtl = 64;
constexpr uint8_t kEcnMask = 3;
constexpr uint8_t kCongestionExperienced = 3;

// With a new DSCP (6 bits) and the same ECN bits.
uint8_t WithDscp(uint8_t traffic_class, uint8_t dscp) {
  return static_cast<uint8_t>((dscp << 2) | (traffic_class & kEcnMask));
}

uint8_t MarkedBy(const SwitchFault& fault, uint8_t traffic_class) {
  if (fault.dscp_rewrite) traffic_class = WithDscp(traffic_class, *fault.dscp_rewrite);
  const bool ecn_capable = (traffic_class & kEcnMask) != 0;
  if (fault.ecn_mark && ecn_capable) traffic_class |= kCongestionExperienced;
  return traffic_class;
}

void SetTrafficClass(SimulatedPacket& packet, uint8_t traffic_class) {
  packet.ip.traffic_class = traffic_class;
  packet.routed.traffic_class = traffic_class;
}

}  // namespace

void SimulatedNetwork::FindDestination(SimulatedPacket& packet) const {
  packet.destination = fabric_->FindAddress(packet.ip.destination);
  if (packet.destination && fabric_->node(*packet.destination).kind != topology::NodeKind::kHost) {
    packet.routed.destination = stand_ins_[*packet.destination];
  }
}

std::optional<topology::Direction> SimulatedNetwork::NextHop(topology::NodeIndex node,
                                                             const SimulatedPacket& packet) {
  Refresh();
  if (!forced_.empty() && packet.destination && !packet.outer) {
    const auto forced = forced_.find({node, *packet.destination});
    if (forced != forced_.end()) return forced->second;
  }
  return chooser_->NextHop(node, packet.outer ? packet.outer->routed : packet.routed, now_ns_);
}

void SimulatedNetwork::Originate(topology::NodeIndex node, uint32_t index, int64_t delay_ns,
                                 std::optional<topology::Direction> way) {
  SimulatedPacket& packet = packets_[index];
  if (!packet.ReadHeaders()) {
    packets_.Free(index);
    return;
  }
  FindDestination(packet);
  const bool is_host = fabric_->node(node).kind == topology::NodeKind::kHost;
  if (is_host && host_faults_[node].dscp_rewrite) {
    SetTrafficClass(packet, WithDscp(packet.ip.traffic_class, *host_faults_[node].dscp_rewrite));
  }
  Encapsulate(node, packet);
  if (!way) way = NextHop(node, packet);
  const std::span<const topology::Adjacency> links = fabric_->adjacencies(node);
  if (!way && is_host && !links.empty()) way = links[0].direction;  // its default route
  if (way) {
    Transmit(*way, index, delay_ns);
  } else {
    packets_.Free(index);
  }
}

void SimulatedNetwork::Transmit(topology::Direction way, uint32_t packet, int64_t delay_ns) {
  const LinkFault& link = link_faults_[way.index()];
  const bool lost = link.loss_probability > 0 && random_.Unit() < link.loss_probability;
  if (lost || link.dead || links_down_[way.link] || ++packets_[packet].link_count > kMaxLinks) {
    packets_.Free(packet);
    return;
  }
  int64_t delay = delay_ns + options_.link_delay_ns + link.extra_delay_ns;
  if (link.jitter_ns > 0) {
    delay += static_cast<int64_t>(random_.Below(static_cast<uint64_t>(link.jitter_ns) + 1));
  }
  const Arrival arrival = {now_ns_ + delay, order_++, way, packet};
  if (delay == options_.link_delay_ns) {
    arrivals_.PushUsual(arrival);
  } else {
    arrivals_.Push(arrival);
  }
}

void SimulatedNetwork::ArriveAtSwitch(topology::NodeIndex node, topology::Direction from,
                                      uint32_t index) {
  SimulatedPacket& packet = packets_[index];
  if (!packet.outer) {
    Forward(node, from, index);
  } else if (packet.outer->egress == node) {
    Decapsulate(packet);
    Forward(node, std::nullopt, index);
  } else {
    ForwardOuter(node, index);
  }
}

void SimulatedNetwork::Forward(topology::NodeIndex node, std::optional<topology::Direction> from,
                               uint32_t index) {
  SimulatedPacket& packet = packets_[index];
  const SwitchFault& fault = switch_faults_[node];
  if (packet.destination == node) {
    SendError(node, from, wire::IpErrorKind::kPortClosed, index);
    return;
  }
  const bool passes_last = fault.forwards_expired && packet.ip.ttl == 1;
  if (packet.ip.ttl <= 1 && !passes_last && !fault.keeps_ttl) {
    SendError(node, from, wire::IpErrorKind::kTimeExceeded, index);
    return;
  }
  if (!fault.keeps_ttl) --packet.ip.ttl;
  // What is wrong with the way is said about the packet as it came.
  const uint8_t came_with = packet.ip.traffic_class;
  SetTrafficClass(packet, MarkedBy(fault, came_with));
  Encapsulate(node, packet);
  if (const std::optional<topology::Direction> next = NextHop(node, packet)) {
    Transmit(*next, index, 0);
    return;
  }
  if (!fault.keeps_ttl) ++packet.ip.ttl;
  SetTrafficClass(packet, came_with);
  packet.outer.reset();
  SendError(node, from, wire::IpErrorKind::kUnreachable, index);
}

// Between the ends of a tunnel. An answer to the outer headers would go to the tunnel's start,
// which has no use for it: none is made.
void SimulatedNetwork::ForwardOuter(topology::NodeIndex node, uint32_t index) {
  SimulatedPacket& packet = packets_[index];
  OuterHeaders& outer = *packet.outer;
  const SwitchFault& fault = switch_faults_[node];
  const bool passes_last = fault.forwards_expired && outer.ttl == 1;
  const bool expired = outer.ttl <= 1 && !passes_last && !fault.keeps_ttl;
  const auto next = expired ? std::nullopt : NextHop(node, packet);
  if (!next) {
    packets_.Free(index);
    return;
  }
  if (!fault.keeps_ttl) --outer.ttl;
  outer.routed.traffic_class = MarkedBy(fault, outer.routed.traffic_class);
  Transmit(*next, index, 0);
}

void SimulatedNetwork::Encapsulate(topology::NodeIndex node, SimulatedPacket& packet) const {
  if (!is_tunnel_end_[node] || !packet.destination) return;
  const std::optional<topology::NodeIndex> egress = tunnel_ends_[*packet.destination];
  const bool here = std::ranges::any_of(
      fabric_->adjacencies(*packet.destination),
      [node](const topology::Adjacency& link) { return link.neighbour == node; });
  if (!egress || here) return;
  constexpr uint16_t kFirstPort = 0xc000;  // of the range that RFC 7348 recommends
  const uint32_t hash = topology::Hash({.seed = node}, packet.routed);
  packet.outer =
      OuterHeaders{.egress = *egress,
                   .routed = {.source = stand_ins_[node],
                              .destination = stand_ins_[*egress],
                              .protocol = wire::kIpProtocolUdp,
                              .udp_src_port = static_cast<uint16_t>(kFirstPort | (hash & 0x3fff)),
                              .udp_dst_port = kVxlanUdpPort,
                              .traffic_class = packet.ip.traffic_class},
                   .ttl = kFirstOuterTtl};
}

// Congestion that was met inside counts outside (RFC 6040); the rest of the outer class ends here.
void SimulatedNetwork::Decapsulate(SimulatedPacket& packet) {
  const bool congested = (packet.outer->routed.traffic_class & kEcnMask) == kCongestionExperienced;
  const bool ecn_capable = (packet.ip.traffic_class & kEcnMask) != 0;
  if (congested && ecn_capable) {
    SetTrafficClass(packet, static_cast<uint8_t>(packet.ip.traffic_class | kCongestionExperienced));
  }
  packet.outer.reset();
}

}  // namespace weft::probe
