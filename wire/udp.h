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
  uint16_t checksum = 0;  // 0: none was made (allowed over IPv4, usual for RoCEv2; over IPv6 RDMA
                          // devices do so too, but sockets drop it: RFC 8200, section 8.1)
  bool operator==(const UdpHeader&) const = default;
};

UdpHeader ReadUdp(ByteReader& reader);  // check reader.ok() after
std::optional<UdpHeader> ParseUdp(std::span<const std::byte> bytes);
void WriteUdp(const UdpHeader& header, ByteWriter& writer);

// The checksum of a whole datagram, header and data, between these addresses (of one family), as it
// is put into the header: never 0. The one that stands there does not count. 0 where `datagram` is
// shorter than a header. Allocates nothing.
uint16_t UdpChecksum(const IpAddress& source, const IpAddress& destination,
                     std::span<const std::byte> datagram);

// Computes it and puts it where it stands. False: shorter than a header, nothing was written.
bool PutUdpChecksum(const IpAddress& source, const IpAddress& destination,
                    std::span<std::byte> datagram);

}  // namespace weft::wire
