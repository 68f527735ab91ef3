// SPDX-License-Identifier: Apache-2.0
// Every example in hex of docs/wire-*.md is parsed and rebuilt from the result, byte for byte.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "tests/wire/hex.h"
#include "wire/aeth.h"
#include "wire/atomic_eth.h"
#include "wire/bth.h"
#include "wire/cm.h"
#include "wire/dcbx.h"
#include "wire/deth.h"
#include "wire/dissect.h"
#include "wire/erf.h"
#include "wire/erspan.h"
#include "wire/ethernet.h"
#include "wire/geneve.h"
#include "wire/gre.h"
#include "wire/grh.h"
#include "wire/icmp.h"
#include "wire/icmpv6.h"
#include "wire/icrc.h"
#include "wire/ip.h"
#include "wire/ipoib.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"
#include "wire/linux_sll.h"
#include "wire/lldp.h"
#include "wire/lrh.h"
#include "wire/mpls.h"
#include "wire/pause.h"
#include "wire/probe.h"
#include "wire/rdma_packet.h"
#include "wire/reth.h"
#include "wire/roce.h"
#include "wire/tcp.h"
#include "wire/traffic.h"
#include "wire/udp.h"
#include "wire/vxlan.h"

namespace weft::wire {
namespace {

// Blocks fenced as ```hex NAME, by name, of all pages of wire formats.
std::map<std::string, Bytes> ReadExamples() {
  std::map<std::string, Bytes> examples;
  const std::string fence = "```hex ";
  for (const auto& page : std::filesystem::directory_iterator(WEFT_SOURCE_DIR "/docs")) {
    if (!page.path().filename().string().starts_with("wire-")) continue;
    std::ifstream file(page.path());
    std::string line;
    while (std::getline(file, line)) {
      if (!line.starts_with(fence)) continue;
      const std::string name = line.substr(fence.size());
      std::string hex;
      while (std::getline(file, line) && line != "```") hex += line;
      EXPECT_FALSE(examples.contains(name)) << name << " is there twice";
      examples[name] = FromHex(hex);
    }
  }
  return examples;
}

void Append(Bytes& bytes, std::span<const std::byte> more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

template <auto Parse, auto Write>
Bytes RebuildHeader(const Bytes& bytes) {
  return Written(Parse(bytes).value(), Write);
}

// A header with its extension headers, which are bytes to us.
Bytes RebuildIpv6WithExtensions(const Bytes& bytes) {
  ByteReader reader(bytes);
  const Ipv6Header header = ReadIpv6(reader);
  const std::optional<Ipv6Extensions> extensions = ReadIpv6Extensions(header.next_header, reader);
  EXPECT_TRUE(extensions.has_value());
  EXPECT_EQ(extensions->protocol, kIpProtocolUdp);
  Bytes rebuilt = Written(header, WriteIpv6);
  Append(rebuilt, std::span(bytes).subspan(kIpv6HeaderBytes, extensions->bytes));
  return rebuilt;
}

// The whole RoCEv2 packet from what dissect sees of it, and (it is no part of that) the UDP
// checksum.
Bytes RebuildRoce(const Bytes& packet) {
  RoceView view;
  EXPECT_EQ(DissectIp(packet, view), PacketClass::kRoce);
  EXPECT_EQ(view.icrc, IcrcState::kOk);
  Bytes datagram(256);
  datagram.resize(
      BuildRoceDatagram({view.source, view.destination, view.udp_src_port, view.udp_dst_port},
                        view.bth, view.deth, view.payload, datagram));
  const auto udp_bytes = static_cast<uint16_t>(kUdpHeaderBytes + datagram.size());
  Bytes rebuilt = Written(IpHeader{.source = view.source,
                                   .destination = view.destination,
                                   .traffic_class = view.traffic_class,
                                   .flow_label = view.flow_label,
                                   .ttl = view.ttl,
                                   .protocol = kIpProtocolUdp,
                                   .payload_bytes = udp_bytes},
                          WriteIp);
  const uint16_t checksum = ParseUdp(std::span(packet).subspan(rebuilt.size()))->checksum;
  Append(rebuilt,
         Written(UdpHeader{view.udp_src_port, view.udp_dst_port, udp_bytes, checksum}, WriteUdp));
  Append(rebuilt, datagram);
  return rebuilt;
}

// The error from what was parsed of it: the quoted packet is put together and answered again. The
// outer IPv4 header (which a router fills in as it likes) is the example's own.
Bytes RebuildIcmp(const Bytes& packet) {
  const IcmpError error = ParseIcmpError(packet).value();
  Bytes quoted = Written(error.quoted_ip, WriteIpv4);
  Append(quoted, Written(error.quoted_udp.value(), WriteUdp));
  Append(quoted, error.quoted_payload);
  Bytes answer(1024);
  answer.resize(BuildIcmpError({.type = error.type,
                                .code = error.code,
                                .next_hop_mtu = error.next_hop_mtu,
                                .router = error.router},
                               quoted, answer));
  Bytes rebuilt = Written(ParseIpv4(packet).value(), WriteIpv4);
  Append(rebuilt, std::span(answer).subspan(kIpv4HeaderBytes));
  return rebuilt;
}

// The same over IPv6.
Bytes RebuildIcmpv6(const Bytes& packet) {
  const Icmpv6Error error = ParseIcmpv6Error(packet).value();
  Bytes quoted = Written(error.quoted_ip, WriteIpv6);
  Append(quoted, Written(error.quoted_udp.value(), WriteUdp));
  Append(quoted, error.quoted_payload);
  Bytes answer(2000);
  answer.resize(BuildIcmpv6Error(
      {.type = error.type, .code = error.code, .mtu = error.mtu, .router = error.carrier.source},
      quoted, answer));
  Bytes rebuilt = Written(error.carrier, WriteIpv6);
  Append(rebuilt, std::span(answer).subspan(kIpv6HeaderBytes));
  return rebuilt;
}

// From the BTH through the pad.
Bytes RebuildRdma(const Bytes& bytes) {
  RdmaPacket packet;
  EXPECT_EQ(ReadRdma(bytes, bytes.size() + kIcrcBytes, packet), RdmaReadResult::kOk);
  EXPECT_EQ(packet.headers, packet.info().headers);
  Bytes rebuilt(256);
  rebuilt.resize(WriteRdma(packet, rebuilt));
  return rebuilt;
}

Bytes RebuildRoceV1(const Bytes& bytes) {
  Bytes rebuilt = Written(ParseGrh(bytes).value(), WriteGrh);
  const Bytes transport =
      RebuildRdma({bytes.begin() + kGrhBytes, bytes.end() - static_cast<int>(kIcrcBytes)});
  Bytes icrc(kIcrcBytes);
  WriteIcrc(RoceV1Icrc(rebuilt, transport).value(), std::span(icrc).first<kIcrcBytes>());
  Append(rebuilt, transport);
  Append(rebuilt, icrc);
  return rebuilt;
}

Bytes RebuildCm(const Bytes& bytes) {
  Bytes rebuilt(kMadBytes);
  BuildCm(ParseCm(bytes).value(), ParseMadHeader(bytes)->transaction_id, rebuilt);
  return rebuilt;
}

Bytes RebuildLldp(const Bytes& bytes) {
  Lldp lldp = ParseLldp(bytes).value();
  EXPECT_TRUE(lldp.is_complete);
  const Dcbx dcbx = ParseDcbx(lldp).value();
  lldp.organizations.clear();
  Bytes rebuilt(256);
  ByteWriter writer(rebuilt);
  WriteLldpTlvs(lldp, writer);
  WriteDcbx(dcbx, writer);
  WriteLldpEnd(writer);
  rebuilt.resize(writer.written());
  return rebuilt;
}

Bytes RebuildProbe(const Bytes& payload) {
  Bytes rebuilt(kProbePayloadBytes);
  EXPECT_TRUE(WriteProbePayload(ParseProbePayload(payload).value(), rebuilt));
  return rebuilt;
}

Bytes RebuildTraffic(const Bytes& payload) {
  Bytes rebuilt(256);
  rebuilt.resize(WriteTrafficMessage(ParseTrafficMessage(payload).value(), rebuilt));
  return rebuilt;
}

TEST(Docs, EveryExampleIsWhatTheCodeReadsAndWrites) {
  const std::map<std::string, Bytes (*)(const Bytes&)> rebuild = {
      {"ethernet", RebuildHeader<ParseEthernet, WriteEthernet>},
      {"vlan-tag", RebuildHeader<ParseVlanTag, WriteVlanTag>},
      {"ipv6", RebuildHeader<ParseIpv6, WriteIpv6>},
      {"ipv6-options", RebuildIpv6WithExtensions},
      {"ipv4", RebuildHeader<ParseIpv4, WriteIpv4>},
      {"ipv4-options", RebuildHeader<ParseIpv4, WriteIpv4>},
      {"udp", RebuildHeader<ParseUdp, WriteUdp>},
      {"mpls", RebuildHeader<ParseMplsLabel, WriteMplsLabel>},
      {"vxlan", RebuildHeader<ParseVxlan, WriteVxlan>},
      {"vxlan-generic", RebuildHeader<ParseVxlan, WriteVxlan>},
      {"geneve", RebuildHeader<ParseGeneve, WriteGeneve>},
      {"gre", RebuildHeader<ParseGre, WriteGre>},
      {"erspan2", RebuildHeader<ParseErspan2, WriteErspan2>},
      {"erspan3", RebuildHeader<ParseErspan3, WriteErspan3>},
      {"grh", RebuildHeader<ParseGrh, WriteGrh>},
      {"lrh", RebuildHeader<ParseLrh, WriteLrh>},
      {"linux-sll", RebuildHeader<ParseLinuxSll, WriteLinuxSll>},
      {"linux-sll2", RebuildHeader<ParseLinuxSll2, WriteLinuxSll2>},
      {"erf", RebuildHeader<ParseErf, WriteErf>},
      {"ipoib", RebuildHeader<ParseIpoib, WriteIpoib>},
      {"pfc", RebuildHeader<ParsePause, WritePause>},
      {"pause", RebuildHeader<ParsePause, WritePause>},
      {"tcp", RebuildHeader<ParseTcp, WriteTcp>},
      {"bth", RebuildHeader<ParseBth, WriteBth>},
      {"bth-cnp", RebuildHeader<ParseBth, WriteBth>},
      {"deth", RebuildHeader<ParseDeth, WriteDeth>},
      {"aeth", RebuildHeader<ParseAeth, WriteAeth>},
      {"reth", RebuildHeader<ParseReth, WriteReth>},
      {"atomic-eth", RebuildHeader<ParseAtomicEth, WriteAtomicEth>},
      {"rdma-xrc-send", RebuildRdma},
      {"rdma-atomic-ack", RebuildRdma},
      {"mad-header", RebuildHeader<ParseMadHeader, WriteMadHeader>},
      {"cm-dreq", RebuildCm},
      {"lldp-dcbx", RebuildLldp},
      {"icrc-rocev1-nak", RebuildRoceV1},
      {"icrc-ud-send", RebuildRoce},
      {"icrc-cnp", RebuildRoce},
      {"icrc-ipv6-write", RebuildRoce},
      {"icmp-time-exceeded", RebuildIcmp},
      {"icmp-shortest-quote", RebuildIcmp},
      {"icmpv6-time-exceeded", RebuildIcmpv6},
      {"probe-question", RebuildProbe},
      {"probe-answer", RebuildProbe},
      {"traffic-offer", RebuildTraffic},
      {"traffic-refuse", RebuildTraffic},
      {"traffic-data", RebuildTraffic},
      {"traffic-report", RebuildTraffic},
  };
  const std::map<std::string, Bytes> examples = ReadExamples();
  EXPECT_EQ(examples.size(), rebuild.size());
  for (const auto& [name, bytes] : examples) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(rebuild.contains(name)) << "an example that no test reads";
    EXPECT_EQ(ToHex(rebuild.at(name)(bytes)), ToHex(bytes));
  }
}

}  // namespace
}  // namespace weft::wire
