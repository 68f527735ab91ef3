// SPDX-License-Identifier: Apache-2.0
#include "wire/frame_walk.h"

#include <algorithm>
#include <cassert>

#include "wire/frame_paths.h"

namespace weft::wire {

FrameClass FrameWalk::Run(LinkType link_type, std::span<const std::byte> frame, size_t wire_bytes) {
  bytes_ = frame;
  wire_bytes_ = std::max(wire_bytes, frame.size());
  ForgetNetwork();
  view_.mac_source = {};
  view_.mac_destination = {};
  view_.ethertype = 0;
  view_.is_tagged = false;
  view_.vlan_id = 0;
  view_.vlan_priority = 0;
  view_.tunnel_count = 0;
  view_.icrc = IcrcState::kCut;
  for (Step step = FirstStep(link_type); step != Step::kDone;) step = Take(step);
  view_.frame_class = class_;
  return class_;
}

FrameWalk::Step FrameWalk::Take(Step step) {
  switch (step) {
    case Step::kEthernet:
      return Ethernet();
    case Step::kEthertype:
      return ByEthertype();
    case Step::kMpls:
      return Mpls();
    case Step::kIp:
      return Ip();
    case Step::kTransport:
      return Transport();
    case Step::kUdp:
      return Udp();
    case Step::kVxlan:
      return VxlanHeader();
    case Step::kGeneve:
      return GeneveHeader();
    case Step::kGre:
      return GreHeader();
    case Step::kErf:
      return ErfRecord();
    case Step::kLrh:
      return InfinibandPacket();
    case Step::kRoceV1:
      return RoceV1();
    case Step::kRoceV2:
      return RoceV2();
    case Step::kDone:
      break;
  }
  return Step::kDone;
}

FrameWalk::Step FrameWalk::Done(FrameClass frame_class) {
  class_ = frame_class;
  return Step::kDone;
}

FrameWalk::Step FrameWalk::Short() {
  const bool is_whole = is_clipped_ && bytes_.size() >= wire_bytes_;
  return Done(is_whole ? FrameClass::kMalformed : FrameClass::kCut);
}

void FrameWalk::Advance(size_t header_bytes) {
  assert(header_bytes <= bytes_.size());
  bytes_ = bytes_.subspan(header_bytes);
  wire_bytes_ -= header_bytes;
}

void FrameWalk::Clip(size_t bytes) {
  bytes_ = bytes_.first(std::min(bytes, bytes_.size()));
  wire_bytes_ = bytes;
  is_clipped_ = true;
}

bool FrameWalk::Enter(Tunnel tunnel) {
  if (view_.tunnel_count == kMaxTunnels) return false;
  view_.tunnels[view_.tunnel_count++] = tunnel;
  return true;
}

void FrameWalk::ForgetNetwork() {
  view_.source = {};
  view_.destination = {};
  view_.source_lid = 0;
  view_.destination_lid = 0;
  view_.service_level = 0;
  view_.traffic_class = 0;
  view_.ttl = 0;
  view_.flow_label = 0;
  view_.ip_protocol = 0;
  view_.udp_src_port = 0;
  view_.udp_dst_port = 0;
  view_.ip_bytes = 0;
  network_ = {};
}

FrameClass DissectAnyFrame(LinkType link_type, std::span<const std::byte> frame, size_t wire_bytes,
                           const FrameOptions& options, FrameView& view) {
  return FrameWalk(options, view).Run(link_type, frame, wire_bytes);
}

}  // namespace weft::wire
