// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/bth.h"
#include "wire/deth.h"
#include "wire/ip_address.h"

// A whole packet to the small view that RDMA needs. RoCEv2 over IPv4 or IPv6 is known by UDP
// destination port 4791 and a BTH of version 0, never by the source port, which is free.
namespace weft::wire {

enum class IcrcState : uint8_t {
  kOk,
  kBad,
  kCut,  // the packet's end is not there, so nothing can be said
};

// What a packet was, or why it is not RoCE.
enum class PacketClass : uint8_t {
  kRoce,
  kCut,          // ends before the headers that would tell
  kNotIp,        // another ethertype or IP version, or more VLAN tags than kMaxVlanTags
  kMalformedIp,  // a length contradicts the header itself, or impossible extension headers
  kFragment,     // a part of a packet: there is no whole BTH and ICRC to look at
  kNotUdp,
  kOtherUdpPort,  // destination port is not 4791
  kMalformedUdp,  // length does not agree with IP's
  kNotRoce,       // to port 4791, but no BTH of version 0, or shorter than its headers say
};

struct RoceView {
  IpAddress source{};
  IpAddress destination{};
  uint16_t udp_src_port = 0;
  uint16_t udp_dst_port = 0;
  uint8_t ttl = 0;
  uint8_t traffic_class = 0;
  uint32_t flow_label = 0;                 // IPv6, 20 bits
  std::optional<uint8_t> vlan_priority{};  // 3 bits, of the outermost tag; only of a tagged frame
  Bth bth{};
  std::optional<Deth> deth{};            // UD opcodes
  std::span<const std::byte> payload{};  // without pad and ICRC; what is there of it where cut
  size_t payload_bytes = 0;              // what the payload was on the wire
  IcrcState icrc = IcrcState::kCut;
};

// From the IP header on, of either version, or from the Ethernet header on. Bytes after the IP
// packet (a link's padding) are ignored. `view` is written only for kRoce; its payload points into
// the input. Allocates nothing.
PacketClass DissectIp(std::span<const std::byte> packet, RoceView& view);
PacketClass DissectEthernet(std::span<const std::byte> frame, RoceView& view);

}  // namespace weft::wire
