// SPDX-License-Identifier: Apache-2.0
#include "wire/roce.h"

#include <gtest/gtest.h>

#include "tests/wire/hex.h"
#include "tests/wire/packets.h"
#include "tests/wire/random.h"

namespace weft::wire {
namespace {

const RoceEndpoints kForward = {.source = IpAddress::V4(0x0a010102),
                                .destination = IpAddress::V4(0x0a020202),
                                .udp_src_port = 49153};
const RoceEndpoints kBackward = {.source = IpAddress::V4(0x0a020202),
                                 .destination = IpAddress::V4(0x0a010102),
                                 .udp_src_port = 0};
const RoceEndpoints kIpv6 = {.source = *IpAddress::Parse("fd00::a"),
                             .destination = *IpAddress::Parse("fd00::b"),
                             .udp_src_port = 0xe341};

IpAddress Another(const IpAddress& address) {
  return address.IsV4() ? IpAddress::V4(1) : *IpAddress::Parse("fd00::1");
}

struct Row {
  const char* name;
  std::string_view packet;
  size_t headers;  // IP and UDP, which the kernel writes
  RoceEndpoints endpoints;
  Bth bth;
  std::optional<Deth> deth;
  const char* payload;
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

class Roce : public testing::TestWithParam<Row> {
 protected:
  Bytes Datagram() const {
    Bytes packet = FromHex(GetParam().packet);
    packet.erase(packet.begin(), packet.begin() + static_cast<ptrdiff_t>(GetParam().headers));
    return packet;
  }
};

TEST_P(Roce, BothDirections) {
  const Bytes datagram = Datagram();
  const Bytes payload = FromHex(GetParam().payload);
  const std::optional<RoceDatagram> parsed = ParseRoceDatagram(datagram);
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->bth, GetParam().bth);
  EXPECT_EQ(parsed->deth, GetParam().deth);
  EXPECT_EQ(ToHex(parsed->payload), ToHex(payload));
  EXPECT_TRUE(IcrcMatches(GetParam().endpoints, datagram));

  Bytes built(256);
  Bth bth = GetParam().bth;
  bth.pad = 0;  // is the builder's to fill in
  built.resize(BuildRoceDatagram(GetParam().endpoints, bth, GetParam().deth, payload, built));
  EXPECT_EQ(ToHex(built), ToHex(datagram));
}

TEST_P(Roce, RejectsWhatIsShorterThanHeadersPadAndIcrc) {
  const Bytes datagram = Datagram();
  const size_t shortest =
      kBthBytes + (GetParam().deth.has_value() ? kDethBytes : 0) + GetParam().bth.pad + kIcrcBytes;
  for (size_t size = 0; size < datagram.size(); ++size) {
    EXPECT_EQ(ParseRoceDatagram(First(datagram, size)).has_value(), size >= shortest);
    EXPECT_FALSE(IcrcMatches(GetParam().endpoints, First(datagram, size)));
  }
}

TEST_P(Roce, IcrcSeesEveryFlippedBitButThoseOfTheCongestionByte) {
  const Bytes datagram = Datagram();
  for (size_t bit = 0; bit < datagram.size() * 8; ++bit) {
    Bytes flipped = datagram;
    flipped[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    EXPECT_EQ(IcrcMatches(GetParam().endpoints, flipped), bit / 8 == 4) << "byte " << bit / 8;
  }
}

TEST_P(Roce, IcrcSeesOtherAddressesAndPorts) {
  const Bytes datagram = Datagram();
  RoceEndpoints other = GetParam().endpoints;
  other.udp_src_port ^= 1;
  EXPECT_FALSE(IcrcMatches(other, datagram));
  other = GetParam().endpoints;
  other.udp_dst_port ^= 1;
  EXPECT_FALSE(IcrcMatches(other, datagram));
  other = GetParam().endpoints;
  other.source = Another(other.source);
  EXPECT_FALSE(IcrcMatches(other, datagram));
  other = GetParam().endpoints;
  other.destination = Another(other.destination);
  EXPECT_FALSE(IcrcMatches(other, datagram));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, Roce,
    testing::Values(
        Row{"UdSendOnly", kUdSendPacket, 28, kForward,
            Bth{.opcode = 0x64, .pad = 1, .dest_qpn = 0x1c, .psn = 7},
            Deth{.q_key = 0x11111111, .source_qpn = 0xabcde}, "77656674 31616263 646566"},
        Row{"Cnp", kCnpPacket, 28, kBackward,
            Bth{.opcode = 0x81, .mig_req = true, .becn = true, .dest_qpn = 0x15}, std::nullopt,
            "00000000 00000000 00000000 00000000"},
        Row{"Ipv6Write", kIpv6WritePacket, 48, kIpv6,
            Bth{.opcode = 0x0a, .dest_qpn = 0x123456, .ack_request = true, .psn = 0xfffffe},
            std::nullopt,  // the RETH stands at the head of the payload
            "00007f00 00001000 0000beef 00000008 38206279 74657321"}),
    [](const auto& row) { return row.param.name; });

TEST(RoceDatagram, ParsesWhatItBuildsAtEveryPayloadLength) {
  Random random(17);
  for (const bool has_deth : {false, true}) {
    for (size_t payload_bytes = 0; payload_bytes < 130; ++payload_bytes) {
      const Bytes payload = random.Octets(payload_bytes);
      const Bth bth{.opcode = static_cast<uint8_t>(has_deth ? 0x64 : 0x24),
                    .dest_qpn = random.U24(),
                    .psn = random.U24()};
      std::optional<Deth> deth;
      if (has_deth) deth = Deth{.q_key = random.U32(), .source_qpn = 5};
      Bytes built(RoceDatagramBytes(payload_bytes, has_deth));
      EXPECT_EQ(built.size() % 4, 0u);
      ASSERT_EQ(BuildRoceDatagram(kForward, bth, deth, payload, built), built.size());
      EXPECT_TRUE(IcrcMatches(kForward, built));
      const std::optional<RoceDatagram> parsed = ParseRoceDatagram(built);
      ASSERT_TRUE(parsed.has_value());
      EXPECT_EQ(parsed->bth.psn, bth.psn);
      EXPECT_EQ(parsed->bth.dest_qpn, bth.dest_qpn);
      EXPECT_EQ(parsed->deth, deth);
      EXPECT_EQ(ToHex(parsed->payload), ToHex(payload));
    }
  }
}

TEST(RoceDatagram, ImmediateDataStandAtTheHeadOfThePayload) {
  Bytes built(256);
  built.resize(
      BuildRoceDatagram(kForward, Bth{.opcode = 0x65}, Deth{}, FromHex("cafef00d 01"), built));
  EXPECT_EQ(built.size(), kBthBytes + kDethBytes + 4 + 4 + kIcrcBytes);
  EXPECT_EQ(ToHex(ParseRoceDatagram(built)->payload), "cafef00d01");
}

TEST(RoceDatagram, IsNotBuiltWhereItDoesNotFit) {
  const Bytes payload(70'000);
  Bytes out(80'000);
  // 65535 bytes of IPv4 packet, less 28 of IPv4 and UDP, 20 of BTH and DETH, 4 of ICRC.
  constexpr size_t kLongest = 65'480;
  EXPECT_EQ(BuildRoceDatagram(kForward, {}, Deth{}, First(payload, kLongest), out), 65'504u);
  EXPECT_EQ(BuildRoceDatagram(kForward, {}, Deth{}, First(payload, kLongest + 4), out), 0u);
  for (size_t size = 0; size < 36; ++size) {
    EXPECT_EQ(
        BuildRoceDatagram(kForward, {}, Deth{}, First(payload, 11), std::span(out).first(size)),
        0u);
  }
  EXPECT_EQ(BuildRoceDatagram(kForward, {}, Deth{}, First(payload, 11), std::span(out).first(36)),
            36u);
}

TEST(RoceDatagram, OverIpv6MayBeTwentyBytesLonger) {
  const Bytes payload(65'504);
  Bytes out(80'000);
  // 65535 bytes of IPv6 payload, less 8 of UDP, 20 of BTH and DETH, 4 of ICRC, by fours.
  EXPECT_EQ(BuildRoceDatagram(kIpv6, {}, Deth{}, First(payload, 65'500), out), 65'524u);
  EXPECT_EQ(BuildRoceDatagram(kIpv6, {}, Deth{}, First(payload, 65'504), out), 0u);
}

TEST(RoceDatagram, FromALinuxSocketOverIpv6HasARightIcrc) {
  // The kernel chose flow label and UDP checksum, the socket a traffic class: none is covered.
  const Bytes error = FromHex(kLinuxV6TimeExceeded);
  const RoceEndpoints endpoints = {.source = *IpAddress::Parse("fd00:1::2"),
                                   .destination = *IpAddress::Parse("fd00:2::2"),
                                   .udp_src_port = 49153};
  EXPECT_TRUE(IcrcMatches(endpoints, std::span(error).subspan(96)));
}

TEST(RoceDatagram, NeedsTwoAddressesOfOneFamily) {
  Bytes out(256);
  RoceEndpoints mixed = kForward;
  mixed.destination = kIpv6.destination;
  for (const RoceEndpoints& endpoints : {mixed, RoceEndpoints{}}) {
    EXPECT_EQ(BuildRoceDatagram(endpoints, {}, Deth{}, {}, out), 0u);
    EXPECT_FALSE(IcrcMatches(endpoints, out));
  }
  EXPECT_GT(BuildRoceDatagram(kForward, {}, Deth{}, {}, out), 0u);
  EXPECT_GT(BuildRoceDatagram(kIpv6, {}, Deth{}, {}, out), 0u);
}

}  // namespace
}  // namespace weft::wire
