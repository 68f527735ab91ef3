// SPDX-License-Identifier: Apache-2.0
#include "wire/grh.h"

namespace weft::wire {

namespace {

constexpr int kVersionShift = 28;
constexpr int kTrafficClassShift = 20;
constexpr uint32_t kFlowLabelMask = 0xfffff;

NetworkAddress ReadGid(ByteReader& reader) {
  const uint64_t high = reader.U64();
  return NetworkAddress::Gid(high, reader.U64());
}

}  // namespace

Grh ReadGrh(ByteReader& reader) {
  Grh header;
  const uint32_t first = reader.U32();
  header.version = static_cast<uint8_t>(first >> kVersionShift);
  header.traffic_class = static_cast<uint8_t>(first >> kTrafficClassShift);
  header.flow_label = first & kFlowLabelMask;
  header.payload_bytes = reader.U16();
  header.next_header = reader.U8();
  header.hop_limit = reader.U8();
  header.source = ReadGid(reader);
  header.destination = ReadGid(reader);
  return header;
}

std::optional<Grh> ParseGrh(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const Grh header = ReadGrh(reader);
  if (!reader.ok()) return std::nullopt;
  return header;
}

void WriteGrh(const Grh& header, ByteWriter& writer) {
  writer.U32(uint32_t{header.version} << kVersionShift |
             uint32_t{header.traffic_class} << kTrafficClassShift |
             (header.flow_label & kFlowLabelMask));
  writer.U16(header.payload_bytes);
  writer.U8(header.next_header);
  writer.U8(header.hop_limit);
  writer.U64(header.source.high());
  writer.U64(header.source.low());
  writer.U64(header.destination.high());
  writer.U64(header.destination.low());
}

}  // namespace weft::wire
