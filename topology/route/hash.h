// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weft::topology {

struct HashedHeaders;

// How a switch turns headers into a number. A value: function and seed. CRC-32 is linear: two seeds
// give hashes that differ by one constant for all headers, so in groups of 2, 4, 8.. a seed renames
// the members and does not spread anew what another switch has already spread (polarisation).
struct HashModel {
  enum class Function : uint8_t {
    kCrc32,  // CRC-32 over source, destination, protocol, ports, after the seed's four bytes
  };
  Function function = Function::kCrc32;
  uint32_t seed = 0;
  bool operator==(const HashModel&) const = default;
};

uint32_t Hash(const HashModel& model, const HashedHeaders& headers);

// The member of a group of `count` (at least 1) that a hash picks: the high bits scaled, as
// switches without a power-of-two table do. Stable for one hash and count.
uint32_t Bucket(uint32_t hash, uint32_t count);

}  // namespace weft::topology
