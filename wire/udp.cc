// SPDX-License-Identifier: Apache-2.0
#include "wire/udp.h"

namespace weft::wire {

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

}  // namespace weft::wire
