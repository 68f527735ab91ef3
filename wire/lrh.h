// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/byte_reader.h"
#include "wire/byte_writer.h"

namespace weft::wire {

inline constexpr size_t kLrhBytes = 8;
inline constexpr size_t kLrhWordBytes = 4;
inline constexpr size_t kVcrcBytes = 2;  // behind the ICRC; captures may leave it out

// Local Route Header, the first of every InfiniBand packet. InfiniBand Architecture Specification,
// volume 1, section 7.7.
//   +-------+-------+-------+---+---+-------------------------------+
//   |  VL   | LVer  |  SL   |res|LNH|        destination LID        |
//   +-------+-------+-------+---+---+-------------------------------+
//   | res     |    packet length    |          source LID           |
//   +---------+---------------------+-------------------------------+
// Reserved bits are written as zero and ignored on receipt.
struct Lrh {
  enum class Next : uint8_t { kRaw, kRawIpv6, kBth, kGrh };

  uint8_t virtual_lane = 0;   // 4 bits
  uint8_t version = 0;        // 4 bits
  uint8_t service_level = 0;  // 4 bits
  Next next = Next::kBth;     // LNH
  uint16_t destination_lid = 0;
  uint16_t packet_words = 0;  // 11 bits, of four bytes, from this header through the ICRC
  uint16_t source_lid = 0;
  bool operator==(const Lrh&) const = default;

  size_t packet_bytes() const { return packet_words * kLrhWordBytes; }
};

Lrh ReadLrh(ByteReader& reader);  // check reader.ok() after
std::optional<Lrh> ParseLrh(std::span<const std::byte> bytes);
void WriteLrh(const Lrh& header, ByteWriter& writer);

}  // namespace weft::wire
