// SPDX-License-Identifier: Apache-2.0
// The headers behind the BTH, alone and in a packet.
#include "wire/rdma_packet.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/wire/hex.h"
#include "tests/wire/random.h"

namespace weft::wire {
namespace {

template <typename Header, typename Parse, typename Write>
void ExpectBothDirections(const char* hex, const Header& header, Parse parse, Write write) {
  const Bytes bytes = FromHex(hex);
  EXPECT_EQ(parse(bytes), header);
  EXPECT_EQ(ToHex(Written(header, write)), ToHex(bytes));
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(parse(First(bytes, size)).has_value()) << size << " bytes";
  }
}

TEST(Reth, BothDirections) {
  ExpectBothDirections("00007f0000001000 0000beef 00000008",
                       Reth{.address = 0x7f0000001000, .r_key = 0xbeef, .length = 8}, ParseReth,
                       WriteReth);
}

TEST(AtomicEth, BothDirections) {
  ExpectBothDirections("00007f0000002000 0000cafe 0000000000000001 1122334455667788",
                       AtomicEth{.address = 0x7f0000002000,
                                 .r_key = 0xcafe,
                                 .swap_or_add = 1,
                                 .compare = 0x1122334455667788},
                       ParseAtomicEth, WriteAtomicEth);
}

TEST(Aeth, BothDirections) {
  ExpectBothDirections("60abcdef", Aeth{.syndrome = 0x60, .msn = 0xabcdef}, ParseAeth, WriteAeth);
}

TEST(Aeth, SyndromeTellsTheKind) {
  EXPECT_EQ(AckKindOf(0x1f), AckKind::kAck);
  EXPECT_EQ(AckKindOf(0x20), AckKind::kRnrNak);
  EXPECT_EQ(AckKindOf(0x40), AckKind::kReserved);
  EXPECT_EQ(AckKindOf(0x60), AckKind::kNak);
  EXPECT_EQ(AckKindOf(0xff), AckKind::kNak);  // the upper bit is reserved
  EXPECT_EQ(NakCodeOf(0x60), NakCode::kPsnSequenceError);
  EXPECT_EQ(NakCodeOf(0x62), NakCode::kRemoteAccessError);
  EXPECT_EQ(NakCodeOf(0x64), NakCode::kInvalidRdRequest);
  EXPECT_EQ(NakCodeOf(0x65), NakCode::kReserved);
  EXPECT_STREQ(ToString(NakCode::kRemoteOperationalError), "remote operational error");
}

TEST(Aeth, RnrTimersInNanoseconds) {
  const struct {
    uint8_t code;
    int64_t ns;
  } rows[] = {{0, 655'360'000},  {1, 10'000},       {5, 60'000},      {9, 240'000},
              {13, 960'000},     {17, 3'840'000},   {21, 15'360'000}, {25, 61'440'000},
              {28, 163'840'000}, {30, 327'680'000}, {31, 491'520'000}};
  for (const auto& row : rows) {
    EXPECT_EQ(RnrTimerNs(static_cast<uint8_t>(0x20 | row.code)), row.ns) << int{row.code};
  }
  for (uint8_t code = 2; code < 32; ++code) EXPECT_GT(RnrTimerNs(code), RnrTimerNs(code - 1));
}

TEST(Aeth, CreditsAndTimeouts) {
  EXPECT_EQ(CreditsOf(0), 0u);
  EXPECT_EQ(CreditsOf(5), 6u);
  EXPECT_EQ(CreditsOf(10), 32u);
  EXPECT_EQ(CreditsOf(30), 32768u);
  EXPECT_FALSE(CreditsOf(31).has_value());
  EXPECT_EQ(AckTimeoutNs(0), 0);
  EXPECT_EQ(AckTimeoutNs(14), 67'108'864);
  EXPECT_EQ(AckTimeoutNs(31), 8'796'093'022'208);
}

// A packet of this opcode with random fields.
RdmaPacket RandomPacket(uint8_t opcode, std::span<const std::byte> payload, Random& random) {
  RdmaPacket packet;
  packet.bth.opcode = opcode;
  packet.bth.dest_qpn = random.U24();
  packet.bth.psn = random.U24();
  packet.bth.ack_request = random.Bit();
  packet.headers = packet.info().headers;
  packet.reth = {random.U64(), random.U32(), random.U32()};
  packet.aeth = {random.U8(), random.U24()};
  packet.atomic = {random.U64(), random.U32(), random.U64(), random.U64()};
  packet.atomic_original = random.U64();
  packet.deth = {random.U32(), random.U24()};
  packet.immediate = random.U32();
  packet.invalidated_r_key = random.U32();
  packet.xrc_srqn = random.U24();
  packet.ee_context = random.U24();
  packet.payload = payload;
  return packet;
}

void ExpectSameFields(const RdmaPacket& read, const RdmaPacket& written, uint16_t headers) {
  EXPECT_EQ(read.headers, headers);
  EXPECT_TRUE(!read.Has(header::kReth) || read.reth == written.reth);
  EXPECT_TRUE(!read.Has(header::kAeth) || read.aeth == written.aeth);
  EXPECT_TRUE(!read.Has(header::kAtomicEth) || read.atomic == written.atomic);
  EXPECT_TRUE(!read.Has(header::kAtomicAckEth) || read.atomic_original == written.atomic_original);
  EXPECT_TRUE(!read.Has(header::kDeth) || read.deth == written.deth);
  EXPECT_TRUE(!read.Has(header::kImmDt) || read.immediate == written.immediate);
  EXPECT_TRUE(!read.Has(header::kIeth) || read.invalidated_r_key == written.invalidated_r_key);
  EXPECT_TRUE(!read.Has(header::kXrceth) || read.xrc_srqn == written.xrc_srqn);
  EXPECT_TRUE(!read.Has(header::kRdeth) || read.ee_context == written.ee_context);
}

TEST(RdmaPacket, EveryOpcodeReadsAsItWasWritten) {
  Random random(7);
  for (int opcode = 0; opcode < 256; ++opcode) {
    for (const size_t payload_bytes : {size_t{0}, size_t{1}, size_t{4}, size_t{15}}) {
      SCOPED_TRACE(InfoOf(static_cast<uint8_t>(opcode)).name);
      const Bytes payload = random.Octets(payload_bytes);
      const RdmaPacket packet = RandomPacket(static_cast<uint8_t>(opcode), payload, random);
      Bytes bytes(128);
      bytes.resize(WriteRdma(packet, bytes));
      ASSERT_EQ(bytes.size() % 4, 0u);
      RdmaPacket read;
      ASSERT_EQ(ReadRdma(bytes, bytes.size() + 4, read), RdmaReadResult::kOk);
      ExpectSameFields(read, packet, packet.info().headers);
      EXPECT_EQ(read.bth.dest_qpn, packet.bth.dest_qpn);
      EXPECT_EQ(read.bth.pad, (4 - payload_bytes % 4) % 4);
      EXPECT_EQ(read.payload_bytes, payload_bytes);
      EXPECT_TRUE(std::ranges::equal(read.payload, payload));
    }
  }
}

TEST(RdmaPacket, ACutOneHasTheHeadersThatAreWhole) {
  Random random(8);
  const Bytes payload = random.Octets(32);
  for (int opcode = 0; opcode < 256; ++opcode) {
    const RdmaPacket packet = RandomPacket(static_cast<uint8_t>(opcode), payload, random);
    Bytes bytes(128);
    bytes.resize(WriteRdma(packet, bytes));
    const size_t wire_bytes = bytes.size() + 4;
    uint16_t before = 0;
    for (size_t size = 0; size <= bytes.size(); ++size) {
      // Of its own, so that a sanitizer sees a read past its end.
      const Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
      RdmaPacket read;
      if (size < kBthBytes) {
        ASSERT_EQ(ReadRdma(cut, wire_bytes, read), RdmaReadResult::kCut);
        continue;
      }
      ASSERT_EQ(ReadRdma(cut, wire_bytes, read), RdmaReadResult::kOk);
      ExpectSameFields(read, packet, read.headers);
      EXPECT_EQ(read.headers & before, before);
      before = read.headers;
      const size_t in_front = kBthBytes + packet.info().header_bytes;
      EXPECT_EQ(read.payload.size(), size < in_front ? 0 : std::min(size - in_front, size_t{32}));
      EXPECT_EQ(read.payload_bytes, payload.size());
    }
    EXPECT_EQ(before, packet.info().headers);
  }
}

TEST(RdmaPacket, RejectsAnotherVersionAndLengthsThatDoNotHoldItsHeaders) {
  RdmaPacket packet;
  packet.bth.opcode = 0x11;
  packet.headers = header::kAeth;
  Bytes bytes(128);
  bytes.resize(WriteRdma(packet, bytes));
  RdmaPacket read;
  EXPECT_EQ(ReadRdma(bytes, 20, read), RdmaReadResult::kOk);
  EXPECT_EQ(ReadRdma(bytes, 19, read), RdmaReadResult::kMalformed);
  EXPECT_EQ(ReadRdma(bytes, 12, read), RdmaReadResult::kMalformed);
  EXPECT_EQ(ReadRdma(bytes, 0, read), RdmaReadResult::kMalformed);
  bytes[1] |= std::byte{0x10};  // a byte of pad
  EXPECT_EQ(ReadRdma(bytes, 20, read), RdmaReadResult::kMalformed);
  EXPECT_EQ(ReadRdma(bytes, 21, read), RdmaReadResult::kOk);
  bytes[1] |= std::byte{0x01};  // version 1
  EXPECT_EQ(ReadRdma(bytes, 21, read), RdmaReadResult::kMalformed);
}

TEST(RdmaPacket, IsNotWrittenWhereItDoesNotFit) {
  RdmaPacket packet;
  packet.bth.opcode = 0x0a;
  packet.headers = header::kReth;
  Bytes bytes(28);
  EXPECT_EQ(WriteRdma(packet, bytes), 28u);
  bytes.resize(27);
  EXPECT_EQ(WriteRdma(packet, bytes), 0u);
}

}  // namespace
}  // namespace weft::wire
