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

inline constexpr size_t kLinuxSllBytes = 16;
inline constexpr size_t kLinuxSll2Bytes = 20;
inline constexpr size_t kSllAddressBytes = 8;
// ARPHRD_ value (linux/if_arp.h) of captures of netlink, whose protocol is no ethertype.
inline constexpr uint16_t kArpHardwareNetlink = 824;

// What Linux puts before a packet that it captured on "any" interface, in the place of the real
// header. tcpdump.org/linktypes/LINKTYPE_LINUX_SLL.html.
//   | packet type 16 | ARPHRD 16 | address length 16 | address 64 | protocol 16 |
struct LinuxSll {
  uint16_t packet_type = 0;  // 0 to us, 1 broadcast, 2 multicast, 3 to others, 4 sent by us
  uint16_t arp_hardware = 1;
  uint16_t address_bytes = 6;  // of the sender's address below, which is cut at eight
  std::array<uint8_t, kSllAddressBytes> address{};
  uint16_t protocol = 0;  // an ethertype, or (below 0x0600) a kind of frame without one
  bool operator==(const LinuxSll&) const = default;
};

// The later one, with the interface. tcpdump.org/linktypes/LINKTYPE_LINUX_SLL2.html.
//   | protocol 16 | reserved 16 | interface 32 | ARPHRD 16 | packet type 8 | address length 8 |
//   | address 64 |
// The reserved field is written as zero and ignored on receipt.
struct LinuxSll2 {
  uint16_t protocol = 0;
  uint32_t interface_index = 0;
  uint16_t arp_hardware = 1;
  uint8_t packet_type = 0;
  uint8_t address_bytes = 6;
  std::array<uint8_t, kSllAddressBytes> address{};
  bool operator==(const LinuxSll2&) const = default;
};

// Check reader.ok() after.
LinuxSll ReadLinuxSll(ByteReader& reader);
LinuxSll2 ReadLinuxSll2(ByteReader& reader);
std::optional<LinuxSll> ParseLinuxSll(std::span<const std::byte> bytes);
std::optional<LinuxSll2> ParseLinuxSll2(std::span<const std::byte> bytes);
void WriteLinuxSll(const LinuxSll& header, ByteWriter& writer);
void WriteLinuxSll2(const LinuxSll2& header, ByteWriter& writer);

}  // namespace weft::wire
