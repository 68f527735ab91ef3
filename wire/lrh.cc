// SPDX-License-Identifier: Apache-2.0
#include "wire/lrh.h"

namespace weft::wire {

namespace {

constexpr int kUpperShift = 4;
constexpr uint8_t kLowerMask = 0xf;
constexpr uint8_t kNextMask = 0x3;
constexpr uint16_t kPacketWordsMask = 0x7ff;

}  // namespace

Lrh ReadLrh(ByteReader& reader) {
  Lrh header;
  const uint8_t lane_and_version = reader.U8();
  header.virtual_lane = lane_and_version >> kUpperShift;
  header.version = lane_and_version & kLowerMask;
  const uint8_t level_and_next = reader.U8();
  header.service_level = level_and_next >> kUpperShift;
  header.next = static_cast<Lrh::Next>(level_and_next & kNextMask);
  header.destination_lid = reader.U16();
  header.packet_words = reader.U16() & kPacketWordsMask;
  header.source_lid = reader.U16();
  return header;
}

std::optional<Lrh> ParseLrh(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const Lrh header = ReadLrh(reader);
  if (!reader.ok()) return std::nullopt;
  return header;
}

void WriteLrh(const Lrh& header, ByteWriter& writer) {
  writer.U8(
      static_cast<uint8_t>(header.virtual_lane << kUpperShift | (header.version & kLowerMask)));
  writer.U8(static_cast<uint8_t>(header.service_level << kUpperShift |
                                 static_cast<uint8_t>(header.next)));
  writer.U16(header.destination_lid);
  writer.U16(header.packet_words & kPacketWordsMask);
  writer.U16(header.source_lid);
}

}  // namespace weft::wire
