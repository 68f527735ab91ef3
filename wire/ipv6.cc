// SPDX-License-Identifier: Apache-2.0
#include "wire/ipv6.h"

#include <algorithm>
#include <array>

namespace weft::wire {
namespace {

constexpr uint8_t kVersion = 6;
constexpr size_t kAddressBytes = 16;
// The first four bytes.
constexpr int kVersionShift = 28;
constexpr int kTrafficClassShift = 20;
constexpr uint32_t kFlowLabelBits = 0xfffff;

constexpr uint8_t kHopByHopOptions = 0;
constexpr uint8_t kRouting = 43;
constexpr uint8_t kFragment = 44;
constexpr uint8_t kDestinationOptions = 60;
constexpr size_t kExtensionUnitBytes = 8;
// Bytes 2 and 3 of the fragment header.
constexpr uint16_t kMoreFragmentsBit = 0x1;
constexpr int kFragmentOffsetShift = 3;

IpAddress ReadAddress(ByteReader& reader) {
  const std::span<const std::byte> bytes = reader.Take(kAddressBytes);
  std::array<uint8_t, kAddressBytes> address{};
  std::ranges::transform(bytes, address.begin(),
                         [](std::byte byte) { return static_cast<uint8_t>(byte); });
  return IpAddress::V6(address);
}

void WriteAddress(const IpAddress& address, ByteWriter& writer) {
  if (!address.IsV6()) {
    writer.Zeroes(kAddressBytes);
    return;
  }
  writer.Bytes(std::as_bytes(std::span(address.bytes())));
}

bool IsExtension(uint8_t next_header) {
  return next_header == kHopByHopOptions || next_header == kRouting || next_header == kFragment ||
         next_header == kDestinationOptions;
}

}  // namespace

Ipv6Header ReadIpv6(ByteReader& reader) {
  Ipv6Header header;
  const uint32_t first = reader.U32();
  header.traffic_class = static_cast<uint8_t>(first >> kTrafficClassShift);
  header.flow_label = first & kFlowLabelBits;
  header.payload_bytes = reader.U16();
  header.next_header = reader.U8();
  header.hop_limit = reader.U8();
  header.source = ReadAddress(reader);
  header.destination = ReadAddress(reader);
  if (first >> kVersionShift != kVersion) reader.Fail();
  return header;
}

std::optional<Ipv6Header> ParseIpv6(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const Ipv6Header header = ReadIpv6(reader);
  if (!reader.ok()) return std::nullopt;
  return header;
}

void WriteIpv6(const Ipv6Header& header, ByteWriter& writer) {
  writer.U32(uint32_t{kVersion} << kVersionShift |
             uint32_t{header.traffic_class} << kTrafficClassShift |
             (header.flow_label & kFlowLabelBits));
  writer.U16(header.payload_bytes);
  writer.U8(header.next_header);
  writer.U8(header.hop_limit);
  WriteAddress(header.source, writer);
  WriteAddress(header.destination, writer);
}

std::optional<Ipv6Extensions> ReadIpv6Extensions(uint8_t next_header, ByteReader& reader) {
  Ipv6Extensions extensions{.protocol = next_header};
  const size_t bytes_before = reader.remaining();
  for (size_t count = 0; IsExtension(extensions.protocol); ++count) {
    const uint8_t kind = extensions.protocol;
    if (count == kIpv6MaxExtensions || (kind == kHopByHopOptions && count > 0)) return std::nullopt;
    extensions.protocol = reader.U8();
    const uint8_t length = reader.U8();
    if (kind == kFragment) {
      const uint16_t fragment = reader.U16();
      reader.U32();  // identification
      extensions.fragment_offset = fragment >> kFragmentOffsetShift;
      extensions.more_fragments = (fragment & kMoreFragmentsBit) != 0;
    } else {
      reader.Take(length * kExtensionUnitBytes + kExtensionUnitBytes - 2);
    }
    if (!reader.ok()) return std::nullopt;
    if (extensions.fragment_offset != 0) break;
  }
  extensions.bytes = bytes_before - reader.remaining();
  return extensions;
}

}  // namespace weft::wire
