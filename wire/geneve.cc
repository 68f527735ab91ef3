// SPDX-License-Identifier: Apache-2.0
#include "wire/geneve.h"

#include <algorithm>

namespace weft::wire {

namespace {

constexpr int kVersionShift = 6;
constexpr uint8_t kOptionWordsMask = 0x3f;
constexpr size_t kWordBytes = 4;
constexpr uint8_t kControlBit = 0x80;
constexpr uint8_t kCriticalBit = 0x40;
constexpr uint32_t kVniMask = 0xffffff;

}  // namespace

bool operator==(const Geneve& a, const Geneve& b) {
  return a.version == b.version && a.is_control == b.is_control &&
         a.has_critical_options == b.has_critical_options && a.protocol == b.protocol &&
         a.vni == b.vni && std::ranges::equal(a.options, b.options);
}

Geneve ReadGeneve(ByteReader& reader) {
  Geneve header;
  const uint8_t version_and_words = reader.U8();
  header.version = version_and_words >> kVersionShift;
  const uint8_t flags = reader.U8();
  header.is_control = (flags & kControlBit) != 0;
  header.has_critical_options = (flags & kCriticalBit) != 0;
  header.protocol = reader.U16();
  header.vni = reader.U24();
  reader.U8();
  header.options = reader.Take((version_and_words & kOptionWordsMask) * kWordBytes);
  return header;
}

std::optional<Geneve> ParseGeneve(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const Geneve header = ReadGeneve(reader);
  if (!reader.ok()) return std::nullopt;
  return header;
}

void WriteGeneve(const Geneve& header, ByteWriter& writer) {
  if (header.options.size() > kGeneveMaxOptionsBytes || header.options.size() % kWordBytes != 0) {
    writer.Fail();
    return;
  }
  const size_t words = header.options.size() / kWordBytes;
  writer.U8(static_cast<uint8_t>(uint32_t{header.version} << kVersionShift | words));
  writer.U8(static_cast<uint8_t>((header.is_control ? kControlBit : 0) |
                                 (header.has_critical_options ? kCriticalBit : 0)));
  writer.U16(header.protocol);
  writer.U24(header.vni & kVniMask);
  writer.Zeroes(1);
  writer.Bytes(header.options);
}

}  // namespace weft::wire
