// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// What an opcode of the BTH means: transport (bits 7-5), operation (bits 4-0), and the headers that
// follow. InfiniBand Architecture Specification, volume 1, section 9.2.1 (table 38), with annex A14
// (XRC) and annex A17 (RoCEv2: CNP, 0x81).
namespace weft::wire {

enum class Transport : uint8_t {
  kRc,  // reliable connection
  kUc,  // unreliable connection
  kRd,  // reliable datagram
  kUd,  // unreliable datagram
  kCnp,
  kXrc,      // extended reliable connection
  kVendor,   // 0xc0-0xff: manufacturers' own, never malformed
  kUnknown,  // reserved
};
const char* ToString(Transport transport);  // "RC", "UC", "RD", "UD", "CNP", "XRC", "vendor", ...

enum class MessageKind : uint8_t {
  kSend,
  kWrite,
  kReadRequest,
  kReadResponse,
  kAck,  // ACK and every NAK: the AETH tells which
  kAtomicRequest,
  kAtomicAck,
  kCnp,
  kResync,  // RD
  kOther,   // vendor's and reserved opcodes
};
const char* ToString(MessageKind kind);  // "SEND", "WRITE", "READ request", ...

// Headers between BTH and payload, a bit each, in the order in which they stand in a packet.
namespace header {
inline constexpr uint16_t kRdeth = 1 << 0;
inline constexpr uint16_t kDeth = 1 << 1;
inline constexpr uint16_t kXrceth = 1 << 2;
inline constexpr uint16_t kReth = 1 << 3;
inline constexpr uint16_t kAtomicEth = 1 << 4;
inline constexpr uint16_t kAeth = 1 << 5;
inline constexpr uint16_t kAtomicAckEth = 1 << 6;
inline constexpr uint16_t kImmDt = 1 << 7;
inline constexpr uint16_t kIeth = 1 << 8;
}  // namespace header

struct OpcodeInfo {
  const char* name = "";  // "RC SEND First", "CNP", "vendor 0xc3", "reserved 0x1f"
  Transport transport = Transport::kUnknown;
  MessageKind kind = MessageKind::kOther;
  uint16_t headers = 0;         // bits of wire::header
  uint8_t header_bytes = 0;     // of all of them, without the BTH
  bool starts_message = false;  // First and Only, requests, acknowledges
  bool ends_message = false;    // Last and Only, requests, acknowledges
  bool has_payload = false;     // may carry message data
  bool is_known = false;        // defined by the specification
};

// Constant time, never fails.
const OpcodeInfo& InfoOf(uint8_t opcode);

}  // namespace weft::wire
