// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>

#include "tests/wire/allocation_counter.h"
#include "tests/wire/hex.h"
#include "tests/wire/packets.h"
#include "wire/dissect.h"
#include "wire/icmp.h"
#include "wire/probe.h"
#include "wire/roce.h"
#include "wire/traffic.h"

namespace weft::wire {
namespace {

TEST(Allocations, AreCounted) {
  const size_t before = AllocationCount();
  Bytes bytes(100);
  EXPECT_EQ(AllocationCount() - before, 1u);
}

TEST(Allocations, NoneToBuildCheckAndParseAProbe) {
  const RoceEndpoints endpoints = {.source = IpAddress::V4(0x0a010102),
                                   .destination = IpAddress::V4(0x0a020202),
                                   .udp_src_port = 49153};
  std::array<std::byte, kProbePayloadBytes> payload;
  std::array<std::byte, 256> datagram;

  const size_t before = AllocationCount();
  const ProbePayload probe{.session = 1, .sequence = 2};
  const bool written = WriteProbePayload(probe, payload);
  const size_t built = BuildRoceDatagram(endpoints, {.opcode = 0x64}, Deth{}, payload, datagram);
  const std::span<const std::byte> sent = std::span(datagram).first(built);
  const bool matches = IcrcMatches(endpoints, sent);
  const std::optional<RoceDatagram> parsed = ParseRoceDatagram(sent);
  const std::optional<ProbePayload> received =
      parsed.has_value() ? ParseProbePayload(parsed->payload) : std::nullopt;
  const size_t after = AllocationCount();

  EXPECT_EQ(after - before, 0u);
  EXPECT_TRUE(written);
  EXPECT_TRUE(matches);
  EXPECT_EQ(received, probe);
}

TEST(Allocations, NoneToBuildAndParseTraffic) {
  std::array<std::byte, 256> out;
  const TrafficMessage message{.token = 1, .body = TrafficReport{.received_packets = 2}};
  const size_t before = AllocationCount();
  const size_t written = WriteTrafficMessage(message, out);
  const std::optional<TrafficMessage> parsed = ParseTrafficMessage(std::span(out).first(written));
  EXPECT_EQ(AllocationCount() - before, 0u);
  EXPECT_EQ(parsed, message);
}

TEST(Allocations, NoneToDissectAndAnswerAPacket) {
  const Bytes packet = FromHex(kUdSendPacket);
  std::array<std::byte, 576> out;
  RoceView view;
  const size_t before = AllocationCount();
  const PacketClass packet_class = DissectIpv4(packet, view);
  const size_t built = BuildIcmpError({.router = IpAddress::V4(0x0a010101)}, packet, out);
  const std::optional<IcmpError> error = ParseIcmpError(std::span(out).first(built));
  EXPECT_EQ(AllocationCount() - before, 0u);
  EXPECT_EQ(packet_class, PacketClass::kRoce);
  EXPECT_TRUE(error.has_value());
}

}  // namespace
}  // namespace weft::wire
