// SPDX-License-Identifier: Apache-2.0
#include "wire/ipoib.h"

namespace weft::wire {

Ipoib ReadIpoib(ByteReader& reader) {
  Ipoib header;
  for (uint8_t& byte : header.source) byte = reader.U8();
  for (uint8_t& byte : header.destination) byte = reader.U8();
  header.ethertype = reader.U16();
  reader.U16();
  return header;
}

std::optional<Ipoib> ParseIpoib(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const Ipoib header = ReadIpoib(reader);
  if (!reader.ok()) return std::nullopt;
  return header;
}

void WriteIpoib(const Ipoib& header, ByteWriter& writer) {
  for (const uint8_t byte : header.source) writer.U8(byte);
  for (const uint8_t byte : header.destination) writer.U8(byte);
  writer.U16(header.ethertype);
  writer.Zeroes(2);
}

}  // namespace weft::wire
