// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/dissect.h"
#include "wire/ethernet.h"
#include "wire/network_address.h"
#include "wire/pause.h"
#include "wire/rdma_packet.h"

// A whole captured frame, of any link type and in any tunnel, to the view that an analysis of
// captures needs. dissect.h is the small one, for what we send and receive ourselves.
namespace weft::wire {

// The numbers are those of capture files (LINKTYPE_ values, tcpdump.org/linktypes.html).
enum class LinkType : uint16_t {
  kNull = 0,  // 4 bytes of address family in the byte order of who captured it
  kEthernet = 1,
  kRawIp = 101,
  kLoop = 108,  // as kNull, in network byte order
  kLinuxSll = 113,
  kErf = 197,
  kIpv4 = 228,
  kIpv6 = 229,
  kIpoib = 242,
  kInfiniband = 247,
  kLinuxSll2 = 276,
};
const char* ToString(LinkType type);  // "Ethernet", ..., "link type unknown to Weft"
bool IsKnownLinkType(uint16_t number);

enum class FrameClass : uint8_t {
  // With `rdma` and both addresses.
  kRoceV2,
  kRoceV1,
  kInfiniband,
  // Without.
  kPfc,    // with `pause`
  kPause,  // IEEE 802.3x, with `pause`
  kLldp,
  kArp,
  kIcmp,  // ICMP and ICMPv6
  kTcp,
  kIwarp,  // TCP that carries an MPA request or reply, or DDP with a valid header; kTcp where cut
  kUdp,    // another destination port than 4791
  kFragment,         // a part of an IP packet: counted, never guessed
  kNotRoce,          // to port 4791 or of ethertype 0x8915, but no sane BTH
  kOtherIp,          // another protocol
  kOtherEthertype,   // no IP
  kOtherInfiniband,  // an InfiniBand frame without a sane BTH
  kMalformed,        // a length or version contradicts itself, or tunnels deeper than kMaxTunnels
  kCut,              // ends before the headers that would tell
  kUnknownLink,      // a link type that we do not read
};
inline constexpr size_t kFrameClasses = static_cast<size_t>(FrameClass::kUnknownLink) + 1;
const char* ToString(FrameClass frame_class);  // "RoCEv2", "PFC", "TCP", ...
inline bool IsRdma(FrameClass frame_class) { return frame_class <= FrameClass::kInfiniband; }

enum class Tunnel : uint8_t { kVxlan, kGeneve, kGre, kErspan1, kErspan2, kErspan3, kIpInIp, kMpls };
const char* ToString(Tunnel tunnel);  // "VXLAN", ...
inline constexpr size_t kMaxTunnels = 4;

// Of the innermost network header, the one whose packet is classified.
struct FrameView {
  FrameClass frame_class = FrameClass::kCut;

  NetworkAddress source{};       // of IP, GRH or LRH; empty where there is none
  NetworkAddress destination{};  // of the same kind
  uint16_t source_lid = 0;       // InfiniBand; 0 elsewhere
  uint16_t destination_lid = 0;
  uint8_t service_level = 0;  // InfiniBand
  uint8_t traffic_class = 0;  // DSCP and ECN
  uint8_t ttl = 0;            // hop limit
  uint32_t flow_label = 0;    // IPv6 and GRH, 20 bits
  uint8_t ip_protocol = 0;    // IPv6: the last next header
  uint16_t udp_src_port = 0;  // of UDP and TCP
  uint16_t udp_dst_port = 0;
  size_t ip_bytes = 0;  // on the wire, from the network header on; 0 where there is none

  MacAddress mac_source{};  // of the outermost Ethernet header; zero where there is none
  MacAddress mac_destination{};
  uint16_t ethertype = 0;  // of the innermost Ethernet or SLL header
  bool is_tagged = false;  // by 802.1Q or 802.1ad, of the innermost Ethernet header
  uint16_t vlan_id = 0;    // of the outermost of its tags
  uint8_t vlan_priority = 0;
  uint8_t tunnel_count = 0;
  std::array<Tunnel, kMaxTunnels> tunnels{};  // outermost first

  RdmaPacket rdma{};
  IcrcState icrc = IcrcState::kCut;  // kCut: cannot be checked, or was not asked for
  PauseFrame pause{};
  std::span<const std::byte> lldp{};  // the LLDPDU: what follows its ethertype
};

struct FrameOptions {
  bool check_icrc = true;
};

// `frame`: what was captured; `wire_bytes`: what there was (at least as much). Every field that the
// class has is written; others keep what they had, so one view may be used over and over. Spans
// point into the input. Allocates nothing, reads nothing beyond `frame`.
//
// RoCEv2 is known by UDP destination port 4791 and a sane BTH: version 0, a length that holds what
// the opcode asks for, reserved opcodes only where the ICRC is there and right. Never by the source
// port. A BTH in a tunnel counts as much as one outside.
FrameClass DissectFrame(LinkType link_type, std::span<const std::byte> frame, size_t wire_bytes,
                        const FrameOptions& options, FrameView& view);

}  // namespace weft::wire
