// SPDX-License-Identifier: Apache-2.0
#include "tests/wire/frame_cases.h"

#include "tests/wire/frame_builder.h"
#include "tests/wire/packets.h"
#include "wire/erf.h"
#include "wire/erspan.h"
#include "wire/geneve.h"
#include "wire/ipoib.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"
#include "wire/linux_sll.h"
#include "wire/mpls.h"
#include "wire/null_loop.h"
#include "wire/tcp.h"
#include "wire/vxlan.h"

namespace weft::wire {
namespace {

constexpr const char* kV4Source = "10.1.1.2";
constexpr const char* kV4Destination = "10.2.2.2";
constexpr const char* kV6Source = "fd00::a";
constexpr const char* kV6Destination = "fd00::b";
constexpr const char* kGidSource = "fe80::a";
constexpr const char* kGidDestination = "fe80::b";
constexpr uint8_t kProtocolIpv4 = 4;
constexpr uint8_t kProtocolIpv6 = 41;

RdmaPacket Write() { return PacketOf(0x0a, kCaseQpn, 7); }

Bytes V4Packet() {
  return RoceV2(*IpAddress::Parse(kV4Source), *IpAddress::Parse(kV4Destination), 49153, Write());
}
Bytes V6Packet() {
  return RoceV2(*IpAddress::Parse(kV6Source), *IpAddress::Parse(kV6Destination), 49153, Write());
}

FrameCase OverV4(std::string name, Bytes frame, std::vector<Tunnel> tunnels = {},
                 LinkType link_type = LinkType::kEthernet) {
  return {.name = std::move(name),
          .link_type = link_type,
          .frame = std::move(frame),
          .tunnels = std::move(tunnels),
          .source = kV4Source,
          .destination = kV4Destination};
}
FrameCase OverV6(std::string name, Bytes frame, std::vector<Tunnel> tunnels = {},
                 LinkType link_type = LinkType::kEthernet) {
  return {.name = std::move(name),
          .link_type = link_type,
          .frame = std::move(frame),
          .tunnels = std::move(tunnels),
          .source = kV6Source,
          .destination = kV6Destination};
}

void Append(std::vector<FrameCase>& cases, std::vector<FrameCase> more) {
  cases.insert(cases.end(), more.begin(), more.end());
}

std::vector<FrameCase> PlainFrames() {
  const Bytes v4 = IpInEthernet(V4Packet());
  const Bytes v6 = IpInEthernet(V6Packet());
  return {
      OverV4("V4", v4),
      OverV6("V6", v6),
      OverV4("Vlan", InVlan(kEthertypeVlan, 0x6064, v4)),
      OverV6("VlanV6", InVlan(kEthertypeVlan, 0x6064, v6)),
      OverV4("ServiceVlan", InVlan(kEthertypeServiceVlan, 0x6064, v4)),
      OverV4("QinQ", InVlan(kEthertypeServiceVlan, 0x6064, InVlan(kEthertypeVlan, 0xe001, v4))),
      OverV4("OldQinQ", InVlan(0x9100, 0x6064, InVlan(kEthertypeVlan, 0xe001, v4))),
      OverV4("FourTags", InVlan(kEthertypeVlan, 0x6064,
                                InVlan(kEthertypeVlan, 1,
                                       InVlan(kEthertypeVlan, 2, InVlan(kEthertypeVlan, 3, v4))))),
  };
}

std::vector<FrameCase> LinkFrames() {
  const Bytes v4 = V4Packet();
  const Bytes v6 = V6Packet();
  const Bytes sll = Written(LinuxSll{.protocol = kEthertypeIpv4}, WriteLinuxSll);
  const Bytes sll_vlan =
      Join(Written(LinuxSll{.protocol = kEthertypeVlan}, WriteLinuxSll), FromHex("60640800"));
  const Bytes sll2 = Written(LinuxSll2{.protocol = kEthertypeIpv6}, WriteLinuxSll2);
  const Bytes ipoib = Written(Ipoib{.ethertype = kEthertypeIpv4}, WriteIpoib);
  std::vector<FrameCase> cases = {
      OverV4("RawIpV4", v4, {}, LinkType::kRawIp),
      OverV6("RawIpV6", v6, {}, LinkType::kRawIp),
      OverV4("RawIpv4", v4, {}, LinkType::kIpv4),
      OverV6("RawIpv6", v6, {}, LinkType::kIpv6),
      OverV4("Cooked", Join(sll, v4), {}, LinkType::kLinuxSll),
      OverV4("CookedVlan", Join(sll_vlan, v4), {}, LinkType::kLinuxSll),
      OverV6("Cooked2", Join(sll2, v6), {}, LinkType::kLinuxSll2),
      OverV4("Ipoib", Join(ipoib, v4), {}, LinkType::kIpoib),
      OverV4("LoopV4", Join(FromHex("00000002"), v4), {}, LinkType::kLoop),
      OverV4("NullV4BigEndian", Join(FromHex("00000002"), v4), {}, LinkType::kNull),
      OverV4("NullV4LittleEndian", Join(FromHex("02000000"), v4), {}, LinkType::kNull),
  };
  for (const char* family : {"0a", "18", "1c", "1e"}) {
    const std::string little = std::string(family) + "000000";
    const std::string big = "000000" + std::string(family);
    cases.push_back(OverV6("NullV6_" + little, Join(FromHex(little), v6), {}, LinkType::kNull));
    cases.push_back(OverV6("NullV6_" + big, Join(FromHex(big), v6), {}, LinkType::kNull));
  }
  return cases;
}

std::vector<FrameCase> InfinibandFrames() {
  const Bytes two_extensions = FromHex("8500000000000000 0500000000000000");
  const Bytes with_grh = Infiniband(Write(), true, false);
  const auto of = [](std::string name, FrameClass frame_class, LinkType link_type, Bytes frame,
                     bool has_grh) {
    return FrameCase{.name = std::move(name),
                     .link_type = link_type,
                     .frame = std::move(frame),
                     .expected = frame_class,
                     .source = has_grh ? kGidSource : "lid 17",
                     .destination = has_grh ? kGidDestination : "lid 18"};
  };
  const auto ib = FrameClass::kInfiniband;
  return {
      of("RoceV1", FrameClass::kRoceV1, LinkType::kEthernet,
         InEthernet(kEthertypeRoceV1, RoceV1(Write())), true),
      of("RoceV1Vlan", FrameClass::kRoceV1, LinkType::kEthernet,
         InVlan(kEthertypeVlan, 0x6064, InEthernet(kEthertypeRoceV1, RoceV1(Write()))), true),
      of("InfinibandLocal", ib, LinkType::kInfiniband, Infiniband(Write(), false, false), false),
      of("InfinibandLocalVcrc", ib, LinkType::kInfiniband, Infiniband(Write(), false, true), false),
      of("InfinibandGlobal", ib, LinkType::kInfiniband, with_grh, true),
      of("InfinibandGlobalVcrc", ib, LinkType::kInfiniband, Infiniband(Write(), true, true), true),
      of("ErfInfiniband", ib, LinkType::kErf, InErf(kErfInfiniband, {}, with_grh), true),
      of("ErfInfinibandExtensions", ib, LinkType::kErf,
         InErf(kErfInfiniband, two_extensions, with_grh), true),
      OverV4("ErfEthernet", InErf(kErfEthernet, {}, IpInEthernet(V4Packet())), {}, LinkType::kErf),
      OverV4("ErfIpv4", InErf(kErfIpv4, {}, V4Packet()), {}, LinkType::kErf),
  };
}

std::vector<FrameCase> MplsFrames() {
  const Bytes v4 = V4Packet();
  const Bytes inner = IpInEthernet(v4);
  const Bytes control_word = FromHex("00000000");
  return {
      OverV4("Mpls", InEthernet(kEthertypeMpls, InMpls(1, v4)), {Tunnel::kMpls}),
      OverV6("MplsThreeLabels", InEthernet(kEthertypeMpls, InMpls(3, V6Packet())), {Tunnel::kMpls}),
      OverV4("MplsMulticast", InEthernet(kEthertypeMplsMulticast, InMpls(2, v4)), {Tunnel::kMpls}),
      OverV4("Pseudowire", InEthernet(kEthertypeMpls, InMpls(2, Join(control_word, inner))),
             {Tunnel::kMpls}),
      OverV4("PseudowireNoControlWord", InEthernet(kEthertypeMpls, InMpls(2, inner)),
             {Tunnel::kMpls}),
      OverV4("MplsInIp", IpInEthernet(InIpv4(kIpProtocolMpls, InMpls(1, v4))), {Tunnel::kMpls}),
  };
}

std::vector<FrameCase> TunnelFrames() {
  const Bytes v4 = V4Packet();
  const Bytes v6 = V6Packet();
  const Bytes inner = IpInEthernet(v4);
  const Bytes tagged = InVlan(kEthertypeVlan, 0x6064, inner);
  const auto in_udp = [](const Bytes& datagram) { return IpInEthernet(InIpv4(17, datagram)); };
  const auto in_gre = [](const Gre& gre, const Bytes& payload) {
    return IpInEthernet(InIpv4(kIpProtocolGre, InGre(gre, payload)));
  };
  const Gre all_fields{.protocol = kEthertypeIpv6, .checksum = 1, .key = 2, .sequence = 3};
  const Gre bridging{.protocol = kEthertypeTransparentBridging, .key = 5};
  const Bytes ip_in_ip = InIpv4(kProtocolIpv4, v4);
  const Bytes vxlan = in_udp(InVxlan(kVxlanUdpPort, inner));
  return {
      OverV4("Vxlan", vxlan, {Tunnel::kVxlan}),
      OverV4("VxlanLinuxPort", in_udp(InVxlan(kVxlanLinuxUdpPort, tagged)), {Tunnel::kVxlan}),
      OverV4("VxlanOverV6", IpInEthernet(InIpv6(17, InVxlan(kVxlanUdpPort, inner))),
             {Tunnel::kVxlan}),
      OverV6("VxlanGenericIp",
             in_udp(InUdp(1, kVxlanGenericUdpPort,
                          Join(Written(Vxlan{.has_vni = true,
                                             .has_next_protocol = true,
                                             .next_protocol = kVxlanNextIpv6},
                                       WriteVxlan),
                               v6))),
             {Tunnel::kVxlan}),
      OverV4("VxlanGenericEthernet", in_udp(InVxlan(kVxlanGenericUdpPort, inner)),
             {Tunnel::kVxlan}),
      OverV4("VxlanInVxlan", in_udp(InVxlan(kVxlanUdpPort, vxlan)),
             {Tunnel::kVxlan, Tunnel::kVxlan}),
      OverV4("Geneve", in_udp(InGeneve(kEthertypeTransparentBridging, {}, inner)),
             {Tunnel::kGeneve}),
      OverV6("GeneveOptionsIp", in_udp(InGeneve(kEthertypeIpv6, FromHex("0103010200000000"), v6)),
             {Tunnel::kGeneve}),
      OverV4("Gre", in_gre(Gre{.protocol = kEthertypeIpv4}, v4), {Tunnel::kGre}),
      OverV6("GreAllFields", in_gre(all_fields, v6), {Tunnel::kGre}),
      OverV4("GreBridging", in_gre(bridging, inner), {Tunnel::kGre}),
      OverV4("GreMpls", in_gre(Gre{.protocol = kEthertypeMpls}, InMpls(1, v4)),
             {Tunnel::kGre, Tunnel::kMpls}),
      OverV4("IpInIp", IpInEthernet(ip_in_ip), {Tunnel::kIpInIp}),
      OverV6("V6InV4", IpInEthernet(InIpv4(kProtocolIpv6, v6)), {Tunnel::kIpInIp}),
      OverV4("V4InV6", IpInEthernet(InIpv6(kProtocolIpv4, v4)), {Tunnel::kIpInIp}),
      OverV6("V6InV6", IpInEthernet(InIpv6(kProtocolIpv6, v6)), {Tunnel::kIpInIp}),
      OverV4("FourDeep",
             IpInEthernet(
                 InIpv4(kProtocolIpv4, InIpv4(kProtocolIpv4, InIpv4(kProtocolIpv4, ip_in_ip)))),
             {Tunnel::kIpInIp, Tunnel::kIpInIp, Tunnel::kIpInIp, Tunnel::kIpInIp}),
  };
}

std::vector<FrameCase> ErspanFrames() {
  const Bytes inner = IpInEthernet(V4Packet());
  const auto in_gre = [](const Gre& gre, const Bytes& header, const Bytes& payload) {
    return IpInEthernet(InIpv4(kIpProtocolGre, InGre(gre, Join(header, payload))));
  };
  const Gre two{.protocol = kGreProtocolErspan, .sequence = 1};
  const Gre three{.protocol = kGreProtocolErspan3, .sequence = 1};
  const Bytes header2 = Written(Erspan2{.vlan_id = 7, .session = 100, .index = 5}, WriteErspan2);
  const Bytes header3 = Written(Erspan3{.session = 100, .timestamp = 99}, WriteErspan3);
  const Bytes header3_ip = Written(Erspan3{.frame_type = kErspanFrameIp}, WriteErspan3);
  const Bytes header3_sub =
      Join(Written(Erspan3{.has_subheader = true}, WriteErspan3), Bytes(kErspan3SubheaderBytes));
  return {
      OverV4("Erspan1", in_gre(Gre{.protocol = kGreProtocolErspan}, {}, inner), {Tunnel::kErspan1}),
      OverV4("Erspan2", in_gre(two, header2, inner), {Tunnel::kErspan2}),
      OverV4("Erspan2AroundVxlan",
             in_gre(two, header2, IpInEthernet(InIpv4(17, InVxlan(kVxlanUdpPort, inner)))),
             {Tunnel::kErspan2, Tunnel::kVxlan}),
      OverV4("Erspan3", in_gre(three, header3, inner), {Tunnel::kErspan3}),
      OverV4("Erspan3Subheader", in_gre(three, header3_sub, inner), {Tunnel::kErspan3}),
      OverV4("Erspan3Ip", in_gre(three, header3_ip, V4Packet()), {Tunnel::kErspan3}),
  };
}

Bytes TcpSegment(std::span<const std::byte> payload) {
  return Join(Written(TcpHeader{.source_port = 4000, .destination_port = 5000}, WriteTcp), payload);
}

FrameCase Other(std::string name, FrameClass expected, Bytes frame,
                std::vector<Tunnel> tunnels = {}) {
  return {.name = std::move(name),
          .frame = std::move(frame),
          .expected = expected,
          .tunnels = std::move(tunnels)};
}

std::vector<FrameCase> LinkLocalFrames() {
  const PauseFrame pfc{.is_pfc = true, .enabled_classes = 0x08, .quanta = {0, 0, 0, 0xffff}};
  PauseFrame pause{.enabled_classes = 0xff};
  pause.quanta.fill(0x1234);
  return {
      Other("Pfc", FrameClass::kPfc, InEthernet(kEthertypeMacControl, Written(pfc, WritePause))),
      Other("Pause", FrameClass::kPause,
            InEthernet(kEthertypeMacControl, Written(pause, WritePause))),
      Other("OtherMacControl", FrameClass::kOtherEthertype,
            InEthernet(kEthertypeMacControl, FromHex("0004 0000"))),
      Other("Lldp", FrameClass::kLldp, InEthernet(0x88cc, FromHex("0207040200000000 0a 0000"))),
      Other("Arp", FrameClass::kArp, InEthernet(0x0806, Bytes(28))),
      Other("Llc", FrameClass::kOtherEthertype, InEthernet(0x0026, Bytes(38))),
      Other("FiveTags", FrameClass::kOtherEthertype,
            InEthernet(kEthertypeVlan, FromHex("0001 8100 0002 8100 0003 8100 0004 8100 0005"))),
  };
}

std::vector<FrameCase> IpFrames() {
  const auto v4 = [](uint8_t protocol, const Bytes& payload) {
    return IpInEthernet(InIpv4(protocol, payload));
  };
  Bytes fragment = IpInEthernet(V4Packet());
  fragment[14 + 6] = std::byte{0x20};  // "more fragments": the first of them
  Bytes bth_version = IpInEthernet(FromHex(kUdSendPacket));
  bth_version[14 + 28 + 1] |= std::byte{1};
  Bytes reserved = IpInEthernet(V4Packet());
  reserved[14 + 28] = std::byte{0x1f};
  return {
      Other("Icmp", FrameClass::kIcmp, v4(1, Bytes(8))),
      Other("Icmpv6", FrameClass::kIcmp, IpInEthernet(InIpv6(58, Bytes(8)))),
      Other("Tcp", FrameClass::kTcp, v4(6, TcpSegment(FromHex("474554202f")))),
      Other("IwarpRequest", FrameClass::kIwarp,
            v4(6, TcpSegment(FromHex("4d504120494420526571204672616d65 40 01 0000")))),
      Other("IwarpReply", FrameClass::kIwarp,
            v4(6, TcpSegment(FromHex("4d504120494420526570204672616d65 40 01 0000")))),
      Other("TftpFromItsPort", FrameClass::kUdp, v4(17, InUdp(69, 49153, Bytes(20)))),
      Other("RocePortAsSource", FrameClass::kUdp, v4(17, InUdp(4791, 49153, Bytes(20)))),
      Other("VxlanWithoutVni", FrameClass::kUdp, v4(17, InUdp(1, kVxlanUdpPort, Bytes(40)))),
      Other("GeneveOfUnknownProtocol", FrameClass::kUdp, v4(17, InGeneve(0x1234, {}, Bytes(40)))),
      Other("Fragment", FrameClass::kFragment, fragment),
      Other("BthVersion1", FrameClass::kNotRoce, bth_version),
      Other("ReservedOpcodeBadIcrc", FrameClass::kNotRoce, reserved),
      Other("TooShortForABth", FrameClass::kNotRoce, v4(17, InUdp(1, 4791, Bytes(15)))),
      Other("Ospf", FrameClass::kOtherIp, v4(89, Bytes(24))),
      Other("Pptp", FrameClass::kOtherIp,
            v4(47, InGre(Gre{.version = 1, .protocol = 0x880b}, Bytes(8)))),
      Other("Erspan3UnknownFrameType", FrameClass::kOtherIp,
            v4(47, InGre(Gre{.protocol = kGreProtocolErspan3, .sequence = 1},
                         Join(Written(Erspan3{.frame_type = 7}, WriteErspan3), Bytes(40)))),
            {Tunnel::kErspan3}),
  };
}

std::vector<FrameCase> MalformedFrames() {
  const auto v4 = [](uint8_t protocol, const Bytes& payload) {
    return IpInEthernet(InIpv4(protocol, payload));
  };
  Bytes wrong_version = IpInEthernet(V4Packet());
  wrong_version[14] = std::byte{0x65};
  Bytes short_header = IpInEthernet(V4Packet());
  short_header[14] = std::byte{0x44};
  Bytes udp_too_long = IpInEthernet(V4Packet());
  udp_too_long[14 + 20 + 4] = std::byte{0x7f};
  Bytes five_deep = V4Packet();
  for (int i = 0; i < 5; ++i) five_deep = InIpv4(kProtocolIpv4, five_deep);
  const std::vector<Tunnel> four(4, Tunnel::kIpInIp);
  return {
      Other("EthertypeOfTheOtherVersion", FrameClass::kMalformed, wrong_version),
      Other("ShortIpHeader", FrameClass::kMalformed, short_header),
      Other("UdpLongerThanIp", FrameClass::kMalformed, udp_too_long),
      Other("UdpInFourBytes", FrameClass::kMalformed, v4(17, Bytes(4))),
      Other("FiveDeep", FrameClass::kMalformed, IpInEthernet(five_deep), four),
  };
}

std::vector<FrameCase> OtherLinkFrames() {
  const auto of = [](std::string name, LinkType link_type, FrameClass expected, Bytes frame) {
    return FrameCase{.name = std::move(name),
                     .link_type = link_type,
                     .frame = std::move(frame),
                     .expected = expected};
  };
  Bytes raw = Infiniband(Write(), false, false);
  raw[1] = std::byte{0x30};  // LNH 0
  Bytes wrong_length = Infiniband(Write(), true, false);
  wrong_length[5] = std::byte{0x30};
  Bytes no_length = Infiniband(Write(), false, false);
  no_length[5] = std::byte{1};
  const Bytes netlink = Join(
      Written(LinuxSll{.arp_hardware = kArpHardwareNetlink, .protocol = 0x0800}, WriteLinuxSll),
      Bytes(30));
  return {
      of("RawInfiniband", LinkType::kInfiniband, FrameClass::kOtherInfiniband, raw),
      of("GrhOfAnotherLength", LinkType::kInfiniband, FrameClass::kMalformed, wrong_length),
      of("LrhLengthOfOneWord", LinkType::kInfiniband, FrameClass::kMalformed, no_length),
      of("ErfFlowControl", LinkType::kErf, FrameClass::kOtherInfiniband,
         InErf(kErfInfinibandLink, {}, Bytes(8))),
      of("ErfPacketOverSonet", LinkType::kErf, FrameClass::kUnknownLink, InErf(1, {}, Bytes(8))),
      of("LoopOfAnotherFamily", LinkType::kNull, FrameClass::kOtherEthertype,
         Join(FromHex("17000000"), Bytes(20))),
      of("Netlink", LinkType::kLinuxSll, FrameClass::kOtherEthertype, netlink),
      of("FrameRelay", static_cast<LinkType>(107), FrameClass::kUnknownLink, Bytes(60)),
  };
}

}  // namespace

std::vector<FrameCase> RdmaFrames() {
  std::vector<FrameCase> cases = PlainFrames();
  Append(cases, LinkFrames());
  Append(cases, InfinibandFrames());
  Append(cases, MplsFrames());
  Append(cases, TunnelFrames());
  Append(cases, ErspanFrames());
  return cases;
}

std::vector<FrameCase> OtherFrames() {
  std::vector<FrameCase> cases = LinkLocalFrames();
  Append(cases, IpFrames());
  Append(cases, MalformedFrames());
  Append(cases, OtherLinkFrames());
  return cases;
}

std::vector<FrameCase> AllFrames() {
  std::vector<FrameCase> cases = RdmaFrames();
  Append(cases, OtherFrames());
  return cases;
}

std::vector<Tunnel> TunnelsOf(const FrameView& view) {
  return {view.tunnels.begin(), view.tunnels.begin() + view.tunnel_count};
}

}  // namespace weft::wire
