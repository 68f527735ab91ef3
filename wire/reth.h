// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/byte_reader.h"
#include "wire/byte_writer.h"

namespace weft::wire {

inline constexpr size_t kRethBytes = 16;

// RDMA Extended Transport Header. InfiniBand Architecture Specification, volume 1, section 9.3.3.
//   +---------------------------------------------------------------+
//   |                    virtual address (64 bits)                  |
//   |                                                               |
//   +---------------------------------------------------------------+
//   |                             R_Key                             |
//   +---------------------------------------------------------------+
//   |                          DMA length                           |
//   +---------------------------------------------------------------+
struct Reth {
  uint64_t address = 0;
  uint32_t r_key = 0;
  uint32_t length = 0;  // bytes of the whole message, up to 2^31
  bool operator==(const Reth&) const = default;
};

Reth ReadReth(ByteReader& reader);  // check reader.ok() after
std::optional<Reth> ParseReth(std::span<const std::byte> bytes);
void WriteReth(const Reth& reth, ByteWriter& writer);

}  // namespace weft::wire
