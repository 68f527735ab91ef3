// SPDX-License-Identifier: Apache-2.0
#include "wire/tcp.h"

#include <algorithm>

namespace weft::wire {

namespace {

constexpr size_t kWordBytes = 4;
constexpr size_t kMaxOptionsBytes = 40;
constexpr int kOffsetShift = 4;

}  // namespace

bool operator==(const TcpHeader& a, const TcpHeader& b) {
  return a.source_port == b.source_port && a.destination_port == b.destination_port &&
         a.sequence == b.sequence && a.acknowledgment == b.acknowledgment && a.flags == b.flags &&
         a.window == b.window && a.checksum == b.checksum && a.urgent == b.urgent &&
         std::ranges::equal(a.options, b.options);
}

TcpHeader ReadTcp(ByteReader& reader) {
  TcpHeader header;
  header.source_port = reader.U16();
  header.destination_port = reader.U16();
  header.sequence = reader.U32();
  header.acknowledgment = reader.U32();
  const size_t header_bytes = (reader.U8() >> kOffsetShift) * kWordBytes;
  header.flags = reader.U8();
  header.window = reader.U16();
  header.checksum = reader.U16();
  header.urgent = reader.U16();
  if (header_bytes < kTcpHeaderBytes) {
    reader.Fail();
    return header;
  }
  header.options = reader.Take(header_bytes - kTcpHeaderBytes);
  return header;
}

std::optional<TcpHeader> ParseTcp(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const TcpHeader header = ReadTcp(reader);
  if (!reader.ok()) return std::nullopt;
  return header;
}

void WriteTcp(const TcpHeader& header, ByteWriter& writer) {
  if (header.options.size() > kMaxOptionsBytes || header.options.size() % kWordBytes != 0) {
    writer.Fail();
    return;
  }
  const size_t words = (kTcpHeaderBytes + header.options.size()) / kWordBytes;
  writer.U16(header.source_port);
  writer.U16(header.destination_port);
  writer.U32(header.sequence);
  writer.U32(header.acknowledgment);
  writer.U8(static_cast<uint8_t>(words << kOffsetShift));
  writer.U8(header.flags);
  writer.U16(header.window);
  writer.U16(header.checksum);
  writer.U16(header.urgent);
  writer.Bytes(header.options);
}

}  // namespace weft::wire
