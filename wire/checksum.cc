// SPDX-License-Identifier: Apache-2.0
#include "wire/checksum.h"

namespace weft::wire {

uint16_t InternetChecksum(std::span<const std::byte> bytes) {
  uint64_t sum = 0;
  for (size_t i = 0; i + 1 < bytes.size(); i += 2) {
    sum += static_cast<uint64_t>(bytes[i]) << 8 | static_cast<uint64_t>(bytes[i + 1]);
  }
  if (bytes.size() % 2 != 0) sum += static_cast<uint64_t>(bytes.back()) << 8;
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<uint16_t>(~sum);
}

}  // namespace weft::wire
