// SPDX-License-Identifier: Apache-2.0
#include "wire/probe.h"

#include "wire/byte_reader.h"
#include "wire/byte_writer.h"

namespace weft::wire {
namespace {

constexpr uint32_t kMagic = 0x57465450;  // "WFTP"
constexpr uint8_t kVersion = 1;
constexpr uint16_t kReplyPortWasBusyBit = 0x0001;
constexpr size_t kReservedAfterTrafficClass = 2;
constexpr size_t kReservedAtEnd = 8;

bool IsKnown(ProbeType type) { return type == ProbeType::kQuestion || type == ProbeType::kAnswer; }

}  // namespace

std::optional<ProbePayload> ParseProbePayload(std::span<const std::byte> payload) {
  ByteReader reader(payload);
  ProbePayload probe;
  const uint32_t magic = reader.U32();
  const uint8_t version = reader.U8();
  probe.type = static_cast<ProbeType>(reader.U8());
  probe.reply_port_was_busy = (reader.U16() & kReplyPortWasBusyBit) != 0;
  probe.session = reader.U32();
  probe.sequence = reader.U32();
  probe.reply_udp_src_port = reader.U16();
  probe.reply_udp_dst_port = reader.U16();
  probe.received_ttl = reader.U8();
  probe.received_traffic_class = reader.U8();
  reader.Take(kReservedAfterTrafficClass);
  probe.responder_delay_ns = reader.U64();
  reader.Take(kReservedAtEnd);
  if (!reader.ok() || magic != kMagic || version != kVersion || !IsKnown(probe.type)) {
    return std::nullopt;
  }
  return probe;
}

bool WriteProbePayload(const ProbePayload& probe, std::span<std::byte> out) {
  if (out.size() < kProbePayloadBytes) return false;
  ByteWriter writer(out);
  writer.U32(kMagic);
  writer.U8(kVersion);
  writer.U8(static_cast<uint8_t>(probe.type));
  writer.U16(probe.reply_port_was_busy ? kReplyPortWasBusyBit : 0);
  writer.U32(probe.session);
  writer.U32(probe.sequence);
  writer.U16(probe.reply_udp_src_port);
  writer.U16(probe.reply_udp_dst_port);
  writer.U8(probe.received_ttl);
  writer.U8(probe.received_traffic_class);
  writer.Zeroes(kReservedAfterTrafficClass);
  writer.U64(probe.responder_delay_ns);
  writer.Zeroes(kReservedAtEnd);
  return writer.ok();
}

}  // namespace weft::wire
