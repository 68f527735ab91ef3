// SPDX-License-Identifier: Apache-2.0
// The headers of links, up to the ethertype of what they carry.
#include <algorithm>

#include "wire/erf.h"
#include "wire/ethernet.h"
#include "wire/frame_walk.h"
#include "wire/grh.h"
#include "wire/ipoib.h"
#include "wire/linux_sll.h"
#include "wire/lldp.h"
#include "wire/mpls.h"
#include "wire/null_loop.h"

namespace weft::wire {
namespace {

constexpr uint16_t kEthertypeArp = 0x0806;
constexpr uint16_t kEthertypeOldServiceVlan = 0x9100;  // before 802.1ad there was a number for it
constexpr size_t kMaxFrameTags = 4;

bool IsTag(uint16_t ethertype) {
  return IsVlanEthertype(ethertype) || ethertype == kEthertypeOldServiceVlan;
}

}  // namespace

FrameWalk::Step FrameWalk::FirstStep(LinkType link_type) {
  switch (link_type) {
    case LinkType::kEthernet:
      return Step::kEthernet;
    case LinkType::kRawIp:
    case LinkType::kIpv4:
    case LinkType::kIpv6:
      return Step::kIp;
    case LinkType::kLinuxSll:
      return Cooked<ReadLinuxSll>();
    case LinkType::kLinuxSll2:
      return Cooked<ReadLinuxSll2>();
    case LinkType::kNull:
    case LinkType::kLoop:
      return NullLoop();
    case LinkType::kErf:
      return Step::kErf;
    case LinkType::kIpoib:
      return IpoibHeader();
    case LinkType::kInfiniband:
      return Step::kLrh;
  }
  return Done(FrameClass::kUnknownLink);
}

template <auto Read>
FrameWalk::Step FrameWalk::Cooked() {
  ByteReader reader(bytes_);
  const auto header = Read(reader);
  if (!reader.ok()) return Short();
  Advance(bytes_.size() - reader.remaining());
  if (header.arp_hardware == kArpHardwareNetlink) return Done(FrameClass::kOtherEthertype);
  ethertype_ = header.protocol;
  return VlanTags();
}

FrameWalk::Step FrameWalk::NullLoop() {
  ByteReader reader(bytes_);
  const LoopFamily family = ReadNullLoop(reader);
  if (!reader.ok()) return Short();
  Advance(kNullLoopBytes);
  return family == LoopFamily::kOther ? Done(FrameClass::kOtherEthertype) : Step::kIp;
}

FrameWalk::Step FrameWalk::IpoibHeader() {
  ByteReader reader(bytes_);
  const Ipoib header = ReadIpoib(reader);
  if (!reader.ok()) return Short();
  Advance(kIpoibBytes);
  ethertype_ = header.ethertype;
  view_.ethertype = ethertype_;
  return Step::kEthertype;
}

FrameWalk::Step FrameWalk::ErfRecord() {
  ByteReader reader(bytes_);
  const Erf header = ReadErf(reader);
  if (!reader.ok()) return Short();
  Advance(bytes_.size() - reader.remaining());
  const bool is_ethernet = header.type == kErfEthernet || header.type == kErfColorEthernet ||
                           header.type == kErfDsmColorEthernet ||
                           header.type == kErfColorHashEthernet;
  if (is_ethernet) {
    if (bytes_.size() < kErfEthernetPadBytes) return Short();
    Advance(kErfEthernetPadBytes);
  }
  // Behind a cut packet there may be padding up to eight bytes, which is no part of it.
  if (header.wire_bytes != 0) {
    bytes_ = bytes_.first(std::min<size_t>(bytes_.size(), header.wire_bytes));
    wire_bytes_ = header.wire_bytes;
  }
  if (is_ethernet) return Step::kEthernet;
  switch (header.type) {
    case kErfInfiniband:
      return Step::kLrh;
    case kErfIpv4:
    case kErfIpv6:
      return Step::kIp;
    case kErfInfinibandLink:
      return Done(FrameClass::kOtherInfiniband);
    default:
      return Done(FrameClass::kUnknownLink);
  }
}

FrameWalk::Step FrameWalk::Ethernet() {
  ByteReader reader(bytes_);
  const EthernetHeader header = ReadEthernet(reader);
  if (!reader.ok()) return Short();
  Advance(kEthernetHeaderBytes);
  if (!has_ethernet_) {
    view_.mac_source = header.source;
    view_.mac_destination = header.destination;
    has_ethernet_ = true;
  }
  // Of a frame in a tunnel only what is inside counts.
  ForgetNetwork();
  ethertype_ = header.ethertype;
  return VlanTags();
}

FrameWalk::Step FrameWalk::VlanTags() {
  view_.is_tagged = false;
  view_.vlan_id = 0;
  view_.vlan_priority = 0;
  for (size_t tags = 0; tags < kMaxFrameTags && IsTag(ethertype_); ++tags) {
    ByteReader reader(bytes_);
    const VlanTag tag = ReadVlanTag(reader);
    if (!reader.ok()) return Short();
    Advance(bytes_.size() - reader.remaining());
    if (!view_.is_tagged) {
      view_.is_tagged = true;
      view_.vlan_id = tag.vlan_id;
      view_.vlan_priority = tag.priority;
    }
    ethertype_ = tag.ethertype;
  }
  view_.ethertype = ethertype_;
  return Step::kEthertype;
}

FrameWalk::Step FrameWalk::ByEthertype() {
  switch (ethertype_) {
    case kEthertypeIpv4:
    case kEthertypeIpv6: {
      const uint8_t version = ethertype_ == kEthertypeIpv4 ? 4 : 6;
      const bool agrees = bytes_.empty() || static_cast<uint8_t>(bytes_[0] >> 4) == version;
      return agrees ? Step::kIp : Done(FrameClass::kMalformed);
    }
    case kEthertypeRoceV1:
      return Step::kRoceV1;
    case kEthertypeMpls:
    case kEthertypeMplsMulticast:
      return Step::kMpls;
    case kEthertypeMacControl:
      return MacControl();
    case kEthertypeArp:
      return Done(FrameClass::kArp);
    case kEthertypeLldp:
      view_.lldp = bytes_;
      return Done(FrameClass::kLldp);
    default:
      return Done(FrameClass::kOtherEthertype);
  }
}

FrameWalk::Step FrameWalk::MacControl() {
  constexpr uint16_t kPauseOpcode = 0x0001;
  constexpr uint16_t kPfcOpcode = 0x0101;
  ByteReader reader(bytes_);
  const uint16_t opcode = reader.U16();
  if (!reader.ok()) return Short();
  if (opcode != kPauseOpcode && opcode != kPfcOpcode) return Done(FrameClass::kOtherEthertype);
  const std::optional<PauseFrame> pause = ParsePause(bytes_);
  if (!pause.has_value()) return Short();
  view_.pause = *pause;
  return Done(pause->is_pfc ? FrameClass::kPfc : FrameClass::kPause);
}

}  // namespace weft::wire
