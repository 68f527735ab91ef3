// SPDX-License-Identifier: Apache-2.0
#include "wire/dissect.h"

#include <algorithm>

#include "wire/ethernet.h"
#include "wire/icrc.h"
#include "wire/ipv4.h"
#include "wire/roce.h"
#include "wire/udp.h"

namespace weft::wire {
namespace {

constexpr uint8_t kBthVersion = 0;
constexpr uint8_t kIpv4Version = 4;

PacketClass CheckIpv4(std::span<const std::byte> packet, const ByteReader& after_header,
                      const Ipv4Header& ip) {
  if (packet.empty()) return PacketClass::kCut;
  if (static_cast<uint8_t>(packet[0]) >> 4 != kIpv4Version) return PacketClass::kNotIpv4;
  if (!after_header.ok()) {
    const size_t header_bytes = (static_cast<size_t>(packet[0]) & 0xf) * 4;
    return header_bytes < kIpv4HeaderBytes ? PacketClass::kMalformedIpv4 : PacketClass::kCut;
  }
  if (ip.total_bytes < ip.header_bytes()) return PacketClass::kMalformedIpv4;
  if (ip.more_fragments || ip.fragment_offset != 0) return PacketClass::kFragment;
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

IcrcState CheckIcrc(std::span<const std::byte> packet, size_t ip_and_udp_bytes) {
  const size_t covered_bytes = packet.size() - ip_and_udp_bytes - kIcrcBytes;
  const std::optional<uint32_t> icrc =
      RoceIpv4Icrc(packet.first(ip_and_udp_bytes), packet.subspan(ip_and_udp_bytes, covered_bytes));
  return icrc == ReadIcrc(packet.last<kIcrcBytes>()) ? IcrcState::kOk : IcrcState::kBad;
}

}  // namespace

PacketClass DissectIpv4(std::span<const std::byte> packet, RoceView& view) {
  ByteReader reader(packet);
  const Ipv4Header ip = ReadIpv4(reader);
  const PacketClass ip_class = CheckIpv4(packet, reader, ip);
  if (ip_class != PacketClass::kRoce) return ip_class;

  const size_t udp_bytes = ip.total_bytes - ip.header_bytes();
  if (udp_bytes < kUdpHeaderBytes) return PacketClass::kMalformedUdp;
  const UdpHeader udp = ReadUdp(reader);
  if (!reader.ok()) return PacketClass::kCut;
  if (udp.destination_port != kRoceUdpPort) return PacketClass::kOtherUdpPort;
  if (udp.length != udp_bytes) return PacketClass::kMalformedUdp;

  RoceView seen{.source = ip.source,
                .destination = ip.destination,
                .udp_src_port = udp.source_port,
                .udp_dst_port = udp.destination_port,
                .ttl = ip.ttl,
                .traffic_class = ip.traffic_class};
  const size_t datagram_bytes = udp_bytes - kUdpHeaderBytes;
  const PacketClass roce_class = ReadDatagram(reader, datagram_bytes, seen);
  if (roce_class != PacketClass::kRoce) return roce_class;
  if (packet.size() >= ip.total_bytes) {
    seen.icrc = CheckIcrc(packet.first(ip.total_bytes), ip.header_bytes() + kUdpHeaderBytes);
  }
  view = seen;
  return PacketClass::kRoce;
}

PacketClass DissectEthernet(std::span<const std::byte> frame, RoceView& view) {
  ByteReader reader(frame);
  const EthernetHeader ethernet = ReadEthernet(reader);
  if (!reader.ok()) return PacketClass::kCut;
  if (ethernet.ethertype != kEthertypeIpv4) return PacketClass::kNotIpv4;
  return DissectIpv4(reader.Rest(), view);
}

}  // namespace weft::wire
