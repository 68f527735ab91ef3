// SPDX-License-Identifier: Apache-2.0
#include "wire/vxlan.h"

namespace weft::wire {

namespace {

constexpr uint8_t kVniBit = 0x08;
constexpr uint8_t kNextProtocolBit = 0x04;
constexpr uint32_t kVniMask = 0xffffff;

}  // namespace

Vxlan ReadVxlan(ByteReader& reader) {
  Vxlan header;
  const uint8_t flags = reader.U8();
  header.has_vni = (flags & kVniBit) != 0;
  header.has_next_protocol = (flags & kNextProtocolBit) != 0;
  reader.U16();
  header.next_protocol = reader.U8();
  header.vni = reader.U24();
  reader.U8();
  return header;
}

std::optional<Vxlan> ParseVxlan(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const Vxlan header = ReadVxlan(reader);
  if (!reader.ok()) return std::nullopt;
  return header;
}

void WriteVxlan(const Vxlan& header, ByteWriter& writer) {
  writer.U8(static_cast<uint8_t>((header.has_vni ? kVniBit : 0) |
                                 (header.has_next_protocol ? kNextProtocolBit : 0)));
  writer.Zeroes(2);
  writer.U8(header.next_protocol);
  writer.U24(header.vni & kVniMask);
  writer.Zeroes(1);
}

}  // namespace weft::wire
