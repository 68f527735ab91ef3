// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/byte_reader.h"
#include "wire/byte_writer.h"
#include "wire/network_address.h"

namespace weft::wire {

inline constexpr size_t kGrhBytes = 40;
inline constexpr uint8_t kGrhVersion = 6;
inline constexpr uint8_t kGrhNextHeaderBth = 0x1b;
inline constexpr uint16_t kEthertypeRoceV1 = 0x8915;

// Global Route Header, of InfiniBand between subnets and of every RoCEv1 packet. InfiniBand
// Architecture Specification, volume 1, section 8.3; the layout is that of an IPv6 header.
//   +-------+---------------+---------------------------------------+
//   |IPVer 6| traffic class |              flow label               |
//   +-------+---------------+-------+---------------+---------------+
//   |        payload length         |  next header  |   hop limit   |
//   +-------------------------------+---------------+---------------+
//   |                     source GID, 16 bytes                      |
//   +---------------------------------------------------------------+
//   |                  destination GID, 16 bytes                    |
//   +---------------------------------------------------------------+
// No reserved bits. The payload length counts from behind this header through the ICRC.
struct Grh {
  uint8_t version = kGrhVersion;  // 4 bits
  uint8_t traffic_class = 0;
  uint32_t flow_label = 0;  // 20 bits
  uint16_t payload_bytes = 0;
  uint8_t next_header = kGrhNextHeaderBth;
  uint8_t hop_limit = 0;
  NetworkAddress source{};  // GIDs
  NetworkAddress destination{};
  bool operator==(const Grh&) const = default;
};

Grh ReadGrh(ByteReader& reader);  // check reader.ok() after
std::optional<Grh> ParseGrh(std::span<const std::byte> bytes);
void WriteGrh(const Grh& header, ByteWriter& writer);

}  // namespace weft::wire
