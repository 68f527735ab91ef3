// SPDX-License-Identifier: Apache-2.0
#include "wire/frame.h"

namespace weft::wire {

const char* ToString(LinkType type) {
  switch (type) {
    case LinkType::kNull:
      return "BSD loopback";
    case LinkType::kEthernet:
      return "Ethernet";
    case LinkType::kRawIp:
      return "raw IP";
    case LinkType::kLoop:
      return "OpenBSD loopback";
    case LinkType::kLinuxSll:
      return "Linux cooked";
    case LinkType::kErf:
      return "ERF";
    case LinkType::kIpv4:
      return "raw IPv4";
    case LinkType::kIpv6:
      return "raw IPv6";
    case LinkType::kIpoib:
      return "IP over InfiniBand";
    case LinkType::kInfiniband:
      return "InfiniBand";
    case LinkType::kLinuxSll2:
      return "Linux cooked v2";
  }
  return "link type unknown to Weft";
}

bool IsKnownLinkType(uint16_t number) {
  switch (static_cast<LinkType>(number)) {
    case LinkType::kNull:
    case LinkType::kEthernet:
    case LinkType::kRawIp:
    case LinkType::kLoop:
    case LinkType::kLinuxSll:
    case LinkType::kErf:
    case LinkType::kIpv4:
    case LinkType::kIpv6:
    case LinkType::kIpoib:
    case LinkType::kInfiniband:
    case LinkType::kLinuxSll2:
      return true;
  }
  return false;
}

const char* ToString(FrameClass frame_class) {
  switch (frame_class) {
    case FrameClass::kRoceV2:
      return "RoCEv2";
    case FrameClass::kRoceV1:
      return "RoCEv1";
    case FrameClass::kInfiniband:
      return "InfiniBand";
    case FrameClass::kPfc:
      return "PFC";
    case FrameClass::kPause:
      return "802.3x pause";
    case FrameClass::kLldp:
      return "LLDP";
    case FrameClass::kArp:
      return "ARP";
    case FrameClass::kIcmp:
      return "ICMP";
    case FrameClass::kTcp:
      return "TCP";
    case FrameClass::kIwarp:
      return "iWARP";
    case FrameClass::kUdp:
      return "UDP";
    case FrameClass::kFragment:
      return "IP fragment";
    case FrameClass::kNotRoce:
      return "RoCE without a sane BTH";
    case FrameClass::kOtherIp:
      return "other IP";
    case FrameClass::kOtherEthertype:
      return "no IP";
    case FrameClass::kOtherInfiniband:
      return "InfiniBand without a BTH";
    case FrameClass::kMalformed:
      return "malformed";
    case FrameClass::kCut:
      return "cut before its headers end";
    case FrameClass::kUnknownLink:
      return "unknown link type";
  }
  return "unknown";
}

const char* ToString(Tunnel tunnel) {
  switch (tunnel) {
    case Tunnel::kVxlan:
      return "VXLAN";
    case Tunnel::kGeneve:
      return "Geneve";
    case Tunnel::kGre:
      return "GRE";
    case Tunnel::kErspan1:
      return "ERSPAN I";
    case Tunnel::kErspan2:
      return "ERSPAN II";
    case Tunnel::kErspan3:
      return "ERSPAN III";
    case Tunnel::kIpInIp:
      return "IP in IP";
    case Tunnel::kMpls:
      return "MPLS";
  }
  return "unknown";
}

}  // namespace weft::wire
