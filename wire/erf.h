// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/byte_reader.h"
#include "wire/byte_writer.h"

namespace weft::wire {

inline constexpr size_t kErfHeaderBytes = 16;  // without extension headers
inline constexpr size_t kErfExtensionBytes = 8;
inline constexpr size_t kErfMaxExtensions = 16;

// Extensible Record Format, of Endace capture cards. Endace, "ERF types reference guide"
// (EDM11-01); tcpdump.org/linktypes.html, LINKTYPE_ERF.
//   | timestamp 64, little-endian, 32.32 fixed point | X 1, type 7 | flags 8 | record length 16 |
//   | lost or colour 16 | wire length 16 |
// With X extension headers of eight bytes follow, each with such a bit at its front. Behind them an
// Ethernet record has two bytes (an offset, and one of padding) before its frame.
struct Erf {
  uint64_t timestamp = 0;  // seconds since 1970, in units of 2^-32
  uint8_t type = 0;        // 7 bits
  uint8_t flags = 0;
  uint16_t record_bytes = 0;  // header, what was captured of the packet, and padding
  uint16_t lost_or_color = 0;
  uint16_t wire_bytes = 0;                  // of the packet
  std::span<const std::byte> extensions{};  // of all of them; the caller's on writing
};
inline constexpr uint8_t kErfEthernet = 2;
inline constexpr uint8_t kErfColorEthernet = 11;
inline constexpr uint8_t kErfDsmColorEthernet = 16;
inline constexpr uint8_t kErfColorHashEthernet = 20;
inline constexpr uint8_t kErfInfiniband = 21;
inline constexpr uint8_t kErfIpv4 = 22;
inline constexpr uint8_t kErfIpv6 = 23;
inline constexpr uint8_t kErfInfinibandLink = 25;  // flow control packets of a link
inline constexpr size_t kErfEthernetPadBytes = 2;

// Compares the extensions' bytes, not where they are.
bool operator==(const Erf& a, const Erf& b);

// Leaves the reader behind the extension headers; fails it for more than kErfMaxExtensions of them.
Erf ReadErf(ByteReader& reader);  // check reader.ok() after
std::optional<Erf> ParseErf(std::span<const std::byte> bytes);
// Takes the extension headers as they are, their own continuation bits included; fails the writer
// where they are no multiple of eight bytes.
void WriteErf(const Erf& header, ByteWriter& writer);

}  // namespace weft::wire
