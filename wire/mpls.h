// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/byte_reader.h"
#include "wire/byte_writer.h"

namespace weft::wire {

inline constexpr size_t kMplsLabelBytes = 4;
inline constexpr uint16_t kEthertypeMpls = 0x8847;
inline constexpr uint16_t kEthertypeMplsMulticast = 0x8848;
inline constexpr uint8_t kIpProtocolMpls = 137;  // RFC 4023

// One entry of an MPLS label stack. RFC 3032, section 2.1; traffic class: RFC 5462.
//   +---------------------------------------+-----+-+---------------+
//   |                 label                 | TC  |S|      TTL      |
//   +---------------------------------------+-----+-+---------------+
// No reserved bits. What follows the entry with S set is not said: IP by its first four bits, or a
// pseudowire, RFC 4385: a control word that begins with four zero bits, then an Ethernet frame.
struct MplsLabel {
  uint32_t label = 0;         // 20 bits
  uint8_t traffic_class = 0;  // 3 bits
  bool is_bottom = false;     // S: the last one of the stack
  uint8_t ttl = 0;
  bool operator==(const MplsLabel&) const = default;
};

inline constexpr size_t kPseudowireControlWordBytes = 4;

MplsLabel ReadMplsLabel(ByteReader& reader);  // check reader.ok() after
std::optional<MplsLabel> ParseMplsLabel(std::span<const std::byte> bytes);
void WriteMplsLabel(const MplsLabel& label, ByteWriter& writer);

}  // namespace weft::wire
