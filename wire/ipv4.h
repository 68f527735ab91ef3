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

inline constexpr size_t kIpv4HeaderBytes = 20;  // without options
inline constexpr size_t kIpv4MaxOptionsBytes = 40;
inline constexpr uint8_t kIpProtocolIcmp = 1;
inline constexpr uint8_t kIpProtocolUdp = 17;

// Internet Protocol header, version 4. RFC 791, section 3.1; traffic class: RFC 2474 and RFC 3168.
//   +-------+-------+-----------+---+-------------------------------+
//   |   4   |  IHL  |   DSCP    |ECN|         total length          |
//   +-------+-------+-----------+---+-+-+-+-------------------------+
//   |        identification         |0|D|M|     fragment offset     |
//   +---------------+---------------+-+-+-+-------------------------+
//   |  time to live |   protocol    |        header checksum        |
//   +---------------+---------------+-------------------------------+
//   |                        source address                         |
//   +---------------------------------------------------------------+
//   |                      destination address                      |
//   +---------------------------------------------------------------+
//   |                options, 0 to 40 bytes by fours                |
//   +---------------------------------------------------------------+
// The reserved flag is written as zero and ignored on receipt. The checksum is computed on writing;
// reading does not check it (a quote inside ICMP may hold a changed TTL): see Ipv4ChecksumMatches.
struct Ipv4Header {
  uint8_t traffic_class = 0;  // DSCP and ECN: the TOS byte
  uint16_t total_bytes = 0;   // header, options and data; as the sender says, not as there is
  uint16_t identification = 0;
  bool dont_fragment = false;
  bool more_fragments = false;
  uint16_t fragment_offset = 0;  // 13 bits, in units of eight bytes
  uint8_t ttl = 64;
  uint8_t protocol = 0;
  IpAddress source{};
  IpAddress destination{};
  std::span<const std::byte> options{};  // points into what was read; the caller's on writing

  size_t header_bytes() const { return kIpv4HeaderBytes + options.size(); }
};

// Compares the options' bytes, not where they are.
bool operator==(const Ipv4Header& a, const Ipv4Header& b);

// Leaves the reader behind the options. Fails the reader for another version and for a header
// length below 20 bytes or beyond what is there. Check reader.ok() after.
Ipv4Header ReadIpv4(ByteReader& reader);
std::optional<Ipv4Header> ParseIpv4(std::span<const std::byte> bytes);

// Fills the options with zeroes (end of options) to a multiple of four and takes at most 40 bytes
// of them. Addresses that are not IPv4 are written as 0.0.0.0.
void WriteIpv4(const Ipv4Header& header, ByteWriter& writer);

// Whether the checksum of the header at the start of `bytes` is right; false where it is cut.
bool Ipv4ChecksumMatches(std::span<const std::byte> bytes);

}  // namespace weft::wire
