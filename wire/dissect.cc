// SPDX-License-Identifier: Apache-2.0
#include "wire/dissect.h"

#include <algorithm>

#include "wire/ethernet.h"
#include "wire/icrc.h"
#include "wire/ip.h"
#include "wire/roce.h"
#include "wire/udp.h"

namespace weft::wire {
namespace {

constexpr uint8_t kBthVersion = 0;

// kRoce where there may be RoCE in it.
PacketClass ClassOf(IpReadResult result, const IpHeader& ip) {
  switch (result) {
    case IpReadResult::kCut:
      return PacketClass::kCut;
    case IpReadResult::kOtherVersion:
      return PacketClass::kNotIp;
    case IpReadResult::kMalformed:
      return PacketClass::kMalformedIp;
    case IpReadResult::kOk:
      break;
  }
  if (ip.is_fragment) return PacketClass::kFragment;
  return ip.protocol == kIpProtocolUdp ? PacketClass::kRoce : PacketClass::kNotUdp;
}

// Reads the BTH and what follows into `view`. `datagram_bytes` is what UDP says that there was on
// the wire, of which a cut packet has less.
PacketClass ReadDatagram(ByteReader& packet, size_t datagram_bytes, RoceView& view) {
  ByteReader reader(packet.Take(std::min(datagram_bytes, packet.remaining())));
  view.bth = ReadBth(reader);
  const bool bth_is_there = reader.ok();
  if (bth_is_there && view.bth.tver != kBthVersion) return PacketClass::kNotRoce;
  if (bth_is_there && HasDeth(view.bth.opcode)) view.deth = ReadDeth(reader);

  const size_t headers_bytes = kBthBytes + (view.deth.has_value() ? kDethBytes : 0);
  const size_t around_payload_bytes = headers_bytes + view.bth.pad + kIcrcBytes;
  if (datagram_bytes < around_payload_bytes) return PacketClass::kNotRoce;
  if (!reader.ok()) return PacketClass::kCut;
  view.payload_bytes = datagram_bytes - around_payload_bytes;
  view.payload = reader.Take(std::min(view.payload_bytes, reader.remaining()));
  return PacketClass::kRoce;
}

IcrcState CheckIcrc(std::span<const std::byte> packet, const IpHeader& ip) {
  const std::span<const std::byte> headers = packet.first(ip.header_bytes + kUdpHeaderBytes);
  const std::span<const std::byte> covered =
      packet.subspan(headers.size(), packet.size() - headers.size() - kIcrcBytes);
  const std::optional<uint32_t> icrc =
      ip.source.IsV4() ? RoceIpv4Icrc(headers, covered) : RoceIpv6Icrc(headers, covered);
  return icrc == ReadIcrc(packet.last<kIcrcBytes>()) ? IcrcState::kOk : IcrcState::kBad;
}

// Whether the packet's version is the one that the ethertype says. An empty packet has none yet.
bool IsVersionOf(uint16_t ethertype, std::span<const std::byte> packet) {
  const auto version = std::byte{ethertype == kEthertypeIpv4 ? uint8_t{4} : uint8_t{6}};
  return packet.empty() || (packet[0] >> 4) == version;
}

}  // namespace

PacketClass DissectIp(std::span<const std::byte> packet, RoceView& view) {
  IpHeader ip;
  const PacketClass ip_class = ClassOf(ReadIp(packet, ip), ip);
  if (ip_class != PacketClass::kRoce) return ip_class;

  ByteReader reader(packet.subspan(ip.header_bytes));
  if (ip.payload_bytes < kUdpHeaderBytes) return PacketClass::kMalformedUdp;
  const UdpHeader udp = ReadUdp(reader);
  if (!reader.ok()) return PacketClass::kCut;
  if (udp.destination_port != kRoceUdpPort) return PacketClass::kOtherUdpPort;
  if (udp.length != ip.payload_bytes) return PacketClass::kMalformedUdp;

  RoceView seen{.source = ip.source,
                .destination = ip.destination,
                .udp_src_port = udp.source_port,
                .udp_dst_port = udp.destination_port,
                .ttl = ip.ttl,
                .traffic_class = ip.traffic_class,
                .flow_label = ip.flow_label};
  const size_t datagram_bytes = ip.payload_bytes - kUdpHeaderBytes;
  const PacketClass roce_class = ReadDatagram(reader, datagram_bytes, seen);
  if (roce_class != PacketClass::kRoce) return roce_class;
  const size_t packet_bytes = ip.header_bytes + ip.payload_bytes;
  if (packet.size() >= packet_bytes) seen.icrc = CheckIcrc(packet.first(packet_bytes), ip);
  view = seen;
  return PacketClass::kRoce;
}

PacketClass DissectEthernet(std::span<const std::byte> frame, RoceView& view) {
  ByteReader reader(frame);
  uint16_t ethertype = ReadEthernet(reader).ethertype;
  std::optional<uint8_t> priority;
  for (size_t tags = 0; tags < kMaxVlanTags && IsVlanEthertype(ethertype); ++tags) {
    const VlanTag tag = ReadVlanTag(reader);
    if (!priority.has_value()) priority = tag.priority;
    ethertype = tag.ethertype;
  }
  if (!reader.ok()) return PacketClass::kCut;
  if (ethertype != kEthertypeIpv4 && ethertype != kEthertypeIpv6) return PacketClass::kNotIp;
  const std::span<const std::byte> packet = reader.Rest();
  if (!IsVersionOf(ethertype, packet)) return PacketClass::kNotIp;
  const PacketClass packet_class = DissectIp(packet, view);
  if (packet_class == PacketClass::kRoce) view.vlan_priority = priority;
  return packet_class;
}

}  // namespace weft::wire
