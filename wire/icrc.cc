// SPDX-License-Identifier: Apache-2.0
#include "wire/icrc.h"

#include <algorithm>
#include <array>

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
  MaskIpv6(ip);

  Crc32 crc;
  crc.Update(masked);
  crc.Update(ip_and_udp.subspan(kIpv6Bytes, ip_and_udp.size() - kIpv6Bytes - kUdpBytes));
  crc.Update(MaskedUdpAndBth(ip_and_udp.last(kUdpBytes), bth_to_pad));
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
