// SPDX-License-Identifier: Apache-2.0
// Frames built for tests are what the dissector takes for whole and right.
#include "tests/wire/rdma_frames.h"

#include <gtest/gtest.h>

#include <numeric>

#include "wire/frame.h"
#include "wire/lldp.h"

namespace weft::wire {
namespace {

FrameClass Dissect(std::span<const std::byte> frame, FrameView& view) {
  return DissectFrame(LinkType::kEthernet, frame, frame.size(), {}, view);
}

std::vector<FrameSpec> Carriers() {
  FrameSpec v4;
  FrameSpec tagged = v4;
  tagged.vlan = {.id = 100, .priority = 3};
  FrameSpec v6 = v4;
  v6.source = *IpAddress::Parse("fd00::a");
  v6.destination = *IpAddress::Parse("fd00::b");
  v6.flow_label = 0x12345;
  FrameSpec v1 = v6;
  v1.is_roce_v1 = true;
  FrameSpec v1_mapped = v4;
  v1_mapped.is_roce_v1 = true;
  return {v4, tagged, v6, v1, v1_mapped};
}

TEST(RdmaFrames, HaveTheirRightIcrcOnEveryCarrier) {
  const RdmaPacket packets[] = {SendOnly(0x12, 7, 100),
                                WriteOnly(0x12, 8, 13),
                                ReadRequest(0x12, 9, 8192),
                                ReadResponseFirst(0x12, 9, 1, 4096),
                                Ack(0x12, 5, 3),
                                Nak(0x12, 5, 3, NakCode::kRemoteAccessError),
                                RnrNak(0x12, 5, 3, 14),
                                AtomicFetchAdd(0x12, 6),
                                AtomicCompareSwap(0x12, 6),
                                AtomicAck(0x12, 6, 4),
                                Cnp(0x12),
                                UdSend(0x12, 1, 0x34, 0x11111111, Filler(17))};
  for (const FrameSpec& spec : Carriers()) {
    for (const RdmaPacket& packet : packets) {
      SCOPED_TRACE(packet.info().name);
      FrameView view;
      const auto frame = RoceFrame(spec, packet);
      ASSERT_EQ(Dissect(frame, view), spec.is_roce_v1 ? FrameClass::kRoceV1 : FrameClass::kRoceV2);
      EXPECT_EQ(view.icrc, IcrcState::kOk);
      EXPECT_EQ(view.rdma.bth.opcode, packet.bth.opcode);
      EXPECT_EQ(view.rdma.bth.psn, packet.bth.psn);
      EXPECT_EQ(view.rdma.headers, packet.headers);
      EXPECT_EQ(view.rdma.payload_bytes, packet.payload_bytes);
      EXPECT_EQ(view.traffic_class, 26 << 2 | 2);
      EXPECT_EQ(view.is_tagged, spec.vlan.has_value());

      auto damaged = frame;
      damaged[damaged.size() - 5] ^= std::byte{1};
      Dissect(damaged, view);
      EXPECT_EQ(view.icrc, IcrcState::kBad);
    }
  }
}

TEST(RdmaFrames, AStreamCutsMessagesOverTheWrapOfPsns) {
  RcStream stream(0x12, 0xfffffe, 1024);
  const std::vector<RdmaPacket> packets = stream.Write(3 * 1024 + 1);
  ASSERT_EQ(packets.size(), 4u);
  const uint32_t psns[] = {0xfffffe, 0xffffff, 0, 1};
  const uint8_t opcodes[] = {0x06, 0x07, 0x07, 0x08};
  for (size_t i = 0; i < packets.size(); ++i) {
    EXPECT_EQ(packets[i].bth.psn, psns[i]);
    EXPECT_EQ(packets[i].bth.opcode, opcodes[i]);
    EXPECT_EQ(packets[i].bth.ack_request, i == 3);
    EXPECT_EQ(packets[i].payload_bytes, i == 3 ? 1u : 1024u);
  }
  EXPECT_EQ(packets[0].reth.length, 3 * 1024 + 1u);
  EXPECT_EQ(stream.next_psn(), 2u);

  EXPECT_EQ(stream.Read(4096).bth.psn, 2u);
  EXPECT_EQ(stream.next_psn(), 6u);
  EXPECT_EQ(stream.Send(1024).size(), 1u);
  EXPECT_EQ(stream.Send(0).front().bth.opcode, 0x04);
  EXPECT_EQ(stream.next_psn(), 8u);
}

TEST(RdmaFrames, EveryTransportHasItsOpcodes) {
  EXPECT_EQ(RcStream(1, 0, 256, Transport::kUc).Send(512).back().bth.opcode, 0x22);
  const RdmaPacket xrc = RcStream(1, 0, 256, Transport::kXrc).Write(10).front();
  EXPECT_EQ(xrc.bth.opcode, 0xaa);
  EXPECT_TRUE(xrc.Has(header::kXrceth | header::kReth));
}

TEST(RdmaFrames, AReadResponseHasThePsnsOfItsRequest) {
  const std::vector<RdmaPacket> response = ReadResponse(0x12, 0xffffff, 9, 2500, 1024);
  ASSERT_EQ(response.size(), 3u);
  EXPECT_EQ(response[0].bth.opcode, 0x0d);
  EXPECT_EQ(response[1].bth.psn, 0u);
  EXPECT_EQ(response[2].bth.opcode, 0x0f);
  EXPECT_EQ(response[2].payload_bytes, 452u);
  EXPECT_EQ(ReadResponse(0x12, 4, 9, 8, 1024).front().bth.opcode, 0x10);
}

TEST(RdmaFrames, CmTravelsFromQp1ToQp1) {
  FrameView view;
  const auto frame =
      CmFrame({}, {.kind = CmKind::kRtu, .local_comm_id = 1, .remote_comm_id = 2}, 3);
  ASSERT_EQ(Dissect(frame, view), FrameClass::kRoceV2);
  EXPECT_EQ(view.icrc, IcrcState::kOk);
  EXPECT_EQ(view.rdma.bth.dest_qpn, kGeneralServicesQpn);
  EXPECT_EQ(view.rdma.deth.source_qpn, kGeneralServicesQpn);
  const std::optional<CmMessage> message = ParseCm(view.rdma.payload);
  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(message->remote_comm_id, 2u);
}

TEST(RdmaFrames, PauseAndLldpAreOfTheShortestLength) {
  PauseFrame pause{.is_pfc = true, .enabled_classes = 1 << 3};
  pause.quanta[3] = 0xffff;
  FrameView view;
  const auto frame = PauseFrameBytes(pause);
  EXPECT_EQ(frame.size(), 60u);
  ASSERT_EQ(Dissect(frame, view), FrameClass::kPfc);
  EXPECT_EQ(view.pause, pause);
  EXPECT_EQ(Dissect(LldpFrame(Filler(20)), view), FrameClass::kLldp);
}

}  // namespace
}  // namespace weft::wire
