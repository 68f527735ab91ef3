// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/frame.h"
#include "wire/ip.h"

namespace weft::wire {

// DissectFrame's general way: from one header to the next, each step saying what comes after it.
// Bounded: every step but the last takes bytes away, tags and tunnels are counted.
class FrameWalk {
 public:
  FrameWalk(const FrameOptions& options, FrameView& view) : options_(options), view_(view) {}

  FrameClass Run(LinkType link_type, std::span<const std::byte> frame, size_t wire_bytes);

 private:
  enum class Step : uint8_t {
    kEthernet,
    kEthertype,  // what ethertype_ says
    kMpls,
    kIp,
    kTransport,  // what view_.ip_protocol says
    kUdp,
    kVxlan,
    kGeneve,
    kGre,
    kErf,
    kLrh,
    kRoceV1,
    kRoceV2,
    kDone,  // class_ is set
  };

  Step Take(Step step);
  Step Done(FrameClass frame_class);
  // The bytes end inside a header: cut, or (where a length field set their end) malformed.
  Step Short();
  // Leaves `header_bytes` behind, which are there.
  void Advance(size_t header_bytes);
  // What follows ends after `bytes` on the wire, as a length field says.
  void Clip(size_t bytes);
  // False: nested deeper than the view holds.
  bool Enter(Tunnel tunnel);
  void ForgetNetwork();

  // frame_walk_link.cc
  Step FirstStep(LinkType link_type);
  template <auto Read>
  Step Cooked();
  Step NullLoop();
  Step IpoibHeader();
  Step ErfRecord();
  Step Ethernet();
  Step VlanTags();
  Step ByEthertype();
  Step MacControl();

  // frame_walk_ip.cc
  IpReadResult ReadNetwork(IpHeader& ip) const;
  Step Ip();
  Step Transport();
  Step Tcp();
  Step Udp();

  // frame_walk_tunnel.cc
  Step Mpls();
  Step BehindMpls();
  Step VxlanHeader();
  Step GeneveHeader();
  Step GreHeader();
  Step Erspan(uint16_t protocol, bool has_sequence);
  // The step for a tunnel's payload of this ethertype; kDone: not one that we follow, and then the
  // class is `otherwise`.
  Step Inside(Tunnel tunnel, uint16_t ethertype, FrameClass otherwise);

  // frame_walk_rdma.cc
  Step InfinibandPacket();
  Step RoceV1();
  Step RoceV2();
  // From the BTH on. `insane`: the class where there is none.
  Step Rdma(FrameClass sane, FrameClass insane);
  IcrcState CheckIcrc(FrameClass frame_class) const;

  const FrameOptions& options_;
  FrameView& view_;
  FrameClass class_ = FrameClass::kCut;

  std::span<const std::byte> bytes_{};  // from the next header on, as far as they are there
  size_t wire_bytes_ = 0;               // how many there were on the wire
  bool is_clipped_ = false;             // wire_bytes_ comes from a length field
  uint16_t ethertype_ = 0;              // of the next header
  bool has_ethernet_ = false;

  std::span<const std::byte> network_{};  // IP headers; GRH
  std::span<const std::byte> lrh_{};
};

}  // namespace weft::wire
