// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/byte_reader.h"
#include "wire/byte_writer.h"

namespace weft::wire {

inline constexpr size_t kGeneveHeaderBytes = 8;  // without options
inline constexpr size_t kGeneveMaxOptionsBytes = 252;
inline constexpr uint16_t kGeneveUdpPort = 6081;

// Generic Network Virtualization Encapsulation: a packet of any ethertype in UDP. RFC 8926, section
// 3.4.
//   +---+-----------+-+-+-----------+-------------------------------+
//   |Ver|opt length |O|C| reserved  |         protocol type         |
//   +---+-----------+-+-+-----------+---------------+---------------+
//   |        virtual network identifier (VNI)       |   reserved    |
//   +-----------------------------------------------+---------------+
//   |            options, 0 to 252 bytes by fours                   |
//   +---------------------------------------------------------------+
// Reserved bits are written as zero and ignored on receipt.
struct Geneve {
  uint8_t version = 0;  // 2 bits
  bool is_control = false;
  bool has_critical_options = false;
  uint16_t protocol = 0;                 // an ethertype; 0x6558: Ethernet
  uint32_t vni = 0;                      // 24 bits
  std::span<const std::byte> options{};  // points into what was read; the caller's on writing
};

// Compares the options' bytes, not where they are.
bool operator==(const Geneve& a, const Geneve& b);

Geneve ReadGeneve(ByteReader& reader);  // check reader.ok() after
std::optional<Geneve> ParseGeneve(std::span<const std::byte> bytes);
// Fails the writer for options that are longer than 252 bytes or no multiple of four.
void WriteGeneve(const Geneve& header, ByteWriter& writer);

}  // namespace weft::wire
