// SPDX-License-Identifier: Apache-2.0
// IPv6's header and extension headers, and what both versions have in common.
#include "wire/ip.h"

#include <gtest/gtest.h>

#include "tests/wire/hex.h"
#include "tests/wire/packets.h"
#include "tests/wire/random.h"

namespace weft::wire {
namespace {

const IpAddress kV4Source = IpAddress::V4(0x0a010102);
const IpAddress kV4Destination = IpAddress::V4(0x0a020202);
const IpAddress kV6Source = *IpAddress::Parse("fd00::a");
const IpAddress kV6Destination = *IpAddress::Parse("fd00::b");
constexpr std::string_view kV6Addresses =
    " fd000000 00000000 00000000 0000000a fd000000 00000000 00000000 0000000b ";

// An IPv6 packet whose header says this next header and these bytes, which `behind` gives in hex.
Bytes V6Packet(std::string_view length_and_next_header, std::string_view behind) {
  return FromHex("60000000" + std::string(length_and_next_header) + "40" +
                 std::string(kV6Addresses) + std::string(behind));
}

TEST(Ipv6, BothDirections) {
  const struct {
    const char* name;
    const char* first_eight;
    Ipv6Header header;
  } rows[] = {
      {"Datagram", "60000000 00301140", {.payload_bytes = 48, .next_header = 17}},
      {"TrafficClassAlone", "6ff00000 00000040", {.traffic_class = 0xff}},
      {"FlowLabelIs20Bits", "600fffff 00000040", {.flow_label = 0xfffff}},
      {"LengthIsNotTrusted", "60000000 ffff0040", {.payload_bytes = 0xffff}},
      {"HopLimitZero", "60000000 00000000", {.hop_limit = 0}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    Ipv6Header header = row.header;
    header.source = kV6Source;
    header.destination = kV6Destination;
    const Bytes bytes = FromHex(row.first_eight + std::string(kV6Addresses));
    EXPECT_EQ(ParseIpv6(bytes), header);
    EXPECT_EQ(ToHex(Written(header, WriteIpv6)), ToHex(bytes));
    for (size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_FALSE(ParseIpv6(First(bytes, size)).has_value()) << size << " bytes";
    }
  }
}

TEST(Ipv6, WritesNoBitsAboveTheFlowLabelAndNoOtherAddresses) {
  const Bytes bytes = Written(Ipv6Header{.flow_label = 0xffffffff, .source = kV4Source}, WriteIpv6);
  EXPECT_EQ(ToHex(First(bytes, 4)), "600fffff");
  EXPECT_EQ(ParseIpv6(bytes)->source.ToString(), "::");
}

TEST(Ip, ReadsHeadersOfBothVersions) {
  const struct {
    const char* name;
    Bytes packet;
    IpHeader header;
  } rows[] = {
      {"Ipv4",
       FromHex(kUdSendPacket),
       {.source = kV4Source,
        .destination = kV4Destination,
        .protocol = 17,
        .header_bytes = 20,
        .payload_bytes = 44}},
      {"Ipv4Options",
       FromHex("46c00044 12340000 40110000 0a010102 0a020202 94040000"),
       {.source = kV4Source,
        .destination = kV4Destination,
        .traffic_class = 0xc0,
        .protocol = 17,
        .identification = 0x1234,
        .dont_fragment = false,
        .header_bytes = 24,
        .payload_bytes = 44}},
      {"Ipv4FirstFragment",
       FromHex("45000044 12342000 40110000 0a010102 0a020202"),
       {.source = kV4Source,
        .destination = kV4Destination,
        .protocol = 17,
        .identification = 0x1234,
        .dont_fragment = false,
        .is_fragment = true,
        .header_bytes = 20,
        .payload_bytes = 48}},
      {"Ipv6",
       FromHex(kIpv6WritePacket),
       {.source = kV6Source,
        .destination = kV6Destination,
        .traffic_class = 0x6a,
        .flow_label = 0x12345,
        .protocol = 17,
        .header_bytes = 40,
        .payload_bytes = 48}},
      {"Ipv6HopByHopRoutingDestinationOptions",
       V6Packet("0030 00",
                "2b000104 00000000 3c010000 00000000 00000000 00000000"
                "11000104 00000000"),
       {.source = kV6Source,
        .destination = kV6Destination,
        .protocol = 17,
        .header_bytes = 72,
        .payload_bytes = 16}},
      {"Ipv6FirstFragment",
       V6Packet("0020 2c", "11000001 00000007"),
       {.source = kV6Source,
        .destination = kV6Destination,
        .protocol = 17,
        .is_fragment = true,
        .header_bytes = 48,
        .payload_bytes = 24}},
      {"Ipv6LaterFragmentIsNotFollowed",
       V6Packet("0020 2c", "3c000008 00000007 ffffffff"),
       {.source = kV6Source,
        .destination = kV6Destination,
        .protocol = 60,
        .is_fragment = true,
        .header_bytes = 48,
        .payload_bytes = 24}},
      {"Ipv6FragmentThatIsTheWholePacket",
       V6Packet("0020 2c", "11000000 00000007"),
       {.source = kV6Source,
        .destination = kV6Destination,
        .protocol = 17,
        .header_bytes = 48,
        .payload_bytes = 24}},
      {"Ipv6EightExtensionHeaders",
       V6Packet("0040 3c",
                "3c000104 00000000 3c000104 00000000 3c000104 00000000"
                "3c000104 00000000 3c000104 00000000 3c000104 00000000"
                "3c000104 00000000 11000104 00000000"),
       {.source = kV6Source,
        .destination = kV6Destination,
        .protocol = 17,
        .header_bytes = 104,
        .payload_bytes = 0}},
      {"Ipv6EncryptedIsNotFollowed",
       V6Packet("0020 32", ""),
       {.source = kV6Source,
        .destination = kV6Destination,
        .protocol = 50,
        .header_bytes = 40,
        .payload_bytes = 32}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(ParseIp(row.packet), row.header);
    for (size_t size = 0; size < row.header.header_bytes; ++size) {
      IpHeader header;
      EXPECT_EQ(ReadIp(First(row.packet, size), header), IpReadResult::kCut) << size << " bytes";
      EXPECT_EQ(header, IpHeader{}) << "is written only for what was read";
    }
  }
}

TEST(Ip, SaysWhatIsWrongWithAHeader) {
  const struct {
    const char* name;
    Bytes packet;
    IpReadResult expected;
  } rows[] = {
      {"Nothing", {}, IpReadResult::kCut},
      {"Version5", FromHex("55000040"), IpReadResult::kOtherVersion},
      {"Ipv4HeaderOf16Bytes", FromHex("44000040"), IpReadResult::kMalformed},
      {"Ipv4TotalLengthBelowTheHeader", FromHex("45000013 00004000 40110000 0a010102 0a020202"),
       IpReadResult::kMalformed},
      {"Ipv6LengthBelowItsExtensionHeaders", V6Packet("0007 3c", "11000104 00000000"),
       IpReadResult::kMalformed},
      {"Ipv6LengthOfItsExtensionHeaders", V6Packet("0008 3c", "11000104 00000000"),
       IpReadResult::kOk},
      {"Ipv6NineExtensionHeaders",
       V6Packet("0048 3c",
                "3c000104 00000000 3c000104 00000000 3c000104 00000000"
                "3c000104 00000000 3c000104 00000000 3c000104 00000000"
                "3c000104 00000000 3c000104 00000000 11000104 00000000"),
       IpReadResult::kMalformed},
      {"Ipv6HopByHopBehindAnother", V6Packet("0010 3c", "00000104 00000000 11000104 00000000"),
       IpReadResult::kMalformed},
      {"Ipv6ExtensionHeaderBeyondTheEnd", V6Packet("ffff 3c", "11ff0104 00000000"),
       IpReadResult::kCut},
  };
  for (const auto& row : rows) {
    IpHeader header;
    EXPECT_EQ(ReadIp(row.packet, header), row.expected) << row.name;
    EXPECT_EQ(ParseIp(row.packet).has_value(), row.expected == IpReadResult::kOk) << row.name;
  }
}

TEST(Ip, ParsesWhatItWrites) {
  Random random(6);
  const auto address = [&](bool is_v4) {
    if (is_v4) return IpAddress::V4(random.U32());
    std::array<uint8_t, 16> bytes{};
    for (uint8_t& byte : bytes) byte = random.U8();
    return IpAddress::V6(bytes);
  };
  constexpr uint8_t kExtensions[] = {0, 43, 44, 60};
  for (int i = 0; i < 10'000; ++i) {
    const bool is_v4 = random.Bit();
    IpHeader header{.source = address(is_v4),
                    .destination = address(is_v4),
                    .traffic_class = random.U8(),
                    .flow_label = is_v4 ? 0 : random.U32() & 0xfffff,
                    .ttl = random.U8(),
                    .protocol = random.U8(),
                    .identification = is_v4 ? random.U16() : uint16_t{0},
                    .dont_fragment = !is_v4 || random.Bit(),
                    .payload_bytes = random.Below(65'516)};
    if (std::ranges::count(kExtensions, header.protocol) != 0) header.protocol = 17;
    header.header_bytes = IpHeaderBytes(header.source);
    Bytes bytes(64);
    ByteWriter writer(bytes);
    ASSERT_TRUE(WriteIp(header, writer));
    ASSERT_EQ(writer.written(), header.header_bytes);
    ASSERT_EQ(ParseIp(writer.written_bytes()), header);
    if (is_v4) {
      ASSERT_TRUE(Ipv4ChecksumMatches(writer.written_bytes()));
    }
  }
}

TEST(Ip, DoesNotWriteWhatNoPacketCanBe) {
  const struct {
    const char* name;
    IpHeader header;
    size_t written;
  } rows[] = {
      {"Ipv4", {.source = kV4Source, .destination = kV4Destination, .payload_bytes = 65'515}, 20},
      {"Ipv4TooLong",
       {.source = kV4Source, .destination = kV4Destination, .payload_bytes = 65'516},
       0},
      {"Ipv6", {.source = kV6Source, .destination = kV6Destination, .payload_bytes = 65'535}, 40},
      {"Ipv6TooLong",
       {.source = kV6Source, .destination = kV6Destination, .payload_bytes = 65'536},
       0},
      {"TwoFamilies", {.source = kV4Source, .destination = kV6Destination}, 0},
      {"NoAddresses", {}, 0},
      {"Fragment", {.source = kV6Source, .destination = kV6Destination, .is_fragment = true}, 0},
  };
  for (const auto& row : rows) {
    Bytes bytes(64);
    ByteWriter writer(bytes);
    EXPECT_EQ(WriteIp(row.header, writer), row.written != 0) << row.name;
    EXPECT_EQ(writer.ok(), row.written != 0) << row.name;
    EXPECT_EQ(writer.written(), row.written) << row.name;
    Bytes short_by_one(row.written == 0 ? 0 : row.written - 1);
    ByteWriter no_room(short_by_one);
    EXPECT_FALSE(WriteIp(row.header, no_room)) << row.name;
  }
}

TEST(DecrementTtl, TakesOneAndKeepsTheRestRight) {
  for (const std::string_view hex : {kUdSendPacket, kIpv6WritePacket}) {
    Bytes packet = FromHex(hex);
    const IpHeader before = *ParseIp(packet);
    for (int left = 63; left >= 0; --left) {
      ASSERT_EQ(DecrementTtl(packet), left);
      IpHeader expected = before;
      expected.ttl = static_cast<uint8_t>(left);
      ASSERT_EQ(ParseIp(packet), expected);
      if (before.source.IsV4()) {
        ASSERT_TRUE(Ipv4ChecksumMatches(packet));
      }
    }
    const Bytes at_zero = packet;
    EXPECT_FALSE(DecrementTtl(packet).has_value());
    EXPECT_EQ(packet, at_zero);
  }
}

TEST(RewriteTrafficClass, ChangesThatAlone) {
  for (const std::string_view hex : {kUdSendPacket, kIpv6WritePacket}) {
    for (const uint8_t traffic_class : {uint8_t{0}, uint8_t{0x68}, uint8_t{0xff}}) {
      Bytes packet = FromHex(hex);
      IpHeader expected = *ParseIp(packet);
      expected.traffic_class = traffic_class;
      EXPECT_TRUE(RewriteTrafficClass(traffic_class, packet));
      EXPECT_EQ(ParseIp(packet), expected);
      const Bytes original = FromHex(hex);
      const size_t headers = expected.header_bytes;
      EXPECT_EQ(ToHex(std::span(packet).subspan(headers)),
                ToHex(std::span(original).subspan(headers)));
      if (expected.source.IsV4()) {
        EXPECT_TRUE(Ipv4ChecksumMatches(packet));
      }
    }
  }
}

TEST(RewritingHeaders, LeavesAloneWhatIsNoIpPacket) {
  for (const char* hex : {"", "55000040 00004000 40110000 0a010102 0a020202", "45000040 0000",
                          "60000000 00001140 fd00"}) {
    Bytes packet = FromHex(hex);
    const Bytes before = packet;
    EXPECT_FALSE(DecrementTtl(packet).has_value()) << hex;
    EXPECT_FALSE(RewriteTrafficClass(1, packet)) << hex;
    EXPECT_EQ(packet, before) << hex;
  }
}

}  // namespace
}  // namespace weft::wire
