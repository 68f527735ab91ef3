// SPDX-License-Identifier: Apache-2.0
#include "wire/checksum.h"

namespace weft::wire {
namespace {

// The sum of the words, carries not yet folded in: 2^48 bytes of any value fit.
uint64_t SumOf(std::span<const std::byte> bytes) {
  uint64_t sum = 0;
  for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
    sum += static_cast<uint64_t>(bytes[i]) << 8 | static_cast<uint64_t>(bytes[i + 1]);
  }
  if (bytes.size() % 2 != 0) sum += static_cast<uint64_t>(bytes.back()) << 8;
  return sum;
}

uint16_t Folded(uint64_t sum) {
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>(~sum);
}

// Bytes of an address beyond those of its family are zero.
uint64_t SumOf(const IpAddress& address) {
  return SumOf(std::as_bytes(std::span(address.bytes())));
}

}  // namespace

uint16_t InternetChecksum(std::span<const std::byte> bytes) { return Folded(SumOf(bytes)); }

uint16_t ChecksumWithPseudoHeader(const IpAddress& source, const IpAddress& destination,
                                  uint8_t protocol, std::span<const std::byte> message) {
  return Folded(SumOf(source) + SumOf(destination) + protocol + message.size() + SumOf(message));
}

}  // namespace weft::wire
