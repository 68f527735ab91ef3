// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/byte_reader.h"
#include "wire/byte_writer.h"

namespace weft::wire {

inline constexpr uint8_t kIpProtocolTcp = 6;
inline constexpr size_t kTcpHeaderBytes = 20;  // without options

// Transmission Control Protocol header. RFC 9293, section 3.1.
//   +-------------------------------+-------------------------------+
//   |          source port          |       destination port        |
//   +-------------------------------+-------------------------------+
//   |                        sequence number                        |
//   +---------------------------------------------------------------+
//   |                    acknowledgment number                      |
//   +-------+-------+---------------+-------------------------------+
//   |offset | rsrvd |     flags     |            window             |
//   +-------+-------+---------------+-------------------------------+
//   |           checksum            |        urgent pointer         |
//   +-------------------------------+-------------------------------+
//   |                options, 0 to 40 bytes by fours                |
//   +---------------------------------------------------------------+
// Reserved bits are written as zero and ignored on receipt. The checksum is neither checked nor
// made.
struct TcpHeader {
  uint16_t source_port = 0;
  uint16_t destination_port = 0;
  uint32_t sequence = 0;
  uint32_t acknowledgment = 0;
  uint8_t flags = 0;
  uint16_t window = 0;
  uint16_t checksum = 0;
  uint16_t urgent = 0;
  std::span<const std::byte> options{};  // points into what was read; the caller's on writing
};

// Compares the options' bytes, not where they are.
bool operator==(const TcpHeader& a, const TcpHeader& b);

// Leaves the reader behind the options; fails it for an offset below five words. Check reader.ok().
TcpHeader ReadTcp(ByteReader& reader);
std::optional<TcpHeader> ParseTcp(std::span<const std::byte> bytes);
// Fails the writer for options that are longer than 40 bytes or no multiple of four.
void WriteTcp(const TcpHeader& header, ByteWriter& writer);

}  // namespace weft::wire
