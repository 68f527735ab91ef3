// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/byte_reader.h"
#include "wire/byte_writer.h"

namespace weft::wire {

inline constexpr size_t kEthernetHeaderBytes = 14;
inline constexpr uint16_t kEthertypeIpv4 = 0x0800;
// Smaller values are the length of an IEEE 802.2 frame, not a type.
inline constexpr uint16_t kEthertypeMin = 0x0600;

using MacAddress = std::array<uint8_t, 6>;

// MAC frame header without preamble and frame check sequence. IEEE 802.3, clause 3.2.
//   +-----------------------------------------------+
//   |              destination address              |
//   +-----------------------------------------------+
//   |                source address                 |
//   +---------------+-------------------------------+
//   |   ethertype   |
//   +---------------+
// No reserved bits. A frame of less than 60 bytes is padded by whoever sends it: what the ethertype
// names says where its data ends.
struct EthernetHeader {
  MacAddress destination{};
  MacAddress source{};
  uint16_t ethertype = 0;
  bool operator==(const EthernetHeader&) const = default;
};

EthernetHeader ReadEthernet(ByteReader& reader);  // check reader.ok() after
std::optional<EthernetHeader> ParseEthernet(std::span<const std::byte> bytes);
void WriteEthernet(const EthernetHeader& header, ByteWriter& writer);

}  // namespace weft::wire
