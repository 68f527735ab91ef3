// SPDX-License-Identifier: Apache-2.0
#include "wire/frame.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "wire/big_endian.h"
#include "wire/frame_paths.h"
#include "wire/icrc.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"
#include "wire/roce.h"
#include "wire/udp.h"

namespace weft::wire {
namespace {

constexpr size_t kMacBytes = 6;
constexpr size_t kVlanTagBytes = 4;
constexpr uint16_t kVlanIdMask = 0xfff;
constexpr int kVlanPriorityShift = 13;
// Of IPv4: version 4 and five words; all of the fragment field but "don't fragment" and the
// reserved bit.
constexpr uint8_t kPlainIpv4 = 0x45;
constexpr uint16_t kFragmentMask = 0x3fff;
constexpr uint32_t kFlowLabelMask = 0xfffff;

// A BTH of a known or vendor's opcode, with what it asks for. `datagram` has a BTH.
inline bool LoadRdma(std::span<const std::byte> datagram, size_t wire_bytes, RdmaPacket& packet) {
  const OpcodeInfo& info = InfoOf(LoadBig8(datagram.data()));
  return (info.is_known || info.transport == Transport::kVendor) &&
         ReadRdma(datagram, wire_bytes, packet) == RdmaReadResult::kOk;
}

// Whether an IP header begins that has nothing behind it but UDP to RoCE's port.
template <bool kIsV4>
inline bool IsPlain(const std::byte* ip, size_t udp_bytes) {
  if constexpr (kIsV4) {
    return LoadBig8(ip) == kPlainIpv4 && LoadBig16(ip + 2) == udp_bytes + kIpv4HeaderBytes &&
           (LoadBig16(ip + 6) & kFragmentMask) == 0 && LoadBig8(ip + 9) == kIpProtocolUdp;
  } else {
    return LoadBig8(ip) >> 4 == 6 && LoadBig16(ip + 4) == udp_bytes &&
           LoadBig8(ip + 6) == kIpProtocolUdp;
  }
}

template <bool kIsV4>
inline void LoadIp(const std::byte* ip, FrameView& view) {
  if constexpr (kIsV4) {
    view.source = NetworkAddress::Ipv4(LoadBig32(ip + 12));
    view.destination = NetworkAddress::Ipv4(LoadBig32(ip + 16));
    view.traffic_class = LoadBig8(ip + 1);
    view.ttl = LoadBig8(ip + 8);
    view.flow_label = 0;
  } else {
    const uint32_t first = LoadBig32(ip);
    view.source = NetworkAddress::Ipv6(LoadBig64(ip + 8), LoadBig64(ip + 16));
    view.destination = NetworkAddress::Ipv6(LoadBig64(ip + 24), LoadBig64(ip + 32));
    view.traffic_class = static_cast<uint8_t>(first >> 20);
    view.ttl = LoadBig8(ip + 7);
    view.flow_label = first & kFlowLabelMask;
  }
  view.ip_protocol = kIpProtocolUdp;
  view.source_lid = 0;
  view.destination_lid = 0;
  view.service_level = 0;
}

// Of a packet that is all there, from its IP header on.
template <bool kIsV4>
IcrcState CheckPlainIcrc(std::span<const std::byte> packet) {
  constexpr size_t kHeaders = (kIsV4 ? kIpv4HeaderBytes : kIpv6HeaderBytes) + kUdpHeaderBytes;
  const std::span<const std::byte> covered =
      packet.subspan(kHeaders, packet.size() - kHeaders - kIcrcBytes);
  const std::optional<uint32_t> icrc = kIsV4 ? RoceIpv4Icrc(packet.first(kHeaders), covered)
                                             : RoceIpv6Icrc(packet.first(kHeaders), covered);
  return icrc == ReadIcrc(packet.last<kIcrcBytes>()) ? IcrcState::kOk : IcrcState::kBad;
}

// From the IP header on, all but what the link says.
template <bool kIsV4>
inline bool LoadPacket(std::span<const std::byte> packet, const FrameOptions& options,
                       FrameView& view) {
  constexpr size_t kIpBytes = kIsV4 ? kIpv4HeaderBytes : kIpv6HeaderBytes;
  constexpr size_t kHeaders = kIpBytes + kUdpHeaderBytes;
  if (packet.size() < kHeaders + kBthBytes) return false;
  const std::byte* ip = packet.data();
  const std::byte* udp = ip + kIpBytes;
  const size_t udp_bytes = LoadBig16(udp + 4);
  if (LoadBig16(udp + 2) != kRoceUdpPort || !IsPlain<kIsV4>(ip, udp_bytes) ||
      udp_bytes < kUdpHeaderBytes + kBthBytes + kIcrcBytes) {
    return false;
  }
  const size_t packet_bytes = kIpBytes + udp_bytes;
  const size_t there = std::min(packet.size(), packet_bytes);
  if (!LoadRdma({ip + kHeaders, there - kHeaders}, udp_bytes - kUdpHeaderBytes, view.rdma)) {
    return false;
  }
  LoadIp<kIsV4>(ip, view);
  view.udp_src_port = LoadBig16(udp);
  view.udp_dst_port = kRoceUdpPort;
  view.ip_bytes = packet_bytes;
  view.icrc = IcrcState::kCut;
  if (options.check_icrc && there == packet_bytes) {
    view.icrc = CheckPlainIcrc<kIsV4>(packet.first(packet_bytes));
  }
  return true;
}

}  // namespace

bool DissectPlainRoce(std::span<const std::byte> frame, const FrameOptions& options,
                      FrameView& view) {
  constexpr size_t kTagged = kEthernetHeaderBytes + kVlanTagBytes;
  if (frame.size() < kTagged) return false;
  const std::byte* bytes = frame.data();
  uint16_t ethertype = LoadBig16(bytes + kEthernetHeaderBytes - 2);
  const bool is_tagged = ethertype == kEthertypeVlan;
  if (is_tagged) ethertype = LoadBig16(bytes + kTagged - 2);
  const std::span<const std::byte> packet =
      frame.subspan(is_tagged ? kTagged : kEthernetHeaderBytes);
  const bool is_roce = ethertype == kEthertypeIpv4 ? LoadPacket<true>(packet, options, view)
                                                   : ethertype == kEthertypeIpv6 &&
                                                         LoadPacket<false>(packet, options, view);
  if (!is_roce) return false;

  view.frame_class = FrameClass::kRoceV2;
  std::memcpy(view.mac_destination.data(), bytes, kMacBytes);
  std::memcpy(view.mac_source.data(), bytes + kMacBytes, kMacBytes);
  view.ethertype = ethertype;
  view.is_tagged = is_tagged;
  const uint16_t tag = is_tagged ? LoadBig16(bytes + kEthernetHeaderBytes) : uint16_t{0};
  view.vlan_id = tag & kVlanIdMask;
  view.vlan_priority = static_cast<uint8_t>(tag >> kVlanPriorityShift);
  view.tunnel_count = 0;
  return true;
}

FrameClass DissectFrame(LinkType link_type, std::span<const std::byte> frame, size_t wire_bytes,
                        const FrameOptions& options, FrameView& view) {
  if (link_type == LinkType::kEthernet && DissectPlainRoce(frame, options, view)) {
    return FrameClass::kRoceV2;
  }
  return DissectAnyFrame(link_type, frame, wire_bytes, options, view);
}

}  // namespace weft::wire
