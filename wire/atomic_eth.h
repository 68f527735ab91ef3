// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/byte_reader.h"
#include "wire/byte_writer.h"

namespace weft::wire {

inline constexpr size_t kAtomicEthBytes = 28;
inline constexpr size_t kAtomicAckEthBytes = 8;

// Atomic Extended Transport Header. InfiniBand Architecture Specification, volume 1, section 9.3.4.
//   | virtual address 64 | R_Key 32 | swap or add data 64 | compare data 64 |
// The acknowledge's header (section 9.3.6) is one number: the 64 bits that were there before.
struct AtomicEth {
  uint64_t address = 0;
  uint32_t r_key = 0;
  uint64_t swap_or_add = 0;
  uint64_t compare = 0;
  bool operator==(const AtomicEth&) const = default;
};

AtomicEth ReadAtomicEth(ByteReader& reader);  // check reader.ok() after
std::optional<AtomicEth> ParseAtomicEth(std::span<const std::byte> bytes);
void WriteAtomicEth(const AtomicEth& atomic, ByteWriter& writer);

}  // namespace weft::wire
