// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/byte_reader.h"
#include "wire/byte_writer.h"

namespace weft::wire {

inline constexpr size_t kVxlanHeaderBytes = 8;
inline constexpr uint16_t kVxlanUdpPort = 4789;
inline constexpr uint16_t kVxlanGenericUdpPort = 4790;  // any next protocol
inline constexpr uint16_t kVxlanLinuxUdpPort = 8472;    // Linux's, from before the number was given

// Virtual eXtensible Local Area Network: an Ethernet frame in UDP. RFC 7348, section 5; next
// protocol: draft-ietf-nvo3-vxlan-gpe, section 3, which has a UDP port of its own.
//   +-+-+-+-+-+-+-+-+-------------------------------+---------------+
//   |R|R|R|R|I|P|R|R|           reserved            | next protocol |
//   +-+-+-+-+-+-+-+-+-------------------------------+---------------+
//   |       VXLAN network identifier (VNI)          |   reserved    |
//   +-----------------------------------------------+---------------+
// Reserved bits are written as zero and ignored on receipt; P and next protocol are reserved but on
// the generic port.
struct Vxlan {
  bool has_vni = false;            // I: without it this is no VXLAN
  bool has_next_protocol = false;  // P
  uint8_t next_protocol = 0;
  uint32_t vni = 0;  // 24 bits
  bool operator==(const Vxlan&) const = default;
};
inline constexpr uint8_t kVxlanNextIpv4 = 1;
inline constexpr uint8_t kVxlanNextIpv6 = 2;
inline constexpr uint8_t kVxlanNextEthernet = 3;
inline constexpr uint8_t kVxlanNextMpls = 5;

Vxlan ReadVxlan(ByteReader& reader);  // check reader.ok() after
std::optional<Vxlan> ParseVxlan(std::span<const std::byte> bytes);
void WriteVxlan(const Vxlan& header, ByteWriter& writer);

}  // namespace weft::wire
