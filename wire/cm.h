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
  uint32_t local_comm_id = 0;        // the sender's; SIDR_REQ, SIDR_REP: the request's
  uint32_t remote_comm_id = 0;       // 0 in a REQ and SIDR
  uint64_t service_id = 0;           // REQ, SIDR_REQ, SIDR_REP
  std::optional<uint32_t> qpn = {};  // REQ, REP, SIDR_REP: the sender's; DREQ, LAP: the receiver's
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
  uint8_t transport_service = 0;               // REQ: 0 RC, 1 UC, 2 RD, 3 as the specification adds
  bool has_flow_control = false;               // REQ, REP: of the sender, by credits, end to end
  uint32_t q_key = 0;                          // REQ, REP, SIDR_REP: of the sender's QP
  uint16_t p_key = 0;                          // REQ, SIDR_REQ
  uint16_t primary_local_lid = 0;              // REQ: 0xffff, the permissive one, over RoCE
  uint16_t primary_remote_lid = 0;
  uint32_t flow_label = 0;  // REQ: of the primary path, 20 bits
  uint8_t packet_rate = 0;  // REQ, 6 bits: a code of the SA's PathRecord
  uint8_t traffic_class = 0;
  uint8_t hop_limit = 0;
  uint8_t service_level = 0;                  // REQ, 4 bits
  bool is_subnet_local = false;               // REQ
  uint8_t local_response_timeout_code = 0;    // REQ: 4.096 us x 2^code, as those of ACKs, 5 bits
  uint8_t remote_response_timeout_code = 0;   // REQ, LAP
  uint8_t max_cm_retries = 0;                 // REQ, 4 bits
  uint8_t target_ack_delay_code = 0;          // REP, 5 bits
  uint8_t service_timeout_code = 0;           // MRA, 5 bits: how long the sender will need
  uint8_t answered = 0;                       // MRA, REJ: 0 a REQ, 1 a REP, 2 another message
  std::optional<uint8_t> answer_status = {};  // SIDR_REP, APR: 0 is yes
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
