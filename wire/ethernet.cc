// SPDX-License-Identifier: Apache-2.0
#include "wire/ethernet.h"

namespace weft::wire {

EthernetHeader ReadEthernet(ByteReader& reader) {
  EthernetHeader header;
  for (uint8_t& byte : header.destination) byte = reader.U8();
  for (uint8_t& byte : header.source) byte = reader.U8();
  header.ethertype = reader.U16();
  return header;
}

std::optional<EthernetHeader> ParseEthernet(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const EthernetHeader header = ReadEthernet(reader);
  if (!reader.ok()) return std::nullopt;
  return header;
}

void WriteEthernet(const EthernetHeader& header, ByteWriter& writer) {
  for (const uint8_t byte : header.destination) writer.U8(byte);
  for (const uint8_t byte : header.source) writer.U8(byte);
  writer.U16(header.ethertype);
}

}  // namespace weft::wire
