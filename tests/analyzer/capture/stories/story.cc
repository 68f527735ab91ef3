// SPDX-License-Identifier: Apache-2.0
#include "tests/analyzer/capture/stories/story.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "wire/ip.h"
#include "wire/mad.h"

namespace weft::analyzer {
namespace {

using wire::Bytes;
using wire::RdmaPacket;

constexpr int64_t kPacketNs = 1'000;
constexpr uint8_t kWriteFirst = 0x06;
constexpr uint8_t kWriteMiddle = 0x07;
constexpr uint8_t kWriteLast = 0x08;
constexpr uint8_t kWriteOnly = 0x0a;
constexpr uint8_t kAcknowledge = 0x11;

const Bytes& Payload() {
  static const Bytes payload = [] {
    Bytes bytes(4096);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7);
    return bytes;
  }();
  return payload;
}

uint32_t Psn(uint32_t psn) { return psn & wire::kPsnMask; }

void Append32(uint32_t value, Bytes& out) {
  std::array<std::byte, 4> bytes;
  std::memcpy(bytes.data(), &value, bytes.size());
  out.insert(out.end(), bytes.begin(), bytes.end());
}

}  // namespace

Pair PairOf(uint8_t a, uint8_t b, uint32_t n) {
  const auto host = [](uint8_t number) { return wire::IpAddress::V4(0x0a000000u + number); };
  Pair pair;
  pair.forward = {.source = host(a),
                  .destination = host(b),
                  .dest_qpn = 0x200 + n,
                  .udp_src_port = static_cast<uint16_t>(0xc000 + n * 17),
                  .ttl = 64};
  pair.backward = {.source = host(b),
                   .destination = host(a),
                   .dest_qpn = 0x100 + n,
                   .udp_src_port = static_cast<uint16_t>(0xd000 + n * 13)};
  pair.psn = 1000 * (n + 1);
  return pair;
}

void Story::Put(const Bytes& frame) {
  now_ns_ += kPacketNs;
  frames_.push_back({now_ns_, frame});
}

void Story::Say(const Way& way, const RdmaPacket& packet) {
  Bytes ip = wire::RoceV2(way.source, way.destination, way.udp_src_port, packet);
  constexpr size_t kTtlOffset = 8;  // the checksum is put right with the traffic class
  ip[kTtlOffset] = static_cast<std::byte>(way.ttl);
  const bool rewritten = wire::RewriteTrafficClass(static_cast<uint8_t>(way.dscp << 2 | ecn_), ip);
  assert(rewritten);
  static_cast<void>(rewritten);
  Bytes frame = wire::IpInEthernet(ip);
  Put(dress_ ? dress_(std::move(frame)) : frame);
}

void Story::WritePacket(const Pair& pair, uint32_t base_psn, uint32_t index, uint32_t packets) {
  RdmaPacket packet;
  const bool is_first = index == 0;
  const bool is_last = index + 1 == packets;
  packet.bth.opcode = is_first && is_last ? kWriteOnly
                      : is_first          ? kWriteFirst
                      : is_last           ? kWriteLast
                                          : kWriteMiddle;
  packet.bth.dest_qpn = pair.forward.dest_qpn;
  packet.bth.psn = Psn(base_psn + index);
  packet.bth.ack_request = is_last;
  if (is_first) {
    packet.headers = wire::header::kReth;
    packet.reth = {.address = 0x10000, .r_key = 7, .length = packets * kMtu};
  }
  packet.payload = std::span(Payload()).first(kMtu);
  Say(pair.forward, packet);
}

void Story::Write(Pair& pair, uint32_t packets, const std::vector<uint32_t>& lost) {
  for (uint32_t index = 0; index < packets; ++index) {
    if (std::ranges::find(lost, index) != lost.end()) continue;
    WritePacket(pair, pair.psn, index, packets);
  }
  pair.psn = Psn(pair.psn + packets);
}

void Story::WriteLate(Pair& pair, uint32_t packets, uint32_t late, uint32_t after) {
  for (uint32_t index = 0; index < packets; ++index) {
    if (index != late) WritePacket(pair, pair.psn, index, packets);
    if (index == after) WritePacket(pair, pair.psn, late, packets);
  }
  pair.psn = Psn(pair.psn + packets);
}

void Story::WriteFrom(Pair& pair, uint32_t first, uint32_t packets) {
  for (uint32_t index = first; index < packets; ++index) {
    WritePacket(pair, Psn(pair.psn - packets), index, packets);
  }
}

void Story::Send(Pair& pair, uint32_t bytes) {
  RdmaPacket packet;
  packet.bth = {
      .opcode = 0x04, .dest_qpn = pair.forward.dest_qpn, .ack_request = true, .psn = pair.psn};
  packet.payload = std::span(Payload()).first(bytes);
  Say(pair.forward, packet);
  pair.psn = Psn(pair.psn + 1);
}

void Story::Answer(Pair& pair, uint32_t psn, uint8_t syndrome) {
  RdmaPacket packet;
  packet.bth = {.opcode = kAcknowledge, .dest_qpn = pair.backward.dest_qpn, .psn = Psn(psn)};
  packet.headers = wire::header::kAeth;
  packet.aeth = {.syndrome = syndrome, .msn = pair.msn};
  Say(pair.backward, packet);
}

void Story::Ack(Pair& pair) {
  ++pair.msn;
  Answer(pair, pair.psn - 1, 0x1f);
}

void Story::Cnp(const Way& way) {
  RdmaPacket packet;
  packet.bth = {.opcode = 0x81, .becn = true, .dest_qpn = way.dest_qpn};
  static const Bytes kZeroes(16);
  packet.payload = kZeroes;
  Say(way, packet);
}

void Story::Cm(const Way& way, const wire::CmMessage& message) {
  Bytes mad(wire::kMadBytes);
  const size_t written = wire::BuildCm(message, 0x1234, mad);
  assert(written == mad.size());
  static_cast<void>(written);
  RdmaPacket packet;
  packet.bth = {.opcode = 0x64, .dest_qpn = wire::kGeneralServicesQpn};
  packet.headers = wire::header::kDeth;
  packet.deth = {.q_key = 0x80010000, .source_qpn = wire::kGeneralServicesQpn};
  packet.payload = mad;
  Say(way, packet);
}

void Story::Pause(const wire::PauseFrame& pause) {
  Bytes frame(60);
  wire::ByteWriter writer(frame);
  wire::WriteEthernet({.destination = wire::kPauseDestination,
                       .source = {0x02, 0, 0, 0, 0, 0x77},
                       .ethertype = wire::kEthertypeMacControl},
                      writer);
  wire::WritePause(pause, writer);
  Put(frame);
}

Bytes Story::Pcap(uint32_t snaplen, uint32_t link_type) const {
  Bytes out;
  for (const uint32_t word :
       {0xa1b23c4du, 0x00040002u, 0u, 0u, snaplen == 0 ? 65535 : snaplen, link_type}) {
    Append32(word, out);
  }
  for (const Frame& frame : frames_) {
    const size_t kept =
        snaplen == 0 ? frame.bytes.size() : std::min<size_t>(snaplen, frame.bytes.size());
    Append32(static_cast<uint32_t>(frame.time_ns / 1'000'000'000), out);
    Append32(static_cast<uint32_t>(frame.time_ns % 1'000'000'000), out);
    Append32(static_cast<uint32_t>(kept), out);
    Append32(static_cast<uint32_t>(frame.bytes.size()), out);
    out.insert(out.end(), frame.bytes.begin(), frame.bytes.begin() + static_cast<ptrdiff_t>(kept));
  }
  return out;
}

}  // namespace weft::analyzer
