// SPDX-License-Identifier: Apache-2.0
#include "analyzer/flows/path_use.h"

#include <algorithm>

namespace weft::analyzer {
namespace {

constexpr uint64_t kNone = ~uint64_t{0};

uint16_t PortOf(uint64_t signature) { return static_cast<uint16_t>(signature >> 32); }
uint8_t TtlOf(uint64_t signature) { return static_cast<uint8_t>(signature >> 16); }
uint8_t DscpOf(uint64_t signature) { return static_cast<uint8_t>(signature >> 8); }

ClassUse& ClassOf(Flow& flow, uint8_t dscp) {
  for (ClassUse& use : flow.classes) {
    if (use.dscp == dscp) return use;
  }
  return flow.classes.emplace_back(ClassUse{.dscp = dscp});
}

}  // namespace

void SettlePath(Flow& flow) {
  if (flow.path_signature == kNone) return;
  const uint64_t packets = flow.packets - flow.run_packets;
  const uint64_t bytes = flow.wire_bytes - flow.run_bytes;
  flow.run_packets = flow.packets;
  flow.run_bytes = flow.wire_bytes;
  if (packets == 0) return;
  ClassUse& use = ClassOf(flow, DscpOf(flow.path_signature));
  use.packets += packets;
  use.bytes += bytes;
  const uint16_t port = PortOf(flow.path_signature);
  auto port_use = std::find_if(flow.ports.begin(), flow.ports.end(),
                               [port](const PortUse& one) { return one.udp_src_port == port; });
  if (port_use == flow.ports.end()) {
    if (flow.ports.size() == kMaxPorts) return;
    port_use =
        flow.ports.insert(port_use, {.udp_src_port = port, .first_packet = flow.run_first_packet});
  }
  port_use->packets += packets;
}

void NoteCnpClass(Flow& flow, const Moment& moment) {
  ++flow.run_packets;
  flow.run_bytes += moment.packet.wire_bytes;
  ClassUse& use = ClassOf(flow, static_cast<uint8_t>(moment.view.traffic_class >> 2));
  ++use.packets;
  use.bytes += moment.packet.wire_bytes;
}

void PathChanged(Flow& flow, uint64_t signature, const Moment& moment, FlowObserver* observer) {
  const uint64_t before = flow.path_signature;
  const uint8_t ttl = TtlOf(signature);
  --flow.packets;  // the packet at hand belongs to what comes
  flow.wire_bytes -= moment.packet.wire_bytes;
  SettlePath(flow);
  ++flow.packets;
  flow.wire_bytes += moment.packet.wire_bytes;
  flow.run_first_packet = moment.packet.number;
  flow.path_signature = signature;
  flow.min_ttl = std::min(flow.min_ttl, ttl);
  flow.max_ttl = std::max(flow.max_ttl, ttl);
  if (moment.view.is_tagged) {
    flow.priorities |= static_cast<uint8_t>(1u << (moment.view.vlan_priority & 7));
  }
  if (before == kNone) return;
  if (PortOf(before) != PortOf(signature)) {
    ++flow.port_changes;
    Tell(observer, flow, moment, FlowEvent::Kind::kPortChange, PortOf(signature));
  }
  if (TtlOf(before) != ttl) {
    flow.oddities().ttl_changes.Note(moment.packet.number);
    Tell(observer, flow, moment, FlowEvent::Kind::kTtlChange, ttl);
  }
}

}  // namespace weft::analyzer
