// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// How RDMA drivers choose the UDP source port of RoCEv2, which ECMP hashes.
namespace weft::wire {

inline constexpr uint32_t kFlowLabelMask = 0xfffff;  // 20 bits

// The source ports by convention: the dynamic ports of RFC 6335 (InfiniBand Architecture
// Specification, volume 1, annex A17).
inline constexpr uint16_t kFirstRoceSourcePort = 0xc000;
inline constexpr uint16_t kLastRoceSourcePort = 0xffff;

// The port that a flow label of 20 bits folds to, as ibv_flow_label_to_udp_sport(3) does. Two
// labels may share a port.
uint16_t UdpSourcePortOf(uint32_t flow_label);

// A label that folds to this port; the smallest one. For a port in 0xC000-0xFFFF; for others the
// answer folds to the port of that range with the same lower 14 bits.
uint32_t FlowLabelFor(uint16_t udp_src_port);

// The label that a driver takes for a connected QP whose address vector has label 0: a fold of the
// product of the two QPNs (24 bits each), the same at both ends.
uint32_t DefaultFlowLabel(uint32_t local_qpn, uint32_t remote_qpn);

// The port that Linux rxe gives the datagrams of a UD QP, whatever the label: a multiplicative hash
// of the QPN. Checked against captured packets.
uint16_t RxeUdSourcePort(uint32_t qpn);

}  // namespace weft::wire
