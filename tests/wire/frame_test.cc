// SPDX-License-Identifier: Apache-2.0
#include "wire/frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/wire/frame_builder.h"
#include "tests/wire/frame_cases.h"
#include "tests/wire/packets.h"
#include "wire/gre.h"
#include "wire/icrc.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"
#include "wire/mpa.h"
#include "wire/roce.h"
#include "wire/tcp.h"
#include "wire/vxlan.h"

namespace weft::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

FrameClass Dissect(LinkType link_type, const Bytes& frame, FrameView& view) {
  return DissectFrame(link_type, frame, frame.size(), {}, view);
}
FrameClass Dissect(const Bytes& frame, FrameView& view) {
  return Dissect(LinkType::kEthernet, frame, view);
}

TEST(Frame, EveryCarrierShowsTheRdmaInIt) {
  for (const FrameCase& row : RdmaFrames()) {
    SCOPED_TRACE(row.name);
    FrameView view;
    EXPECT_EQ(Dissect(row.link_type, row.frame, view), row.expected);
    EXPECT_EQ(view.frame_class, row.expected);
    EXPECT_EQ(TunnelsOf(view), row.tunnels);
    EXPECT_EQ(view.source.ToString(), row.source);
    EXPECT_EQ(view.destination.ToString(), row.destination);
    EXPECT_EQ(view.rdma.bth.dest_qpn, kCaseQpn);
    EXPECT_EQ(view.rdma.bth.psn, 7u);
    ASSERT_TRUE(view.rdma.Has(header::kReth));
    EXPECT_EQ(view.rdma.reth, (Reth{.address = 0x7f0000001000, .r_key = 0xbeef, .length = 4096}));
    EXPECT_EQ(view.rdma.payload_bytes, 13u);
    EXPECT_EQ(view.rdma.payload.size(), 13u);
    EXPECT_EQ(view.icrc, IcrcState::kOk);
  }
}

TEST(Frame, EveryOtherFrameHasItsClass) {
  for (const FrameCase& row : OtherFrames()) {
    SCOPED_TRACE(row.name);
    FrameView view;
    EXPECT_EQ(Dissect(row.link_type, row.frame, view), row.expected);
    EXPECT_EQ(TunnelsOf(view), row.tunnels);
  }
}

TEST(Frame, ShowsTheFieldsOfAPlainPacket) {
  FrameView view;
  const Bytes frame = InVlan(kEthertypeVlan, 0x6064, IpInEthernet(FromHex(kUdSendPacket)));
  ASSERT_EQ(Dissect(frame, view), FrameClass::kRoceV2);
  EXPECT_EQ(view.source, NetworkAddress::Ipv4(0x0a010102));
  EXPECT_EQ(view.destination, NetworkAddress::Ipv4(0x0a020202));
  EXPECT_EQ(view.udp_src_port, 49153);
  EXPECT_EQ(view.udp_dst_port, 4791);
  EXPECT_EQ(view.ttl, 64);
  EXPECT_EQ(view.ip_protocol, kIpProtocolUdp);
  EXPECT_EQ(view.ip_bytes, 64u);
  EXPECT_EQ(view.mac_source, kTestMacSource);
  EXPECT_EQ(view.mac_destination, kTestMacDestination);
  EXPECT_EQ(view.ethertype, kEthertypeIpv4);
  EXPECT_TRUE(view.is_tagged);
  EXPECT_EQ(view.vlan_id, 100);
  EXPECT_EQ(view.vlan_priority, 3);
  EXPECT_EQ(view.rdma.deth, (Deth{.q_key = 0x11111111, .source_qpn = 0xabcde}));
  EXPECT_EQ(ToHex(view.rdma.payload), "7765667431616263646566");
  EXPECT_EQ(view.icrc, IcrcState::kOk);
}

TEST(Frame, ShowsTheFieldsOfIpv6) {
  FrameView view;
  const Bytes frame = IpInEthernet(FromHex(kIpv6WritePacket));
  ASSERT_EQ(Dissect(frame, view), FrameClass::kRoceV2);
  EXPECT_EQ(view.source.ToString(), "fd00::a");
  EXPECT_EQ(view.traffic_class, 0x6a);
  EXPECT_EQ(view.flow_label, 0x12345u);
  EXPECT_EQ(view.ip_bytes, 88u);
  EXPECT_FALSE(view.is_tagged);
  EXPECT_EQ(ToHex(view.rdma.payload), "3820627974657321");
  EXPECT_EQ(view.icrc, IcrcState::kOk);
}

TEST(Frame, ShowsTheFieldsOfInfiniband) {
  FrameView view;
  ASSERT_EQ(Dissect(LinkType::kInfiniband, Infiniband(PacketOf(0x11, 9, 8), true, true), view),
            FrameClass::kInfiniband);
  EXPECT_EQ(view.source_lid, 17);
  EXPECT_EQ(view.destination_lid, 18);
  EXPECT_EQ(view.service_level, 3);
  EXPECT_EQ(view.source, NetworkAddress::Gid(0xfe80000000000000, 0xa));
  EXPECT_EQ(view.traffic_class, 0x6a);
  EXPECT_EQ(view.flow_label, 0x12345u);
  EXPECT_EQ(view.ttl, 63);
  EXPECT_EQ(view.rdma.aeth, (Aeth{.syndrome = 0x60, .msn = 5}));
}

TEST(Frame, ReadsThePublishedRoceV1Nak) {
  const Bytes frame = InEthernet(
      kEthertypeRoceV1,
      FromHex("60000000 00141b01 fe800000 00000000 020000ff fe000001 fe800000 00000000 020000ff"
              "fe000002 1100ffff 00000015 00000010 60000005 56f1a6c6"));
  FrameView view;
  ASSERT_EQ(Dissect(frame, view), FrameClass::kRoceV1);
  EXPECT_EQ(view.rdma.bth.dest_qpn, 0x15u);
  EXPECT_EQ(view.rdma.bth.psn, 0x10u);
  EXPECT_EQ(view.rdma.aeth, (Aeth{.syndrome = 0x60, .msn = 5}));
  EXPECT_EQ(view.icrc, IcrcState::kOk);
}

TEST(Frame, RoceIsKnownByItsDestinationPort) {
  // An ACK whose source port is TFTP's, as old soft-RoCE sends them for QP 69; and a CNP from 0.
  for (const uint16_t source_port : {uint16_t{69}, uint16_t{0}, uint16_t{4789}, uint16_t{53}}) {
    FrameView view;
    const Bytes packet =
        RoceV2(IpAddress::V4(1), IpAddress::V4(2), source_port, PacketOf(0x11, 0x15, 3));
    ASSERT_EQ(Dissect(IpInEthernet(packet), view), FrameClass::kRoceV2) << source_port;
    EXPECT_EQ(view.udp_src_port, source_port);
  }
}

TEST(Frame, AReservedOpcodeIsRoceOnlyWithARightIcrc) {
  const Bytes good =
      IpInEthernet(RoceV2(IpAddress::V4(1), IpAddress::V4(2), 49153, PacketOf(0x1f, 0x15, 3)));
  FrameView view;
  EXPECT_EQ(Dissect(good, view), FrameClass::kRoceV2);
  EXPECT_EQ(DissectFrame(LinkType::kEthernet, First(good, good.size() - 1), good.size(), {}, view),
            FrameClass::kCut);
  EXPECT_EQ(DissectFrame(LinkType::kEthernet, good, good.size(), {.check_icrc = false}, view),
            FrameClass::kRoceV2);
  EXPECT_EQ(view.icrc, IcrcState::kCut) << "not asked for";
  Bytes bad = good;
  bad.back() ^= std::byte{1};
  EXPECT_EQ(Dissect(bad, view), FrameClass::kNotRoce);
}

TEST(Frame, AVendorsOpcodeIsRoce) {
  FrameView view;
  const Bytes packet = RoceV2(IpAddress::V4(1), IpAddress::V4(2), 49153, PacketOf(0xc3, 0x15, 3));
  ASSERT_EQ(Dissect(IpInEthernet(packet), view), FrameClass::kRoceV2);
  EXPECT_EQ(view.rdma.info().transport, Transport::kVendor);
}

TEST(Frame, AnIcrcIsBadOnlyWhereAllOfItIsThere) {
  for (const FrameCase& row : RdmaFrames()) {
    SCOPED_TRACE(row.name);
    FrameView view;
    Bytes bad = row.frame;
    // The last byte that the ICRC covers, in front of it and of a VCRC where there is one.
    const bool has_vcrc = row.name.ends_with("Vcrc");
    bad[bad.size() - (has_vcrc ? 7 : 5)] ^= std::byte{1};
    EXPECT_EQ(Dissect(row.link_type, bad, view), row.expected);
    EXPECT_EQ(view.icrc, IcrcState::kBad);
    EXPECT_EQ(DissectFrame(row.link_type, First(bad, bad.size() - (has_vcrc ? 3 : 1)), bad.size(),
                           {}, view),
              row.expected);
    EXPECT_EQ(view.icrc, IcrcState::kCut);
  }
}

TEST(Frame, TheInnermostHeadersCount) {
  const Bytes inner = InVlan(kEthertypeVlan, 0xa007, InEthernet(0x0806, Bytes(28)));
  FrameView view;
  ASSERT_EQ(
      Dissect(InVlan(kEthertypeVlan, 0x6064, IpInEthernet(InIpv4(17, InVxlan(4789, inner)))), view),
      FrameClass::kArp);
  EXPECT_TRUE(view.source.empty()) << "ARP has no network header";
  EXPECT_EQ(view.ip_bytes, 0u);
  EXPECT_EQ(view.udp_dst_port, 0);
  EXPECT_EQ(view.vlan_id, 7);
  EXPECT_EQ(view.vlan_priority, 5);
  EXPECT_EQ(view.ethertype, 0x0806);
  EXPECT_EQ(view.mac_source, kTestMacSource) << "of the outermost Ethernet header";
}

TEST(Frame, PauseFramesShowTheirQuanta) {
  FrameView view;
  for (const FrameCase& row : OtherFrames()) {
    if (row.name != "Pfc" && row.name != "Pause") continue;
    Dissect(row.frame, view);
    EXPECT_EQ(view.pause.is_pfc, row.name == "Pfc");
    EXPECT_EQ(view.pause.quanta[3], row.name == "Pfc" ? 0xffff : 0x1234);
    EXPECT_TRUE(view.pause.Pauses());
  }
}

TEST(Frame, ALldpFrameShowsItsUnit) {
  FrameView view;
  const Bytes frame = InEthernet(0x88cc, FromHex("0207 0000"));
  ASSERT_EQ(Dissect(frame, view), FrameClass::kLldp);
  EXPECT_EQ(ToHex(view.lldp), "02070000");
}

TEST(Frame, FragmentsAreCountedAndNeverGuessed) {
  const Bytes whole =
      IpInEthernet(RoceV2(IpAddress::V4(1), IpAddress::V4(2), 49153, PacketOf(0x0a, 0x15, 3)));
  for (const uint16_t fragment : {uint16_t{0x2000}, uint16_t{0x0001}, uint16_t{0x2010}}) {
    Bytes frame = whole;
    frame[20] = static_cast<std::byte>(fragment >> 8);
    frame[21] = static_cast<std::byte>(fragment & 0xff);
    FrameView view;
    EXPECT_EQ(Dissect(frame, view), FrameClass::kFragment);
    EXPECT_EQ(view.source, NetworkAddress::Ipv4(1));
  }
  // IPv6: a first fragment is one, an atomic one (RFC 6946) is a whole packet.
  const Bytes plain = FromHex(kIpv6WritePacket);
  for (const bool is_atomic : {false, true}) {
    Bytes packet =
        Join(First(plain, 40), FromHex(is_atomic ? "1100000000000001" : "1100000100000001"));
    packet = Join(packet, std::span(plain).subspan(40));
    packet[5] = std::byte{0x38};
    packet[6] = std::byte{44};
    FrameView view;
    EXPECT_EQ(Dissect(IpInEthernet(packet), view),
              is_atomic ? FrameClass::kRoceV2 : FrameClass::kFragment);
  }
}

TEST(Frame, ALengthOfZeroReachesToTheEndOfTheFrame) {
  const Bytes segment =
      Join(Written(TcpHeader{.source_port = 1, .destination_port = 2}, WriteTcp), Bytes(3000));
  Bytes packet = InIpv4(kIpProtocolTcp, segment);
  packet[2] = packet[3] = std::byte{0};
  FrameView view;
  EXPECT_EQ(Dissect(IpInEthernet(packet), view), FrameClass::kTcp);
  EXPECT_EQ(view.ip_bytes, 3040u);
  Bytes v6 = InIpv6(kIpProtocolTcp, segment);
  v6[4] = v6[5] = std::byte{0};
  EXPECT_EQ(Dissect(IpInEthernet(v6), view), FrameClass::kTcp);
  EXPECT_EQ(view.ip_bytes, 3060u);
}

TEST(Frame, AJumbogramsLengthIsThatOfItsOption) {
  // Hop-by-hop options: next header TCP, PadN of no bytes left out, jumbo payload of 100,000.
  const Bytes options = FromHex("0600 c204 000186a0");
  const Bytes segment =
      Join(Written(TcpHeader{.source_port = 1, .destination_port = 2}, WriteTcp), Bytes(3000));
  Bytes packet = InIpv6(0, Join(options, segment));
  packet[4] = packet[5] = std::byte{0};
  FrameView view;
  EXPECT_EQ(Dissect(IpInEthernet(packet), view), FrameClass::kTcp);
  EXPECT_EQ(view.ip_bytes, 100040u);
  EXPECT_EQ(view.ip_protocol, kIpProtocolTcp);
}

TEST(Frame, SeesBehindIpv4Options) {
  const Bytes plain = FromHex(kUdSendPacket);
  const Bytes options = FromHex("94040000");
  Bytes packet = Join(Written(Ipv4Header{.total_bytes = 68,
                                         .dont_fragment = true,
                                         .protocol = kIpProtocolUdp,
                                         .source = IpAddress::V4(0x0a010102),
                                         .destination = IpAddress::V4(0x0a020202),
                                         .options = options},
                              WriteIpv4),
                      std::span(plain).subspan(20));
  FrameView view;
  ASSERT_EQ(Dissect(IpInEthernet(packet), view), FrameClass::kRoceV2);
  EXPECT_EQ(view.icrc, IcrcState::kBad) << "they are covered, and were not there when it was made";
  WriteIcrc(*RoceIpv4Icrc(First(packet, 32), std::span(packet).subspan(32, packet.size() - 36)),
            std::span(packet).last<4>());
  ASSERT_EQ(Dissect(IpInEthernet(packet), view), FrameClass::kRoceV2);
  EXPECT_EQ(view.icrc, IcrcState::kOk);
  EXPECT_EQ(view.rdma.bth.psn, 7u);
}

TEST(Frame, AMirrorThatCutsItsCopyDoesNotMakeItMalformed) {
  // The frame on the wire, in ERSPAN, is all there, but the mirrored one in it was cut at 64 bytes.
  const Bytes inner =
      IpInEthernet(RoceV2(IpAddress::V4(1), IpAddress::V4(2), 49153, PacketOf(0x0a, 0x15, 3)));
  const Bytes frame = IpInEthernet(
      InIpv4(kIpProtocolGre, InGre(Gre{.protocol = 0x88be}, std::span(inner).first(64))));
  FrameView view;
  ASSERT_EQ(Dissect(frame, view), FrameClass::kRoceV2);
  EXPECT_THAT(TunnelsOf(view), ElementsAre(Tunnel::kErspan1));
  EXPECT_EQ(view.icrc, IcrcState::kCut);
  EXPECT_EQ(view.rdma.payload_bytes, 13u);
}

TEST(Frame, IwarpIsNamedByWholeFramesOfItAlone) {
  // A tagged FPDU (RDMAP WRITE, last): length 14 + 8, DDP and RDMAP version 1.
  const Bytes covered = FromHex("0016 c140 00001234 0000000000000000 3820627974657321");
  Bytes fpdu = covered;
  const uint32_t crc = Crc32c(covered);
  for (int shift = 0; shift < 32; shift += 8) fpdu.push_back(static_cast<std::byte>(crc >> shift));
  const auto frame = [](const Bytes& payload) {
    return IpInEthernet(InIpv4(
        6, Join(Written(TcpHeader{.source_port = 1, .destination_port = 2}, WriteTcp), payload)));
  };
  FrameView view;
  EXPECT_EQ(Dissect(frame(fpdu), view), FrameClass::kIwarp);
  EXPECT_EQ(Dissect(frame(Join(fpdu, fpdu)), view), FrameClass::kIwarp);
  Bytes bad = fpdu;
  bad.back() ^= std::byte{1};
  EXPECT_EQ(Dissect(frame(bad), view), FrameClass::kTcp) << "wrong CRC";
  EXPECT_EQ(Dissect(frame(Join(fpdu, First(fpdu, 5))), view), FrameClass::kTcp) << "a part of one";
  EXPECT_EQ(Dissect(frame({}), view), FrameClass::kTcp);
  const Bytes whole = frame(fpdu);
  EXPECT_EQ(DissectFrame(LinkType::kEthernet, First(whole, 70), whole.size(), {}, view),
            FrameClass::kTcp)
      << "cut: cannot be told";
}

TEST(Frame, NamesItsLinkTypes) {
  size_t known = 0;
  for (uint32_t number = 0; number <= 0xffff; ++number) {
    const auto type = static_cast<LinkType>(number);
    if (IsKnownLinkType(static_cast<uint16_t>(number))) {
      ++known;
      EXPECT_STRNE(ToString(type), "link type unknown to Weft");
    } else {
      EXPECT_STREQ(ToString(type), "link type unknown to Weft");
    }
  }
  EXPECT_EQ(known, 11u);
}

TEST(Frame, NamesEveryClassDifferently) {
  std::vector<std::string> names;
  for (size_t i = 0; i < kFrameClasses; ++i) names.push_back(ToString(static_cast<FrameClass>(i)));
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
  EXPECT_THAT(names, ::testing::Not(::testing::Contains("unknown")));
}

}  // namespace
}  // namespace weft::wire
