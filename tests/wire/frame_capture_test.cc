// SPDX-License-Identifier: Apache-2.0
// Every real capture of the corpus: how many frames of which class and tunnel. The numbers are
// those of the corpus' own list, checked against another dissector.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/wire/capture_files.h"
#include "tests/wire/frame_cases.h"
#include "wire/frame.h"

namespace weft::wire {
namespace {

using Counts = std::map<std::string, int>;

// By the names of classes, "in NAME" for tunnels, "tagged".
Counts CountsOf(const std::vector<FilePacket>& packets) {
  Counts counts;
  FrameView view;
  for (const FilePacket& packet : packets) {
    const FrameClass frame_class = DissectFrame(static_cast<LinkType>(packet.link_type),
                                                packet.bytes, packet.wire_bytes, {}, view);
    ++counts[ToString(frame_class)];
    for (const Tunnel tunnel : TunnelsOf(view)) ++counts[std::string("in ") + ToString(tunnel)];
    if (view.is_tagged) ++counts["tagged"];
  }
  return counts;
}

TEST(FrameCapture, EveryListedFileHasItsFrames) {
  if (CaptureFolder().empty()) GTEST_SKIP() << "no folder of real captures on this machine";
  const std::map<std::string, Counts> expected = {
      {"encap/arkime_dot1ad.pcap", {{"ICMP", 2}, {"tagged", 2}}},
      {"encap/arkime_gre-erspan-vxlan.pcap", {{"TCP", 7}, {"in ERSPAN II", 7}, {"in VXLAN", 7}}},
      {"encap/arkime_mpls-basic.pcap",
       {{"ICMP", 10}, {"TCP", 19}, {"UDP", 12}, {"no IP", 6}, {"other IP", 11}, {"in MPLS", 17}}},
      {"encap/arkime_padded-udp.pcap", {{"UDP", 1}}},
      {"encap/bigtcp-ipv6-hbh.pcap", {{"TCP", 1}}},
      {"encap/erspan-type-i-1.pcap", {{"ICMP", 2}, {"in ERSPAN I", 2}, {"tagged", 2}}},
      {"encap/erspan-type-ii-3.pcap",
       {{"ARP", 10}, {"no IP", 98}, {"in ERSPAN II", 108}, {"tagged", 38}}},
      {"encap/erspan-type-iii-ft-0.pcap", {{"ICMP", 9}, {"in ERSPAN III", 9}, {"tagged", 9}}},
      {"encap/erspan-type-iii-ft-7.pcap", {{"other IP", 58}, {"in ERSPAN III", 58}}},
      {"encap/geneve.pcap", {{"ICMP", 6}, {"TCP", 33}, {"in Geneve", 39}}},
      {"encap/gso-ipv4-vxlan-ipv4.pcap", {{"TCP", 1}, {"in VXLAN", 1}}},
      {"encap/sflow_expanded.pcap", {{"UDP", 1}}},
      {"encap/vxlan.pcap", {{"ARP", 2}, {"ICMP", 8}, {"in VXLAN", 10}}},
      {"encap/vxlan_port_8472.pcap", {{"ARP", 2}, {"ICMP", 8}, {"in VXLAN", 10}}},
      {"formats/arkime_icmp-frame-relay.pcap", {{"unknown link type", 10}}},
      {"formats/arkime_ip-boundaries.pcap", {{"UDP", 1}}},
      {"formats/err-buffertoosmall.pcapng", {{"TCP", 27}}},
      {"formats/modified-format.pcap", {{"ICMP", 1}}},
      {"formats/ngtest_be_test102.pcapng", {{"UDP", 5}}},
      {"formats/ngtest_le_test006.pcapng", {{"UDP", 5}}},
      {"formats/ngtest_le_test202.pcapng", {{"UDP", 8}}},
      {"malformed/LINKTYPE_RAW_ipv4.pcap", {{"UDP", 1}}},
      {"malformed/bgp-infinite-loop.pcap", {{"TCP", 5}}},
      {"malformed/esp_truncated.pcap", {{"IP fragment", 1}}},
      {"malformed/ipv4_tcp_http_xml_tso.pcap", {{"TCP", 1}}},
      {"pause_dcbx_lldp/dcb_ets.pcap", {{"LLDP", 31}, {"ICMP", 20}, {"UDP", 16}}},
      {"pause_dcbx_lldp/dcb_pfc.pcap", {{"LLDP", 4}, {"UDP", 1}}},
      {"pause_dcbx_lldp/dcb_qcn.pcap", {{"LLDP", 8}, {"ICMP", 5}, {"UDP", 6}}},
      {"pause_dcbx_lldp/lldp_mudurl.pcap", {{"LLDP", 2}}},
      {"pause_dcbx_lldp/lldpd_connectx.pcap", {{"LLDP", 1}}},
      {"rdma/ipoib.pcap", {{"ARP", 4}, {"ICMP", 6}, {"TCP", 20}}},
      {"sll/Sll2Packet.pcap", {{"TCP", 1}}},
      {"sll/babel.pcap", {{"ICMP", 1}, {"UDP", 24}}},
      {"sll/bgp-enhanced-route-refresh-subtype.pcapng", {{"TCP", 3}}},
      {"sll/RADIUS-RFC3162.pcap", {{"UDP", 1}}},
  };
  for (const auto& [file, counts] : expected) {
    EXPECT_EQ(CountsOf(ReadCapture(CaptureFolder() + "/" + file)), counts) << file;
  }
}

// None of them holds RDMA: a dissector that sees some has invented it.
TEST(FrameCapture, NoFileShowsRdmaThatIsNotThere) {
  const std::vector<std::string> files = CaptureFiles();
  if (files.empty()) GTEST_SKIP() << "no folder of real captures on this machine";
  for (const std::string& file : files) {
    const Counts counts = CountsOf(ReadCapture(CaptureFolder() + "/" + file));
    for (const char* name : {"RoCEv2", "RoCEv1", "InfiniBand", "iWARP", "PFC", "802.3x pause"}) {
      EXPECT_FALSE(counts.contains(name)) << file << ": " << name;
    }
  }
}

TEST(FrameCapture, EveryFileCutAnywhereStaysInItsClass) {
  const std::vector<std::string> files = CaptureFiles();
  if (files.empty()) GTEST_SKIP() << "no folder of real captures on this machine";
  for (const std::string& file : files) {
    for (const FilePacket& packet : ReadCapture(CaptureFolder() + "/" + file)) {
      const auto link_type = static_cast<LinkType>(packet.link_type);
      FrameView view;
      const FrameClass whole = DissectFrame(link_type, packet.bytes, packet.wire_bytes, {}, view);
      const size_t most = std::min<size_t>(packet.bytes.size(), 160);
      for (size_t size = 0; size < most; ++size) {
        const Bytes cut(packet.bytes.begin(), packet.bytes.begin() + static_cast<ptrdiff_t>(size));
        const FrameClass cut_class = DissectFrame(link_type, cut, packet.wire_bytes, {}, view);
        EXPECT_TRUE(cut_class == whole || cut_class == FrameClass::kCut)
            << file << ", " << size << " bytes: " << ToString(cut_class);
      }
    }
  }
}

}  // namespace
}  // namespace weft::wire
