// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>

#include "tests/wire/allocation_counter.h"
#include "tests/wire/hex.h"
#include "tests/wire/packets.h"
#include "wire/dissect.h"
#include "wire/ip_error.h"
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

TEST(Allocations, NoneToDissectForwardAndAnswerAPacket) {
  const struct {
    std::string_view packet;
    IpAddress router;
  } rows[] = {{kUdSendPacket, IpAddress::V4(0x0a010101)},
              {kIpv6WritePacket, *IpAddress::Parse("fd00::1")}};
  for (const auto& row : rows) {
    Bytes packet = FromHex(row.packet);
    std::array<std::byte, 1280> out;
    RoceView view;
    const size_t before = AllocationCount();
    const PacketClass packet_class = DissectIp(packet, view);
    const std::optional<uint8_t> ttl = DecrementTtl(packet);
    const size_t built = BuildIpError({.router = row.router}, packet, out);
    const std::optional<IpError> error = ParseIpError(std::span(out).first(built));
    EXPECT_EQ(AllocationCount() - before, 0u);
    EXPECT_EQ(packet_class, PacketClass::kRoce);
    EXPECT_EQ(ttl, 63);
    EXPECT_TRUE(error.has_value());
  }
}

TEST(Allocations, NoneToBuildCheckAndParseOverIpv6) {
  const RoceEndpoints endpoints = {.source = *IpAddress::Parse("fd00::a"),
                                   .destination = *IpAddress::Parse("fd00::b"),
                                   .udp_src_port = 49153};
  std::array<std::byte, 256> datagram;
  const size_t before = AllocationCount();
  const size_t built = BuildRoceDatagram(endpoints, {.opcode = 0x64}, Deth{}, {}, datagram);
  const bool matches = IcrcMatches(endpoints, std::span(datagram).first(built));
  EXPECT_EQ(AllocationCount() - before, 0u);
  EXPECT_TRUE(matches);
}

}  // namespace
}  // namespace weft::wire
