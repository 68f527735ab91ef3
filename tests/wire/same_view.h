// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "wire/frame.h"

// Whether two views show the same, for tests and the fuzz target: of a header that a packet does
// not have the field means nothing, and does not count.
namespace weft::wire {

inline bool SameRdmaHeaders(const RdmaPacket& a, const RdmaPacket& b) {
  return a.bth == b.bth && a.headers == b.headers && a.payload_bytes == b.payload_bytes &&
         (!a.Has(header::kReth) || a.reth == b.reth) &&
         (!a.Has(header::kAeth) || a.aeth == b.aeth) &&
         (!a.Has(header::kAtomicEth) || a.atomic == b.atomic) &&
         (!a.Has(header::kAtomicAckEth) || a.atomic_original == b.atomic_original) &&
         (!a.Has(header::kDeth) || a.deth == b.deth) &&
         (!a.Has(header::kImmDt) || a.immediate == b.immediate) &&
         (!a.Has(header::kIeth) || a.invalidated_r_key == b.invalidated_r_key) &&
         (!a.Has(header::kXrceth) || a.xrc_srqn == b.xrc_srqn) &&
         (!a.Has(header::kRdeth) || a.ee_context == b.ee_context);
}

inline bool SameNetwork(const FrameView& a, const FrameView& b) {
  return a.source == b.source && a.destination == b.destination && a.source_lid == b.source_lid &&
         a.destination_lid == b.destination_lid && a.service_level == b.service_level &&
         a.traffic_class == b.traffic_class && a.ttl == b.ttl && a.flow_label == b.flow_label &&
         a.ip_protocol == b.ip_protocol && a.udp_src_port == b.udp_src_port &&
         a.udp_dst_port == b.udp_dst_port && a.ip_bytes == b.ip_bytes;
}

inline bool SameLink(const FrameView& a, const FrameView& b) {
  return a.mac_source == b.mac_source && a.mac_destination == b.mac_destination &&
         a.ethertype == b.ethertype && a.is_tagged == b.is_tagged && a.vlan_id == b.vlan_id &&
         a.vlan_priority == b.vlan_priority && a.tunnel_count == b.tunnel_count &&
         std::equal(a.tunnels.begin(), a.tunnels.begin() + a.tunnel_count, b.tunnels.begin());
}

// All but what a cut changes.
inline bool SameHeaders(const FrameView& a, const FrameView& b) {
  return a.frame_class == b.frame_class && SameNetwork(a, b) && SameLink(a, b) &&
         (!IsRdma(a.frame_class) || SameRdmaHeaders(a.rdma, b.rdma));
}

inline bool SameView(const FrameView& a, const FrameView& b) {
  const bool has_pause = a.frame_class == FrameClass::kPfc || a.frame_class == FrameClass::kPause;
  const bool same_payload = a.rdma.payload.data() == b.rdma.payload.data() &&
                            a.rdma.payload.size() == b.rdma.payload.size();
  return SameHeaders(a, b) && a.icrc == b.icrc && (!IsRdma(a.frame_class) || same_payload) &&
         (!has_pause || a.pause == b.pause) &&
         (a.frame_class != FrameClass::kLldp || a.lldp.data() == b.lldp.data());
}

}  // namespace weft::wire
