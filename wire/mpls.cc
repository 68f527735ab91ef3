// SPDX-License-Identifier: Apache-2.0
#include "wire/mpls.h"

namespace weft::wire {

namespace {

constexpr int kLabelShift = 12;
constexpr uint32_t kLabelMask = 0xfffff;
constexpr int kTrafficClassShift = 9;
constexpr uint32_t kTrafficClassMask = 0x7;
constexpr uint32_t kBottomBit = 0x100;

}  // namespace

MplsLabel ReadMplsLabel(ByteReader& reader) {
  const uint32_t word = reader.U32();
  return {.label = word >> kLabelShift,
          .traffic_class = static_cast<uint8_t>(word >> kTrafficClassShift & kTrafficClassMask),
          .is_bottom = (word & kBottomBit) != 0,
          .ttl = static_cast<uint8_t>(word)};
}

std::optional<MplsLabel> ParseMplsLabel(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const MplsLabel label = ReadMplsLabel(reader);
  if (!reader.ok()) return std::nullopt;
  return label;
}

void WriteMplsLabel(const MplsLabel& label, ByteWriter& writer) {
  writer.U32((label.label & kLabelMask) << kLabelShift |
             (label.traffic_class & kTrafficClassMask) << kTrafficClassShift |
             (label.is_bottom ? kBottomBit : 0) | label.ttl);
}

}  // namespace weft::wire
