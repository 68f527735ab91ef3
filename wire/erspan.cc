// SPDX-License-Identifier: Apache-2.0
#include "wire/erspan.h"

namespace weft::wire {

namespace {

// The first 16 bits.
constexpr int kVersionShift = 12;
constexpr uint16_t kVlanIdMask = 0xfff;
// The next 16 bits.
constexpr int kClassShift = 13;
constexpr uint16_t kClassMask = 0x7;
constexpr int kTwoBitsShift = 11;
constexpr uint16_t kTwoBitsMask = 0x3;
constexpr uint16_t kTruncatedBit = 0x400;
constexpr uint16_t kSessionMask = 0x3ff;
constexpr uint32_t kIndexMask = 0xfffff;
// The last 16 bits of type III.
constexpr uint16_t kEthernetBit = 0x8000;
constexpr int kFrameTypeShift = 10;
constexpr uint16_t kFrameTypeMask = 0x1f;
constexpr int kHardwareIdShift = 4;
constexpr uint16_t kHardwareIdMask = 0x3f;
constexpr uint16_t kEgressBit = 0x8;
constexpr int kGranularityShift = 1;
constexpr uint16_t kSubheaderBit = 0x1;

// The first four bytes, which both types share.
template <typename Header>
uint8_t ReadCommon(ByteReader& reader, Header& header) {
  const uint16_t first = reader.U16();
  const uint16_t second = reader.U16();
  header.version = static_cast<uint8_t>(first >> kVersionShift);
  header.vlan_id = first & kVlanIdMask;
  header.class_of_service = static_cast<uint8_t>(second >> kClassShift);
  header.is_truncated = (second & kTruncatedBit) != 0;
  header.session = second & kSessionMask;
  return static_cast<uint8_t>(second >> kTwoBitsShift & kTwoBitsMask);
}

template <typename Header>
void WriteCommon(const Header& header, uint8_t two_bits, ByteWriter& writer) {
  writer.U16(
      static_cast<uint16_t>(header.version << kVersionShift | (header.vlan_id & kVlanIdMask)));
  writer.U16(static_cast<uint16_t>((header.class_of_service & kClassMask) << kClassShift |
                                   (two_bits & kTwoBitsMask) << kTwoBitsShift |
                                   (header.is_truncated ? kTruncatedBit : 0) |
                                   (header.session & kSessionMask)));
}

}  // namespace

Erspan2 ReadErspan2(ByteReader& reader) {
  Erspan2 header;
  header.encapsulation = ReadCommon(reader, header);
  header.index = reader.U32() & kIndexMask;
  return header;
}

Erspan3 ReadErspan3(ByteReader& reader) {
  Erspan3 header;
  header.damage = ReadCommon(reader, header);
  header.timestamp = reader.U32();
  header.security_group = reader.U16();
  const uint16_t last = reader.U16();
  header.is_ethernet = (last & kEthernetBit) != 0;
  header.frame_type = static_cast<uint8_t>(last >> kFrameTypeShift & kFrameTypeMask);
  header.hardware_id = static_cast<uint8_t>(last >> kHardwareIdShift & kHardwareIdMask);
  header.is_egress = (last & kEgressBit) != 0;
  header.granularity = static_cast<uint8_t>(last >> kGranularityShift & kTwoBitsMask);
  header.has_subheader = (last & kSubheaderBit) != 0;
  return header;
}

std::optional<Erspan2> ParseErspan2(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const Erspan2 header = ReadErspan2(reader);
  if (!reader.ok()) return std::nullopt;
  return header;
}

std::optional<Erspan3> ParseErspan3(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const Erspan3 header = ReadErspan3(reader);
  if (!reader.ok()) return std::nullopt;
  return header;
}

void WriteErspan2(const Erspan2& header, ByteWriter& writer) {
  WriteCommon(header, header.encapsulation, writer);
  writer.U32(header.index & kIndexMask);
}

void WriteErspan3(const Erspan3& header, ByteWriter& writer) {
  WriteCommon(header, header.damage, writer);
  writer.U32(header.timestamp);
  writer.U16(header.security_group);
  writer.U16(static_cast<uint16_t>((header.is_ethernet ? kEthernetBit : 0) |
                                   (header.frame_type & kFrameTypeMask) << kFrameTypeShift |
                                   (header.hardware_id & kHardwareIdMask) << kHardwareIdShift |
                                   (header.is_egress ? kEgressBit : 0) |
                                   (header.granularity & kTwoBitsMask) << kGranularityShift |
                                   (header.has_subheader ? kSubheaderBit : 0)));
}

}  // namespace weft::wire
