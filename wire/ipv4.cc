// SPDX-License-Identifier: Apache-2.0
#include "wire/ipv4.h"

#include <algorithm>

#include "wire/checksum.h"

namespace weft::wire {
namespace {

constexpr uint8_t kVersion = 4;
constexpr uint8_t kHeaderWordsMask = 0xf;
constexpr size_t kWordBytes = 4;
constexpr size_t kChecksumOffset = 10;
// Bytes 6 and 7.
constexpr uint16_t kDontFragmentBit = 0x4000;
constexpr uint16_t kMoreFragmentsBit = 0x2000;
constexpr uint16_t kFragmentOffsetMask = 0x1fff;

}  // namespace

bool operator==(const Ipv4Header& a, const Ipv4Header& b) {
  return a.traffic_class == b.traffic_class && a.total_bytes == b.total_bytes &&
         a.identification == b.identification && a.dont_fragment == b.dont_fragment &&
         a.more_fragments == b.more_fragments && a.fragment_offset == b.fragment_offset &&
         a.ttl == b.ttl && a.protocol == b.protocol && a.source == b.source &&
         a.destination == b.destination && std::ranges::equal(a.options, b.options);
}

Ipv4Header ReadIpv4(ByteReader& reader) {
  Ipv4Header header;
  const uint8_t version_and_words = reader.U8();
  header.traffic_class = reader.U8();
  header.total_bytes = reader.U16();
  header.identification = reader.U16();
  const uint16_t fragment = reader.U16();
  header.dont_fragment = (fragment & kDontFragmentBit) != 0;
  header.more_fragments = (fragment & kMoreFragmentsBit) != 0;
  header.fragment_offset = fragment & kFragmentOffsetMask;
  header.ttl = reader.U8();
  header.protocol = reader.U8();
  reader.U16();  // checksum
  header.source = IpAddress::V4(reader.U32());
  header.destination = IpAddress::V4(reader.U32());
  const size_t header_bytes = (version_and_words & kHeaderWordsMask) * kWordBytes;
  if (version_and_words >> 4 != kVersion || header_bytes < kIpv4HeaderBytes) {
    reader.Fail();
    return header;
  }
  header.options = reader.Take(header_bytes - kIpv4HeaderBytes);
  return header;
}

std::optional<Ipv4Header> ParseIpv4(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const Ipv4Header header = ReadIpv4(reader);
  if (!reader.ok()) return std::nullopt;
  return header;
}

void WriteIpv4(const Ipv4Header& header, ByteWriter& writer) {
  const std::span<const std::byte> options =
      header.options.first(std::min(header.options.size(), kIpv4MaxOptionsBytes));
  const size_t option_words = (options.size() + kWordBytes - 1) / kWordBytes;
  const size_t header_bytes = kIpv4HeaderBytes + option_words * kWordBytes;
  const size_t start = writer.written();

  writer.U8(static_cast<uint8_t>(kVersion << 4 | header_bytes / kWordBytes));
  writer.U8(header.traffic_class);
  writer.U16(header.total_bytes);
  writer.U16(header.identification);
  writer.U16(static_cast<uint16_t>((header.dont_fragment ? kDontFragmentBit : 0) |
                                   (header.more_fragments ? kMoreFragmentsBit : 0) |
                                   (header.fragment_offset & kFragmentOffsetMask)));
  writer.U8(header.ttl);
  writer.U8(header.protocol);
  writer.Zeroes(2);
  writer.U32(header.source.v4());
  writer.U32(header.destination.v4());
  writer.Bytes(options);
  writer.Zeroes(option_words * kWordBytes - options.size());
  if (!writer.ok()) return;

  const std::span<std::byte> written = writer.written_bytes().subspan(start, header_bytes);
  ByteWriter checksum(written.subspan(kChecksumOffset));
  checksum.U16(InternetChecksum(written));
}

bool Ipv4ChecksumMatches(std::span<const std::byte> bytes) {
  const std::optional<Ipv4Header> header = ParseIpv4(bytes);
  return header.has_value() && InternetChecksum(bytes.first(header->header_bytes())) == 0;
}

}  // namespace weft::wire
