// SPDX-License-Identifier: Apache-2.0
#include "tests/wire/frame_builder.h"

#include <array>
#include <cassert>
#include <optional>

#include "wire/erf.h"
#include "wire/geneve.h"
#include "wire/icrc.h"
#include "wire/ip.h"
#include "wire/mpls.h"
#include "wire/roce.h"
#include "wire/udp.h"
#include "wire/vxlan.h"

namespace weft::wire {
namespace {

constexpr std::array<std::byte, 13> kPayload = {std::byte{'w'}, std::byte{'e'}, std::byte{'f'},
                                                std::byte{'t'}};

const IpAddress kOuterV4Source = IpAddress::V4(0x0a090001);
const IpAddress kOuterV4Destination = IpAddress::V4(0x0a090002);
const IpAddress kOuterV6Source = *IpAddress::Parse("fd09::1");
const IpAddress kOuterV6Destination = *IpAddress::Parse("fd09::2");

Bytes InIp(const IpAddress& source, const IpAddress& destination, uint8_t protocol,
           std::span<const std::byte> payload) {
  return Join(Written(IpHeader{.source = source,
                               .destination = destination,
                               .traffic_class = 0x6a,
                               .flow_label = source.IsV6() ? 0x12345u : 0u,
                               .ttl = 63,
                               .protocol = protocol,
                               .payload_bytes = payload.size()},
                      WriteIp),
              payload);
}

// BTH through pad, and room for an ICRC.
Bytes TransportBytes(const RdmaPacket& packet) {
  Bytes bytes(8192);
  bytes.resize(WriteRdma(packet, bytes));
  assert(!bytes.empty());
  bytes.resize(bytes.size() + kIcrcBytes);
  return bytes;
}

void PutIcrc(std::optional<uint32_t> icrc, Bytes& bytes) {
  assert(icrc.has_value());
  WriteIcrc(*icrc, std::span(bytes).last<kIcrcBytes>());
}

std::span<const std::byte> WithoutIcrc(const Bytes& transport) {
  return First(transport, transport.size() - kIcrcBytes);
}

Bytes GrhFor(const Bytes& transport) {
  constexpr uint64_t kLinkLocal = 0xfe80000000000000;
  return Written(Grh{.traffic_class = 0x6a,
                     .flow_label = 0x12345,
                     .payload_bytes = static_cast<uint16_t>(transport.size()),
                     .hop_limit = 63,
                     .source = NetworkAddress::Gid(kLinkLocal, 0xa),
                     .destination = NetworkAddress::Gid(kLinkLocal, 0xb)},
                 WriteGrh);
}

}  // namespace

Bytes Join(std::span<const std::byte> front, std::span<const std::byte> back) {
  Bytes bytes(front.begin(), front.end());
  bytes.insert(bytes.end(), back.begin(), back.end());
  return bytes;
}

Bytes InEthernet(uint16_t ethertype, std::span<const std::byte> payload) {
  return Join(Written(EthernetHeader{.destination = kTestMacDestination,
                                     .source = kTestMacSource,
                                     .ethertype = ethertype},
                      WriteEthernet),
              payload);
}

Bytes InVlan(uint16_t tag_ethertype, uint16_t control, std::span<const std::byte> untagged_frame) {
  constexpr size_t kMacsBytes = 12;
  Bytes tag(4);
  ByteWriter writer(tag);
  writer.U16(tag_ethertype);
  writer.U16(control);
  return Join(Join(untagged_frame.first(kMacsBytes), tag), untagged_frame.subspan(kMacsBytes));
}

Bytes IpInEthernet(std::span<const std::byte> packet) {
  return InEthernet((packet[0] >> 4) == std::byte{4} ? kEthertypeIpv4 : kEthertypeIpv6, packet);
}

Bytes InIpv4(uint8_t protocol, std::span<const std::byte> payload) {
  return InIp(kOuterV4Source, kOuterV4Destination, protocol, payload);
}

Bytes InIpv6(uint8_t protocol, std::span<const std::byte> payload) {
  return InIp(kOuterV6Source, kOuterV6Destination, protocol, payload);
}

Bytes InUdp(uint16_t source_port, uint16_t destination_port, std::span<const std::byte> payload) {
  return Join(Written(UdpHeader{source_port, destination_port,
                                static_cast<uint16_t>(kUdpHeaderBytes + payload.size()), 0},
                      WriteUdp),
              payload);
}

Bytes InVxlan(uint16_t udp_port, std::span<const std::byte> frame) {
  return InUdp(0xd123, udp_port,
               Join(Written(Vxlan{.has_vni = true, .vni = 0x1234}, WriteVxlan), frame));
}

Bytes InGeneve(uint16_t protocol, std::span<const std::byte> options,
               std::span<const std::byte> payload) {
  return InUdp(
      0xd123, kGeneveUdpPort,
      Join(Written(Geneve{.protocol = protocol, .vni = 0x1234, .options = options}, WriteGeneve),
           payload));
}

Bytes InGre(const Gre& header, std::span<const std::byte> payload) {
  return Join(Written(header, WriteGre), payload);
}

Bytes InMpls(int depth, std::span<const std::byte> payload) {
  Bytes stack;
  for (int i = 1; i <= depth; ++i) {
    const MplsLabel label{
        .label = static_cast<uint32_t>(1000 + i), .is_bottom = i == depth, .ttl = 64};
    stack = Join(stack, Written(label, WriteMplsLabel));
  }
  return Join(stack, payload);
}

Bytes InErf(uint8_t type, std::span<const std::byte> extensions,
            std::span<const std::byte> packet) {
  const size_t pad = type == kErfEthernet ? kErfEthernetPadBytes : 0;
  const size_t record_bytes = kErfHeaderBytes + extensions.size() + pad + packet.size();
  const Bytes header = Written(Erf{.timestamp = 0x5f5e10080000000,
                                   .type = type,
                                   .record_bytes = static_cast<uint16_t>(record_bytes),
                                   .wire_bytes = static_cast<uint16_t>(packet.size()),
                                   .extensions = extensions},
                               WriteErf);
  return Join(Join(header, Bytes(pad)), packet);
}

Bytes RoceV2(const IpAddress& source, const IpAddress& destination, uint16_t udp_src_port,
             const RdmaPacket& packet) {
  const Bytes transport = TransportBytes(packet);
  Bytes bytes =
      InIp(source, destination, kIpProtocolUdp, InUdp(udp_src_port, kRoceUdpPort, transport));
  const auto headers = First(bytes, bytes.size() - transport.size());
  PutIcrc(source.IsV4() ? RoceIpv4Icrc(headers, WithoutIcrc(transport))
                        : RoceIpv6Icrc(headers, WithoutIcrc(transport)),
          bytes);
  return bytes;
}

Bytes RoceV1(const RdmaPacket& packet) {
  const Bytes transport = TransportBytes(packet);
  const Bytes grh = GrhFor(transport);
  Bytes bytes = Join(grh, transport);
  PutIcrc(RoceV1Icrc(grh, WithoutIcrc(transport)), bytes);
  return bytes;
}

Bytes Infiniband(const RdmaPacket& packet, bool has_grh, bool has_vcrc) {
  const Bytes transport = TransportBytes(packet);
  const Bytes grh = has_grh ? GrhFor(transport) : Bytes{};
  const size_t packet_bytes = kLrhBytes + grh.size() + transport.size();
  const Bytes lrh = Written(Lrh{.virtual_lane = 1,
                                .service_level = 3,
                                .next = has_grh ? Lrh::Next::kGrh : Lrh::Next::kBth,
                                .destination_lid = 18,
                                .packet_words = static_cast<uint16_t>(packet_bytes / 4),
                                .source_lid = 17},
                            WriteLrh);
  Bytes bytes = Join(Join(lrh, grh), transport);
  PutIcrc(InfinibandIcrc(lrh, grh, WithoutIcrc(transport)), bytes);
  if (has_vcrc) bytes.resize(bytes.size() + kVcrcBytes);
  return bytes;
}

RdmaPacket PacketOf(uint8_t opcode, uint32_t dest_qpn, uint32_t psn) {
  RdmaPacket packet;
  packet.bth.opcode = opcode;
  packet.bth.dest_qpn = dest_qpn;
  packet.bth.psn = psn;
  packet.headers = packet.info().headers;
  packet.reth = {.address = 0x7f0000001000, .r_key = 0xbeef, .length = 4096};
  packet.aeth = {.syndrome = 0x60, .msn = 5};
  packet.atomic = {.address = 0x7f0000002000, .r_key = 0xcafe, .swap_or_add = 1, .compare = 2};
  packet.atomic_original = 0x1122334455667788;
  packet.deth = {.q_key = 0x11111111, .source_qpn = 0xabcde};
  packet.immediate = 0xfeedface;
  packet.invalidated_r_key = 0xdead;
  packet.xrc_srqn = 0x123;
  packet.ee_context = 0x456;
  if (packet.info().has_payload) packet.payload = kPayload;
  return packet;
}

}  // namespace weft::wire
