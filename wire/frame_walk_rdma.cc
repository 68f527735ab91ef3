// SPDX-License-Identifier: Apache-2.0
// The three carriers of a BTH, and what is one.
#include <algorithm>

#include "wire/frame_walk.h"
#include "wire/grh.h"
#include "wire/icrc.h"
#include "wire/lrh.h"
#include "wire/roce.h"

namespace weft::wire {
namespace {

constexpr uint8_t kLinkVersion = 0;
constexpr size_t kShortestPacket = kBthBytes + kIcrcBytes;

void SetNetwork(const Grh& grh, FrameView& view) {
  view.source = grh.source;
  view.destination = grh.destination;
  view.traffic_class = grh.traffic_class;
  view.ttl = grh.hop_limit;
  view.flow_label = grh.flow_label;
  view.ip_bytes = kGrhBytes + grh.payload_bytes;
}

}  // namespace

FrameWalk::Step FrameWalk::InfinibandPacket() {
  ByteReader reader(bytes_);
  const Lrh lrh = ReadLrh(reader);
  if (!reader.ok()) return Short();
  view_.source_lid = lrh.source_lid;
  view_.destination_lid = lrh.destination_lid;
  view_.service_level = lrh.service_level;
  view_.source = NetworkAddress::Lid(lrh.source_lid);
  view_.destination = NetworkAddress::Lid(lrh.destination_lid);
  if (lrh.version != kLinkVersion || lrh.packet_bytes() < kLrhBytes) {
    return Done(FrameClass::kMalformed);
  }
  lrh_ = bytes_.first(kLrhBytes);
  Advance(kLrhBytes);
  Clip(lrh.packet_bytes() - kLrhBytes);
  if (lrh.next == Lrh::Next::kGrh) {
    ByteReader behind(bytes_);
    const Grh grh = ReadGrh(behind);
    if (!behind.ok()) return Short();
    SetNetwork(grh, view_);
    if (grh.payload_bytes + kGrhBytes != wire_bytes_) return Done(FrameClass::kMalformed);
    if (grh.version != kGrhVersion || grh.next_header != kGrhNextHeaderBth) {
      return Done(FrameClass::kOtherInfiniband);
    }
    network_ = bytes_.first(kGrhBytes);
    Advance(kGrhBytes);
  } else if (lrh.next != Lrh::Next::kBth) {
    return Done(FrameClass::kOtherInfiniband);
  }
  return Rdma(FrameClass::kInfiniband, FrameClass::kOtherInfiniband);
}

FrameWalk::Step FrameWalk::RoceV1() {
  ByteReader reader(bytes_);
  const Grh grh = ReadGrh(reader);
  if (!reader.ok()) return Short();
  ForgetNetwork();
  SetNetwork(grh, view_);
  if (grh.version != kGrhVersion || grh.next_header != kGrhNextHeaderBth) {
    return Done(FrameClass::kNotRoce);
  }
  network_ = bytes_.first(kGrhBytes);
  Advance(kGrhBytes);
  Clip(grh.payload_bytes);
  return Rdma(FrameClass::kRoceV1, FrameClass::kNotRoce);
}

FrameWalk::Step FrameWalk::RoceV2() { return Rdma(FrameClass::kRoceV2, FrameClass::kNotRoce); }

FrameWalk::Step FrameWalk::Rdma(FrameClass sane, FrameClass insane) {
  if (wire_bytes_ < kShortestPacket) return Done(insane);
  switch (ReadRdma(bytes_, wire_bytes_, view_.rdma)) {
    case RdmaReadResult::kCut:
      return Short();
    case RdmaReadResult::kMalformed:
      return Done(insane);
    case RdmaReadResult::kOk:
      break;
  }
  const OpcodeInfo& info = view_.rdma.info();
  const bool is_reserved = !info.is_known && info.transport != Transport::kVendor;
  if (is_reserved || options_.check_icrc) {
    const IcrcState icrc = CheckIcrc(sane);
    if (is_reserved && icrc == IcrcState::kBad) return Done(insane);
    if (is_reserved && icrc == IcrcState::kCut) return Done(FrameClass::kCut);
    if (options_.check_icrc) view_.icrc = icrc;
  }
  return Done(sane);
}

IcrcState FrameWalk::CheckIcrc(FrameClass frame_class) const {
  if (bytes_.size() < wire_bytes_) return IcrcState::kCut;
  const std::span<const std::byte> covered = bytes_.first(wire_bytes_ - kIcrcBytes);
  std::optional<uint32_t> icrc;
  if (frame_class == FrameClass::kInfiniband) {
    icrc = InfinibandIcrc(lrh_, network_, covered);
  } else if (frame_class == FrameClass::kRoceV1) {
    icrc = RoceV1Icrc(network_, covered);
  } else if (view_.source.kind() == NetworkAddress::Kind::kIpv4) {
    icrc = RoceIpv4Icrc(network_, covered);
  } else {
    icrc = RoceIpv6Icrc(network_, covered);
  }
  const uint32_t stands = ReadIcrc(bytes_.subspan(covered.size()).first<kIcrcBytes>());
  return icrc == stands ? IcrcState::kOk : IcrcState::kBad;
}

}  // namespace weft::wire
