// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/byte_reader.h"
#include "wire/byte_writer.h"

namespace weft::wire {

inline constexpr uint8_t kIpProtocolGre = 47;
inline constexpr uint16_t kEthertypeTransparentBridging = 0x6558;  // an Ethernet frame

// Generic Routing Encapsulation: a packet of any ethertype in IP. RFC 2784, section 2; key and
// sequence number: RFC 2890.
//   +-+-+-+-+-----------------+-----+-------------------------------+
//   |C|R|K|S|    reserved     | ver |         protocol type         |
//   +-+-+-+-+-----------------+-----+-------------------------------+
//   |      checksum (if C)          |      reserved (if C)          |
//   +-------------------------------+-------------------------------+
//   |                          key (if K)                           |
//   +---------------------------------------------------------------+
//   |                    sequence number (if S)                     |
//   +---------------------------------------------------------------+
// Reserved bits are written as zero and ignored on receipt, R too: RFC 1701's source routes are
// obsolete, and what follows them cannot be told without walking them.
struct Gre {
  bool has_routing = false;  // R: the packet behind the header is not where we look; never written
  uint8_t version = 0;       // 3 bits; 1 is PPTP's, another format
  uint16_t protocol = 0;     // an ethertype
  std::optional<uint16_t> checksum{};  // as it stands, not checked
  std::optional<uint32_t> key{};
  std::optional<uint32_t> sequence{};
  bool operator==(const Gre&) const = default;
};

Gre ReadGre(ByteReader& reader);  // check reader.ok() after
std::optional<Gre> ParseGre(std::span<const std::byte> bytes);
void WriteGre(const Gre& header, ByteWriter& writer);

}  // namespace weft::wire
