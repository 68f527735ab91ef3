// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/byte_reader.h"
#include "wire/byte_writer.h"

namespace weft::wire {

inline constexpr uint16_t kGreProtocolErspan = 0x88be;  // types I and II
inline constexpr uint16_t kGreProtocolErspan3 = 0x22eb;
inline constexpr size_t kErspan2Bytes = 8;
inline constexpr size_t kErspan3Bytes = 12;
inline constexpr size_t kErspan3SubheaderBytes = 8;
inline constexpr uint8_t kErspan2Version = 1;
inline constexpr uint8_t kErspan3Version = 2;

// A mirrored frame in GRE. draft-foschiano-erspan, sections 4.1 (type I: GRE without a sequence
// number and no header of its own), 4.2 (type II) and 4.3 (type III).
//   +-------+-----------------------+-----+---+-+-------------------+
//   |  ver  |         VLAN          | COS |En |T|    session ID     |
//   +-------+-----------------------+-----+---+-+-------------------+
//   |       reserved        |                index                  |
//   +-----------------------+---------------------------------------+
// Reserved bits are written as zero and ignored on receipt.
struct Erspan2 {
  uint8_t version = kErspan2Version;  // 4 bits
  uint16_t vlan_id = 0;               // 12 bits
  uint8_t class_of_service = 0;       // 3 bits
  uint8_t encapsulation = 0;          // 2 bits: how the frame was tagged
  bool is_truncated = false;          // the mirror cut the frame
  uint16_t session = 0;               // 10 bits
  uint32_t index = 0;                 // 20 bits, the platform's own
  bool operator==(const Erspan2&) const = default;
};

//   +-------+-----------------------+-----+---+-+-------------------+
//   |  ver  |         VLAN          | COS |BSO|T|    session ID     |
//   +-------+-----------------------+-----+---+-+-------------------+
//   |                           timestamp                           |
//   +-------------------------------+-+---------+-----------+-+---+-+
//   |      security group tag       |P|   FT    |   Hw ID   |D|Gra|O|
//   +-------------------------------+-+---------+-----------+-+---+-+
// With O a platform's subheader of eight bytes follows.
struct Erspan3 {
  uint8_t version = kErspan3Version;  // 4 bits
  uint16_t vlan_id = 0;               // 12 bits
  uint8_t class_of_service = 0;       // 3 bits
  uint8_t damage = 0;                 // 2 bits, BSO: 1 short, 2 oversized, 3 bad CRC
  bool is_truncated = false;
  uint16_t session = 0;  // 10 bits
  uint32_t timestamp = 0;
  uint16_t security_group = 0;
  bool is_ethernet = false;  // P; senders leave it 0 on Ethernet too
  uint8_t frame_type = 0;    // 5 bits: 0 Ethernet, 2 IP
  uint8_t hardware_id = 0;   // 6 bits
  bool is_egress = false;
  uint8_t granularity = 0;  // 2 bits, of the timestamp
  bool has_subheader = false;
  bool operator==(const Erspan3&) const = default;
};
inline constexpr uint8_t kErspanFrameEthernet = 0;
inline constexpr uint8_t kErspanFrameIp = 2;

// Check reader.ok() after. ReadErspan3 leaves the reader in front of the subheader.
Erspan2 ReadErspan2(ByteReader& reader);
Erspan3 ReadErspan3(ByteReader& reader);
std::optional<Erspan2> ParseErspan2(std::span<const std::byte> bytes);
std::optional<Erspan3> ParseErspan3(std::span<const std::byte> bytes);
void WriteErspan2(const Erspan2& header, ByteWriter& writer);
void WriteErspan3(const Erspan3& header, ByteWriter& writer);

}  // namespace weft::wire
