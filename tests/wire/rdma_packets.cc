// SPDX-License-Identifier: Apache-2.0
// The packets of rdma_frames.h, without the frames.
#include <algorithm>
#include <array>
#include <cassert>

#include "tests/wire/rdma_frames.h"

namespace weft::wire {
namespace {

// Bits 4-0 of opcodes.
constexpr uint8_t kSendFirst = 0x00;
constexpr uint8_t kSendMiddle = 0x01;
constexpr uint8_t kSendLast = 0x02;
constexpr uint8_t kSendOnly = 0x04;
constexpr uint8_t kWriteFirst = 0x06;
constexpr uint8_t kWriteMiddle = 0x07;
constexpr uint8_t kWriteLast = 0x08;
constexpr uint8_t kWriteOnly = 0x0a;
constexpr uint8_t kReadRequest = 0x0c;
constexpr uint8_t kReadResponseFirst = 0x0d;
constexpr uint8_t kReadResponseMiddle = 0x0e;
constexpr uint8_t kReadResponseLast = 0x0f;
constexpr uint8_t kReadResponseOnly = 0x10;
constexpr uint8_t kAcknowledge = 0x11;
constexpr uint8_t kAtomicAcknowledge = 0x12;
constexpr uint8_t kCompareSwap = 0x13;
constexpr uint8_t kFetchAdd = 0x14;

constexpr uint8_t kRnrNakBits = 1 << 5;
constexpr uint8_t kNakBits = 3 << 5;
constexpr uint64_t kRemoteAddress = 0x7f0000001000;
constexpr uint32_t kRemoteKey = 0xbeef;
constexpr size_t kCnpPayloadBytes = 16;

constexpr std::array<std::byte, kMaxFillerBytes> kFiller = [] {
  std::array<std::byte, kMaxFillerBytes> bytes{};
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7 + (i >> 8));
  return bytes;
}();

constexpr std::array<std::byte, kCnpPayloadBytes> kCnpPayload{};

RdmaPacket WithReth(RdmaPacket packet, size_t message_bytes) {
  packet.reth = {.address = kRemoteAddress,
                 .r_key = kRemoteKey,
                 .length = static_cast<uint32_t>(message_bytes)};
  return packet;
}

RdmaPacket WithAeth(RdmaPacket packet, uint8_t syndrome, uint32_t msn) {
  packet.aeth = {.syndrome = syndrome, .msn = msn};
  return packet;
}

RdmaPacket AskingForAck(RdmaPacket packet) {
  packet.bth.ack_request = true;
  return packet;
}

size_t PacketsOf(size_t message_bytes, size_t mtu_bytes) {
  return std::max<size_t>(1, (message_bytes + mtu_bytes - 1) / mtu_bytes);
}

}  // namespace

std::span<const std::byte> Filler(size_t bytes) {
  assert(bytes <= kMaxFillerBytes);
  return std::span(kFiller).first(bytes);
}

RdmaPacket RdmaOf(uint8_t opcode, uint32_t dest_qpn, uint32_t psn, size_t payload_bytes) {
  RdmaPacket packet;
  packet.bth.opcode = opcode;
  packet.bth.dest_qpn = dest_qpn;
  packet.bth.psn = psn & kPsnMask;
  packet.headers = packet.info().headers;
  packet.payload = Filler(payload_bytes);
  packet.payload_bytes = payload_bytes;
  return packet;
}

RdmaPacket SendFirst(uint32_t dest_qpn, uint32_t psn, size_t payload_bytes) {
  return RdmaOf(kSendFirst, dest_qpn, psn, payload_bytes);
}
RdmaPacket SendMiddle(uint32_t dest_qpn, uint32_t psn, size_t payload_bytes) {
  return RdmaOf(kSendMiddle, dest_qpn, psn, payload_bytes);
}
RdmaPacket SendLast(uint32_t dest_qpn, uint32_t psn, size_t payload_bytes) {
  return AskingForAck(RdmaOf(kSendLast, dest_qpn, psn, payload_bytes));
}
RdmaPacket SendOnly(uint32_t dest_qpn, uint32_t psn, size_t payload_bytes) {
  return AskingForAck(RdmaOf(kSendOnly, dest_qpn, psn, payload_bytes));
}
RdmaPacket WriteFirst(uint32_t dest_qpn, uint32_t psn, size_t payload_bytes, size_t message_bytes) {
  return WithReth(RdmaOf(kWriteFirst, dest_qpn, psn, payload_bytes), message_bytes);
}
RdmaPacket WriteMiddle(uint32_t dest_qpn, uint32_t psn, size_t payload_bytes) {
  return RdmaOf(kWriteMiddle, dest_qpn, psn, payload_bytes);
}
RdmaPacket WriteLast(uint32_t dest_qpn, uint32_t psn, size_t payload_bytes) {
  return AskingForAck(RdmaOf(kWriteLast, dest_qpn, psn, payload_bytes));
}
RdmaPacket WriteOnly(uint32_t dest_qpn, uint32_t psn, size_t payload_bytes) {
  return AskingForAck(WithReth(RdmaOf(kWriteOnly, dest_qpn, psn, payload_bytes), payload_bytes));
}
RdmaPacket ReadRequest(uint32_t dest_qpn, uint32_t psn, size_t message_bytes) {
  return AskingForAck(WithReth(RdmaOf(kReadRequest, dest_qpn, psn), message_bytes));
}
RdmaPacket ReadResponseFirst(uint32_t dest_qpn, uint32_t psn, uint32_t msn, size_t payload_bytes) {
  return WithAeth(RdmaOf(kReadResponseFirst, dest_qpn, psn, payload_bytes), kPlainAck, msn);
}
RdmaPacket ReadResponseMiddle(uint32_t dest_qpn, uint32_t psn, size_t payload_bytes) {
  return RdmaOf(kReadResponseMiddle, dest_qpn, psn, payload_bytes);
}
RdmaPacket ReadResponseLast(uint32_t dest_qpn, uint32_t psn, uint32_t msn, size_t payload_bytes) {
  return WithAeth(RdmaOf(kReadResponseLast, dest_qpn, psn, payload_bytes), kPlainAck, msn);
}
RdmaPacket ReadResponseOnly(uint32_t dest_qpn, uint32_t psn, uint32_t msn, size_t payload_bytes) {
  return WithAeth(RdmaOf(kReadResponseOnly, dest_qpn, psn, payload_bytes), kPlainAck, msn);
}

RdmaPacket AtomicFetchAdd(uint32_t dest_qpn, uint32_t psn) {
  RdmaPacket packet = RdmaOf(kFetchAdd, dest_qpn, psn);
  packet.atomic = {.address = kRemoteAddress, .r_key = kRemoteKey, .swap_or_add = 1};
  return AskingForAck(packet);
}
RdmaPacket AtomicCompareSwap(uint32_t dest_qpn, uint32_t psn) {
  RdmaPacket packet = RdmaOf(kCompareSwap, dest_qpn, psn);
  packet.atomic = {.address = kRemoteAddress, .r_key = kRemoteKey, .swap_or_add = 2, .compare = 1};
  return AskingForAck(packet);
}
RdmaPacket AtomicAck(uint32_t dest_qpn, uint32_t psn, uint32_t msn) {
  RdmaPacket packet = WithAeth(RdmaOf(kAtomicAcknowledge, dest_qpn, psn), kPlainAck, msn);
  packet.atomic_original = 1;
  return packet;
}

RdmaPacket Ack(uint32_t dest_qpn, uint32_t psn, uint32_t msn, uint8_t syndrome) {
  return WithAeth(RdmaOf(kAcknowledge, dest_qpn, psn), syndrome, msn);
}
RdmaPacket Nak(uint32_t dest_qpn, uint32_t psn, uint32_t msn, NakCode code) {
  return Ack(dest_qpn, psn, msn, static_cast<uint8_t>(kNakBits | static_cast<uint8_t>(code)));
}
RdmaPacket RnrNak(uint32_t dest_qpn, uint32_t psn, uint32_t msn, uint8_t timer_code) {
  return Ack(dest_qpn, psn, msn, static_cast<uint8_t>(kRnrNakBits | timer_code));
}

RdmaPacket Cnp(uint32_t dest_qpn) {
  RdmaPacket packet = RdmaOf(static_cast<uint8_t>(BthOpcode::kCnp), dest_qpn, 0);
  packet.bth.mig_req = true;
  packet.bth.becn = true;
  packet.payload = kCnpPayload;
  packet.payload_bytes = kCnpPayload.size();
  return packet;
}

RdmaPacket UdSend(uint32_t dest_qpn, uint32_t psn, uint32_t source_qpn, uint32_t q_key,
                  std::span<const std::byte> payload) {
  RdmaPacket packet = RdmaOf(static_cast<uint8_t>(BthOpcode::kUdSendOnly), dest_qpn, psn);
  packet.deth = {.q_key = q_key, .source_qpn = source_qpn};
  packet.payload = payload;
  packet.payload_bytes = payload.size();
  return packet;
}

RcStream::RcStream(uint32_t dest_qpn, uint32_t first_psn, size_t mtu_bytes, Transport transport)
    : dest_qpn_(dest_qpn),
      next_psn_(first_psn & kPsnMask),
      mtu_bytes_(mtu_bytes),
      transport_bits_(transport == Transport::kXrc  ? 5 << 5
                      : transport == Transport::kUc ? 1 << 5
                                                    : 0) {
  assert(mtu_bytes > 0 && mtu_bytes <= kMaxFillerBytes);
}

std::vector<RdmaPacket> RcStream::Send(size_t message_bytes) {
  return Cut(kSendFirst, message_bytes);
}

std::vector<RdmaPacket> RcStream::Write(size_t message_bytes) {
  return Cut(kWriteFirst, message_bytes);
}

RdmaPacket RcStream::Read(size_t message_bytes) {
  const uint32_t psn = TakePsns(PacketsOf(message_bytes, mtu_bytes_));
  RdmaPacket packet = ReadRequest(dest_qpn_, psn, message_bytes);
  packet.bth.opcode |= transport_bits_;
  packet.headers = packet.info().headers;
  return packet;
}

std::vector<RdmaPacket> RcStream::Cut(uint8_t first_operation, size_t message_bytes) {
  // First, Middle and Last are neighbours; Only is four behind First for both operations.
  const uint8_t only = first_operation == kSendFirst ? kSendOnly : kWriteOnly;
  const size_t packet_count = PacketsOf(message_bytes, mtu_bytes_);
  std::vector<RdmaPacket> packets;
  packets.reserve(packet_count);
  for (size_t i = 0; i < packet_count; ++i) {
    const bool is_last = i + 1 == packet_count;
    const int step = i == 0 ? 0 : is_last ? 2 : 1;
    const int operation = packet_count == 1 ? only : first_operation + step;
    const size_t payload_bytes = std::min(mtu_bytes_, message_bytes - i * mtu_bytes_);
    RdmaPacket packet = RdmaOf(static_cast<uint8_t>(operation | transport_bits_), dest_qpn_,
                               TakePsns(1), payload_bytes);
    packet.bth.ack_request = is_last;
    packets.push_back(WithReth(packet, message_bytes));
  }
  return packets;
}

uint32_t RcStream::TakePsns(size_t count) {
  const uint32_t psn = next_psn_;
  next_psn_ = (next_psn_ + static_cast<uint32_t>(count)) & kPsnMask;
  return psn;
}

std::vector<RdmaPacket> ReadResponse(uint32_t dest_qpn, uint32_t request_psn, uint32_t msn,
                                     size_t message_bytes, size_t mtu_bytes) {
  const size_t packet_count = PacketsOf(message_bytes, mtu_bytes);
  std::vector<RdmaPacket> packets;
  packets.reserve(packet_count);
  for (size_t i = 0; i < packet_count; ++i) {
    const uint32_t psn = (request_psn + static_cast<uint32_t>(i)) & kPsnMask;
    const size_t payload_bytes = std::min(mtu_bytes, message_bytes - i * mtu_bytes);
    if (packet_count == 1) {
      packets.push_back(ReadResponseOnly(dest_qpn, psn, msn, payload_bytes));
    } else if (i == 0) {
      packets.push_back(ReadResponseFirst(dest_qpn, psn, msn, payload_bytes));
    } else if (i + 1 == packet_count) {
      packets.push_back(ReadResponseLast(dest_qpn, psn, msn, payload_bytes));
    } else {
      packets.push_back(ReadResponseMiddle(dest_qpn, psn, payload_bytes));
    }
  }
  return packets;
}

}  // namespace weft::wire
