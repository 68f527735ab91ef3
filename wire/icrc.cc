// SPDX-License-Identifier: Apache-2.0
#include "wire/icrc.h"

#include <algorithm>
#include <array>

#include "wire/bth.h"

namespace weft::wire {
namespace {

constexpr uint32_t kReflectedPolynomial = 0xEDB88320;
constexpr size_t kSlices = 16;

using Tables = std::array<std::array<uint32_t, 256>, kSlices>;

// tables[k][b] is what byte b contributes when k more bytes follow it in the same step.
constexpr Tables MakeTables() {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) {
      crc = crc >> 1 ^ ((crc & 1) != 0 ? kReflectedPolynomial : 0);
    }
    tables[0][byte] = crc;
  }
  for (size_t slice = 1; slice < kSlices; ++slice) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t previous = tables[slice - 1][byte];
      tables[slice][byte] = previous >> 8 ^ tables[0][previous & 0xff];
    }
  }
  return tables;
}

constexpr Tables kTables = MakeTables();
static_assert(kTables[0][1] == 0x77073096);

constexpr uint32_t LittleEndian32(std::span<const std::byte> bytes) {
  return static_cast<uint32_t>(bytes[0]) | static_cast<uint32_t>(bytes[1]) << 8 |
         static_cast<uint32_t>(bytes[2]) << 16 | static_cast<uint32_t>(bytes[3]) << 24;
}

// Of four bytes that `more` bytes follow in the same step.
uint32_t Contribution(size_t more, uint32_t word) {
  return kTables[more + 3][word & 0xff] ^ kTables[more + 2][word >> 8 & 0xff] ^
         kTables[more + 1][word >> 16 & 0xff] ^ kTables[more][word >> 24];
}

constexpr std::byte kOnes{0xff};
// Offsets of the bytes that count as ones.
constexpr size_t kTosOffset = 1;
constexpr size_t kTtlOffset = 8;
constexpr size_t kIpChecksumOffset = 10;
constexpr size_t kHopLimitOffset = 7;
constexpr size_t kUdpChecksumOffset = 6;  // from the UDP header on
constexpr size_t kBthCongestionOffset = 4;
// IPv6's version stands in the upper half of its first byte; the lower one and three bytes more are
// traffic class and flow label.
constexpr std::byte kTrafficClassInFirstByte{0x0f};
constexpr size_t kFlowLabelEnd = 4;

constexpr size_t kPrefixBytes = 8;
constexpr size_t kUdpBytes = 8;
constexpr size_t kIpv6Bytes = 40;
constexpr size_t kShortestHeaders = 20 + kUdpBytes;
constexpr size_t kLongestHeaders = 60 + kUdpBytes;

// UDP header and BTH with ones where they may change.
std::array<std::byte, kUdpBytes + kBthBytes> MaskedUdpAndBth(std::span<const std::byte> udp,
                                                             std::span<const std::byte> bth) {
  std::array<std::byte, kUdpBytes + kBthBytes> masked;
  const auto bth_start = std::ranges::copy(udp.first(kUdpBytes), masked.begin()).out;
  std::ranges::copy(bth.first(kBthBytes), bth_start);
  masked[kUdpChecksumOffset] = kOnes;
  masked[kUdpChecksumOffset + 1] = kOnes;
  masked[kUdpBytes + kBthCongestionOffset] = kOnes;
  return masked;
}

}  // namespace

void Crc32::Update(std::span<const std::byte> bytes) {
  uint32_t crc = state_;
  while (bytes.size() >= kSlices) {
    crc = Contribution(12, crc ^ LittleEndian32(bytes)) ^
          Contribution(8, LittleEndian32(bytes.subspan(4))) ^
          Contribution(4, LittleEndian32(bytes.subspan(8))) ^
          Contribution(0, LittleEndian32(bytes.subspan(12)));
    bytes = bytes.subspan(kSlices);
  }
  for (const std::byte byte : bytes) {
    crc = crc >> 8 ^ kTables[0][(crc ^ static_cast<uint8_t>(byte)) & 0xff];
  }
  state_ = crc;
}

std::optional<uint32_t> RoceIpv4Icrc(std::span<const std::byte> ip_and_udp,
                                     std::span<const std::byte> bth_to_pad) {
  if (ip_and_udp.size() < kShortestHeaders || ip_and_udp.size() > kLongestHeaders ||
      bth_to_pad.size() < kBthBytes) {
    return std::nullopt;
  }
  const size_t ip_bytes = ip_and_udp.size() - kUdpBytes;
  std::array<std::byte, kPrefixBytes + kLongestHeaders + kBthBytes> masked;
  std::ranges::fill_n(masked.begin(), kPrefixBytes, kOnes);
  const std::span<std::byte> ip(masked.data() + kPrefixBytes, ip_bytes);
  std::ranges::copy(ip_and_udp.first(ip_bytes), ip.begin());
  ip[kTosOffset] = kOnes;
  ip[kTtlOffset] = kOnes;
  ip[kIpChecksumOffset] = kOnes;
  ip[kIpChecksumOffset + 1] = kOnes;
  const auto udp_and_bth = MaskedUdpAndBth(ip_and_udp.subspan(ip_bytes), bth_to_pad);
  std::ranges::copy(udp_and_bth, masked.data() + kPrefixBytes + ip_bytes);

  Crc32 crc;
  crc.Update({masked.data(), kPrefixBytes + ip_bytes + udp_and_bth.size()});
  crc.Update(bth_to_pad.subspan(kBthBytes));
  return crc.value();
}

std::optional<uint32_t> RoceIpv6Icrc(std::span<const std::byte> ip_and_udp,
                                     std::span<const std::byte> bth_to_pad) {
  if (ip_and_udp.size() < kIpv6Bytes + kUdpBytes || bth_to_pad.size() < kBthBytes) {
    return std::nullopt;
  }
  std::array<std::byte, kPrefixBytes + kIpv6Bytes> masked;
  std::ranges::fill_n(masked.begin(), kPrefixBytes, kOnes);
  const std::span<std::byte, kIpv6Bytes> ip(masked.data() + kPrefixBytes, kIpv6Bytes);
  std::ranges::copy(ip_and_udp.first(kIpv6Bytes), ip.begin());
  ip[0] |= kTrafficClassInFirstByte;
  std::fill(ip.begin() + 1, ip.begin() + kFlowLabelEnd, kOnes);
  ip[kHopLimitOffset] = kOnes;

  Crc32 crc;
  crc.Update(masked);
  crc.Update(ip_and_udp.subspan(kIpv6Bytes, ip_and_udp.size() - kIpv6Bytes - kUdpBytes));
  crc.Update(MaskedUdpAndBth(ip_and_udp.last(kUdpBytes), bth_to_pad));
  crc.Update(bth_to_pad.subspan(kBthBytes));
  return crc.value();
}

uint32_t ReadIcrc(std::span<const std::byte, 4> bytes) { return LittleEndian32(bytes); }

void WriteIcrc(uint32_t icrc, std::span<std::byte, 4> bytes) {
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(icrc >> (8 * i));
}

}  // namespace weft::wire
