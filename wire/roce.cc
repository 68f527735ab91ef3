// SPDX-License-Identifier: Apache-2.0
#include "wire/roce.h"

#include <array>

#include "wire/icrc.h"
#include "wire/ip.h"
#include "wire/udp.h"

namespace weft::wire {
namespace {

constexpr size_t kPadTo = 4;

size_t PadBytes(size_t payload_bytes) { return (kPadTo - payload_bytes % kPadTo) % kPadTo; }

// The ICRC of a datagram that a socket sends: the headers are those which the kernel will write, as
// far as the ICRC covers them. `datagram` runs from the BTH through the ICRC, whose value is not
// used.
std::optional<uint32_t> SocketIcrc(const RoceEndpoints& endpoints,
                                   std::span<const std::byte> datagram) {
  if (datagram.size() < kBthBytes + kIcrcBytes) return std::nullopt;
  const size_t udp_bytes = kUdpHeaderBytes + datagram.size();
  std::array<std::byte, kIpv6HeaderBytes + kUdpHeaderBytes> headers;
  ByteWriter writer(headers);
  if (!WriteIp({.source = endpoints.source,
                .destination = endpoints.destination,
                .protocol = kIpProtocolUdp,
                .payload_bytes = udp_bytes},
               writer)) {
    return std::nullopt;
  }
  WriteUdp({.source_port = endpoints.udp_src_port,
            .destination_port = endpoints.udp_dst_port,
            .length = static_cast<uint16_t>(udp_bytes)},
           writer);
  const std::span<const std::byte> covered = datagram.first(datagram.size() - kIcrcBytes);
  return endpoints.source.IsV4() ? RoceIpv4Icrc(writer.written_bytes(), covered)
                                 : RoceIpv6Icrc(writer.written_bytes(), covered);
}

}  // namespace

bool HasDeth(uint8_t opcode) {
  return opcode == static_cast<uint8_t>(BthOpcode::kUdSendOnly) ||
         opcode == static_cast<uint8_t>(BthOpcode::kUdSendOnlyImmediate);
}

size_t RoceDatagramBytes(size_t payload_bytes, bool has_deth) {
  return kBthBytes + (has_deth ? kDethBytes : 0) + payload_bytes + PadBytes(payload_bytes) +
         kIcrcBytes;
}

size_t BuildRoceDatagram(const RoceEndpoints& endpoints, Bth bth, const std::optional<Deth>& deth,
                         std::span<const std::byte> payload, std::span<std::byte> out) {
  const size_t datagram_bytes = RoceDatagramBytes(payload.size(), deth.has_value());
  if (datagram_bytes > out.size()) return 0;
  const std::span<std::byte> datagram = out.first(datagram_bytes);
  bth.pad = static_cast<uint8_t>(PadBytes(payload.size()));

  ByteWriter writer(datagram);
  WriteBth(bth, writer);
  if (deth.has_value()) WriteDeth(*deth, writer);
  writer.Bytes(payload);
  writer.Zeroes(bth.pad);
  const std::optional<uint32_t> icrc = SocketIcrc(endpoints, datagram);
  if (!icrc.has_value()) return 0;
  WriteIcrc(*icrc, datagram.last<kIcrcBytes>());
  return datagram_bytes;
}

std::optional<RoceDatagram> ParseRoceDatagram(std::span<const std::byte> udp_payload) {
  ByteReader reader(udp_payload);
  RoceDatagram datagram;
  datagram.bth = ReadBth(reader);
  if (HasDeth(datagram.bth.opcode)) datagram.deth = ReadDeth(reader);
  const size_t trailer_bytes = datagram.bth.pad + kIcrcBytes;
  if (!reader.ok() || reader.remaining() < trailer_bytes) return std::nullopt;
  datagram.payload = reader.Take(reader.remaining() - trailer_bytes);
  datagram.icrc = ReadIcrc(udp_payload.last<kIcrcBytes>());
  return datagram;
}

bool IcrcMatches(const RoceEndpoints& endpoints, std::span<const std::byte> udp_payload) {
  const std::optional<uint32_t> icrc = SocketIcrc(endpoints, udp_payload);
  return icrc.has_value() && *icrc == ReadIcrc(udp_payload.last<kIcrcBytes>());
}

}  // namespace weft::wire
