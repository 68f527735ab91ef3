// SPDX-License-Identifier: Apache-2.0
#include "wire/gre.h"

namespace weft::wire {

namespace {

constexpr uint16_t kChecksumBit = 0x8000;
constexpr uint16_t kRoutingBit = 0x4000;
constexpr uint16_t kKeyBit = 0x2000;
constexpr uint16_t kSequenceBit = 0x1000;
constexpr uint16_t kVersionMask = 0x7;

}  // namespace

Gre ReadGre(ByteReader& reader) {
  Gre header;
  const uint16_t flags = reader.U16();
  header.has_routing = (flags & kRoutingBit) != 0;
  header.version = static_cast<uint8_t>(flags & kVersionMask);
  header.protocol = reader.U16();
  if ((flags & kChecksumBit) != 0) {
    header.checksum = reader.U16();
    reader.U16();
  }
  if ((flags & kKeyBit) != 0) header.key = reader.U32();
  if ((flags & kSequenceBit) != 0) header.sequence = reader.U32();
  return header;
}

std::optional<Gre> ParseGre(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const Gre header = ReadGre(reader);
  if (!reader.ok()) return std::nullopt;
  return header;
}

void WriteGre(const Gre& header, ByteWriter& writer) {
  writer.U16(static_cast<uint16_t>(
      (header.checksum.has_value() ? kChecksumBit : 0) | (header.key.has_value() ? kKeyBit : 0) |
      (header.sequence.has_value() ? kSequenceBit : 0) | (header.version & kVersionMask)));
  writer.U16(header.protocol);
  if (header.checksum.has_value()) {
    writer.U16(*header.checksum);
    writer.Zeroes(2);
  }
  if (header.key.has_value()) writer.U32(*header.key);
  if (header.sequence.has_value()) writer.U32(*header.sequence);
}

}  // namespace weft::wire
