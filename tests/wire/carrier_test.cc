// SPDX-License-Identifier: Apache-2.0
// The headers of what carries RDMA. One row, both directions; every truncation rejected; bytes
// behind a header are left alone.
#include <gtest/gtest.h>

#include "tests/wire/hex.h"
#include "tests/wire/random.h"
#include "wire/erf.h"
#include "wire/erspan.h"
#include "wire/geneve.h"
#include "wire/gre.h"
#include "wire/grh.h"
#include "wire/ipoib.h"
#include "wire/linux_sll.h"
#include "wire/lrh.h"
#include "wire/mpa.h"
#include "wire/mpls.h"
#include "wire/network_address.h"
#include "wire/null_loop.h"
#include "wire/pause.h"
#include "wire/tcp.h"
#include "wire/vxlan.h"

namespace weft::wire {
namespace {

template <typename Header, typename Parse, typename Write>
void ExpectBothDirections(const char* hex, const Header& header, Parse parse, Write write) {
  SCOPED_TRACE(hex);
  Bytes bytes = FromHex(hex);
  const auto parsed = parse(bytes);
  ASSERT_TRUE(parsed.has_value());
  EXPECT_TRUE(*parsed == header);
  EXPECT_EQ(ToHex(Written(header, write)), ToHex(bytes));
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(parse(First(bytes, size)).has_value()) << size << " bytes";
  }
  bytes.push_back(std::byte{0xff});
  const auto longer = parse(bytes);
  ASSERT_TRUE(longer.has_value());
  EXPECT_TRUE(*longer == header);
}

// Any bytes, read and written and read again, are the same header: what is reserved is lost, the
// rest is not.
template <typename Parse, typename Write>
void ExpectReservedBitsIgnored(size_t header_bytes, Parse parse, Write write) {
  Random random(11);
  for (int round = 0; round < 500; ++round) {
    const Bytes bytes = random.Octets(header_bytes);
    const auto header = parse(bytes);
    if (!header.has_value()) continue;
    const Bytes written = Written(*header, write);
    const auto again = parse(written);
    ASSERT_TRUE(again.has_value());
    EXPECT_TRUE(*again == *header) << ToHex(bytes);
  }
}

TEST(Mpls, BothDirections) {
  ExpectBothDirections("000101ff", MplsLabel{.label = 16, .is_bottom = true, .ttl = 255},
                       ParseMplsLabel, WriteMplsLabel);
  ExpectBothDirections("fffffe40", MplsLabel{.label = 0xfffff, .traffic_class = 7, .ttl = 64},
                       ParseMplsLabel, WriteMplsLabel);
  ExpectReservedBitsIgnored(4, ParseMplsLabel, WriteMplsLabel);
}

TEST(Vxlan, BothDirections) {
  ExpectBothDirections("0800000000123400", Vxlan{.has_vni = true, .vni = 0x1234}, ParseVxlan,
                       WriteVxlan);
  ExpectBothDirections("0c000002ffffff00",
                       Vxlan{.has_vni = true,
                             .has_next_protocol = true,
                             .next_protocol = kVxlanNextIpv6,
                             .vni = 0xffffff},
                       ParseVxlan, WriteVxlan);
  ExpectReservedBitsIgnored(8, ParseVxlan, WriteVxlan);
}

TEST(Geneve, BothDirections) {
  ExpectBothDirections("0000655800000700", Geneve{.protocol = 0x6558, .vni = 7}, ParseGeneve,
                       WriteGeneve);
  const Bytes options = FromHex("0103010200000000");
  ExpectBothDirections("42c0080000123400 0103010200000000",
                       Geneve{.version = 1,
                              .is_control = true,
                              .has_critical_options = true,
                              .protocol = 0x0800,
                              .vni = 0x1234,
                              .options = options},
                       ParseGeneve, WriteGeneve);
  ExpectReservedBitsIgnored(8, ParseGeneve, WriteGeneve);
}

TEST(Geneve, RefusesToWriteOptionsThatDoNotFit) {
  for (const size_t size : {size_t{3}, size_t{256}}) {
    Bytes out(512);
    ByteWriter writer(out);
    const Bytes options(size);
    WriteGeneve({.options = options}, writer);
    EXPECT_FALSE(writer.ok()) << size;
  }
}

TEST(Gre, BothDirections) {
  ExpectBothDirections("00000800", Gre{.protocol = 0x0800}, ParseGre, WriteGre);
  ExpectBothDirections("100088be 00000001", Gre{.protocol = 0x88be, .sequence = 1}, ParseGre,
                       WriteGre);
  ExpectBothDirections("b0006558 12340000 00000005 00000006",
                       Gre{.protocol = 0x6558, .checksum = 0x1234, .key = 5, .sequence = 6},
                       ParseGre, WriteGre);
  ExpectBothDirections("0001880b", Gre{.version = 1, .protocol = 0x880b}, ParseGre, WriteGre);
  EXPECT_TRUE(ParseGre(FromHex("40000800"))->has_routing);
}

TEST(Erspan, BothDirections) {
  ExpectBothDirections("10070064 00000005", Erspan2{.vlan_id = 7, .session = 100, .index = 5},
                       ParseErspan2, WriteErspan2);
  ExpectBothDirections("1fffffff 000fffff",
                       Erspan2{.vlan_id = 0xfff,
                               .class_of_service = 7,
                               .encapsulation = 3,
                               .is_truncated = true,
                               .session = 0x3ff,
                               .index = 0xfffff},
                       ParseErspan2, WriteErspan2);
  // From a real switch: frame type 7, "bad" frame.
  ExpectBothDirections("20011865 34760b01 00001e00",
                       Erspan3{.vlan_id = 1,
                               .damage = 3,
                               .session = 0x65,
                               .timestamp = 0x34760b01,
                               .frame_type = 7,
                               .hardware_id = 32},
                       ParseErspan3, WriteErspan3);
  ExpectReservedBitsIgnored(8, ParseErspan2, WriteErspan2);
  ExpectReservedBitsIgnored(12, ParseErspan3, WriteErspan3);
}

TEST(Grh, BothDirections) {
  ExpectBothDirections(
      "66a12345 00141b3f fe800000 00000000 020000ff fe000001 fe800000 00000000 020000ff fe000002",
      Grh{.traffic_class = 0x6a,
          .flow_label = 0x12345,
          .payload_bytes = 20,
          .hop_limit = 63,
          .source = NetworkAddress::Gid(0xfe80000000000000, 0x020000fffe000001),
          .destination = NetworkAddress::Gid(0xfe80000000000000, 0x020000fffe000002)},
      ParseGrh, WriteGrh);
  ExpectReservedBitsIgnored(40, ParseGrh, WriteGrh);
}

TEST(Lrh, BothDirections) {
  ExpectBothDirections("1033 0012 0013 0011",
                       Lrh{.virtual_lane = 1,
                           .service_level = 3,
                           .next = Lrh::Next::kGrh,
                           .destination_lid = 18,
                           .packet_words = 19,
                           .source_lid = 17},
                       ParseLrh, WriteLrh);
  EXPECT_EQ(ParseLrh(FromHex("f0fe ffff ffff ffff"))->packet_bytes(), 0x7ffu * 4);
  ExpectReservedBitsIgnored(8, ParseLrh, WriteLrh);
}

TEST(LinuxSll, BothDirections) {
  ExpectBothDirections(
      "0004 0001 0006 020000000001 0000 0800",
      LinuxSll{.packet_type = 4, .address = {2, 0, 0, 0, 0, 1, 0, 0}, .protocol = 0x0800},
      ParseLinuxSll, WriteLinuxSll);
  ExpectBothDirections("86dd 0000 00000003 0020 04 14 0102030405060708",
                       LinuxSll2{.protocol = 0x86dd,
                                 .interface_index = 3,
                                 .arp_hardware = 32,
                                 .packet_type = 4,
                                 .address_bytes = 20,
                                 .address = {1, 2, 3, 4, 5, 6, 7, 8}},
                       ParseLinuxSll2, WriteLinuxSll2);
  ExpectReservedBitsIgnored(16, ParseLinuxSll, WriteLinuxSll);
  ExpectReservedBitsIgnored(20, ParseLinuxSll2, WriteLinuxSll2);
}

TEST(Erf, BothDirections) {
  ExpectBothDirections("0000008000efcd65 15 04 0040 0000 0030",
                       Erf{.timestamp = 0x65cdef0080000000,
                           .type = kErfInfiniband,
                           .flags = 4,
                           .record_bytes = 64,
                           .wire_bytes = 48},
                       ParseErf, WriteErf);
  const Bytes extensions = FromHex("8500000000000000 0500000000000000");
  ExpectBothDirections("0000008000efcd65 82 04 0050 0000 0030 8500000000000000 0500000000000000",
                       Erf{.timestamp = 0x65cdef0080000000,
                           .type = kErfEthernet,
                           .flags = 4,
                           .record_bytes = 80,
                           .wire_bytes = 48,
                           .extensions = extensions},
                       ParseErf, WriteErf);
}

TEST(Erf, ExtensionHeadersWithoutEndAreRefused) {
  Bytes record = FromHex("0000008000efcd65 82 04 0050 0000 0030");
  for (size_t i = 0; i <= kErfMaxExtensions; ++i) {
    const Bytes one = FromHex("8500000000000000");
    record.insert(record.end(), one.begin(), one.end());
  }
  EXPECT_FALSE(ParseErf(record).has_value());
  record[record.size() - 2 * kErfExtensionBytes] = std::byte{5};
  EXPECT_TRUE(ParseErf(record).has_value()) << "as many as there may be";
}

TEST(NullLoop, FamiliesOfEverySystemInEitherByteOrder) {
  const struct {
    const char* hex;
    LoopFamily expected;
  } rows[] = {
      {"02000000", LoopFamily::kIpv4},  {"00000002", LoopFamily::kIpv4},
      {"0a000000", LoopFamily::kIpv6},  {"0000000a", LoopFamily::kIpv6},
      {"18000000", LoopFamily::kIpv6},  {"0000001c", LoopFamily::kIpv6},
      {"1e000000", LoopFamily::kIpv6},  {"00000000", LoopFamily::kOther},
      {"17000000", LoopFamily::kOther}, {"ffffffff", LoopFamily::kOther},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(ParseNullLoop(FromHex(row.hex)), row.expected) << row.hex;
  }
  ExpectBothDirections("00000002", LoopFamily::kIpv4, ParseNullLoop, WriteNullLoop);
  ExpectBothDirections("0000001e", LoopFamily::kIpv6, ParseNullLoop, WriteNullLoop);
}

TEST(Ipoib, BothDirections) {
  Ipoib header{.ethertype = 0x0806};
  header.destination[0] = 0x80;
  header.destination[19] = 0x51;
  ExpectBothDirections(
      "0000000000000000000000000000000000000000 8000000000000000000000000000000000000051 0806 0000",
      header, ParseIpoib, WriteIpoib);
  ExpectReservedBitsIgnored(44, ParseIpoib, WriteIpoib);
}

TEST(Tcp, BothDirections) {
  const Bytes options = FromHex("020405b4");
  ExpectBothDirections("0fa0 1388 00000001 00000002 60 12 ffff 1234 0000 020405b4",
                       TcpHeader{.source_port = 4000,
                                 .destination_port = 5000,
                                 .sequence = 1,
                                 .acknowledgment = 2,
                                 .flags = 0x12,
                                 .window = 0xffff,
                                 .checksum = 0x1234,
                                 .options = options},
                       ParseTcp, WriteTcp);
  EXPECT_FALSE(ParseTcp(FromHex("0fa01388 00000001 00000002 40120000 00000000")).has_value())
      << "an offset of four words";
}

TEST(Pause, BothDirections) {
  const PauseFrame pfc{
      .is_pfc = true, .enabled_classes = 0x18, .quanta = {0, 0, 0, 0xffff, 0, 0, 0, 0}};
  ExpectBothDirections("0101 0018 0000 0000 0000 ffff 0000 0000 0000 0000", pfc, ParsePause,
                       WritePause);
  PauseFrame pause{.enabled_classes = 0xff};
  pause.quanta.fill(0x1234);
  ExpectBothDirections("0001 1234", pause, ParsePause, WritePause);
  EXPECT_FALSE(ParsePause(FromHex("0004 0000")).has_value()) << "another opcode";
}

TEST(Pause, ResumingIsNoPause) {
  PauseFrame frame{.is_pfc = true, .enabled_classes = 0x08};
  frame.quanta[4] = 0xffff;
  EXPECT_FALSE(frame.Pauses()) << "class 3 resumes, class 4 is not meant";
  frame.quanta[3] = 1;
  EXPECT_TRUE(frame.Pauses());
  EXPECT_TRUE(frame.Enables(3));
  EXPECT_FALSE(frame.Enables(4));
}

TEST(NetworkAddress, ReadsAndPrintsEveryKind) {
  EXPECT_EQ(NetworkAddress().ToString(), "");
  EXPECT_EQ(NetworkAddress::Of(IpAddress()), NetworkAddress());
  for (const char* text : {"10.1.1.2", "fd00::1", "::ffff:10.1.1.2"}) {
    EXPECT_EQ(NetworkAddress::Of(*IpAddress::Parse(text)).ToString(), text);
  }
  EXPECT_EQ(NetworkAddress::Gid(0, 0xffff0a010102).ToString(), "::ffff:10.1.1.2");
  EXPECT_EQ(NetworkAddress::Lid(18).ToString(), "lid 18");
  EXPECT_NE(NetworkAddress::Gid(0, 5), NetworkAddress::Ipv6(0, 5));
}

TEST(Mpa, ItsCrcIsThatOfTheStandard) {
  // RFC 3720, appendix B.4.
  EXPECT_EQ(Crc32c(Bytes(32)), 0x8a9136aau);
  EXPECT_EQ(Crc32c(Bytes(32, std::byte{0xff})), 0x62a8ab43u);
}

}  // namespace
}  // namespace weft::wire
