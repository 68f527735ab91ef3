// SPDX-License-Identifier: Apache-2.0
#include "wire/rdma_packet.h"

#include <algorithm>

#include "wire/big_endian.h"
#include "wire/byte_reader.h"
#include "wire/byte_writer.h"
#include "wire/roce.h"

namespace weft::wire {
namespace {

constexpr uint8_t kBthVersion = 0;

// Reads one header into the packet; the bit is set only where all of it was there.
template <typename Read>
void Take(uint16_t bit, uint16_t asked, ByteReader& reader, RdmaPacket& packet, Read read) {
  if ((asked & bit) == 0) return;
  ByteReader ahead = reader;
  read(ahead);
  if (!ahead.ok()) {
    reader.Fail();
    return;
  }
  reader = ahead;
  packet.headers = static_cast<uint16_t>(packet.headers | bit);
}

// Of a packet that was cut: one header after the other, as long as they are whole.
void ReadCutHeaders(uint16_t asked, ByteReader& reader, RdmaPacket& packet) {
  Take(header::kRdeth, asked, reader, packet, [&](ByteReader& r) {
    r.Take(1);
    packet.ee_context = r.U24();
  });
  Take(header::kDeth, asked, reader, packet, [&](ByteReader& r) { packet.deth = ReadDeth(r); });
  Take(header::kXrceth, asked, reader, packet, [&](ByteReader& r) {
    r.Take(1);
    packet.xrc_srqn = r.U24();
  });
  Take(header::kReth, asked, reader, packet, [&](ByteReader& r) { packet.reth = ReadReth(r); });
  Take(header::kAtomicEth, asked, reader, packet,
       [&](ByteReader& r) { packet.atomic = ReadAtomicEth(r); });
  Take(header::kAeth, asked, reader, packet, [&](ByteReader& r) { packet.aeth = ReadAeth(r); });
  Take(header::kAtomicAckEth, asked, reader, packet,
       [&](ByteReader& r) { packet.atomic_original = r.U64(); });
  Take(header::kImmDt, asked, reader, packet, [&](ByteReader& r) { packet.immediate = r.U32(); });
  Take(header::kIeth, asked, reader, packet,
       [&](ByteReader& r) { packet.invalidated_r_key = r.U32(); });
}

constexpr uint32_t kMask24 = 0xffffff;
// Byte 1 of the BTH, and the words from bytes 4 and 8 on, as wire/bth has them.
constexpr uint8_t kSolicitedEventBit = 0x80;
constexpr uint8_t kMigReqBit = 0x40;
constexpr uint8_t kVersionMask = 0x0f;
constexpr uint32_t kFecnBit = 0x80000000;
constexpr uint32_t kBecnBit = 0x40000000;
constexpr uint32_t kAckRequestBit = 0x80000000;

constexpr uint8_t PadOf(uint8_t flags) { return static_cast<uint8_t>(flags >> 4 & 3); }

void LoadBth(const std::byte* at, Bth& bth) {
  const uint8_t flags = LoadBig8(at + 1);
  const uint32_t congestion_and_qpn = LoadBig32(at + 4);
  const uint32_t ack_and_psn = LoadBig32(at + 8);
  bth.opcode = LoadBig8(at);
  bth.solicited_event = (flags & kSolicitedEventBit) != 0;
  bth.mig_req = (flags & kMigReqBit) != 0;
  bth.pad = PadOf(flags);
  bth.tver = kBthVersion;
  bth.p_key = LoadBig16(at + 2);
  bth.fecn = (congestion_and_qpn & kFecnBit) != 0;
  bth.becn = (congestion_and_qpn & kBecnBit) != 0;
  bth.dest_qpn = congestion_and_qpn & kMask24;
  bth.ack_request = (ack_and_psn & kAckRequestBit) != 0;
  bth.psn = ack_and_psn & kMask24;
}

// Of a packet whose headers are all there, which the caller has checked: without a check each.
void LoadHeaders(uint16_t asked, const std::byte* at, RdmaPacket& packet) {
  if ((asked & header::kRdeth) != 0) {
    packet.ee_context = LoadBig32(at) & kMask24;
    at += 4;
  }
  if ((asked & header::kDeth) != 0) {
    packet.deth = {.q_key = LoadBig32(at), .source_qpn = LoadBig32(at + 4) & kMask24};
    at += kDethBytes;
  }
  if ((asked & header::kXrceth) != 0) {
    packet.xrc_srqn = LoadBig32(at) & kMask24;
    at += 4;
  }
  if ((asked & header::kReth) != 0) {
    packet.reth = {
        .address = LoadBig64(at), .r_key = LoadBig32(at + 8), .length = LoadBig32(at + 12)};
    at += kRethBytes;
  }
  if ((asked & header::kAtomicEth) != 0) {
    packet.atomic = {.address = LoadBig64(at),
                     .r_key = LoadBig32(at + 8),
                     .swap_or_add = LoadBig64(at + 12),
                     .compare = LoadBig64(at + 20)};
    at += kAtomicEthBytes;
  }
  if ((asked & header::kAeth) != 0) {
    packet.aeth = {.syndrome = LoadBig8(at), .msn = LoadBig32(at) & kMask24};
    at += kAethBytes;
  }
  if ((asked & header::kAtomicAckEth) != 0) {
    packet.atomic_original = LoadBig64(at);
    at += kAtomicAckEthBytes;
  }
  if ((asked & header::kImmDt) != 0) {
    packet.immediate = LoadBig32(at);
    at += 4;
  }
  if ((asked & header::kIeth) != 0) packet.invalidated_r_key = LoadBig32(at);
}

}  // namespace

RdmaReadResult ReadRdma(std::span<const std::byte> bytes, size_t wire_bytes, RdmaPacket& packet) {
  bytes = bytes.first(std::min(bytes.size(), wire_bytes));
  if (bytes.size() < kBthBytes) {
    return wire_bytes < kBthBytes + kIcrcBytes ? RdmaReadResult::kMalformed : RdmaReadResult::kCut;
  }
  const uint8_t flags = LoadBig8(bytes.data() + 1);
  const OpcodeInfo& info = InfoOf(LoadBig8(bytes.data()));
  const size_t in_front = kBthBytes + info.header_bytes;
  const size_t around_payload = in_front + PadOf(flags) + kIcrcBytes;
  if ((flags & kVersionMask) != kBthVersion || wire_bytes < around_payload) {
    return RdmaReadResult::kMalformed;
  }
  LoadBth(bytes.data(), packet.bth);
  packet.payload_bytes = wire_bytes - around_payload;
  if (bytes.size() >= in_front) {
    packet.headers = info.headers;
    if (info.headers != 0) LoadHeaders(info.headers, bytes.data() + kBthBytes, packet);
    packet.payload =
        bytes.subspan(in_front, std::min(packet.payload_bytes, bytes.size() - in_front));
    return RdmaReadResult::kOk;
  }
  packet.headers = 0;
  packet.payload = {};
  ByteReader reader(bytes.subspan(kBthBytes));
  ReadCutHeaders(info.headers, reader, packet);
  return RdmaReadResult::kOk;
}

size_t WriteRdma(const RdmaPacket& packet, std::span<std::byte> out) {
  constexpr size_t kAlignment = 4;
  ByteWriter writer(out);
  Bth bth = packet.bth;
  bth.pad = static_cast<uint8_t>((kAlignment - packet.payload.size() % kAlignment) % kAlignment);
  WriteBth(bth, writer);
  if (packet.Has(header::kRdeth)) writer.U32(packet.ee_context);
  if (packet.Has(header::kDeth)) WriteDeth(packet.deth, writer);
  if (packet.Has(header::kXrceth)) writer.U32(packet.xrc_srqn);
  if (packet.Has(header::kReth)) WriteReth(packet.reth, writer);
  if (packet.Has(header::kAtomicEth)) WriteAtomicEth(packet.atomic, writer);
  if (packet.Has(header::kAeth)) WriteAeth(packet.aeth, writer);
  if (packet.Has(header::kAtomicAckEth)) writer.U64(packet.atomic_original);
  if (packet.Has(header::kImmDt)) writer.U32(packet.immediate);
  if (packet.Has(header::kIeth)) writer.U32(packet.invalidated_r_key);
  writer.Bytes(packet.payload);
  writer.Zeroes(bth.pad);
  return writer.ok() ? writer.written() : 0;
}

}  // namespace weft::wire
