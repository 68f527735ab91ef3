// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/mad.h"
#include "wire/network_address.h"

namespace weft::wire {

// The kinds are the attribute IDs of MADs of class 7, version 2. InfiniBand Architecture
// Specification, volume 1, section 12.6.
enum class CmKind : uint16_t {
  kReq = 0x10,
  kMra = 0x11,
  kRej = 0x12,
  kRep = 0x13,
  kRtu = 0x14,
  kDreq = 0x15,
  kDrep = 0x16,
  kSidrReq = 0x17,
  kSidrRep = 0x18,
  kLap = 0x19,
  kApr = 0x1a,
};
const char* ToString(CmKind kind);  // "REQ", ...

// What connects two QPs. A field that a kind does not have is 0 or nullopt.
struct CmMessage {
  CmKind kind = CmKind::kReq;
  uint32_t local_comm_id = 0;        // the sender's
  uint32_t remote_comm_id = 0;       // 0 in a REQ
  uint64_t service_id = 0;           // REQ, SIDR_REQ
  std::optional<uint32_t> qpn = {};  // REQ, REP: the sender's; DREQ: the receiver's; SIDR_REP
  uint32_t starting_psn = 0;         // REQ, REP: of the packets that the sender will send, 24 bits
  uint8_t path_mtu_code = 0;         // REQ: 1: 256, 2: 512, 3: 1024, 4: 2048, 5: 4096 bytes
  uint8_t retry_count = 0;           // REQ, 3 bits
  uint8_t rnr_retry_count = 0;       // REQ: of the sender; REP: of the sender; 3 bits, 7: for ever
  uint8_t ack_timeout_code = 0;      // REQ: local ACK timeout of the primary path, 5 bits
  uint8_t responder_resources = 0;   // REQ, REP
  uint8_t initiator_depth = 0;       // REQ, REP
  NetworkAddress primary_local{};    // REQ: GIDs of the primary path
  NetworkAddress primary_remote{};
  std::optional<uint16_t> reject_reason = {};  // REJ
  bool operator==(const CmMessage&) const = default;
};

// Bytes of a code of path MTU; 0: no such code.
uint32_t PathMtuBytes(uint8_t code);
// "timeout", "invalid service ID", ...; "reason" for an unknown one. Section 12.6.7.2.
const char* RejectReasonText(uint16_t reason);

// `mad`: what follows the DETH of a UD packet to QP 1, MAD header included. nullopt: of another
// class or class version, a kind that does not exist, or cut before the fields above end.
std::optional<CmMessage> ParseCm(std::span<const std::byte> mad);
// A whole MAD of 256 bytes, for tests and labs. Returns 256, or 0 where `out` is smaller.
size_t BuildCm(const CmMessage& message, uint64_t transaction_id, std::span<std::byte> out);

}  // namespace weft::wire
