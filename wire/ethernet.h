// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "wire/byte_reader.h"
#include "wire/byte_writer.h"

namespace weft::wire {

inline constexpr size_t kEthernetHeaderBytes = 14;
inline constexpr uint16_t kEthertypeIpv4 = 0x0800;
inline constexpr uint16_t kEthertypeIpv6 = 0x86dd;
inline constexpr uint16_t kEthertypeVlan = 0x8100;         // IEEE 802.1Q, customer tag
inline constexpr uint16_t kEthertypeServiceVlan = 0x88a8;  // IEEE 802.1ad, in front of it
inline constexpr size_t kMaxVlanTags = 2;
// Smaller values are the length of an IEEE 802.2 frame, not a type.
inline constexpr uint16_t kEthertypeMin = 0x0600;

using MacAddress = std::array<uint8_t, 6>;
std::string MacText(const MacAddress& mac);  // "02:00:00:00:00:01"

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

// What stands between an ethertype that says so and the next one. IEEE 802.1Q, clause 9.6.
//   +-----+-+-----------------------+-------------------------------+
//   | PCP |D|        VLAN ID        |           ethertype           |
//   +-----+-+-----------------------+-------------------------------+
struct VlanTag {
  uint8_t priority = 0;  // 3 bits; what PFC pauses by where switches trust it
  bool drop_eligible = false;
  uint16_t vlan_id = 0;    // 12 bits; 0: a priority and no VLAN
  uint16_t ethertype = 0;  // of what follows
  bool operator==(const VlanTag&) const = default;
};

inline bool IsVlanEthertype(uint16_t ethertype) {
  return ethertype == kEthertypeVlan || ethertype == kEthertypeServiceVlan;
}

VlanTag ReadVlanTag(ByteReader& reader);  // check reader.ok() after
std::optional<VlanTag> ParseVlanTag(std::span<const std::byte> bytes);
void WriteVlanTag(const VlanTag& tag, ByteWriter& writer);

}  // namespace weft::wire
