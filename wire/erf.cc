// SPDX-License-Identifier: Apache-2.0
#include "wire/erf.h"

#include <algorithm>

namespace weft::wire {

namespace {

constexpr uint8_t kMoreBit = 0x80;  // of the type, and of an extension header's first byte
constexpr uint8_t kTypeMask = 0x7f;

}  // namespace

bool operator==(const Erf& a, const Erf& b) {
  return a.timestamp == b.timestamp && a.type == b.type && a.flags == b.flags &&
         a.record_bytes == b.record_bytes && a.lost_or_color == b.lost_or_color &&
         a.wire_bytes == b.wire_bytes && std::ranges::equal(a.extensions, b.extensions);
}

Erf ReadErf(ByteReader& reader) {
  Erf header;
  for (int shift = 0; shift < 64; shift += 8) header.timestamp |= uint64_t{reader.U8()} << shift;
  const uint8_t type = reader.U8();
  header.type = type & kTypeMask;
  header.flags = reader.U8();
  header.record_bytes = reader.U16();
  header.lost_or_color = reader.U16();
  header.wire_bytes = reader.U16();

  ByteReader ahead = reader;  // to find how many there are, before they are taken as one
  size_t count = 0;
  for (bool more = (type & kMoreBit) != 0; more && ahead.ok(); ++count) {
    const std::span<const std::byte> extension = ahead.Take(kErfExtensionBytes);
    more = !extension.empty() && (static_cast<uint8_t>(extension[0]) & kMoreBit) != 0;
    if (count == kErfMaxExtensions) ahead.Fail();
  }
  header.extensions = reader.Take(count * kErfExtensionBytes);
  if (!ahead.ok()) reader.Fail();
  return header;
}

std::optional<Erf> ParseErf(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const Erf header = ReadErf(reader);
  if (!reader.ok()) return std::nullopt;
  return header;
}

void WriteErf(const Erf& header, ByteWriter& writer) {
  if (header.extensions.size() % kErfExtensionBytes != 0) {
    writer.Fail();
    return;
  }
  for (int shift = 0; shift < 64; shift += 8) {
    writer.U8(static_cast<uint8_t>(header.timestamp >> shift));
  }
  writer.U8(
      static_cast<uint8_t>((header.extensions.empty() ? 0 : kMoreBit) | (header.type & kTypeMask)));
  writer.U8(header.flags);
  writer.U16(header.record_bytes);
  writer.U16(header.lost_or_color);
  writer.U16(header.wire_bytes);
  writer.Bytes(header.extensions);
}

}  // namespace weft::wire
