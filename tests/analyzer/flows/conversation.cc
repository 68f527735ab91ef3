// SPDX-License-Identifier: Apache-2.0
#include "tests/analyzer/flows/conversation.h"

#include <gtest/gtest.h>

#include "wire/opcode.h"

namespace weft::analyzer {
namespace {

constexpr size_t kHeaderBytes = 14 + 20 + 8 + 12 + 4;
constexpr uint32_t kAcquainting = 3;

}  // namespace

Conversation& Conversation::After(int64_t ns) {
  now_ns_ += ns;
  return *this;
}

Conversation& Conversation::Packet(const End& from, uint8_t opcode, uint32_t psn, int64_t bytes,
                                   uint32_t length, uint8_t syndrome) {
  const wire::OpcodeInfo& info = wire::InfoOf(opcode);
  view_.frame_class = wire::FrameClass::kRoceV2;
  view_.source = wire::NetworkAddress::Ipv4(from.address);
  view_.destination = wire::NetworkAddress::Ipv4(from.peer_address);
  view_.udp_src_port = from.port;
  view_.udp_dst_port = 4791;
  view_.ttl = from.ttl;
  view_.traffic_class = static_cast<uint8_t>(from.dscp << 2 | (view_.traffic_class & 3));
  wire::RdmaPacket& rdma = view_.rdma;
  rdma.bth.opcode = opcode;
  rdma.bth.dest_qpn = from.peer_qpn;
  rdma.bth.psn = psn & wire::kPsnMask;
  rdma.headers = info.headers;
  rdma.reth.length = length;
  rdma.aeth.syndrome = syndrome;
  rdma.payload_bytes = bytes >= 0 ? static_cast<size_t>(bytes) : info.has_payload ? kMtu : 0;
  const CapturedPacket packet = {
      .number = ++number_,
      .time_ns = has_time_ ? now_ns_ : 0,
      .has_time = has_time_,
      .wire_bytes = static_cast<uint32_t>(kHeaderBytes + rdma.payload_bytes)};
  table_.Add(view_, packet);
  return *this;
}

Conversation& Conversation::WritePacket(uint32_t psn, uint32_t count, uint32_t i) {
  uint8_t opcode = op::kWriteMiddle;
  if (count == 1) {
    opcode = op::kWriteOnly;
  } else if (i == 0) {
    opcode = op::kWriteFirst;
  } else if (i + 1 == count) {
    opcode = op::kWriteLast;
  }
  return After(kUs).Packet(client, opcode, psn + i, -1, count * kMtu);
}

Conversation& Conversation::Write(uint32_t psn, uint32_t count, const std::vector<uint32_t>& lost) {
  for (uint32_t i = 0; i < count; ++i) {
    bool is_lost = false;
    for (const uint32_t one : lost) is_lost |= one == i;
    is_lost ? After(kUs) : WritePacket(psn, count, i);
  }
  return *this;
}

Conversation& Conversation::WriteFrom(uint32_t psn, uint32_t count, uint32_t first) {
  for (uint32_t i = first; i < count; ++i) WritePacket(psn, count, i);
  return *this;
}

Conversation& Conversation::Acquaint(uint32_t psn) {
  for (uint32_t i = kAcquainting; i > 0; --i) {
    Write(psn - i, 1).After(10 * kUs).Ack((psn - i) & wire::kPsnMask);
  }
  return *this;
}

Connection Conversation::FinishOne() {
  std::vector<Connection> connections = Finish();
  EXPECT_EQ(connections.size(), 1u);
  if (connections.empty()) return {};
  EXPECT_TRUE(connections[0].backward.has_value()) << connections[0].pairing_reason;
  if (!connections[0].backward) connections[0].backward.emplace();
  return connections[0];
}

void ExpectNoTrouble(const FlowStats& stats) {
  EXPECT_EQ(stats.retransmitted.count, 0u);
  EXPECT_EQ(stats.go_back_n.count, 0u);
  EXPECT_EQ(stats.selective.count, 0u);
  EXPECT_EQ(stats.spurious.count, 0u);
  EXPECT_EQ(stats.timeouts.count, 0u);
  EXPECT_EQ(stats.reordered.count, 0u);
  EXPECT_EQ(stats.duplicates.count, 0u);
  EXPECT_EQ(stats.gaps.count, 0u);
  EXPECT_EQ(stats.missing_psns, 0u);
  EXPECT_EQ(stats.capture_lost.count, 0u);
  EXPECT_EQ(stats.retransmission_interval.count, 0u);
  for (const Tally& nak : stats.naks) EXPECT_EQ(nak.count, 0u);
  EXPECT_EQ(stats.rnr_naks.count, 0u);
  EXPECT_EQ(stats.rnr_stall_ns, 0);
  EXPECT_EQ(stats.cnps.count, 0u);
  EXPECT_EQ(stats.ce.count, 0u);
  EXPECT_EQ(stats.vendor.count + stats.reserved.count, 0u);
  EXPECT_EQ(stats.port_changes, 0u);
  EXPECT_EQ(stats.ttl_changes.count, 0u);
  EXPECT_EQ(stats.sender_idle.count, 0u);
  EXPECT_EQ(stats.unanswered.count, 0u);
  EXPECT_EQ(stats.bad_icrc.count, 0u);
}

}  // namespace weft::analyzer
