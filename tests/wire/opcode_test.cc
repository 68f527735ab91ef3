// SPDX-License-Identifier: Apache-2.0
#include "wire/opcode.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

namespace weft::wire {
namespace {

TEST(Opcode, NamesWhatTheSpecificationDefines) {
  const struct {
    uint8_t opcode;
    const char* name;
    Transport transport;
    MessageKind kind;
    uint16_t headers;
    uint8_t header_bytes;
  } rows[] = {
      {0x00, "RC SEND First", Transport::kRc, MessageKind::kSend, 0, 0},
      {0x03, "RC SEND Last with Immediate", Transport::kRc, MessageKind::kSend, header::kImmDt, 4},
      {0x06, "RC WRITE First", Transport::kRc, MessageKind::kWrite, header::kReth, 16},
      {0x0b, "RC WRITE Only with Immediate", Transport::kRc, MessageKind::kWrite,
       header::kReth | header::kImmDt, 20},
      {0x0c, "RC READ Request", Transport::kRc, MessageKind::kReadRequest, header::kReth, 16},
      {0x0e, "RC READ Response Middle", Transport::kRc, MessageKind::kReadResponse, 0, 0},
      {0x11, "RC Acknowledge", Transport::kRc, MessageKind::kAck, header::kAeth, 4},
      {0x12, "RC ATOMIC Acknowledge", Transport::kRc, MessageKind::kAtomicAck,
       header::kAeth | header::kAtomicAckEth, 12},
      {0x13, "RC CmpSwap", Transport::kRc, MessageKind::kAtomicRequest, header::kAtomicEth, 28},
      {0x17, "RC SEND Only with Invalidate", Transport::kRc, MessageKind::kSend, header::kIeth, 4},
      {0x2a, "UC WRITE Only", Transport::kUc, MessageKind::kWrite, header::kReth, 16},
      {0x44, "RD SEND Only", Transport::kRd, MessageKind::kSend, header::kRdeth | header::kDeth,
       12},
      {0x4c, "RD READ Request", Transport::kRd, MessageKind::kReadRequest,
       header::kRdeth | header::kDeth | header::kReth, 28},
      {0x51, "RD Acknowledge", Transport::kRd, MessageKind::kAck, header::kRdeth | header::kAeth,
       8},
      {0x55, "RD RESYNC", Transport::kRd, MessageKind::kResync, header::kRdeth | header::kDeth, 12},
      {0x65, "UD SEND Only with Immediate", Transport::kUd, MessageKind::kSend,
       header::kDeth | header::kImmDt, 12},
      {0x81, "CNP", Transport::kCnp, MessageKind::kCnp, 0, 0},
      {0xa6, "XRC WRITE First", Transport::kXrc, MessageKind::kWrite,
       header::kXrceth | header::kReth, 20},
      {0xad, "XRC READ Response First", Transport::kXrc, MessageKind::kReadResponse, header::kAeth,
       4},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const OpcodeInfo& opcode = InfoOf(row.opcode);
    EXPECT_STREQ(opcode.name, row.name);
    EXPECT_EQ(opcode.transport, row.transport);
    EXPECT_EQ(opcode.kind, row.kind);
    EXPECT_EQ(opcode.headers, row.headers);
    EXPECT_EQ(opcode.header_bytes, row.header_bytes);
    EXPECT_TRUE(opcode.is_known);
  }
}

TEST(Opcode, ReservedAndVendorOnesAreNamedByTheirNumber) {
  const struct {
    uint8_t opcode;
    const char* name;
    Transport transport;
  } rows[] = {
      {0x15, "reserved 0x15", Transport::kUnknown},  // RESYNC is of RD alone
      {0x18, "reserved 0x18", Transport::kUnknown},
      {0x2c, "reserved 0x2c", Transport::kUnknown},  // UC has no READ
      {0x36, "reserved 0x36", Transport::kUnknown},  // nor Invalidate
      {0x56, "reserved 0x56", Transport::kUnknown},
      {0x60, "reserved 0x60", Transport::kUnknown},  // UD has SEND Only alone
      {0x80, "reserved 0x80", Transport::kUnknown},
      {0xbf, "reserved 0xbf", Transport::kUnknown},
      {0xc0, "vendor 0xc0", Transport::kVendor},
      {0xff, "vendor 0xff", Transport::kVendor},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_STREQ(InfoOf(row.opcode).name, row.name);
    EXPECT_EQ(InfoOf(row.opcode).transport, row.transport);
    EXPECT_EQ(InfoOf(row.opcode).headers, 0);
    EXPECT_FALSE(InfoOf(row.opcode).is_known);
  }
}

TEST(Opcode, AsManyAsTheSpecificationHas) {
  size_t known[8] = {};
  for (int opcode = 0; opcode < 256; ++opcode) {
    if (InfoOf(static_cast<uint8_t>(opcode)).is_known) ++known[opcode >> 5];
  }
  // RC, UC, RD, UD, CNP, XRC, vendors' twice.
  const size_t expected[8] = {23, 12, 22, 2, 1, 23, 0, 0};
  for (int i = 0; i < 8; ++i) EXPECT_EQ(known[i], expected[i]) << "transport " << i;
}

TEST(Opcode, FirstStartsLastEndsOnlyDoesBoth) {
  for (int number = 0; number < 256; ++number) {
    const OpcodeInfo& opcode = InfoOf(static_cast<uint8_t>(number));
    const std::string name = opcode.name;
    if (!opcode.is_known) continue;
    SCOPED_TRACE(name);
    const bool is_middle = name.find("Middle") != std::string::npos;
    EXPECT_EQ(opcode.starts_message, !is_middle && name.find("Last") == std::string::npos);
    EXPECT_EQ(opcode.ends_message, !is_middle && name.find("First") == std::string::npos);
    EXPECT_EQ(opcode.has_payload, opcode.kind == MessageKind::kSend ||
                                      opcode.kind == MessageKind::kWrite ||
                                      opcode.kind == MessageKind::kReadResponse);
  }
}

}  // namespace
}  // namespace weft::wire
