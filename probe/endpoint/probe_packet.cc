// SPDX-License-Identifier: Apache-2.0
#include "probe/endpoint/probe_packet.h"

#include <array>

#include "wire/bth.h"
#include "wire/byte_reader.h"
#include "wire/deth.h"

namespace weft::probe {
namespace {

constexpr size_t kMaxPayloadBytes = wire::kProbePayloadBytes + 4 * (kProbeTtlValues - 1);
constexpr size_t kFixedUdpBytes = wire::kUdpHeaderBytes + wire::kBthBytes + wire::kDethBytes +
                                  wire::kProbePayloadBytes + wire::kIcrcBytes;

constexpr auto kUdSendOnly = static_cast<uint8_t>(wire::BthOpcode::kUdSendOnly);

wire::Bth BthFor(uint8_t opcode, uint32_t dest_qpn, uint32_t psn) {
  wire::Bth bth;
  bth.opcode = opcode;
  bth.dest_qpn = dest_qpn;
  bth.psn = psn & wire::kPsnMask;
  return bth;
}

size_t BuildDatagram(const wire::RoceEndpoints& endpoints, const wire::Bth& bth,
                     const wire::Deth& deth, const wire::ProbePayload& payload,
                     size_t payload_bytes, std::span<std::byte> out) {
  std::array<std::byte, kMaxPayloadBytes> bytes{};
  if (payload_bytes > bytes.size() || !wire::WriteProbePayload(payload, bytes)) return 0;
  return wire::BuildRoceDatagram(endpoints, bth, deth, std::span(bytes).first(payload_bytes), out);
}

}  // namespace

std::optional<uint8_t> TtlFromUdpLength(size_t udp_length) {
  if (udp_length < kFixedUdpBytes) return std::nullopt;
  const size_t more = udp_length - kFixedUdpBytes;
  if (more % 4 != 0 || more / 4 >= kProbeTtlValues) return std::nullopt;
  return static_cast<uint8_t>(more / 4);
}

size_t BuildProbe(const Probe& probe, const wire::IpAddress& source, uint32_t session,
                  uint32_t sequence, uint32_t source_qpn, uint16_t reply_udp_dst_port,
                  std::span<std::byte> out) {
  const wire::ProbePayload payload = {.type = wire::ProbeType::kQuestion,
                                      .session = session,
                                      .sequence = sequence,
                                      .reply_udp_src_port = probe.reply_udp_src_port,
                                      .reply_udp_dst_port = reply_udp_dst_port};
  const wire::RoceEndpoints endpoints = {
      .source = source, .destination = probe.destination, .udp_src_port = probe.udp_src_port};
  const size_t size = BuildDatagram(endpoints, BthFor(probe.bth_opcode, probe.dest_qpn, sequence),
                                    {.q_key = probe.q_key, .source_qpn = source_qpn}, payload,
                                    ProbePayloadBytesFor(probe.ttl), out);
  if (probe.wears_live_header && size > 0) {
    for (std::byte& byte : out.first(size).last(wire::kIcrcBytes)) byte = ~byte;
  }
  return size;
}

std::optional<ProbePacket> ReadProbePacket(const wire::RoceDatagram& datagram) {
  if (datagram.bth.opcode != kUdSendOnly || !datagram.deth) return std::nullopt;
  const std::optional<wire::ProbePayload> payload = wire::ParseProbePayload(datagram.payload);
  if (!payload) return std::nullopt;
  return ProbePacket{.payload = *payload,
                     .payload_bytes = datagram.payload.size(),
                     .dest_qpn = datagram.bth.dest_qpn,
                     .source_qpn = datagram.deth->source_qpn,
                     .q_key = datagram.deth->q_key,
                     .psn = datagram.bth.psn};
}

PacketFault ParseProbePacket(const wire::RoceEndpoints& endpoints, std::span<const std::byte> bytes,
                             ProbePacket& packet) {
  const std::optional<wire::RoceDatagram> datagram = wire::ParseRoceDatagram(bytes);
  const auto read = datagram ? ReadProbePacket(*datagram) : std::nullopt;
  if (!read) return PacketFault::kMalformed;
  if (!wire::IcrcMatches(endpoints, bytes)) return PacketFault::kBadIcrc;
  packet = *read;
  return PacketFault::kNone;
}

std::optional<wire::ProbePayload> ParseQuotedProbe(std::span<const std::byte> quote) {
  wire::ByteReader reader(quote);
  wire::ReadBth(reader);
  wire::ReadDeth(reader);
  if (!reader.ok()) return std::nullopt;
  return wire::ParseProbePayload(reader.Rest());
}

size_t BuildAnswer(const ProbePacket& question, const wire::IpAddress& responder,
                   const wire::IpAddress& prober, const AnswerDetails& details,
                   std::span<std::byte> out) {
  wire::ProbePayload payload = question.payload;
  payload.type = wire::ProbeType::kAnswer;
  payload.reply_udp_src_port = details.udp_src_port;
  payload.reply_port_was_busy = details.reply_port_was_busy;
  payload.received_ttl = details.received_ttl;
  payload.received_traffic_class = details.received_traffic_class;
  payload.responder_delay_ns = details.responder_delay_ns;
  const wire::RoceEndpoints endpoints = {.source = responder,
                                         .destination = prober,
                                         .udp_src_port = details.udp_src_port,
                                         .udp_dst_port = question.payload.reply_udp_dst_port};
  return BuildDatagram(endpoints, BthFor(kUdSendOnly, question.source_qpn, question.psn),
                       {.q_key = question.q_key, .source_qpn = question.dest_qpn}, payload,
                       question.payload_bytes, out);
}

}  // namespace weft::probe
