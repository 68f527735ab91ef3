// SPDX-License-Identifier: Apache-2.0
#include "tests/wire/rdma_frames.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "wire/grh.h"
#include "wire/icrc.h"
#include "wire/ip.h"
#include "wire/lldp.h"
#include "wire/network_address.h"
#include "wire/roce.h"
#include "wire/udp.h"

namespace weft::wire {
namespace {

constexpr size_t kShortestFrame = 60;
constexpr MacAddress kLldpDestination = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x0e};
constexpr uint32_t kGeneralServicesQKey = 0x80010000;

// Room for everything in front of the payload, and the ICRC behind it.
constexpr size_t kHeaderRoom = 256;

NetworkAddress GidOf(const IpAddress& address) {
  constexpr uint64_t kMapped = 0xffff00000000;
  const NetworkAddress plain = NetworkAddress::Of(address);
  return address.IsV4() ? NetworkAddress::Gid(0, kMapped | plain.low())
                        : NetworkAddress::Gid(plain.high(), plain.low());
}

uint8_t TrafficClassOf(const FrameSpec& spec) {
  return static_cast<uint8_t>(spec.dscp << 2 | (spec.ecn & 3));
}

void WriteLink(const FrameSpec& spec, uint16_t ethertype, ByteWriter& writer) {
  EthernetHeader header{
      .destination = spec.destination_mac, .source = spec.source_mac, .ethertype = ethertype};
  if (spec.vlan.has_value()) header.ethertype = kEthertypeVlan;
  WriteEthernet(header, writer);
  if (!spec.vlan.has_value()) return;
  WriteVlanTag({.priority = spec.vlan->priority, .vlan_id = spec.vlan->id, .ethertype = ethertype},
               writer);
}

void WriteGrhOf(const FrameSpec& spec, size_t transport_bytes, ByteWriter& writer) {
  WriteGrh({.traffic_class = TrafficClassOf(spec),
            .flow_label = spec.flow_label,
            .payload_bytes = static_cast<uint16_t>(transport_bytes),
            .hop_limit = spec.ttl,
            .source = GidOf(spec.source),
            .destination = GidOf(spec.destination)},
           writer);
}

void WriteIpAndUdp(const FrameSpec& spec, size_t transport_bytes, ByteWriter& writer) {
  const size_t udp_bytes = kUdpHeaderBytes + transport_bytes;
  WriteIp({.source = spec.source,
           .destination = spec.destination,
           .traffic_class = TrafficClassOf(spec),
           .flow_label = spec.source.IsV6() ? spec.flow_label : 0,
           .ttl = spec.ttl,
           .protocol = kIpProtocolUdp,
           .identification = spec.identification,
           .payload_bytes = udp_bytes},
          writer);
  WriteUdp({spec.udp_src_port, kRoceUdpPort, static_cast<uint16_t>(udp_bytes), 0}, writer);
}

std::optional<uint32_t> IcrcOf(const FrameSpec& spec, std::span<const std::byte> network,
                               std::span<const std::byte> transport) {
  if (spec.is_roce_v1) return RoceV1Icrc(network, transport);
  return spec.source.IsV4() ? RoceIpv4Icrc(network, transport) : RoceIpv6Icrc(network, transport);
}

std::vector<std::byte> ControlFrame(const MacAddress& destination, const MacAddress& source,
                                    uint16_t ethertype, std::span<const std::byte> payload) {
  std::vector<std::byte> frame(std::max(kShortestFrame, kEthernetHeaderBytes + payload.size()));
  ByteWriter writer(frame);
  WriteEthernet({.destination = destination, .source = source, .ethertype = ethertype}, writer);
  writer.Bytes(payload);
  assert(writer.ok());
  return frame;
}

}  // namespace

FrameSpec Reversed(const FrameSpec& spec) {
  FrameSpec reversed = spec;
  std::swap(reversed.source, reversed.destination);
  std::swap(reversed.source_mac, reversed.destination_mac);
  return reversed;
}

std::vector<std::byte> RoceFrame(const FrameSpec& spec, const RdmaPacket& packet) {
  std::vector<std::byte> transport(kHeaderRoom + packet.payload.size());
  transport.resize(WriteRdma(packet, transport));
  assert(!transport.empty());
  const size_t transport_bytes = transport.size() + kIcrcBytes;

  std::vector<std::byte> frame(kHeaderRoom + transport_bytes);
  ByteWriter writer(frame);
  const bool is_v4 = spec.source.IsV4();
  WriteLink(spec,
            spec.is_roce_v1 ? kEthertypeRoceV1
            : is_v4         ? kEthertypeIpv4
                            : kEthertypeIpv6,
            writer);
  const size_t network_at = writer.written();
  if (spec.is_roce_v1) {
    WriteGrhOf(spec, transport_bytes, writer);
  } else {
    WriteIpAndUdp(spec, transport_bytes, writer);
  }
  const size_t transport_at = writer.written();
  writer.Bytes(transport);
  const std::span<const std::byte> written(frame);
  const std::optional<uint32_t> icrc =
      IcrcOf(spec, written.subspan(network_at, transport_at - network_at), transport);
  std::array<std::byte, kIcrcBytes> icrc_bytes{};
  WriteIcrc(icrc.value(), icrc_bytes);
  writer.Bytes(icrc_bytes);
  assert(writer.ok());
  frame.resize(writer.written());
  // Over IPv4, RDMA devices leave the UDP checksum out.
  if (!is_v4 && !spec.is_roce_v1) {
    PutUdpChecksum(spec.source, spec.destination,
                   std::span(frame).subspan(transport_at - kUdpHeaderBytes));
  }
  return frame;
}

std::vector<std::byte> CmFrame(const FrameSpec& spec, const CmMessage& message,
                               uint64_t transaction_id, uint32_t psn) {
  std::array<std::byte, kMadBytes> mad;
  BuildCm(message, transaction_id, mad);
  return RoceFrame(
      spec, UdSend(kGeneralServicesQpn, psn, kGeneralServicesQpn, kGeneralServicesQKey, mad));
}

std::vector<std::byte> PauseFrameBytes(const PauseFrame& pause, const MacAddress& source_mac) {
  std::array<std::byte, 64> payload;
  ByteWriter writer(payload);
  WritePause(pause, writer);
  return ControlFrame(kPauseDestination, source_mac, kEthertypeMacControl, writer.written_bytes());
}

std::vector<std::byte> LldpFrame(std::span<const std::byte> lldpdu, const MacAddress& source_mac) {
  return ControlFrame(kLldpDestination, source_mac, kEthertypeLldp, lldpdu);
}

}  // namespace weft::wire
