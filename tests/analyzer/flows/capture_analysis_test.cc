// SPDX-License-Identifier: Apache-2.0
#include "analyzer/flows/capture_analysis.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "wire/byte_writer.h"
#include "wire/rdma_packet.h"

namespace weft::analyzer {
namespace {

constexpr int64_t kStartNs = 1'700'000'000'000'000'000;
constexpr wire::NetworkAddress kLeft = wire::NetworkAddress::Ipv4(0x0a000001);

// RoCEv2 as bytes of a raw IPv4 capture, without ICRC bytes that are right.
class Capture {
 public:
  explicit Capture(const AnalysisOptions& options) : analyzer_(options) {}

  bool Send(uint32_t source, uint32_t destination, uint16_t port, uint32_t qpn, uint8_t opcode,
            uint32_t psn, size_t payload, uint8_t syndrome = 0x1f) {
    wire::RdmaPacket rdma;
    rdma.bth.opcode = opcode;
    rdma.bth.dest_qpn = qpn;
    rdma.bth.psn = psn;
    rdma.headers = rdma.info().headers;
    rdma.aeth.syndrome = syndrome;
    rdma.reth.length = static_cast<uint32_t>(payload);
    rdma.payload = std::span(payload_).first(payload);
    std::array<std::byte, 2'048> bytes{};
    const size_t transport = wire::WriteRdma(rdma, std::span(bytes).subspan(28)) + 4;
    const auto total = static_cast<uint16_t>(28 + transport);
    wire::ByteWriter writer(bytes);
    writer.U16(0x4500);
    writer.U16(total);
    writer.U32(0);
    writer.U16(0x4011);
    writer.U16(0);
    writer.U32(source);
    writer.U32(destination);
    writer.U16(port);
    writer.U16(4791);
    writer.U16(static_cast<uint16_t>(8 + transport));
    writer.U16(0);
    CapturedPacket packet;
    packet.number = ++number_;
    packet.has_time = true;
    packet.time_ns = kStartNs + static_cast<int64_t>(number_) * 10'000;
    packet.wire_bytes = total;
    packet.bytes = std::span(bytes).first(total);
    packet.link_type = wire::LinkType::kRawIp;
    return analyzer_.Add(packet);
  }
  // A WRITE of one packet, and its ACK.
  void Exchange(uint32_t pair, uint16_t port, uint32_t psn) {
    Send(0x0a000001, 0x0a000002, port, 0x200 + pair, 0x0a, psn, 512);
    Send(0x0a000002, 0x0a000001, 0xd000, 0x100 + pair, 0x11, psn, 0);
  }
  CaptureAnalysis Finish() { return analyzer_.Finish(); }

 private:
  CaptureAnalyzer analyzer_;
  std::array<std::byte, 1'024> payload_{};
  uint64_t number_ = 0;
};

AnalysisOptions WithoutIcrc() {
  AnalysisOptions options;
  options.check_icrc = false;
  return options;
}

void ThreeConnections(Capture& capture) {
  for (uint32_t i = 0; i < 60; ++i) {
    const uint32_t pair = i % 3;
    capture.Exchange(pair, pair == 2 ? 0xc002 : 0xc001, 1'000 * (pair + 1) + i / 3);
  }
}

TEST(CaptureAnalyzer, TotalsCountEveryPacket) {
  Capture capture(WithoutIcrc());
  ThreeConnections(capture);
  capture.Send(0x0a000002, 0x0a000001, 0xd000, 0x100, 0x11, 1'020, 0, 0x60);
  capture.Send(0x0a000002, 0x0a000001, 0xd000, 0x100, 0x11, 1'020, 0, 0x2e);
  const CaptureAnalysis analysis = capture.Finish();
  EXPECT_EQ(analysis.totals.packets, 122u);
  EXPECT_EQ(analysis.totals.roce_packets, 122u);
  EXPECT_EQ(analysis.totals.naks, 1u);
  EXPECT_EQ(analysis.totals.rnr_naks, 1u);
  EXPECT_EQ(analysis.totals.unchecked_icrc, 122u);
  EXPECT_EQ(analysis.totals.retransmitted_packets, 0u);
  EXPECT_EQ(analysis.totals.connections, analysis.connections.size());
}

TEST(CaptureAnalyzer, AHostPairHasItsQpsAgainstTheirSourcePorts) {
  Capture capture(WithoutIcrc());
  ThreeConnections(capture);
  const CaptureAnalysis analysis = capture.Finish();
  ASSERT_EQ(analysis.host_pairs.size(), 1u);  // the way back carries no data
  EXPECT_EQ(analysis.host_pairs[0].source, kLeft);
  EXPECT_EQ(analysis.host_pairs[0].flows, 3u);
  EXPECT_EQ(analysis.host_pairs[0].udp_src_ports, 2u);
  EXPECT_EQ(analysis.host_pairs[0].commonest_port, 0xc001);
  EXPECT_EQ(analysis.host_pairs[0].flows_on_commonest, 2u);
}

TEST(CaptureAnalyzer, AQpnChoosesItsConnectionWithBothDirections) {
  AnalysisOptions options = WithoutIcrc();
  options.qpns = {0x201};
  Capture capture(options);
  ThreeConnections(capture);
  const CaptureAnalysis analysis = capture.Finish();
  ASSERT_EQ(analysis.connections.size(), 1u);
  EXPECT_EQ(analysis.connections[0].forward.key.dest_qpn, 0x201u);
  ASSERT_TRUE(analysis.connections[0].backward.has_value());
  EXPECT_EQ(analysis.connections[0].backward->key.dest_qpn, 0x101u);
  EXPECT_EQ(analysis.totals.packets, 40u);
  EXPECT_EQ(analysis.traffic.packets, 120u);
}

TEST(CaptureAnalyzer, LetsInByQpn) {
  AnalysisOptions options = WithoutIcrc();
  options.qpns = {7, 3};
  Capture capture(options);
  EXPECT_TRUE(capture.Send(1, 2, 0xc000, 3, 0x0a, 0, 8));
  EXPECT_FALSE(capture.Send(1, 2, 0xc000, 4, 0x0a, 0, 8));
}

TEST(CaptureAnalyzer, HostsChooseByEitherEnd) {
  AnalysisOptions options = WithoutIcrc();
  options.hosts = {kLeft};
  Capture capture(options);
  EXPECT_TRUE(capture.Send(0x0a000001, 5, 0xc000, 3, 0x0a, 0, 8));
  EXPECT_TRUE(capture.Send(5, 0x0a000001, 0xc000, 3, 0x0a, 0, 8));
  EXPECT_FALSE(capture.Send(5, 6, 0xc000, 3, 0x0a, 0, 8));
  EXPECT_EQ(capture.Finish().totals.packets, 2u);
}

TEST(CaptureAnalyzer, TheTimeRangeEndsBeforeItsEnd) {
  AnalysisOptions options = WithoutIcrc();
  options.from_ns = kStartNs + 20'000;
  options.until_ns = kStartNs + 40'000;
  Capture capture(options);
  std::vector<bool> in;
  for (uint32_t i = 0; i < 5; ++i) in.push_back(capture.Send(1, 2, 0xc000, 3, 0x0a, i, 8));
  EXPECT_EQ(in, (std::vector<bool>{false, true, true, false, false}));
}

TEST(CaptureAnalyzer, ALinkThatIsNotKnownIsCountedAsSuch) {
  CaptureAnalyzer analyzer(WithoutIcrc());
  CapturedPacket packet;
  packet.number = 1;
  packet.link_is_known = false;
  EXPECT_TRUE(analyzer.Add(packet));
  const CaptureAnalysis analysis = analyzer.Finish();
  EXPECT_EQ(analysis.traffic.by_class[static_cast<size_t>(wire::FrameClass::kUnknownLink)], 1u);
  EXPECT_EQ(analysis.totals.roce_packets, 0u);
}

// Packets as MANIFEST.md counts them; none of these holds RoCE.
struct RealFile {
  const char* name;
  uint64_t packets;
  wire::FrameClass frame_class;
  uint64_t of_class;
  uint64_t neighbours_with_pfc;
};

class RealCapture : public testing::TestWithParam<RealFile> {};

TEST_P(RealCapture, HoldsWhatTheManifestSays) {
  const char* shared = std::getenv("WEFT_SHARED_DIR");
  const std::string path = std::string(shared != nullptr ? shared : WEFT_SOURCE_DIR "/../shared") +
                           "/data/captures/" + GetParam().name;
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not here";
  auto source = OpenCapture(path);
  ASSERT_TRUE(source.ok()) << source.status();
  CaptureAnalyzer analyzer({});
  std::array<CapturedPacket, 64> batch;
  while (const size_t count = (*source)->Read(batch)) {
    for (const CapturedPacket& packet : std::span(batch).first(count)) analyzer.Add(packet);
  }
  const CaptureAnalysis analysis = analyzer.Finish();
  EXPECT_EQ(analysis.totals.packets, GetParam().packets);
  EXPECT_EQ(analysis.totals.roce_packets, 0u);
  EXPECT_TRUE(analysis.connections.empty());
  EXPECT_EQ(analysis.traffic.by_class[static_cast<size_t>(GetParam().frame_class)],
            GetParam().of_class);
  uint64_t with_pfc = 0;
  for (const LldpNeighbour& neighbour : analysis.traffic.neighbours) {
    with_pfc += neighbour.pfc_classes.has_value() ? 1u : 0u;
  }
  EXPECT_EQ(with_pfc, GetParam().neighbours_with_pfc);
}

INSTANTIATE_TEST_SUITE_P(
    Corpus, RealCapture,
    testing::Values(RealFile{"pause_dcbx_lldp/dcb_pfc.pcap", 5, wire::FrameClass::kLldp, 4, 2},
                    RealFile{"pause_dcbx_lldp/dcb_ets.pcap", 67, wire::FrameClass::kLldp, 31, 0},
                    RealFile{"pause_dcbx_lldp/lldpd_connectx.pcap", 1, wire::FrameClass::kLldp, 1,
                             0}));

}  // namespace
}  // namespace weft::analyzer
