// SPDX-License-Identifier: Apache-2.0
#include "wire/udp.h"

#include "wire/checksum.h"
#include "wire/ipv4.h"

namespace weft::wire {
namespace {

constexpr size_t kChecksumOffset = 6;

}  // namespace

UdpHeader ReadUdp(ByteReader& reader) {
  UdpHeader header;
  header.source_port = reader.U16();
  header.destination_port = reader.U16();
  header.length = reader.U16();
  header.checksum = reader.U16();
  return header;
}

std::optional<UdpHeader> ParseUdp(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const UdpHeader header = ReadUdp(reader);
  if (!reader.ok()) return std::nullopt;
  return header;
}

void WriteUdp(const UdpHeader& header, ByteWriter& writer) {
  writer.U16(header.source_port);
  writer.U16(header.destination_port);
  writer.U16(header.length);
  writer.U16(header.checksum);
}

uint16_t UdpChecksum(const IpAddress& source, const IpAddress& destination,
                     std::span<const std::byte> datagram) {
  const std::optional<UdpHeader> header = ParseUdp(datagram);
  if (!header.has_value()) return 0;
  const uint16_t with_own = ChecksumWithPseudoHeader(source, destination, kIpProtocolUdp, datagram);
  // Takes the checksum that stands there out of the sum again (RFC 1624).
  uint32_t sum = uint32_t{with_own} + header->checksum;
  sum = (sum & 0xffff) + (sum >> 16);
  // Zero would say that there is none; in ones' complement 0xffff is the same number.
  return sum == 0 ? uint16_t{0xffff} : static_cast<uint16_t>(sum);
}

bool PutUdpChecksum(const IpAddress& source, const IpAddress& destination,
                    std::span<std::byte> datagram) {
  if (datagram.size() < kUdpHeaderBytes) return false;
  ByteWriter(datagram.subspan(kChecksumOffset)).U16(UdpChecksum(source, destination, datagram));
  return true;
}

}  // namespace weft::wire
