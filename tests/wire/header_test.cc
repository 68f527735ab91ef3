// SPDX-License-Identifier: Apache-2.0
// The lone headers with fields only: Ethernet, UDP, BTH, DETH. One row, both directions.
#include <gtest/gtest.h>

#include "tests/wire/hex.h"
#include "tests/wire/random.h"
#include "wire/bth.h"
#include "wire/deth.h"
#include "wire/ethernet.h"
#include "wire/udp.h"

namespace weft::wire {
namespace {

template <typename Header>
struct Row {
  const char* name;
  const char* hex;
  Header header;
};

// Row -> struct -> row; every truncation rejected; bytes behind the header are left alone.
template <typename Header, typename Parse, typename Write>
void ExpectBothDirections(const Row<Header>& row, Parse parse, Write write) {
  SCOPED_TRACE(row.name);
  Bytes bytes = FromHex(row.hex);
  const auto parsed = parse(bytes);
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(*parsed, row.header);
  EXPECT_EQ(ToHex(Written(row.header, write)), ToHex(bytes));
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(parse(First(bytes, size)).has_value()) << size << " bytes";
  }
  bytes.push_back(std::byte{0xff});
  EXPECT_EQ(parse(bytes), row.header);
}

TEST(Ethernet, BothDirections) {
  const Row<EthernetHeader> rows[] = {
      {"Ipv4",
       "468c4cc96250 6e6fcc7568f7 0800",
       {.destination = {0x46, 0x8c, 0x4c, 0xc9, 0x62, 0x50},
        .source = {0x6e, 0x6f, 0xcc, 0x75, 0x68, 0xf7},
        .ethertype = kEthertypeIpv4}},
      {"PriorityFlowControl",
       "0180c2000001 020000000001 8808",
       {.destination = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x01},
        .source = {0x02, 0x00, 0x00, 0x00, 0x00, 0x01},
        .ethertype = 0x8808}},
  };
  for (const auto& row : rows) ExpectBothDirections(row, ParseEthernet, WriteEthernet);
}

TEST(VlanTag, BothDirections) {
  const Row<VlanTag> rows[] = {
      {"PriorityOnly", "6000 0800", {.priority = 3, .ethertype = kEthertypeIpv4}},
      {"AllFields",
       "bfff 86dd",
       {.priority = 5, .drop_eligible = true, .vlan_id = 0xfff, .ethertype = kEthertypeIpv6}},
      {"VlanOnly", "0064 8100", {.vlan_id = 100, .ethertype = kEthertypeVlan}},
  };
  for (const auto& row : rows) ExpectBothDirections(row, ParseVlanTag, WriteVlanTag);
}

TEST(Udp, BothDirections) {
  const Row<UdpHeader> rows[] = {
      {"RoceWithoutChecksum", "c00112b7 002c0000", {49153, 4791, 44, 0}},
      {"WithChecksum", "ffff12b7 00081744", {65535, 4791, 8, 0x1744}},
      {"LengthIsNotTrusted", "000012b7 ffff0000", {0, 4791, 65535, 0}},
      {"LengthBelowTheHeader", "000012b7 00000000", {0, 4791, 0, 0}},
  };
  for (const auto& row : rows) ExpectBothDirections(row, ParseUdp, WriteUdp);
}

TEST(UdpChecksum, IsOfTheDatagramAndItsPseudoHeader) {
  const struct {
    const char* name;
    const char* source;
    const char* destination;
    const char* datagram;
    uint16_t checksum;
  } rows[] = {
      // a01 + 102 + a02 + 202 + 11 + 9 + c001 + 12b7 + 9 + 4100 = 12ae2, the complement of 2ae3.
      {"Ipv4", "10.1.1.2", "10.2.2.2", "c00112b7 00090000 41", 0xd51c},
      // fd00 + a + fd00 + b + 11 + a + c001 + 12b7 + a + 4142 = 30e34, the complement of 0e37.
      {"Ipv6", "fd00::a", "fd00::b", "c00112b7 000a0000 4142", 0xf1c8},
      {"TheOneThatStandsThereDoesNotCount", "fd00::a", "fd00::b", "c00112b7 000abeef 4142", 0xf1c8},
      {"ItsOwnIsTheSameAgain", "fd00::a", "fd00::b", "c00112b7 000af1c8 4142", 0xf1c8},
      // f1c4 is what that lacks: the sum is all ones, whose complement would mean "none was made".
      {"NeverZero", "fd00::a", "fd00::b", "c00112b7 000c0000 4142 f1c4", 0xffff},
      {"NeverZeroWithItsOwn", "fd00::a", "fd00::b", "c00112b7 000cffff 4142 f1c4", 0xffff},
      {"ShorterThanAHeader", "fd00::a", "fd00::b", "c00112b7 000a00", 0},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const IpAddress source = *IpAddress::Parse(row.source);
    const IpAddress destination = *IpAddress::Parse(row.destination);
    Bytes datagram = FromHex(row.datagram);
    EXPECT_EQ(UdpChecksum(source, destination, datagram), row.checksum);
    ASSERT_EQ(PutUdpChecksum(source, destination, datagram), row.checksum != 0);
    if (row.checksum != 0) {
      EXPECT_EQ(ParseUdp(datagram)->checksum, row.checksum);
    }
  }
}

TEST(Bth, BothDirections) {
  const Row<Bth> rows[] = {
      {"UdSendWithPad",
       "6410ffff 0000001c 00000007",
       {.opcode = 0x64, .pad = 1, .dest_qpn = 0x1c, .psn = 7}},
      {"Cnp",
       "8140ffff 40000015 00000000",
       {.opcode = 0x81, .mig_req = true, .becn = true, .dest_qpn = 0x15}},
      {"RcWriteAsksForAck",
       "0a00ffff 00123456 80fffffe",
       {.opcode = 0x0a, .dest_qpn = 0x123456, .ack_request = true, .psn = 0xfffffe}},
      {"SolicitedEventAlone", "0080ffff 00000000 00000000", {.solicited_event = true}},
      {"PadAlone", "0030ffff 00000000 00000000", {.pad = 3}},
      {"VersionAlone", "000fffff 00000000 00000000", {.tver = 15}},
      {"PKeyAlone", "00008001 00000000 00000000", {.p_key = 0x8001}},
      {"FecnAlone", "0000ffff 80000000 00000000", {.fecn = true}},
      {"QpnIs24Bits", "0000ffff 00ffffff 00000000", {.dest_qpn = 0xffffff}},
      {"PsnIs24Bits", "0000ffff 00000000 00ffffff", {.psn = 0xffffff}},
  };
  for (const auto& row : rows) ExpectBothDirections(row, ParseBth, WriteBth);
}

TEST(Bth, IgnoresReservedBitsAndWritesThemAsZero) {
  const auto parsed = ParseBth(FromHex("6410ffff 3f00001c 7f000007"));
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(ToHex(Written(*parsed, WriteBth)), "6410ffff0000001c00000007");
}

TEST(Bth, DropsWhatDoesNotFitAField) {
  const Bth wide{.pad = 0xfc, .tver = 0xf0, .dest_qpn = 0xff000000, .psn = 0xff000000};
  EXPECT_EQ(ToHex(Written(wide, WriteBth)), ToHex(Written(Bth{}, WriteBth)));
}

TEST(Bth, ParsesWhatItSerializes) {
  Random random(20250101);
  for (int i = 0; i < 10'000; ++i) {
    const Bth bth{.opcode = random.U8(),
                  .solicited_event = random.Bit(),
                  .mig_req = random.Bit(),
                  .pad = static_cast<uint8_t>(random.Below(4)),
                  .tver = static_cast<uint8_t>(random.Below(16)),
                  .p_key = random.U16(),
                  .fecn = random.Bit(),
                  .becn = random.Bit(),
                  .dest_qpn = random.U24(),
                  .ack_request = random.Bit(),
                  .psn = random.U24()};
    ASSERT_EQ(ParseBth(Written(bth, WriteBth)), bth);
  }
}

TEST(Deth, BothDirections) {
  const Row<Deth> rows[] = {
      {"QKeyAndQpn", "11111111 000abcde", {.q_key = 0x11111111, .source_qpn = 0xabcde}},
      {"QpnIs24Bits", "80010000 00ffffff", {.q_key = 0x80010000, .source_qpn = 0xffffff}},
  };
  for (const auto& row : rows) ExpectBothDirections(row, ParseDeth, WriteDeth);
}

TEST(Deth, IgnoresReservedBitsAndWritesThemAsZero) {
  const auto parsed = ParseDeth(FromHex("11111111 ff0abcde"));
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(ToHex(Written(*parsed, WriteDeth)), "11111111000abcde");
  EXPECT_EQ(ToHex(Written(Deth{.source_qpn = 0xff000001}, WriteDeth)), "0000000000000001");
}

TEST(Psn, DistanceIsSignedModulo24Bits) {
  const struct {
    const char* name;
    uint32_t a, b;
    int32_t distance;
  } rows[] = {
      {"Same", 5, 5, 0},
      {"Next", 6, 5, 1},
      {"Previous", 5, 6, -1},
      {"NextOverTheWrap", 0, 0xffffff, 1},
      {"PreviousOverTheWrap", 0xffffff, 0, -1},
      {"FarthestAhead", 0x7fffff, 0, 0x7fffff},
      {"HalfWayIsBehind", 0x800000, 0, -0x800000},
      {"BitsAbove24DoNotCount", 0xff000001, 0, 1},
  };
  for (const auto& row : rows) EXPECT_EQ(PsnDistance(row.a, row.b), row.distance) << row.name;
}

TEST(Psn, DistanceUndoesAdding) {
  Random random(7);
  for (int i = 0; i < 10'000; ++i) {
    const uint32_t start = random.U24();
    const int32_t step = static_cast<int32_t>(random.U24()) - 0x800000;
    ASSERT_EQ(PsnDistance(start + static_cast<uint32_t>(step), start), step);
  }
}

}  // namespace
}  // namespace weft::wire
