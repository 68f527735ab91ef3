// SPDX-License-Identifier: Apache-2.0
#include "wire/ethernet.h"

#include <array>
#include <cstdio>

namespace weft::wire {
namespace {

// The first two bytes of a tag.
constexpr int kPriorityShift = 13;
constexpr uint16_t kPriorityMask = 0x7;
constexpr uint16_t kDropEligibleBit = 0x1000;
constexpr uint16_t kVlanIdMask = 0xfff;

}  // namespace

std::string MacText(const MacAddress& mac) {
  std::array<char, 18> text{};
  std::snprintf(text.data(), text.size(), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2],
                mac[3], mac[4], mac[5]);
  return text.data();
}

EthernetHeader ReadEthernet(ByteReader& reader) {
  EthernetHeader header;
  for (uint8_t& byte : header.destination) byte = reader.U8();
  for (uint8_t& byte : header.source) byte = reader.U8();
  header.ethertype = reader.U16();
  return header;
}

std::optional<EthernetHeader> ParseEthernet(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const EthernetHeader header = ReadEthernet(reader);
  if (!reader.ok()) return std::nullopt;
  return header;
}

void WriteEthernet(const EthernetHeader& header, ByteWriter& writer) {
  for (const uint8_t byte : header.destination) writer.U8(byte);
  for (const uint8_t byte : header.source) writer.U8(byte);
  writer.U16(header.ethertype);
}

VlanTag ReadVlanTag(ByteReader& reader) {
  VlanTag tag;
  const uint16_t control = reader.U16();
  tag.priority = static_cast<uint8_t>(control >> kPriorityShift);
  tag.drop_eligible = (control & kDropEligibleBit) != 0;
  tag.vlan_id = control & kVlanIdMask;
  tag.ethertype = reader.U16();
  return tag;
}

std::optional<VlanTag> ParseVlanTag(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const VlanTag tag = ReadVlanTag(reader);
  if (!reader.ok()) return std::nullopt;
  return tag;
}

void WriteVlanTag(const VlanTag& tag, ByteWriter& writer) {
  writer.U16(static_cast<uint16_t>((tag.priority & kPriorityMask) << kPriorityShift |
                                   (tag.drop_eligible ? kDropEligibleBit : 0) |
                                   (tag.vlan_id & kVlanIdMask)));
  writer.U16(tag.ethertype);
}

}  // namespace weft::wire
