// SPDX-License-Identifier: Apache-2.0
#include "wire/mpa.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "wire/byte_reader.h"

namespace weft::wire {

namespace {

constexpr std::string_view kRequestKey = "MPA ID Req Frame";
constexpr std::string_view kReplyKey = "MPA ID Rep Frame";
static_assert(kRequestKey.size() == kMpaKeyBytes && kReplyKey.size() == kMpaKeyBytes);

constexpr uint32_t kReflectedPolynomial = 0x82F63B78;

constexpr std::array<uint32_t, 256> MakeTable() {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < table.size(); ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) {
      crc = crc >> 1 ^ ((crc & 1) != 0 ? kReflectedPolynomial : 0);
    }
    table[byte] = crc;
  }
  return table;
}
constexpr std::array<uint32_t, 256> kTable = MakeTable();

// Bits of the two control bytes.
constexpr uint8_t kTaggedBit = 0x80;
constexpr uint8_t kDdpVersionMask = 0x3;
constexpr uint8_t kDdpVersion = 1;
constexpr int kRdmapVersionShift = 6;
constexpr uint8_t kRdmapVersion = 1;
constexpr uint8_t kRdmapOperationMask = 0xf;
constexpr uint8_t kLargestOperation = 0xb;  // RFC 5040: 0 to 7; RFC 7306: 8 to 11

bool StartsWith(std::span<const std::byte> bytes, std::string_view key) {
  return bytes.size() >= key.size() &&
         std::ranges::equal(bytes.first(key.size()), std::as_bytes(std::span(key)));
}

bool IsDdpControl(uint8_t ddp, uint8_t rdmap) {
  return (ddp & kDdpVersionMask) == kDdpVersion && rdmap >> kRdmapVersionShift == kRdmapVersion &&
         (rdmap & kRdmapOperationMask) <= kLargestOperation;
}

// CRCs stand least significant byte first, as the ICRC does.
uint32_t ReadCrc(std::span<const std::byte> bytes) {
  uint32_t crc = 0;
  for (size_t i = 0; i < kMpaCrcBytes; ++i) crc |= static_cast<uint32_t>(bytes[i]) << (8 * i);
  return crc;
}

// Takes one whole FPDU from the reader.
bool TakeFpdu(ByteReader& reader) {
  ByteReader look = reader;
  const size_t ulpdu_bytes = look.U16();
  const uint8_t ddp = look.U8();
  const uint8_t rdmap = look.U8();
  const size_t least_bytes = (ddp & kTaggedBit) != 0 ? kDdpTaggedBytes : kDdpUntaggedBytes;
  if (!look.ok() || !IsDdpControl(ddp, rdmap) || ulpdu_bytes < least_bytes) return false;
  const size_t padded_bytes = (kMpaLengthBytes + ulpdu_bytes + 3) / 4 * 4;
  const std::span<const std::byte> covered = reader.Take(padded_bytes);
  const std::span<const std::byte> crc_bytes = reader.Take(kMpaCrcBytes);
  if (!reader.ok()) return false;
  const uint32_t crc = ReadCrc(crc_bytes);
  return crc == 0 || crc == Crc32c(covered);
}

}  // namespace

uint32_t Crc32c(std::span<const std::byte> bytes) {
  uint32_t crc = 0xffffffff;
  for (const std::byte byte : bytes) {
    crc = crc >> 8 ^ kTable[(crc ^ static_cast<uint8_t>(byte)) & 0xff];
  }
  return ~crc;
}

bool IsMpaStart(std::span<const std::byte> payload) {
  return StartsWith(payload, kRequestKey) || StartsWith(payload, kReplyKey);
}

bool IsMpaData(std::span<const std::byte> payload) {
  ByteReader reader(payload);
  if (payload.empty()) return false;
  while (reader.remaining() > 0) {
    if (!TakeFpdu(reader)) return false;
  }
  return true;
}

}  // namespace weft::wire
