// SPDX-License-Identifier: Apache-2.0
#include "wire/flow_label.h"

namespace weft::wire {
namespace {

constexpr uint32_t kPortBitsMask = 0x3fff;
constexpr int kPortBits = 14;
constexpr uint32_t kQpnMask = 0xffffff;

}  // namespace

uint16_t UdpSourcePortOf(uint32_t flow_label) {
  const uint32_t label = flow_label & kFlowLabelMask;
  return static_cast<uint16_t>(((label & kPortBitsMask) ^ label >> kPortBits) |
                               kFirstRoceSourcePort);
}

uint32_t FlowLabelFor(uint16_t udp_src_port) { return udp_src_port & kPortBitsMask; }

uint32_t DefaultFlowLabel(uint32_t local_qpn, uint32_t remote_qpn) {
  uint64_t product = static_cast<uint64_t>(local_qpn & kQpnMask) * (remote_qpn & kQpnMask);
  product ^= product >> 20;
  product ^= product >> 40;
  return static_cast<uint32_t>(product & kFlowLabelMask);
}

uint16_t RxeUdSourcePort(uint32_t qpn) {
  constexpr uint32_t kGoldenRatio = 0x61C88647;  // of the kernel's hash_32()
  return static_cast<uint16_t>(kFirstRoceSourcePort + (qpn * kGoldenRatio >> (32 - kPortBits)));
}

}  // namespace weft::wire
