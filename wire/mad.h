// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/byte_reader.h"
#include "wire/byte_writer.h"

namespace weft::wire {

inline constexpr size_t kMadBytes = 256;
inline constexpr size_t kMadHeaderBytes = 24;
inline constexpr uint32_t kSubnetManagementQpn = 0;
inline constexpr uint32_t kGeneralServicesQpn = 1;

// Common header of a management datagram, the payload of UD packets to QP 0 and QP 1. InfiniBand
// Architecture Specification, volume 1, section 13.4.3.
//   | base version 8 | class 8 | class version 8 | R 1, method 7 | status 16 | class specific 16 |
//   | transaction ID 64 | attribute ID 16 | reserved 16 | attribute modifier 32 |
struct MadHeader {
  uint8_t base_version = 1;
  uint8_t mgmt_class = 0;
  uint8_t class_version = 1;
  bool is_response = false;
  uint8_t method = 0;  // 7 bits
  uint16_t status = 0;
  uint16_t class_specific = 0;
  uint64_t transaction_id = 0;
  uint16_t attribute_id = 0;
  uint32_t attribute_modifier = 0;
  bool operator==(const MadHeader&) const = default;
};

inline constexpr uint8_t kMadClassSubnetLid = 0x01;
inline constexpr uint8_t kMadClassSubnetAdministration = 0x03;
inline constexpr uint8_t kMadClassPerformance = 0x04;
inline constexpr uint8_t kMadClassCommunication = 0x07;
inline constexpr uint8_t kMadClassSubnetDirected = 0x81;

MadHeader ReadMadHeader(ByteReader& reader);  // check reader.ok() after
std::optional<MadHeader> ParseMadHeader(std::span<const std::byte> bytes);
void WriteMadHeader(const MadHeader& header, ByteWriter& writer);

// "SMP directed", "SA", "CM", ...; "class 0x2a" is for the caller: nullptr where there is no name.
const char* MadClassName(uint8_t mgmt_class);
const char* MadMethodName(
    const MadHeader& header);  // "Get", "GetResp", "GetTable", ...; or nullptr
// "NodeInfo" and so on for SMPs, "PathRecord" for SA, "ConnectRequest" for CM; or nullptr.
const char* MadAttributeName(const MadHeader& header);

}  // namespace weft::wire
