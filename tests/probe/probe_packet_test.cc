// SPDX-License-Identifier: Apache-2.0
#include "probe/endpoint/probe_packet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace weft::probe {
namespace {

const wire::IpAddress kProber = wire::IpAddress::V4(0x0a000102);
const wire::IpAddress kResponder = wire::IpAddress::V4(0x0a000202);
constexpr uint32_t kSession = 0x11223344;
constexpr uint32_t kSequence = 0x05060708;
constexpr uint32_t kSourceQpn = 0x1234;
constexpr uint16_t kAnswerPort = 40000;

Probe SomeProbe(uint8_t ttl) {
  Probe probe;
  probe.destination = kResponder;
  probe.dest_qpn = 0xabcdef;
  probe.q_key = 0x11111111;
  probe.udp_src_port = 50001;
  probe.reply_udp_src_port = 50002;
  probe.ttl = ttl;
  return probe;
}

std::vector<std::byte> Built(uint8_t ttl) {
  std::vector<std::byte> bytes(kMaxProbeBytes);
  bytes.resize(
      BuildProbe(SomeProbe(ttl), kProber, kSession, kSequence, kSourceQpn, kAnswerPort, bytes));
  return bytes;
}

const wire::RoceEndpoints kThere = {
    .source = kProber, .destination = kResponder, .udp_src_port = 50001};
const wire::RoceEndpoints kBack = {.source = kResponder,
                                   .destination = kProber,
                                   .udp_src_port = 50002,
                                   .udp_dst_port = kAnswerPort};

TEST(ProbePacket, IsReadAsItWasBuilt) {
  const std::vector<std::byte> bytes = Built(3);
  ProbePacket packet;
  ASSERT_EQ(ParseProbePacket(kThere, bytes, packet), PacketFault::kNone);
  EXPECT_EQ(packet.payload.type, wire::ProbeType::kQuestion);
  EXPECT_EQ(packet.payload.session, kSession);
  EXPECT_EQ(packet.payload.sequence, kSequence);
  EXPECT_EQ(packet.payload.reply_udp_src_port, 50002);
  EXPECT_EQ(packet.payload.reply_udp_dst_port, kAnswerPort);
  EXPECT_EQ(packet.dest_qpn, 0xabcdefu);
  EXPECT_EQ(packet.source_qpn, kSourceQpn);
  EXPECT_EQ(packet.q_key, 0x11111111u);
  EXPECT_EQ(packet.psn, kSequence & wire::kPsnMask);
}

TEST(ProbePacket, EveryTtlModulo64HasItsOwnLength) {
  for (unsigned ttl = 0; ttl < 256; ++ttl) {
    const size_t udp_length = wire::kUdpHeaderBytes + Built(static_cast<uint8_t>(ttl)).size();
    EXPECT_EQ(TtlFromUdpLength(udp_length), ttl % 64) << "TTL " << ttl;
  }
}

TEST(ProbePacket, OtherLengthsTellNoTtl) {
  const size_t shortest = wire::kUdpHeaderBytes + Built(64).size();
  const size_t longest = wire::kUdpHeaderBytes + Built(63).size();
  for (const size_t length : {size_t{0}, shortest - 4, shortest + 1, shortest + 2, longest + 4}) {
    EXPECT_EQ(TtlFromUdpLength(length), std::nullopt) << length;
  }
}

TEST(ProbePacket, EveryTruncationIsRefused) {
  const std::vector<std::byte> bytes = Built(5);
  ProbePacket packet;
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_NE(ParseProbePacket(kThere, std::span(bytes).first(size), packet), PacketFault::kNone)
        << size;
  }
}

TEST(ProbePacket, AChangedByteFailsTheIcrcUnlessSwitchesMayChangeIt) {
  ProbePacket packet;
  for (size_t at = 0; at < Built(1).size(); ++at) {
    std::vector<std::byte> bytes = Built(1);
    bytes[at] ^= std::byte{1};
    const bool may_change = at == 4;  // FECN, BECN and reserved bits of the BTH
    EXPECT_EQ(ParseProbePacket(kThere, bytes, packet) == PacketFault::kNone, may_change) << at;
  }
}

TEST(ProbePacket, OtherAddressesOrPortsFailTheIcrc) {
  const std::vector<std::byte> bytes = Built(1);
  ProbePacket packet;
  wire::RoceEndpoints other = kThere;
  other.udp_src_port = 50009;
  EXPECT_EQ(ParseProbePacket(other, bytes, packet), PacketFault::kBadIcrc);
  other = kThere;
  other.source = wire::IpAddress::V4(0x0a000103);
  EXPECT_EQ(ParseProbePacket(other, bytes, packet), PacketFault::kBadIcrc);
}

TEST(ProbePacket, AnAnswerRepeatsTheQuestionAndIsAsLong) {
  for (const uint8_t ttl : std::initializer_list<uint8_t>{1, 2, 63, 64}) {
    const std::vector<std::byte> question_bytes = Built(ttl);
    ProbePacket question;
    ASSERT_EQ(ParseProbePacket(kThere, question_bytes, question), PacketFault::kNone);
    std::array<std::byte, 512> answer_bytes;
    const size_t size = BuildAnswer(question, kResponder, kProber,
                                    {.udp_src_port = 50002,
                                     .reply_port_was_busy = true,
                                     .received_ttl = 61,
                                     .received_traffic_class = 104,
                                     .responder_delay_ns = 12345},
                                    answer_bytes);
    EXPECT_EQ(size, question_bytes.size());
    ProbePacket answer;
    ASSERT_EQ(ParseProbePacket(kBack, std::span(answer_bytes).first(size), answer),
              PacketFault::kNone);
    EXPECT_EQ(answer.payload.type, wire::ProbeType::kAnswer);
    EXPECT_EQ(answer.payload.session, kSession);
    EXPECT_EQ(answer.payload.sequence, kSequence);
    EXPECT_TRUE(answer.payload.reply_port_was_busy);
    EXPECT_EQ(answer.payload.received_ttl, 61);
    EXPECT_EQ(answer.payload.received_traffic_class, 104);
    EXPECT_EQ(answer.payload.responder_delay_ns, 12345u);
    EXPECT_EQ(answer.dest_qpn, kSourceQpn);
    EXPECT_EQ(answer.source_qpn, 0xabcdefu);
  }
}

TEST(ProbePacket, AQuoteTellsTheProbeOnceItHoldsOurFortyBytes) {
  const std::vector<std::byte> bytes = Built(2);
  const size_t enough = wire::kBthBytes + wire::kDethBytes + wire::kProbePayloadBytes;
  for (size_t size = 0; size <= bytes.size(); ++size) {
    const auto quoted = ParseQuotedProbe(std::span(bytes).first(size));
    ASSERT_EQ(quoted.has_value(), size >= enough) << size;
    if (quoted) {
      EXPECT_EQ(quoted->sequence, kSequence);
    }
  }
}

// Whose header it wears does not matter to the quote; to a receiver the ICRC is wrong.
TEST(ProbePacket, ALiveHeaderIsQuotedLikeAnyAndNeverAccepted) {
  for (unsigned opcode = 0; opcode < 256; ++opcode) {
    Probe probe = SomeProbe(5);
    probe.bth_opcode = static_cast<uint8_t>(opcode);
    probe.wears_live_header = true;
    std::vector<std::byte> bytes(kMaxProbeBytes);
    bytes.resize(BuildProbe(probe, kProber, kSession, kSequence, kSourceQpn, kAnswerPort, bytes));
    ASSERT_EQ(bytes.size(), Built(5).size());
    EXPECT_EQ(bytes[0], static_cast<std::byte>(opcode));
    EXPECT_FALSE(wire::IcrcMatches(kThere, bytes)) << opcode;
    ProbePacket packet;
    EXPECT_EQ(ParseProbePacket(kThere, bytes, packet),
              opcode == 0x64 ? PacketFault::kBadIcrc : PacketFault::kMalformed);
    const auto quoted = ParseQuotedProbe(bytes);
    ASSERT_TRUE(quoted.has_value()) << opcode;
    EXPECT_EQ(quoted->sequence, kSequence);
    EXPECT_EQ(quoted->session, kSession);
  }
}

TEST(ProbePacket, IsReadAsItWasBuiltOverIpv6) {
  Probe probe = SomeProbe(7);
  probe.destination = *wire::IpAddress::Parse("fd00::3");
  const wire::IpAddress source = *wire::IpAddress::Parse("fd00::1");
  std::vector<std::byte> bytes(kMaxProbeBytes);
  bytes.resize(BuildProbe(probe, source, kSession, kSequence, kSourceQpn, kAnswerPort, bytes));
  ProbePacket packet;
  wire::RoceEndpoints endpoints = {
      .source = source, .destination = probe.destination, .udp_src_port = 50001};
  ASSERT_EQ(ParseProbePacket(endpoints, bytes, packet), PacketFault::kNone);
  EXPECT_EQ(packet.payload.sequence, kSequence);
  endpoints.source = *wire::IpAddress::Parse("fd00::2");
  EXPECT_EQ(ParseProbePacket(endpoints, bytes, packet), PacketFault::kBadIcrc);
}

struct CheckRow {
  std::string name;
  std::function<void(Probe&)> change;
  std::string error;  // empty: it may be sent; else a part of what is said
};

class ProbeCheck : public testing::TestWithParam<CheckRow> {};

TEST_P(ProbeCheck, SaysWhatMayNotBeSent) {
  Probe probe = SomeProbe(31);
  GetParam().change(probe);
  const absl::Status status = CheckProbe(probe);
  EXPECT_EQ(status.ok(), GetParam().error.empty()) << status;
  if (!status.ok()) {
    EXPECT_TRUE(absl::IsInvalidArgument(status));
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr(GetParam().error));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rules, ProbeCheck,
    testing::Values(CheckRow{"Plain", [](Probe& p) { p.ttl = 255; }, ""},
                    CheckRow{"LiveHeader", [](Probe& p) { p.wears_live_header = true; }, ""},
                    CheckRow{"LiveHeaderWithAnyOpcode",
                             [](Probe& p) {
                               p.wears_live_header = true;
                               p.bth_opcode = 0x0a;
                             },
                             ""},
                    CheckRow{"LiveHeaderThatGoesTooFar",
                             [](Probe& p) {
                               p.wears_live_header = true;
                               p.ttl = 32;
                             },
                             "TTL 32: expected one below 32"},
                    CheckRow{"AnotherOpcode", [](Probe& p) { p.bth_opcode = 0x04; }, "opcode 0x04"},
                    CheckRow{"NoDestination", [](Probe& p) { p.destination = {}; },
                             "expected a destination"},
                    CheckRow{"SourceOfTheSameFamily", [](Probe& p) { p.source = kProber; }, ""},
                    CheckRow{"SourceOfAnotherFamily",
                             [](Probe& p) { p.source = *wire::IpAddress::Parse("fd00::1"); },
                             "source fd00::1: expected one of the destination's family"},
                    CheckRow{"LargestFlowLabel", [](Probe& p) { p.flow_label = 0xfffff; }, ""},
                    CheckRow{"FlowLabelOf21Bits", [](Probe& p) { p.flow_label = 0x100000; },
                             "flow label 0x100000: expected at most 0xfffff"}),
    [](const auto& row) { return row.param.name; });

TEST(ProbePacket, ABufferTooSmallTakesNothing) {
  std::array<std::byte, 40> small;
  EXPECT_EQ(BuildProbe(SomeProbe(1), kProber, kSession, 1, 1, kAnswerPort, small), 0u);
}

}  // namespace
}  // namespace weft::probe
