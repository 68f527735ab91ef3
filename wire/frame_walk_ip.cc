// SPDX-License-Identifier: Apache-2.0
// IP and what it carries itself.
#include <algorithm>

#include "wire/frame_walk.h"
#include "wire/geneve.h"
#include "wire/gre.h"
#include "wire/mpa.h"
#include "wire/mpls.h"
#include "wire/roce.h"
#include "wire/tcp.h"
#include "wire/udp.h"
#include "wire/vxlan.h"

namespace weft::wire {
namespace {

constexpr uint8_t kIpProtocolIpv4 = 4;
constexpr uint8_t kIpProtocolIpv6 = 41;
constexpr uint8_t kHopByHopOptions = 0;
constexpr size_t kPortsBytes = 4;
constexpr size_t kLargestUdp = 0xffff;

// The payload length of a jumbogram, RFC 2675: an option (type 0xc2) of the hop-by-hop header at
// the start of `extensions`. nullopt: there is none.
std::optional<size_t> JumboPayloadBytes(std::span<const std::byte> extensions) {
  constexpr uint8_t kPad1 = 0;
  constexpr uint8_t kJumbo = 0xc2;
  constexpr size_t kUnitBytes = 8;
  ByteReader header(extensions);
  header.U8();  // next header
  const size_t bytes = (size_t{header.U8()} + 1) * kUnitBytes;
  ByteReader options(header.Take(bytes - 2));
  while (options.remaining() > 0) {
    const uint8_t type = options.U8();
    if (type == kPad1) continue;
    const uint8_t length = options.U8();
    if (type == kJumbo && length == sizeof(uint32_t)) {
      const size_t payload_bytes = options.U32();
      if (!options.ok()) return std::nullopt;
      return payload_bytes;
    }
    options.Take(length);
  }
  return std::nullopt;
}

}  // namespace

// As ReadIp, but a length of zero is no contradiction: hosts that leave segmentation to their NIC
// show it (then the packet ends where the frame does), and so do jumbograms.
IpReadResult FrameWalk::ReadNetwork(IpHeader& ip) const {
  const IpReadResult result = ReadIp(bytes_, ip);
  if (bytes_.size() < kIpv4HeaderBytes) return result;
  ByteReader reader(bytes_);
  if (static_cast<uint8_t>(bytes_[0] >> 4) == 4) {
    Ipv4Header v4 = ReadIpv4(reader);
    if (!reader.ok() || v4.total_bytes != 0) return result;
    v4.total_bytes = static_cast<uint16_t>(v4.header_bytes());
    ip = IpHeaderOf(v4);
    ip.payload_bytes = wire_bytes_ - ip.header_bytes;
    return IpReadResult::kOk;
  }
  Ipv6Header v6 = ReadIpv6(reader);
  if (!reader.ok() || v6.payload_bytes != 0) return result;
  const std::optional<Ipv6Extensions> extensions = ReadIpv6Extensions(v6.next_header, reader);
  if (!extensions.has_value()) return result;
  const std::optional<size_t> jumbo =
      v6.next_header == kHopByHopOptions
          ? JumboPayloadBytes(bytes_.subspan(kIpv6HeaderBytes, extensions->bytes))
          : std::nullopt;
  const size_t payload_bytes = jumbo.value_or(wire_bytes_ - kIpv6HeaderBytes);
  if (payload_bytes < extensions->bytes) return IpReadResult::kMalformed;
  v6.payload_bytes = static_cast<uint16_t>(extensions->bytes);
  ip = IpHeaderOf(v6, *extensions);
  ip.payload_bytes = payload_bytes - extensions->bytes;
  return IpReadResult::kOk;
}

FrameWalk::Step FrameWalk::Ip() {
  IpHeader ip;
  switch (ReadNetwork(ip)) {
    case IpReadResult::kCut:
      return Short();
    case IpReadResult::kOtherVersion:
    case IpReadResult::kMalformed:
      return Done(FrameClass::kMalformed);
    case IpReadResult::kOk:
      break;
  }
  ForgetNetwork();
  view_.source = NetworkAddress::Of(ip.source);
  view_.destination = NetworkAddress::Of(ip.destination);
  view_.traffic_class = ip.traffic_class;
  view_.ttl = ip.ttl;
  view_.flow_label = ip.flow_label;
  view_.ip_protocol = ip.protocol;
  view_.ip_bytes = ip.header_bytes + ip.payload_bytes;
  network_ = bytes_.first(ip.header_bytes);
  Advance(ip.header_bytes);
  Clip(ip.payload_bytes);
  return ip.is_fragment ? Done(FrameClass::kFragment) : Step::kTransport;
}

FrameWalk::Step FrameWalk::Transport() {
  switch (view_.ip_protocol) {
    case kIpProtocolUdp:
      return Step::kUdp;
    case kIpProtocolTcp:
      return Tcp();
    case kIpProtocolIcmp:
    case kIpProtocolIcmpv6:
      return Done(FrameClass::kIcmp);
    case kIpProtocolGre:
      return Step::kGre;
    case kIpProtocolIpv4:
    case kIpProtocolIpv6:
      return Enter(Tunnel::kIpInIp) ? Step::kIp : Done(FrameClass::kMalformed);
    case kIpProtocolMpls:
      return Step::kMpls;
    default:
      return Done(FrameClass::kOtherIp);
  }
}

FrameWalk::Step FrameWalk::Tcp() {
  if (bytes_.size() < kPortsBytes) return Short();
  ByteReader ports(bytes_);
  view_.udp_src_port = ports.U16();
  view_.udp_dst_port = ports.U16();
  ByteReader reader(bytes_);
  ReadTcp(reader);
  const bool is_whole = bytes_.size() >= wire_bytes_;
  if (!reader.ok()) return Done(FrameClass::kTcp);
  const std::span<const std::byte> payload = reader.Rest();
  const bool is_iwarp = IsMpaStart(payload) || (is_whole && IsMpaData(payload));
  return Done(is_iwarp ? FrameClass::kIwarp : FrameClass::kTcp);
}

FrameWalk::Step FrameWalk::Udp() {
  ByteReader reader(bytes_);
  const UdpHeader udp = ReadUdp(reader);
  if (!reader.ok()) return Short();
  // RFC 2675, section 4: 0 where the length does not fit.
  const bool is_jumbo = udp.length == 0 && wire_bytes_ > kLargestUdp;
  const size_t udp_bytes = is_jumbo ? wire_bytes_ : udp.length;
  if (udp_bytes < kUdpHeaderBytes || udp_bytes > wire_bytes_) return Done(FrameClass::kMalformed);
  view_.udp_src_port = udp.source_port;
  view_.udp_dst_port = udp.destination_port;
  network_ = {network_.data(), network_.size() + kUdpHeaderBytes};
  Advance(kUdpHeaderBytes);
  Clip(udp_bytes - kUdpHeaderBytes);
  switch (udp.destination_port) {
    case kRoceUdpPort:
      return Step::kRoceV2;
    case kVxlanUdpPort:
    case kVxlanLinuxUdpPort:
    case kVxlanGenericUdpPort:
      return Step::kVxlan;
    case kGeneveUdpPort:
      return Step::kGeneve;
    default:
      return Done(FrameClass::kUdp);
  }
}

}  // namespace weft::wire
