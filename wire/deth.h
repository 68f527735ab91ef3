// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/byte_reader.h"
#include "wire/byte_writer.h"

namespace weft::wire {

inline constexpr size_t kDethBytes = 8;

// Datagram Extended Transport Header. InfiniBand Architecture Specification, volume 1,
// section 9.3.3.
//   +---------------------------------------------------------------+
//   |                             Q_Key                             |
//   +---------------+-----------------------------------------------+
//   |   reserved    |                   source QP                   |
//   +---------------+-----------------------------------------------+
struct Deth {
  uint32_t q_key = 0;
  uint32_t source_qpn = 0;  // 24 bits
  bool operator==(const Deth&) const = default;
};

Deth ReadDeth(ByteReader& reader);  // check reader.ok() after
std::optional<Deth> ParseDeth(std::span<const std::byte> bytes);
void WriteDeth(const Deth& deth, ByteWriter& writer);

}  // namespace weft::wire
