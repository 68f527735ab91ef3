// SPDX-License-Identifier: Apache-2.0
#include "wire/cm.h"

#include <array>

#include "wire/bth.h"

namespace weft::wire {
namespace {

constexpr uint8_t kCmClassVersion = 2;
constexpr uint8_t kMethodSend = 0x03;
constexpr uint32_t kQpnMask = 0xffffff;
constexpr uint32_t kFlowLabelMask = 0xfffff;

// The upper `bits` bits of a byte, whose lower ones are another field.
constexpr uint8_t Upper(uint8_t byte, int bits) { return static_cast<uint8_t>(byte >> (8 - bits)); }
constexpr uint8_t Lower(uint8_t byte, int bits) {
  return static_cast<uint8_t>(byte & ((1 << bits) - 1));
}
constexpr uint8_t Pack(uint8_t upper, int upper_bits, uint8_t lower) {
  return static_cast<uint8_t>(upper << (8 - upper_bits) | Lower(lower, 8 - upper_bits));
}

// 24 bits in front of a byte of another field.
uint32_t ReadQpn(ByteReader& reader) { return reader.U24(); }
void WriteQpn(const std::optional<uint32_t>& qpn, ByteWriter& writer) {
  writer.U24(qpn.value_or(0) & kQpnMask);
}

NetworkAddress ReadGid(ByteReader& reader) {
  const uint64_t high = reader.U64();
  return NetworkAddress::Gid(high, reader.U64());
}
void WriteGid(const NetworkAddress& gid, ByteWriter& writer) {
  writer.U64(gid.high());
  writer.U64(gid.low());
}

// Section 12.6.5, table 106: to the end of the primary path. The alternate one and the private data
// follow.
void ReadReq(ByteReader& reader, CmMessage& message) {
  message.local_comm_id = reader.U32();
  reader.Take(4);  // reserved, vendor ID
  message.service_id = reader.U64();
  reader.Take(8 + 4);  // local CA GUID, reserved
  message.q_key = reader.U32();
  message.qpn = ReadQpn(reader);
  message.responder_resources = reader.U8();
  reader.Take(3);  // local EE context
  message.initiator_depth = reader.U8();
  reader.Take(3);  // remote EE context
  const uint8_t service = reader.U8();
  message.remote_response_timeout_code = Upper(service, 5);
  message.transport_service = static_cast<uint8_t>(service >> 1 & 3);
  message.has_flow_control = (service & 1) != 0;
  message.starting_psn = reader.U24();
  const uint8_t retries = reader.U8();
  message.local_response_timeout_code = Upper(retries, 5);
  message.retry_count = Lower(retries, 3);
  message.p_key = reader.U16();
  const uint8_t mtu = reader.U8();
  message.path_mtu_code = Upper(mtu, 4);
  message.rnr_retry_count = Lower(mtu, 3);
  message.max_cm_retries = Upper(reader.U8(), 4);
  message.primary_local_lid = reader.U16();
  message.primary_remote_lid = reader.U16();
  message.primary_local = ReadGid(reader);
  message.primary_remote = ReadGid(reader);
  const uint32_t label_and_rate = reader.U32();
  message.flow_label = label_and_rate >> 12;
  message.packet_rate = static_cast<uint8_t>(label_and_rate & 0x3f);
  message.traffic_class = reader.U8();
  message.hop_limit = reader.U8();
  const uint8_t level = reader.U8();
  message.service_level = Upper(level, 4);
  message.is_subnet_local = (level >> 3 & 1) != 0;
  message.ack_timeout_code = Upper(reader.U8(), 5);
}

void WriteReq(const CmMessage& message, ByteWriter& writer) {
  writer.U32(message.local_comm_id);
  writer.Zeroes(4);
  writer.U64(message.service_id);
  writer.Zeroes(8 + 4);
  writer.U32(message.q_key);
  WriteQpn(message.qpn, writer);
  writer.U8(message.responder_resources);
  writer.Zeroes(3);
  writer.U8(message.initiator_depth);
  writer.Zeroes(3);
  writer.U8(Pack(message.remote_response_timeout_code, 5,
                 static_cast<uint8_t>((message.transport_service & 3) << 1 |
                                      (message.has_flow_control ? 1 : 0))));
  writer.U24(message.starting_psn & kPsnMask);
  writer.U8(Pack(message.local_response_timeout_code, 5, message.retry_count));
  writer.U16(message.p_key);
  writer.U8(Pack(message.path_mtu_code, 4, Lower(message.rnr_retry_count, 3)));
  writer.U8(Pack(message.max_cm_retries, 4, 0));
  writer.U16(message.primary_local_lid);
  writer.U16(message.primary_remote_lid);
  WriteGid(message.primary_local, writer);
  WriteGid(message.primary_remote, writer);
  writer.U32((message.flow_label & kFlowLabelMask) << 12 | Lower(message.packet_rate, 6));
  writer.U8(message.traffic_class);
  writer.U8(message.hop_limit);
  writer.U8(
      Pack(message.service_level, 4, static_cast<uint8_t>(message.is_subnet_local ? 1 << 3 : 0)));
  writer.U8(Pack(message.ack_timeout_code, 5, 0));
}

// Table 110.
void ReadRep(ByteReader& reader, CmMessage& message) {
  message.q_key = reader.U32();
  message.qpn = ReadQpn(reader);
  reader.Take(1 + 3 + 1);  // vendor ID, local EE context, vendor ID
  message.starting_psn = reader.U24();
  reader.Take(1);  // vendor ID
  message.responder_resources = reader.U8();
  message.initiator_depth = reader.U8();
  const uint8_t delay = reader.U8();
  message.target_ack_delay_code = Upper(delay, 5);
  message.has_flow_control = (delay & 1) != 0;
  message.rnr_retry_count = Upper(reader.U8(), 3);
}

void WriteRep(const CmMessage& message, ByteWriter& writer) {
  writer.U32(message.q_key);
  WriteQpn(message.qpn, writer);
  writer.Zeroes(1 + 3 + 1);
  writer.U24(message.starting_psn & kPsnMask);
  writer.Zeroes(1);
  writer.U8(message.responder_resources);
  writer.U8(message.initiator_depth);
  writer.U8(Pack(message.target_ack_delay_code, 5,
                 static_cast<uint8_t>(message.has_flow_control ? 1 : 0)));
  writer.U8(Pack(message.rnr_retry_count, 3, 0));
}

// Tables 107, 108, 112, 115 and 116, behind the two communication IDs.
void ReadShort(ByteReader& reader, CmMessage& message) {
  switch (message.kind) {
    case CmKind::kMra:
      message.answered = Upper(reader.U8(), 2);
      message.service_timeout_code = Upper(reader.U8(), 5);
      return;
    case CmKind::kRej:
      message.answered = Upper(reader.U8(), 2);
      reader.Take(1);  // length of the additional information
      message.reject_reason = reader.U16();
      return;
    case CmKind::kDreq:
      message.qpn = ReadQpn(reader);
      return;
    case CmKind::kLap:
      reader.Take(4);
      message.qpn = ReadQpn(reader);
      message.remote_response_timeout_code = Upper(reader.U8(), 5);
      return;
    case CmKind::kApr:
      reader.Take(1);  // length of the additional information
      message.answer_status = reader.U8();
      return;
    default:
      return;  // RTU and DREP have no more
  }
}

void WriteShort(const CmMessage& message, ByteWriter& writer) {
  switch (message.kind) {
    case CmKind::kMra:
      writer.U8(Pack(message.answered, 2, 0));
      writer.U8(Pack(message.service_timeout_code, 5, 0));
      return;
    case CmKind::kRej:
      writer.U8(Pack(message.answered, 2, 0));
      writer.U8(0);
      writer.U16(message.reject_reason.value_or(0));
      return;
    case CmKind::kDreq:
      WriteQpn(message.qpn, writer);
      return;
    case CmKind::kLap:
      writer.Zeroes(4);
      WriteQpn(message.qpn, writer);
      writer.U8(Pack(message.remote_response_timeout_code, 5, 0));
      return;
    case CmKind::kApr:
      writer.U8(0);
      writer.U8(message.answer_status.value_or(0));
      return;
    default:
      return;
  }
}

// Tables 119 and 120.
void ReadSidr(ByteReader& reader, CmMessage& message) {
  message.local_comm_id = reader.U32();
  if (message.kind == CmKind::kSidrReq) {
    message.p_key = reader.U16();
    reader.Take(2);
    message.service_id = reader.U64();
    return;
  }
  message.answer_status = reader.U8();
  reader.Take(1 + 2);  // length of the additional information, vendor ID
  message.qpn = ReadQpn(reader);
  reader.Take(1);  // vendor ID
  message.service_id = reader.U64();
  message.q_key = reader.U32();
}

void WriteSidr(const CmMessage& message, ByteWriter& writer) {
  writer.U32(message.local_comm_id);
  if (message.kind == CmKind::kSidrReq) {
    writer.U16(message.p_key);
    writer.Zeroes(2);
    writer.U64(message.service_id);
    return;
  }
  writer.U8(message.answer_status.value_or(0));
  writer.Zeroes(1 + 2);
  WriteQpn(message.qpn, writer);
  writer.Zeroes(1);
  writer.U64(message.service_id);
  writer.U32(message.q_key);
}

constexpr bool IsSidr(CmKind kind) { return kind == CmKind::kSidrReq || kind == CmKind::kSidrRep; }

}  // namespace

const char* ToString(CmKind kind) {
  switch (kind) {
    case CmKind::kReq:
      return "REQ";
    case CmKind::kMra:
      return "MRA";
    case CmKind::kRej:
      return "REJ";
    case CmKind::kRep:
      return "REP";
    case CmKind::kRtu:
      return "RTU";
    case CmKind::kDreq:
      return "DREQ";
    case CmKind::kDrep:
      return "DREP";
    case CmKind::kSidrReq:
      return "SIDR_REQ";
    case CmKind::kSidrRep:
      return "SIDR_REP";
    case CmKind::kLap:
      return "LAP";
    case CmKind::kApr:
      return "APR";
  }
  return "CM message";
}

uint32_t PathMtuBytes(uint8_t code) {
  constexpr uint32_t kSmallest = 256;
  constexpr uint8_t kLast = 5;
  return code == 0 || code > kLast ? 0 : kSmallest << (code - 1);
}

const char* RejectReasonText(uint16_t reason) {
  constexpr std::array<const char*, 36> kTexts = {
      nullptr,
      "no QP available",
      "no EE context available",
      "no resources available",
      "timeout",
      "unsupported request",
      "invalid communication ID",
      "invalid communication instance",
      "invalid service ID",
      "invalid transport service type",
      "stale connection",
      "RDC does not exist",
      "primary remote port GID rejected",
      "primary remote port LID rejected",
      "invalid primary SL",
      "invalid primary traffic class",
      "invalid primary hop limit",
      "invalid primary packet rate",
      "alternate remote port GID rejected",
      "alternate remote port LID rejected",
      "invalid alternate SL",
      "invalid alternate traffic class",
      "invalid alternate hop limit",
      "invalid alternate packet rate",
      "port and CM redirection",
      "port redirection",
      "invalid path MTU",
      "insufficient responder resources",
      "consumer reject",
      "RNR retry count reject",
      "duplicate local communication ID",
      "invalid class version",
      "invalid primary flow label",
      "invalid alternate flow label",
      nullptr,
      "vendor option not supported",
  };
  const char* text = reason < kTexts.size() ? kTexts[reason] : nullptr;
  return text != nullptr ? text : "reason";
}

std::optional<CmMessage> ParseCm(std::span<const std::byte> mad) {
  ByteReader reader(mad);
  const MadHeader header = ReadMadHeader(reader);
  if (!reader.ok() || header.mgmt_class != kMadClassCommunication ||
      header.class_version != kCmClassVersion ||
      header.attribute_id < static_cast<uint16_t>(CmKind::kReq) ||
      header.attribute_id > static_cast<uint16_t>(CmKind::kApr)) {
    return std::nullopt;
  }
  CmMessage message;
  message.kind = static_cast<CmKind>(header.attribute_id);
  if (message.kind == CmKind::kReq) {
    ReadReq(reader, message);
  } else if (IsSidr(message.kind)) {
    ReadSidr(reader, message);
  } else {
    message.local_comm_id = reader.U32();
    message.remote_comm_id = reader.U32();
    if (message.kind == CmKind::kRep) {
      ReadRep(reader, message);
    } else {
      ReadShort(reader, message);
    }
  }
  if (!reader.ok()) return std::nullopt;
  return message;
}

size_t BuildCm(const CmMessage& message, uint64_t transaction_id, std::span<std::byte> out) {
  if (out.size() < kMadBytes) return 0;
  ByteWriter writer(out.first(kMadBytes));
  WriteMadHeader({.mgmt_class = kMadClassCommunication,
                  .class_version = kCmClassVersion,
                  .method = kMethodSend,
                  .transaction_id = transaction_id,
                  .attribute_id = static_cast<uint16_t>(message.kind)},
                 writer);
  if (message.kind == CmKind::kReq) {
    WriteReq(message, writer);
  } else if (IsSidr(message.kind)) {
    WriteSidr(message, writer);
  } else {
    writer.U32(message.local_comm_id);
    writer.U32(message.remote_comm_id);
    if (message.kind == CmKind::kRep) {
      WriteRep(message, writer);
    } else {
      WriteShort(message, writer);
    }
  }
  writer.Zeroes(kMadBytes - writer.written());
  return kMadBytes;
}

}  // namespace weft::wire
