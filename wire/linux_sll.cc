// SPDX-License-Identifier: Apache-2.0
#include "wire/linux_sll.h"

namespace weft::wire {

LinuxSll ReadLinuxSll(ByteReader& reader) {
  LinuxSll header;
  header.packet_type = reader.U16();
  header.arp_hardware = reader.U16();
  header.address_bytes = reader.U16();
  for (uint8_t& byte : header.address) byte = reader.U8();
  header.protocol = reader.U16();
  return header;
}

LinuxSll2 ReadLinuxSll2(ByteReader& reader) {
  LinuxSll2 header;
  header.protocol = reader.U16();
  reader.U16();
  header.interface_index = reader.U32();
  header.arp_hardware = reader.U16();
  header.packet_type = reader.U8();
  header.address_bytes = reader.U8();
  for (uint8_t& byte : header.address) byte = reader.U8();
  return header;
}

std::optional<LinuxSll> ParseLinuxSll(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const LinuxSll header = ReadLinuxSll(reader);
  if (!reader.ok()) return std::nullopt;
  return header;
}

std::optional<LinuxSll2> ParseLinuxSll2(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const LinuxSll2 header = ReadLinuxSll2(reader);
  if (!reader.ok()) return std::nullopt;
  return header;
}

void WriteLinuxSll(const LinuxSll& header, ByteWriter& writer) {
  writer.U16(header.packet_type);
  writer.U16(header.arp_hardware);
  writer.U16(header.address_bytes);
  for (const uint8_t byte : header.address) writer.U8(byte);
  writer.U16(header.protocol);
}

void WriteLinuxSll2(const LinuxSll2& header, ByteWriter& writer) {
  writer.U16(header.protocol);
  writer.Zeroes(2);
  writer.U32(header.interface_index);
  writer.U16(header.arp_hardware);
  writer.U8(header.packet_type);
  writer.U8(header.address_bytes);
  for (const uint8_t byte : header.address) writer.U8(byte);
}

}  // namespace weft::wire
