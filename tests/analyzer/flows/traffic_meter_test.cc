// SPDX-License-Identifier: Apache-2.0
#include "analyzer/flows/traffic_meter.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "wire/bth.h"
#include "wire/byte_writer.h"
#include "wire/lldp.h"

namespace weft::analyzer {
namespace {

constexpr int64_t kStartNs = 1'700'000'000'000'000'000;
constexpr int64_t kMs = 1'000'000;
constexpr wire::MacAddress kMac = {2, 0, 0, 0, 0, 1};
constexpr uint8_t kWriteOnly = 0x0a;
constexpr uint8_t kAck = 0x11;

class TrafficMeterTest : public testing::Test {
 protected:
  wire::FrameView Rdma(uint32_t source, uint32_t destination, uint8_t opcode, size_t payload) {
    wire::FrameView view;
    view.frame_class = wire::FrameClass::kRoceV2;
    view.source = wire::NetworkAddress::Ipv4(source);
    view.destination = wire::NetworkAddress::Ipv4(destination);
    view.mac_source = kMac;
    view.ttl = 64;
    view.traffic_class = 26 << 2 | 2;
    view.icrc = wire::IcrcState::kOk;
    view.rdma.bth.opcode = opcode;
    view.rdma.headers = wire::InfoOf(opcode).headers;
    view.rdma.payload_bytes = payload;
    return view;
  }
  void Add(const wire::FrameView& view, int64_t after_start_ns, uint32_t wire_bytes = 1'100) {
    CapturedPacket packet;
    packet.number = ++number_;
    packet.has_time = true;
    packet.time_ns = kStartNs + after_start_ns;
    packet.wire_bytes = wire_bytes;
    packet.bytes = std::span(bytes_).first(wire_bytes);
    meter_.Add(view, packet);
  }
  void Pause(uint16_t quanta, int64_t after_start_ns) {
    wire::FrameView view;
    view.frame_class = wire::FrameClass::kPfc;
    view.mac_source = kMac;
    view.pause.is_pfc = true;
    view.pause.enabled_classes = 1 << 3;
    view.pause.quanta[3] = quanta;
    Add(view, after_start_ns, 64);
  }

  std::array<std::byte, 2'048> bytes_{};
  uint64_t number_ = 0;
  TrafficMeter meter_{{.bin_ns = kMs}};
};

TEST_F(TrafficMeterTest, SecondsAreWholeAndAscendingWhateverTheOrderOfTheTimes) {
  const auto view = Rdma(1, 2, kWriteOnly, 1'024);
  Add(view, 2'500 * kMs);
  Add(view, 500 * kMs);
  Add(view, 2'600 * kMs);
  const Traffic traffic = meter_.Finish();
  ASSERT_EQ(traffic.seconds.size(), 2u);
  EXPECT_EQ(traffic.seconds[0].start_ns, kStartNs);
  EXPECT_EQ(traffic.seconds[0].roce_packets, 1u);
  EXPECT_EQ(traffic.seconds[1].start_ns, kStartNs + 2'000 * kMs);
  EXPECT_EQ(traffic.seconds[1].roce_bytes, 2'200u);
  EXPECT_EQ(traffic.backward_steps, 1u);
  EXPECT_EQ(traffic.first_ns, kStartNs + 500 * kMs);
  EXPECT_EQ(traffic.last_ns, kStartNs + 2'600 * kMs);
}

TEST_F(TrafficMeterTest, SecondsBeforeTheEpochRoundDown) {
  Add(Rdma(1, 2, kWriteOnly, 1), -kStartNs - 1);
  EXPECT_EQ(meter_.Finish().seconds[0].start_ns, -1'000'000'000);
}

TEST_F(TrafficMeterTest, SecondsAreBoundedAndTheRestIsInTheLast) {
  const auto view = Rdma(1, 2, kWriteOnly, 1'024);
  for (int64_t i = 0; i < 100'010; ++i) Add(view, i * 1'000 * kMs);
  const Traffic traffic = meter_.Finish();
  ASSERT_EQ(traffic.seconds.size(), 100'000u);
  EXPECT_EQ(traffic.seconds.front().packets, 1u);
  EXPECT_EQ(traffic.seconds.back().packets, 11u);
}

TEST_F(TrafficMeterTest, PacketsWithoutATimeAreCountedInNoSecond) {
  CapturedPacket packet;
  packet.number = 1;
  packet.wire_bytes = 1'100;
  meter_.Add(Rdma(1, 2, kWriteOnly, 1'024), packet);
  const Traffic traffic = meter_.Finish();
  EXPECT_FALSE(traffic.has_times);
  EXPECT_TRUE(traffic.seconds.empty());
  EXPECT_EQ(traffic.packets, 1u);
  EXPECT_EQ(traffic.cut_packets, 1u);
  EXPECT_EQ(traffic.receivers[0].bytes, 1'100u);
  EXPECT_TRUE(traffic.bursts.empty());
}

TEST_F(TrafficMeterTest, ABurstIsTheFullestBinOfADestinationWithItsSenders) {
  for (int64_t i = 0; i < 20; ++i) Add(Rdma(1, 9, kWriteOnly, 1'024), i * kMs);  // packets 1-20
  for (uint32_t i = 0; i < 30; ++i) Add(Rdma(1 + i % 3, 9, kWriteOnly, 1'024), 20 * kMs + i);
  Add(Rdma(1, 9, kWriteOnly, 1'024), 30 * kMs);
  const Traffic traffic = meter_.Finish();
  ASSERT_EQ(traffic.bursts.size(), 1u);
  const Microburst& burst = traffic.bursts[0];
  EXPECT_EQ(burst.bytes, 30u * 1'100);
  EXPECT_EQ(burst.sources, 3u);
  EXPECT_EQ(burst.first_packet, 21u);
  EXPECT_EQ(burst.start_ns, kStartNs + 20 * kMs);
  EXPECT_DOUBLE_EQ(burst.mean_bytes, 51.0 * 1'100 / 31);
  EXPECT_EQ(traffic.receivers[0].shared_bins, 1u);
  EXPECT_EQ(traffic.receivers[0].busy_bins, 22u);
  EXPECT_EQ(traffic.receivers[0].most_sources, 3u);
}

TEST_F(TrafficMeterTest, AcksOfManyReceiversAreNoBurst) {
  for (uint32_t i = 0; i < 30; ++i) Add(Rdma(10 + i, 1, kAck, 0), i, 62);
  const Traffic traffic = meter_.Finish();
  EXPECT_TRUE(traffic.bursts.empty());
  EXPECT_TRUE(traffic.receivers.empty());
}

TEST_F(TrafficMeterTest, SendersOfABinAreToldApartUpToABound) {
  for (uint32_t i = 0; i < 200; ++i) Add(Rdma(100 + i % 40, 9, kWriteOnly, 1), i);
  for (uint32_t i = 0; i < 200; ++i) Add(Rdma(100 + i, 8, kWriteOnly, 1), i);
  const Traffic traffic = meter_.Finish();
  EXPECT_EQ(traffic.receivers[0].most_sources, 40u);
  EXPECT_EQ(traffic.receivers[1].most_sources, 48u);
}

TEST_F(TrafficMeterTest, DestinationsAreBoundedAndTheRestIsCounted) {
  for (uint32_t i = 0; i < 10'000; ++i) Add(Rdma(1, 100 + i, kWriteOnly, 1), i);
  const Traffic traffic = meter_.Finish();
  EXPECT_EQ(traffic.unmetered_packets, 10'000u - 8'191);
  EXPECT_EQ(traffic.bursts.size(), 16u);
  EXPECT_EQ(traffic.receivers.size(), 256u);
}

TEST_F(TrafficMeterTest, MarksCnpsAndNaksAreCountedWithTheFirstTimes) {
  auto marked = Rdma(1, 2, kWriteOnly, 1'024);
  marked.traffic_class |= 3;
  Add(Rdma(1, 2, kWriteOnly, 1'024), 0);
  Add(marked, 5);
  Add(marked, 6);
  Add(Rdma(2, 1, 0x81, 16), 7);
  auto nak = Rdma(2, 1, kAck, 0);
  nak.rdma.aeth.syndrome = 0x60;
  Add(nak, 8);
  nak.rdma.aeth.syndrome = 0x20;
  nak.icrc = wire::IcrcState::kBad;
  Add(nak, 9);
  const Traffic traffic = meter_.Finish();
  EXPECT_EQ(traffic.ecn_ce, 2u);
  EXPECT_EQ(traffic.cnps, 1u);
  EXPECT_EQ(traffic.naks, 1u);
  EXPECT_EQ(traffic.rnr_naks, 1u);
  EXPECT_EQ(traffic.bad_icrc, 1u);
  EXPECT_EQ(traffic.first_ce_ns, kStartNs + 5);
  EXPECT_EQ(traffic.first_cnp_ns, kStartNs + 7);
  EXPECT_EQ(traffic.first_pause_ns, std::nullopt);
  EXPECT_EQ(traffic.seconds[0].naks, 1u);
  EXPECT_EQ(traffic.seconds[0].ecn_ce, 2u);
}

TEST_F(TrafficMeterTest, XoffIsToldFromXonAndTheTimeBetweenIsHeld) {
  Pause(65'535, 0);
  Pause(65'535, 2 * kMs);
  Pause(0, 5 * kMs);
  Pause(0, 6 * kMs);
  Pause(100, 8 * kMs);  // ends by its timer: not known when
  const Traffic traffic = meter_.Finish();
  ASSERT_EQ(traffic.pauses.size(), 1u);
  const PauseLink& link = traffic.pauses[0];
  EXPECT_EQ(link.xoff[3].count, 3u);
  EXPECT_EQ(link.xon[3].count, 2u);
  EXPECT_EQ(link.xoff[3].packets[2], 5u);
  EXPECT_EQ(link.quanta[3], 2u * 65'535 + 100);
  EXPECT_EQ(link.held_ns[3], 5 * kMs);
  EXPECT_EQ(link.xoff[0].count, 0u);
  EXPECT_EQ(link.hosts_behind, 0u);
  EXPECT_EQ(traffic.pause_frames, 3u);
  EXPECT_EQ(traffic.first_pause_ns, kStartNs);
}

TEST_F(TrafficMeterTest, TheHostThatPausesIsKnownByItsMac) {
  Add(Rdma(7, 2, kAck, 0), 0, 62);
  Pause(9, 1);
  const PauseLink link = meter_.Finish().pauses.at(0);
  EXPECT_EQ(link.hosts_behind, 1u);
  EXPECT_EQ(link.host, wire::NetworkAddress::Ipv4(7));
  EXPECT_TRUE(link.host_ttl_is_fresh);
}

TEST_F(TrafficMeterTest, ARouterHasSeveralHostsBehindItsMac) {
  Add(Rdma(7, 2, kAck, 0), 0, 62);
  Add(Rdma(8, 2, kAck, 0), 0, 62);
  Pause(9, 1);
  const PauseLink link = meter_.Finish().pauses.at(0);
  EXPECT_EQ(link.hosts_behind, 2u);
  EXPECT_TRUE(link.host.empty());
}

TEST_F(TrafficMeterTest, NeighboursSayTheirNamesAndPfcClasses) {
  const std::array<std::byte, 5> name = {std::byte{'l'}, std::byte{'e'}, std::byte{'a'},
                                         std::byte{'f'}, std::byte{'1'}};
  const std::array<std::byte, 2> pfc = {std::byte{0x04}, std::byte{0x08}};
  wire::Lldp lldp;
  lldp.chassis = wire::LldpId{.subtype = 7, .value = name};
  lldp.port = wire::LldpId{.subtype = 5, .value = name};
  lldp.ttl_s = 120;
  lldp.system_name = name;
  std::array<std::byte, 256> bytes{};
  wire::ByteWriter writer(bytes);
  wire::WriteLldpTlvs(lldp, writer);
  wire::WriteLldpOrganization({.oui = 0x0080c2, .subtype = 11, .value = pfc}, writer);
  wire::WriteLldpEnd(writer);
  wire::FrameView view;
  view.frame_class = wire::FrameClass::kLldp;
  view.mac_source = kMac;
  view.lldp = bytes;
  Add(view, 0, 200);
  view.lldp = {};  // nothing readable: what was said stays
  Add(view, 1, 200);
  const Traffic traffic = meter_.Finish();
  ASSERT_EQ(traffic.neighbours.size(), 1u);
  EXPECT_EQ(traffic.neighbours[0].system_name, "leaf1");
  EXPECT_EQ(traffic.neighbours[0].port, "leaf1");
  EXPECT_EQ(traffic.neighbours[0].pfc_classes, 0x08);
  EXPECT_EQ(traffic.neighbours[0].packets, 2u);
}

TEST_F(TrafficMeterTest, TunnelsAreCountedByPacket) {
  auto view = Rdma(1, 2, kWriteOnly, 1);
  view.tunnel_count = 3;
  view.tunnels = {wire::Tunnel::kVxlan, wire::Tunnel::kVxlan, wire::Tunnel::kMpls};
  Add(view, 0);
  const Traffic traffic = meter_.Finish();
  EXPECT_EQ(traffic.by_tunnel[static_cast<size_t>(wire::Tunnel::kVxlan)], 1u);
  EXPECT_EQ(traffic.by_tunnel[static_cast<size_t>(wire::Tunnel::kMpls)], 1u);
}

}  // namespace
}  // namespace weft::analyzer
