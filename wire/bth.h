// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/byte_reader.h"
#include "wire/byte_writer.h"

namespace weft::wire {

inline constexpr size_t kBthBytes = 12;
inline constexpr uint16_t kDefaultPKey = 0xffff;
inline constexpr uint32_t kPsnMask = 0xffffff;

// Opcode = transport (bits 7-5) + operation (bits 4-0).
enum class BthOpcode : uint8_t {
  kUcSendFirst = 0x20,
  kUcSendMiddle = 0x21,
  kUcSendLast = 0x22,
  kUcSendOnly = 0x24,
  kUdSendOnly = 0x64,
  kUdSendOnlyImmediate = 0x65,
  kCnp = 0x81,
};

// Base Transport Header. InfiniBand Architecture Specification, volume 1, section 9.2.
//   +---------------+-+-+---+-------+-------------------------------+
//   |    opcode     |S|M|pad| tver  |             p_key             |
//   +-+-+-----------+---------------+-------------------------------+
//   |F|B| reserved  |               destination QP                  |
//   +-+-------------+-----------------------------------------------+
//   |A|  reserved   |                     PSN                       |
//   +-+-------------+-----------------------------------------------+
// Reserved bits are written as zero and ignored on receipt.
struct Bth {
  uint8_t opcode = 0;
  bool solicited_event = false;
  bool mig_req = false;
  uint8_t pad = 0;   // 2 bits: bytes of padding after the payload
  uint8_t tver = 0;  // 4 bits
  uint16_t p_key = kDefaultPKey;
  bool fecn = false;
  bool becn = false;
  uint32_t dest_qpn = 0;  // 24 bits
  bool ack_request = false;
  uint32_t psn = 0;  // 24 bits
  bool operator==(const Bth&) const = default;
};

Bth ReadBth(ByteReader& reader);  // check reader.ok() after
std::optional<Bth> ParseBth(std::span<const std::byte> bytes);
void WriteBth(const Bth& bth, ByteWriter& writer);

// Signed distance from b to a, modulo 2^24: positive when a is later. In [-2^23, 2^23).
int32_t PsnDistance(uint32_t a, uint32_t b);

}  // namespace weft::wire
