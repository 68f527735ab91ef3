// SPDX-License-Identifier: Apache-2.0
// Packets in packets.
#include "wire/erspan.h"
#include "wire/ethernet.h"
#include "wire/frame_walk.h"
#include "wire/geneve.h"
#include "wire/gre.h"
#include "wire/grh.h"
#include "wire/mpls.h"
#include "wire/vxlan.h"

namespace weft::wire {
namespace {

constexpr size_t kMaxMplsLabels = 16;
constexpr size_t kEthertypeOffset = 12;

// Whether an Ethernet frame of a pseudowire may begin here. The ethertype is all that tells.
bool LooksLikeEthernet(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  reader.Take(kEthertypeOffset);
  switch (reader.U16()) {
    case kEthertypeIpv4:
    case kEthertypeIpv6:
    case kEthertypeVlan:
    case kEthertypeServiceVlan:
    case kEthertypeMpls:
    case kEthertypeRoceV1:
    case 0x0806:  // ARP
    case 0x88cc:  // LLDP
      return true;
    default:
      return false;
  }
}

// Of a next protocol of generic VXLAN; 0 where there is none that we follow.
uint16_t EthertypeOf(uint8_t next_protocol) {
  switch (next_protocol) {
    case kVxlanNextIpv4:
      return kEthertypeIpv4;
    case kVxlanNextIpv6:
      return kEthertypeIpv6;
    case kVxlanNextEthernet:
      return kEthertypeTransparentBridging;
    case kVxlanNextMpls:
      return kEthertypeMpls;
    default:
      return 0;
  }
}

}  // namespace

FrameWalk::Step FrameWalk::Mpls() {
  ByteReader reader(bytes_);
  MplsLabel label;
  for (size_t depth = 0; depth < kMaxMplsLabels && !label.is_bottom; ++depth) {
    label = ReadMplsLabel(reader);
    if (!reader.ok()) return Short();
  }
  if (!label.is_bottom || !Enter(Tunnel::kMpls)) return Done(FrameClass::kMalformed);
  Advance(bytes_.size() - reader.remaining());
  return BehindMpls();
}

FrameWalk::Step FrameWalk::BehindMpls() {
  if (bytes_.empty()) return Short();
  const auto first_bits = static_cast<uint8_t>(bytes_[0] >> 4);
  if (first_bits == 4 || first_bits == 6) return Step::kIp;
  if (first_bits == 1) return Done(FrameClass::kOtherEthertype);  // RFC 5586: associated channel
  // An Ethernet pseudowire: without a control word, or (four zero bits) with one.
  constexpr size_t kLookBytes = kPseudowireControlWordBytes + kEthertypeOffset + sizeof(uint16_t);
  if (bytes_.size() < kLookBytes) return Short();
  const bool has_control_word =
      first_bits == 0 && (LooksLikeEthernet(bytes_.subspan(kPseudowireControlWordBytes)) ||
                          !LooksLikeEthernet(bytes_));
  if (has_control_word) {
    Advance(kPseudowireControlWordBytes);
    return Step::kEthernet;
  }
  return LooksLikeEthernet(bytes_) ? Step::kEthernet : Done(FrameClass::kOtherEthertype);
}

FrameWalk::Step FrameWalk::Inside(Tunnel tunnel, uint16_t ethertype, FrameClass otherwise) {
  Step step = Step::kDone;
  switch (ethertype) {
    case kEthertypeTransparentBridging:
      step = Step::kEthernet;
      break;
    case kEthertypeIpv4:
    case kEthertypeIpv6:
    case kEthertypeMpls:
    case kEthertypeMplsMulticast:
      step = Step::kEthertype;
      break;
    default:
      return Done(otherwise);
  }
  if (!Enter(tunnel)) return Done(FrameClass::kMalformed);
  ethertype_ = ethertype;
  return step;
}

FrameWalk::Step FrameWalk::VxlanHeader() {
  if (wire_bytes_ < kVxlanHeaderBytes + kEthernetHeaderBytes) return Done(FrameClass::kUdp);
  ByteReader reader(bytes_);
  const Vxlan header = ReadVxlan(reader);
  if (!reader.ok()) return Short();
  if (!header.has_vni) return Done(FrameClass::kUdp);
  Advance(kVxlanHeaderBytes);
  const bool is_generic = header.has_next_protocol && view_.udp_dst_port == kVxlanGenericUdpPort;
  return Inside(Tunnel::kVxlan,
                is_generic ? EthertypeOf(header.next_protocol) : kEthertypeTransparentBridging,
                FrameClass::kUdp);
}

FrameWalk::Step FrameWalk::GeneveHeader() {
  if (wire_bytes_ < kGeneveHeaderBytes) return Done(FrameClass::kUdp);
  ByteReader reader(bytes_);
  const Geneve header = ReadGeneve(reader);
  if (!reader.ok()) return Short();
  if (header.version != 0 || header.is_control) return Done(FrameClass::kUdp);
  Advance(bytes_.size() - reader.remaining());
  return Inside(Tunnel::kGeneve, header.protocol, FrameClass::kUdp);
}

FrameWalk::Step FrameWalk::GreHeader() {
  ByteReader reader(bytes_);
  const Gre header = ReadGre(reader);
  if (!reader.ok()) return Short();
  if (header.version != 0 || header.has_routing) return Done(FrameClass::kOtherIp);
  Advance(bytes_.size() - reader.remaining());
  if (header.protocol == kGreProtocolErspan || header.protocol == kGreProtocolErspan3) {
    return Erspan(header.protocol, header.sequence.has_value());
  }
  return Inside(Tunnel::kGre, header.protocol, FrameClass::kOtherIp);
}

FrameWalk::Step FrameWalk::Erspan(uint16_t protocol, bool has_sequence) {
  if (protocol == kGreProtocolErspan && !has_sequence) {
    return Inside(Tunnel::kErspan1, kEthertypeTransparentBridging, FrameClass::kOtherIp);
  }
  ByteReader reader(bytes_);
  if (protocol == kGreProtocolErspan) {
    const Erspan2 header = ReadErspan2(reader);
    if (!reader.ok()) return Short();
    if (header.version != kErspan2Version) return Done(FrameClass::kOtherIp);
    Advance(kErspan2Bytes);
    return Inside(Tunnel::kErspan2, kEthertypeTransparentBridging, FrameClass::kOtherIp);
  }
  const Erspan3 header = ReadErspan3(reader);
  if (header.has_subheader) reader.Take(kErspan3SubheaderBytes);
  if (!reader.ok()) return Short();
  if (header.version != kErspan3Version) return Done(FrameClass::kOtherIp);
  Advance(bytes_.size() - reader.remaining());
  if (!Enter(Tunnel::kErspan3)) return Done(FrameClass::kMalformed);
  if (header.frame_type == kErspanFrameEthernet) return Step::kEthernet;
  return header.frame_type == kErspanFrameIp ? Step::kIp : Done(FrameClass::kOtherIp);
}

}  // namespace weft::wire
