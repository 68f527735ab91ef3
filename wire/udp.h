// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/byte_reader.h"
#include "wire/byte_writer.h"

namespace weft::wire {

inline constexpr size_t kUdpHeaderBytes = 8;

// User Datagram Protocol header. RFC 768.
//   +-------------------------------+-------------------------------+
//   |          source port          |       destination port        |
//   +-------------------------------+-------------------------------+
//   |            length             |           checksum            |
//   +-------------------------------+-------------------------------+
// No reserved bits. `length` counts header and data and is not checked here against what is there.
struct UdpHeader {
  uint16_t source_port = 0;
  uint16_t destination_port = 0;
  uint16_t length = 0;    // bytes, header included
  uint16_t checksum = 0;  // 0: none was made (allowed over IPv4, usual for RoCEv2)
  bool operator==(const UdpHeader&) const = default;
};

UdpHeader ReadUdp(ByteReader& reader);  // check reader.ok() after
std::optional<UdpHeader> ParseUdp(std::span<const std::byte> bytes);
void WriteUdp(const UdpHeader& header, ByteWriter& writer);

}  // namespace weft::wire
