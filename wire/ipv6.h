// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/byte_reader.h"
#include "wire/byte_writer.h"
#include "wire/ip_address.h"

namespace weft::wire {

inline constexpr size_t kIpv6HeaderBytes = 40;  // without extension headers
inline constexpr size_t kIpv6MaxExtensions = 8;
inline constexpr size_t kIpv6MinMtu = 1280;  // RFC 8200, section 5: what every link carries
inline constexpr uint8_t kIpProtocolIcmpv6 = 58;

// Internet Protocol header, version 6. RFC 8200, section 3; flow label: RFC 6437.
//   +-------+---------------+---------------------------------------+
//   |   6   | traffic class |              flow label               |
//   +-------+---------------+-------+---------------+---------------+
//   |        payload length         |  next header  |   hop limit   |
//   +-------------------------------+---------------+---------------+
//   |                   source address, 16 bytes                    |
//   +---------------------------------------------------------------+
//   |                 destination address, 16 bytes                 |
//   +---------------------------------------------------------------+
// No reserved bits and no checksum. Extension headers count as payload.
struct Ipv6Header {
  uint8_t traffic_class = 0;   // DSCP and ECN
  uint32_t flow_label = 0;     // 20 bits
  uint16_t payload_bytes = 0;  // after these 40 bytes; as the sender says, not as there is
  uint8_t next_header = 0;     // of the first extension header or of what is carried
  uint8_t hop_limit = 64;
  IpAddress source{};
  IpAddress destination{};
  bool operator==(const Ipv6Header&) const = default;
};

// Fails the reader for another version. Check reader.ok() after.
Ipv6Header ReadIpv6(ByteReader& reader);
std::optional<Ipv6Header> ParseIpv6(std::span<const std::byte> bytes);

// Addresses that are not IPv6 are written as ::, flow labels without the bits above the twentieth.
void WriteIpv6(const Ipv6Header& header, ByteWriter& writer);

// Extension headers, RFC 8200, section 4: hop-by-hop options (0, first only), routing (43),
// fragment (44) and destination options (60). Others are taken for what is carried.
//   +---------------+---------------+-------------------------------+
//   |  next header  |    length     |   options or addresses ...    |
//   +---------------+---------------+-------------------------------+
// The length is in units of eight bytes beyond the first eight. The fragment header has eight:
//   +---------------+---------------+-------------------------+---+-+
//   |  next header  |   reserved    |     fragment offset     |res|M|
//   +---------------+---------------+-------------------------+---+-+
//   |                        identification                         |
//   +---------------------------------------------------------------+
struct Ipv6Extensions {
  uint8_t protocol = 0;  // of what follows them
  size_t bytes = 0;      // of all of them
  bool more_fragments = false;
  uint16_t fragment_offset = 0;  // 13 bits, in units of eight bytes
  bool is_fragment() const { return more_fragments || fragment_offset != 0; }
};

// Reads the extension headers behind an IPv6 header that says `next_header`, and leaves the reader
// behind them. A later fragment's end at its fragment header: what follows is data. nullopt: more
// than kIpv6MaxExtensions of them, or hop-by-hop options behind another one; also where they are
// cut, and then the reader has failed. Allocates nothing.
std::optional<Ipv6Extensions> ReadIpv6Extensions(uint8_t next_header, ByteReader& reader);

}  // namespace weft::wire
