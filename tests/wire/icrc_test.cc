// SPDX-License-Identifier: Apache-2.0
#include "wire/icrc.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/wire/hex.h"
#include "tests/wire/packets.h"
#include "tests/wire/random.h"

namespace weft::wire {
namespace {

// Of IP without options or extension headers, and UDP.
size_t HeaderBytesOf(std::span<const std::byte> packet) {
  return (packet[0] >> 4) == std::byte{4} ? 28 : 48;
}

// The definition, bit by bit.
uint32_t PlainCrc32(std::span<const std::byte> bytes) {
  uint32_t crc = 0xffffffff;
  for (const std::byte byte : bytes) {
    crc ^= static_cast<uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc % 2 != 0 ? 0xEDB88320u : 0u);
  }
  return ~crc;
}

uint32_t Crc32Of(const Crc32Method& method, std::span<const std::byte> bytes) {
  return ~method.advance(0xffffffff, bytes);
}

TEST(Crc32, KnownValuesByEveryMethod) {
  const struct {
    const char* name;
    const char* hex;
    uint32_t crc;
  } rows[] = {
      {"Nothing", "", 0x00000000},
      {"CheckValue", "313233343536373839", 0xcbf43926},
      {"OneZero", "00", 0xd202ef8d},
      {"FourOnes", "ffffffff", 0xffffffff},
  };
  for (const auto& row : rows) {
    Crc32 crc;
    crc.Update(FromHex(row.hex));
    EXPECT_EQ(crc.value(), row.crc) << row.name;
    for (const Crc32Method& method : Crc32Methods()) {
      EXPECT_EQ(Crc32Of(method, FromHex(row.hex)), row.crc) << row.name << " by " << method.name;
    }
  }
}

TEST(Crc32, EqualsTheDefinitionAtEveryLengthAndOffsetByEveryMethod) {
  const Bytes bytes = Random(1).Octets(300);
  for (size_t offset = 0; offset < 17; ++offset) {
    for (size_t size = 0; offset + size <= bytes.size(); ++size) {
      const std::span<const std::byte> part = std::span(bytes).subspan(offset, size);
      const uint32_t expected = PlainCrc32(part);
      Crc32 crc;
      crc.Update(part);
      ASSERT_EQ(crc.value(), expected) << offset << "+" << size;
      for (const Crc32Method& method : Crc32Methods()) {
        ASSERT_EQ(Crc32Of(method, part), expected)
            << offset << "+" << size << " by " << method.name;
      }
    }
  }
}

TEST(Crc32, PiecesCountAsTheirConcatenationByEveryMethod) {
  const Bytes bytes = Random(2).Octets(300);
  const uint32_t expected = PlainCrc32(bytes);
  for (size_t cut = 0; cut <= bytes.size(); ++cut) {
    const auto front = First(bytes, cut);
    const auto back = std::span(bytes).subspan(cut);
    Crc32 crc;
    crc.Update(front);
    crc.Update(back);
    EXPECT_EQ(crc.value(), expected) << "cut at " << cut;
    for (const Crc32Method& first : Crc32Methods()) {
      for (const Crc32Method& second : Crc32Methods()) {
        EXPECT_EQ(~second.advance(first.advance(0xffffffff, front), back), expected)
            << "cut at " << cut << ", " << first.name << " then " << second.name;
      }
    }
  }
}

std::optional<uint32_t> IcrcOf(std::span<const std::byte> packet) {
  const size_t headers = HeaderBytesOf(packet);
  const std::span<const std::byte> covered = packet.subspan(headers, packet.size() - headers - 4);
  return headers == 28 ? RoceIpv4Icrc(packet.first(headers), covered)
                       : RoceIpv6Icrc(packet.first(headers), covered);
}

class Icrc : public testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(UdSend, Icrc, testing::Values(kUdSendPacket));
INSTANTIATE_TEST_SUITE_P(Cnp, Icrc, testing::Values(kCnpPacket));
INSTANTIATE_TEST_SUITE_P(Ipv6Write, Icrc, testing::Values(kIpv6WritePacket));

TEST_P(Icrc, StandsInTheLastFourBytesLeastSignificantFirst) {
  const Bytes packet = FromHex(GetParam());
  const std::optional<uint32_t> icrc = IcrcOf(packet);
  ASSERT_TRUE(icrc.has_value());
  EXPECT_EQ(*icrc, ReadIcrc(std::span(packet).last<4>()));
  Bytes written(4);
  WriteIcrc(*icrc, std::span(written).first<4>());
  EXPECT_EQ(ToHex(written), ToHex(std::span(packet).last(4)));
}

TEST_P(Icrc, CoversEveryBitButThoseThatChangeOnTheWay) {
  const Bytes packet = FromHex(GetParam());
  // TOS, TTL, IPv4 checksum, UDP checksum, byte 4 of the BTH; or the lower half of byte 0 to byte 3
  // (traffic class, flow label), hop limit, UDP checksum, byte 4 of the BTH.
  const bool is_v4 = HeaderBytesOf(packet) == 28;
  const std::set<size_t> variant_bytes =
      is_v4 ? std::set<size_t>{1, 8, 10, 11, 26, 27, 32} : std::set<size_t>{1, 2, 3, 7, 46, 47, 52};
  const auto is_variant = [&](size_t bit) {
    return variant_bytes.contains(bit / 8) || (!is_v4 && bit < 4);
  };
  for (size_t bit = 0; bit < (packet.size() - 4) * 8; ++bit) {
    Bytes flipped = packet;
    flipped[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    if (bit / 8 == 0 && bit >= 4) continue;  // the version, by which IcrcOf chooses
    EXPECT_EQ(IcrcOf(flipped) == IcrcOf(packet), is_variant(bit)) << "byte " << bit / 8;
  }
}

TEST(IcrcOfOptions, CoversThemAndMasksBehindThem) {
  const Bytes headers =
      FromHex("46000044 00004000 40118c9e 0a010102 0a020202 94040000 c00112b7 002c0000");
  const Bytes covered =
      FromHex("6410ffff 0000001c 00000007 11111111 000abcde 77656674 31616263 64656600");
  const Bytes masked = FromHex(
      "ffffffff ffffffff 46ff0044 00004000 ff11ffff 0a010102 0a020202 94040000 c00112b7 002cffff"
      "6410ffff ff00001c 00000007 11111111 000abcde 77656674 31616263 64656600");
  EXPECT_EQ(RoceIpv4Icrc(headers, covered), PlainCrc32(masked));
}

TEST(IcrcOfExtensionHeaders, CoversThemAndMasksBehindThem) {
  const Bytes headers = FromHex(
      "66a12345 00383c40 fd000000 00000000 00000000 0000000a fd000000 00000000 00000000 0000000b"
      "11000104 00000000 e34112b7 0030beef");
  const Bytes covered = FromHex("0a00ffff 00123456 80fffffe 38206279");
  const Bytes masked = FromHex(
      "ffffffff ffffffff 6fffffff 00383cff fd000000 00000000 00000000 0000000a fd000000 00000000"
      "00000000 0000000b 11000104 00000000 e34112b7 0030ffff 0a00ffff ff123456 80fffffe 38206279");
  EXPECT_EQ(RoceIpv6Icrc(headers, covered), PlainCrc32(masked));
}

// A NAK from fe80::200:ff:fe00:1, from its GRH on.
constexpr std::string_view kRoceV1NakPacket =
    "60000000 00141b01 fe800000 00000000 020000ff fe000001 fe800000 00000000 020000ff fe000002"
    "1100ffff 00000015 00000010 60000005 56f1a6c6";

TEST(IcrcOfRoceV1, StandsInTheLastFourBytes) {
  const Bytes packet = FromHex(kRoceV1NakPacket);
  EXPECT_EQ(RoceV1Icrc(First(packet, 40), std::span(packet).subspan(40, 16)),
            ReadIcrc(std::span(packet).last<4>()));
}

TEST(IcrcOfRoceV1, CoversEveryBitButThoseThatChangeOnTheWay) {
  const Bytes packet = FromHex(kRoceV1NakPacket);
  const auto icrc_of = [](const Bytes& bytes) {
    return RoceV1Icrc(First(bytes, 40), std::span(bytes).subspan(40, 16));
  };
  // Traffic class and flow label, hop limit, byte 4 of the BTH.
  const std::set<size_t> variant_bytes = {1, 2, 3, 7, 44};
  for (size_t bit = 0; bit < 56 * 8; ++bit) {
    Bytes flipped = packet;
    flipped[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    EXPECT_EQ(icrc_of(flipped) == icrc_of(packet), variant_bytes.contains(bit / 8) || bit < 4)
        << "bit " << bit;
  }
}

TEST(IcrcOfInfiniband, BeginsWithTheLrhWhoseVirtualLaneIsMasked) {
  const Bytes lrh = FromHex("10320012 0007 0011");
  const Bytes grh = FromHex(kRoceV1NakPacket.substr(0, 89));
  ASSERT_EQ(grh.size(), 40u);
  const Bytes bth = FromHex("1100ffff 00000015 00000010 60000005");
  EXPECT_EQ(InfinibandIcrc(lrh, {}, bth),
            PlainCrc32(FromHex("f0320012 0007 0011 1100ffff ff000015 00000010 60000005")));
  EXPECT_EQ(InfinibandIcrc(lrh, grh, bth),
            PlainCrc32(FromHex(
                "f0320012 0007 0011 6fffffff 00141bff fe800000 00000000 020000ff fe000001 fe800000"
                "00000000 020000ff fe000002 1100ffff ff000015 00000010 60000005")));
}

TEST(IcrcOfTooLittle, IsNone) {
  const Bytes bytes(128);
  EXPECT_FALSE(RoceV1Icrc(First(bytes, 39), First(bytes, 12)).has_value());
  EXPECT_FALSE(RoceV1Icrc({}, First(bytes, 12)).has_value());
  EXPECT_FALSE(RoceV1Icrc(First(bytes, 40), First(bytes, 11)).has_value());
  EXPECT_TRUE(RoceV1Icrc(First(bytes, 40), First(bytes, 12)).has_value());
  EXPECT_FALSE(InfinibandIcrc(First(bytes, 7), {}, First(bytes, 12)).has_value());
  EXPECT_FALSE(InfinibandIcrc(First(bytes, 8), First(bytes, 41), First(bytes, 12)).has_value());
  EXPECT_FALSE(InfinibandIcrc(First(bytes, 8), {}, First(bytes, 11)).has_value());
  EXPECT_TRUE(InfinibandIcrc(First(bytes, 8), {}, First(bytes, 12)).has_value());
  EXPECT_FALSE(RoceIpv6Icrc(First(bytes, 47), First(bytes, 12)).has_value());
  EXPECT_FALSE(RoceIpv6Icrc(First(bytes, 48), First(bytes, 11)).has_value());
  EXPECT_TRUE(RoceIpv6Icrc(First(bytes, 48), First(bytes, 12)).has_value());
  EXPECT_FALSE(RoceIpv4Icrc(First(bytes, 27), First(bytes, 12)).has_value());
  EXPECT_FALSE(RoceIpv4Icrc(First(bytes, 69), First(bytes, 12)).has_value());
  EXPECT_FALSE(RoceIpv4Icrc(First(bytes, 28), First(bytes, 11)).has_value());
  EXPECT_TRUE(RoceIpv4Icrc(First(bytes, 28), First(bytes, 12)).has_value());
  EXPECT_TRUE(RoceIpv4Icrc(First(bytes, 68), First(bytes, 12)).has_value());
}

}  // namespace
}  // namespace weft::wire
