// SPDX-License-Identifier: Apache-2.0
#include "wire/icrc.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "wire/bth.h"
#include "wire/crc32.h"

namespace weft::wire {
namespace {

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

// The virtual lane stands in the upper half of the LRH's first byte.
constexpr std::byte kVirtualLaneInFirstByte{0xf0};

constexpr size_t kPrefixBytes = 8;
constexpr size_t kUdpBytes = 8;
constexpr size_t kIpv6Bytes = 40;  // a GRH's too
constexpr size_t kLrhBytes = 8;
static_assert(kLrhBytes == kPrefixBytes);
constexpr size_t kShortestIpBytes = 20;
constexpr size_t kShortestHeaders = kShortestIpBytes + kUdpBytes;
constexpr size_t kLongestHeaders = 60 + kUdpBytes;

// UDP header and BTH, `to` bytes with ones where they may change.
void PutMaskedUdpAndBth(std::span<const std::byte, kUdpBytes> udp,
                        std::span<const std::byte, kBthBytes> bth,
                        std::span<std::byte, kUdpBytes + kBthBytes> to) {
  std::memcpy(to.data(), udp.data(), kUdpBytes);
  std::memcpy(to.data() + kUdpBytes, bth.data(), kBthBytes);
  to[kUdpChecksumOffset] = kOnes;
  to[kUdpChecksumOffset + 1] = kOnes;
  to[kUdpBytes + kBthCongestionOffset] = kOnes;
}

// An IPv4 header with ones where it may change.
void MaskIpv4(std::span<std::byte> header) {
  header[kTosOffset] = kOnes;
  header[kTtlOffset] = kOnes;
  header[kIpChecksumOffset] = kOnes;
  header[kIpChecksumOffset + 1] = kOnes;
}

// An IPv6 header or GRH, whose layout is the same, with ones where it may change.
void MaskIpv6(std::span<std::byte, kIpv6Bytes> header) {
  header[0] |= kTrafficClassInFirstByte;
  std::fill(header.begin() + 1, header.begin() + kFlowLabelEnd, kOnes);
  header[kHopLimitOffset] = kOnes;
}

// `link`: what stands in for the LRH, or the LRH.
std::optional<uint32_t> GlobalIcrc(std::span<const std::byte, kPrefixBytes> link,
                                   std::span<const std::byte> grh,
                                   std::span<const std::byte> bth_to_pad) {
  const bool has_grh = grh.size() == kIpv6Bytes;
  if ((!has_grh && !grh.empty()) || bth_to_pad.size() < kBthBytes) return std::nullopt;
  std::array<std::byte, kPrefixBytes + kIpv6Bytes + kBthBytes> masked;
  auto end = std::ranges::copy(link, masked.begin()).out;
  if (has_grh) {
    end = std::ranges::copy(grh, end).out;
    MaskIpv6(std::span(masked).subspan<kPrefixBytes, kIpv6Bytes>());
  }
  const auto bth = end;
  end = std::ranges::copy(bth_to_pad.first(kBthBytes), end).out;
  *(bth + kBthCongestionOffset) = kOnes;

  Crc32 crc;
  crc.Update(std::span(masked.begin(), end));
  crc.Update(bth_to_pad.subspan(kBthBytes));
  return crc.value();
}

}  // namespace

std::optional<uint32_t> RoceIpv4Icrc(std::span<const std::byte> ip_and_udp,
                                     std::span<const std::byte> bth_to_pad) {
  if (ip_and_udp.size() < kShortestHeaders || ip_and_udp.size() > kLongestHeaders ||
      bth_to_pad.size() < kBthBytes) {
    return std::nullopt;
  }
  const size_t ip_bytes = ip_and_udp.size() - kUdpBytes;
  std::array<std::byte, kPrefixBytes + kLongestHeaders + kBthBytes> masked;
  std::memset(masked.data(), 0xff, kPrefixBytes);
  // Of a known size, the copy is two instructions.
  if (ip_bytes == kShortestIpBytes) {
    std::memcpy(masked.data() + kPrefixBytes, ip_and_udp.data(), kShortestIpBytes);
  } else {
    std::memcpy(masked.data() + kPrefixBytes, ip_and_udp.data(), ip_bytes);
  }
  MaskIpv4(std::span(masked).subspan(kPrefixBytes, ip_bytes));
  PutMaskedUdpAndBth(ip_and_udp.last<kUdpBytes>(), bth_to_pad.first<kBthBytes>(),
                     std::span<std::byte, kUdpBytes + kBthBytes>(
                         masked.data() + kPrefixBytes + ip_bytes, kUdpBytes + kBthBytes));
  Crc32 crc;
  crc.Update({masked.data(), kPrefixBytes + ip_bytes + kUdpBytes + kBthBytes});
  crc.Update(bth_to_pad.subspan(kBthBytes));
  return crc.value();
}

std::optional<uint32_t> RoceIpv6Icrc(std::span<const std::byte> ip_and_udp,
                                     std::span<const std::byte> bth_to_pad) {
  if (ip_and_udp.size() < kIpv6Bytes + kUdpBytes || bth_to_pad.size() < kBthBytes) {
    return std::nullopt;
  }
  std::array<std::byte, kPrefixBytes + kIpv6Bytes + kUdpBytes + kBthBytes> masked;
  std::memset(masked.data(), 0xff, kPrefixBytes);
  std::memcpy(masked.data() + kPrefixBytes, ip_and_udp.data(), kIpv6Bytes);
  MaskIpv6(std::span(masked).subspan<kPrefixBytes, kIpv6Bytes>());
  const auto udp_and_bth = std::span(masked).last<kUdpBytes + kBthBytes>();
  PutMaskedUdpAndBth(ip_and_udp.last<kUdpBytes>(), bth_to_pad.first<kBthBytes>(), udp_and_bth);

  Crc32 crc;
  const size_t extension_bytes = ip_and_udp.size() - kIpv6Bytes - kUdpBytes;
  if (extension_bytes == 0) {
    crc.Update(masked);
  } else {
    crc.Update(std::span(masked).first<kPrefixBytes + kIpv6Bytes>());
    crc.Update(ip_and_udp.subspan(kIpv6Bytes, extension_bytes));
    crc.Update(udp_and_bth);
  }
  crc.Update(bth_to_pad.subspan(kBthBytes));
  return crc.value();
}

std::optional<uint32_t> RoceV1Icrc(std::span<const std::byte> grh,
                                   std::span<const std::byte> bth_to_pad) {
  if (grh.empty()) return std::nullopt;
  std::array<std::byte, kPrefixBytes> ones;
  ones.fill(kOnes);
  return GlobalIcrc(ones, grh, bth_to_pad);
}

std::optional<uint32_t> InfinibandIcrc(std::span<const std::byte> lrh,
                                       std::span<const std::byte> grh,
                                       std::span<const std::byte> bth_to_pad) {
  if (lrh.size() != kLrhBytes) return std::nullopt;
  std::array<std::byte, kLrhBytes> masked;
  std::ranges::copy(lrh, masked.begin());
  masked[0] |= kVirtualLaneInFirstByte;
  return GlobalIcrc(masked, grh, bth_to_pad);
}

uint32_t ReadIcrc(std::span<const std::byte, 4> bytes) {
  uint32_t icrc = 0;
  for (size_t i = 0; i < bytes.size(); ++i) icrc |= static_cast<uint32_t>(bytes[i]) << (8 * i);
  return icrc;
}

void WriteIcrc(uint32_t icrc, std::span<std::byte, 4> bytes) {
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(icrc >> (8 * i));
}

}  // namespace weft::wire
