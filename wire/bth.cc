// SPDX-License-Identifier: Apache-2.0
#include "wire/bth.h"

namespace weft::wire {
namespace {

// Byte 1.
constexpr uint8_t kSolicitedEventBit = 0x80;
constexpr uint8_t kMigReqBit = 0x40;
constexpr uint8_t kPadShift = 4;
constexpr uint8_t kPadMask = 0x3;
constexpr uint8_t kTverMask = 0xf;
// Byte 4.
constexpr uint8_t kFecnBit = 0x80;
constexpr uint8_t kBecnBit = 0x40;
// Byte 8.
constexpr uint8_t kAckRequestBit = 0x80;

constexpr uint32_t kQpnMask = 0xffffff;

}  // namespace

Bth ReadBth(ByteReader& reader) {
  Bth bth;
  bth.opcode = reader.U8();
  const uint8_t flags = reader.U8();
  bth.solicited_event = (flags & kSolicitedEventBit) != 0;
  bth.mig_req = (flags & kMigReqBit) != 0;
  bth.pad = static_cast<uint8_t>(flags >> kPadShift & kPadMask);
  bth.tver = flags & kTverMask;
  bth.p_key = reader.U16();
  const uint8_t congestion = reader.U8();
  bth.fecn = (congestion & kFecnBit) != 0;
  bth.becn = (congestion & kBecnBit) != 0;
  bth.dest_qpn = reader.U24();
  bth.ack_request = (reader.U8() & kAckRequestBit) != 0;
  bth.psn = reader.U24();
  return bth;
}

std::optional<Bth> ParseBth(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const Bth bth = ReadBth(reader);
  if (!reader.ok()) return std::nullopt;
  return bth;
}

void WriteBth(const Bth& bth, ByteWriter& writer) {
  writer.U8(bth.opcode);
  writer.U8(static_cast<uint8_t>((bth.solicited_event ? kSolicitedEventBit : 0) |
                                 (bth.mig_req ? kMigReqBit : 0) |
                                 (bth.pad & kPadMask) << kPadShift | (bth.tver & kTverMask)));
  writer.U16(bth.p_key);
  writer.U8(static_cast<uint8_t>((bth.fecn ? kFecnBit : 0) | (bth.becn ? kBecnBit : 0)));
  writer.U24(bth.dest_qpn & kQpnMask);
  writer.U8(bth.ack_request ? kAckRequestBit : 0);
  writer.U24(bth.psn & kPsnMask);
}

int32_t PsnDistance(uint32_t a, uint32_t b) {
  constexpr uint32_t kSignBit = 0x800000;
  const uint32_t difference = (a - b) & kPsnMask;
  // Sign-extends 24 bits to 32.
  return static_cast<int32_t>(difference ^ kSignBit) - static_cast<int32_t>(kSignBit);
}

}  // namespace weft::wire
