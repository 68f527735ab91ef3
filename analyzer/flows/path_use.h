// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "analyzer/flows/flow_state.h"

// Source port, TTL, DSCP and priority of a flow's packets: looked at when they change.
namespace weft::analyzer {

inline constexpr size_t kMaxPorts = 16;

void PathChanged(Flow& flow, uint64_t signature, const Moment& moment, FlowObserver* observer);

// A CNP is the NIC's own: it may have another port, TTL and class than its QP, and changes nothing.
void NoteCnpClass(Flow& flow, const Moment& moment);

// Adds what was counted since the last change. Also before the counts are read.
void SettlePath(Flow& flow);

// What a packet's path may depend on and what shows that it has changed: UDP source port, TTL,
// DSCP, VLAN priority.
inline uint64_t PathSignature(const wire::FrameView& view) {
  return uint64_t{view.udp_src_port} << 32 | uint64_t{view.ttl} << 16 |
         uint64_t{static_cast<uint8_t>(view.traffic_class >> 2)} << 8 |
         (view.is_tagged ? 0x80u | view.vlan_priority : 0u);
}

inline void NotePath(Flow& flow, const Moment& moment, FlowObserver* observer) {
  const uint64_t signature = PathSignature(moment.view);
  if (signature != flow.path_signature) [[unlikely]] {
    PathChanged(flow, signature, moment, observer);
  }
}

}  // namespace weft::analyzer
