// SPDX-License-Identifier: Apache-2.0
#include "wire/ipv4.h"

#include <gtest/gtest.h>

#include "tests/wire/hex.h"
#include "tests/wire/packets.h"
#include "tests/wire/random.h"
#include "wire/checksum.h"

namespace weft::wire {
namespace {

const IpAddress kSource = IpAddress::V4(0x0a010102);
const IpAddress kDestination = IpAddress::V4(0x0a020202);
const Bytes kRouterAlert = FromHex("94040000");

struct Row {
  const char* name;
  const char* hex;
  Ipv4Header header;
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

class Ipv4 : public testing::TestWithParam<Row> {};

TEST_P(Ipv4, BothDirections) {
  const Bytes bytes = FromHex(GetParam().hex);
  ByteReader reader(bytes);
  EXPECT_EQ(ReadIpv4(reader), GetParam().header);
  EXPECT_TRUE(reader.ok());
  EXPECT_EQ(reader.remaining(), 0u);
  EXPECT_EQ(ToHex(Written(GetParam().header, WriteIpv4)), ToHex(bytes));
  EXPECT_TRUE(Ipv4ChecksumMatches(bytes));
}

TEST_P(Ipv4, RejectsEveryTruncation) {
  const Bytes bytes = FromHex(GetParam().hex);
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(ParseIpv4(First(bytes, size)).has_value()) << size << " bytes";
    EXPECT_FALSE(Ipv4ChecksumMatches(First(bytes, size))) << size << " bytes";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rows, Ipv4,
    testing::Values(Row{"DatagramOfASocket",
                        "45000040 00004000 401123a7 0a010102 0a020202",
                        {.total_bytes = 64,
                         .dont_fragment = true,
                         .protocol = kIpProtocolUdp,
                         .source = kSource,
                         .destination = kDestination}},
                    Row{"ErrorOfARouter",
                        "45c0005c ccd90000 40019703 0a010101 0a010102",
                        {.traffic_class = 0xc0,
                         .total_bytes = 92,
                         .identification = 0xccd9,
                         .protocol = kIpProtocolIcmp,
                         .source = IpAddress::V4(0x0a010101),
                         .destination = kSource}},
                    Row{"FirstFragment",
                        "45000000 12342000 011170b3 0a010102 0a020202",
                        {.identification = 0x1234,
                         .more_fragments = true,
                         .ttl = 1,
                         .protocol = kIpProtocolUdp,
                         .source = kSource,
                         .destination = kDestination}},
                    Row{"LastFragment",
                        "4500ffff 12341fff 011170b4 0a010102 0a020202",
                        {.total_bytes = 0xffff,
                         .identification = 0x1234,
                         .fragment_offset = 0x1fff,
                         .ttl = 1,
                         .protocol = kIpProtocolUdp,
                         .source = kSource,
                         .destination = kDestination}},
                    Row{"Options",
                        "46000044 00004000 40118e9e 0a010102 0a020202 94040000",
                        {.total_bytes = 68,
                         .dont_fragment = true,
                         .protocol = kIpProtocolUdp,
                         .source = kSource,
                         .destination = kDestination,
                         .options = kRouterAlert}}),
    [](const auto& row) { return row.param.name; });

TEST(Ipv4Header, RejectsWhatItsFirstByteForbids) {
  const struct {
    const char* name;
    const char* first_byte;
    bool accepted;
  } rows[] = {
      {"Version4", "45", true},        {"Version6", "65", false},
      {"Version0", "05", false},       {"HeaderOf16Bytes", "44", false},
      {"HeaderOf0Bytes", "40", false}, {"HeaderBeyondTheEnd", "47", false},
  };
  for (const auto& row : rows) {
    Bytes bytes = FromHex(kUdSendPacket);
    bytes.resize(24);
    bytes[0] = FromHex(row.first_byte)[0];
    EXPECT_EQ(ParseIpv4(bytes).has_value(), row.accepted) << row.name;
  }
}

TEST(Ipv4Header, IgnoresTheReservedFlagAndWritesItAsZero) {
  Bytes bytes = FromHex(kUdSendPacket);
  const Bytes header(bytes.begin(), bytes.begin() + kIpv4HeaderBytes);
  bytes[6] |= std::byte{0x80};
  const auto parsed = ParseIpv4(bytes);
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(ToHex(Written(*parsed, WriteIpv4)), ToHex(header));
}

TEST(Ipv4Header, FillsOptionsToWholeWordsAndTakesAtMostForty) {
  const Bytes long_options(44, std::byte{1});
  for (size_t size = 0; size <= long_options.size(); ++size) {
    const Bytes bytes = Written(Ipv4Header{.options = First(long_options, size)}, WriteIpv4);
    const size_t expected = std::min<size_t>((size + 3) / 4 * 4, kIpv4MaxOptionsBytes);
    EXPECT_EQ(bytes.size(), kIpv4HeaderBytes + expected);
    EXPECT_EQ(ParseIpv4(bytes)->options.size(), expected);
    EXPECT_TRUE(Ipv4ChecksumMatches(bytes));
  }
}

TEST(Ipv4Header, FailsTheWriterWhereThereIsNoRoom) {
  Bytes bytes(kIpv4HeaderBytes - 1);
  ByteWriter writer(bytes);
  WriteIpv4(Ipv4Header{}, writer);
  EXPECT_FALSE(writer.ok());
}

TEST(Ipv4Header, ChecksumSeesEveryFlippedBit) {
  const Bytes header = FromHex("46000044 00004000 40118e9e 0a010102 0a020202 94040000");
  for (size_t bit = 8; bit < header.size() * 8; ++bit) {  // byte 0 changes the header's length
    Bytes flipped = header;
    flipped[bit / 8] ^= static_cast<std::byte>(0x80 >> bit % 8);
    EXPECT_FALSE(Ipv4ChecksumMatches(flipped)) << "bit " << bit;
  }
}

TEST(Ipv4Header, ParsesWhatItSerializes) {
  Random random(31);
  for (int i = 0; i < 10'000; ++i) {
    const Bytes options = random.Octets(random.Below(11) * 4);
    const Ipv4Header header{.traffic_class = random.U8(),
                            .total_bytes = random.U16(),
                            .identification = random.U16(),
                            .dont_fragment = random.Bit(),
                            .more_fragments = random.Bit(),
                            .fragment_offset = static_cast<uint16_t>(random.Below(0x2000)),
                            .ttl = random.U8(),
                            .protocol = random.U8(),
                            .source = IpAddress::V4(random.U32()),
                            .destination = IpAddress::V4(random.U32()),
                            .options = options};
    const Bytes bytes = Written(header, WriteIpv4);
    ASSERT_EQ(ParseIpv4(bytes), header);
    ASSERT_TRUE(Ipv4ChecksumMatches(bytes));
  }
}

TEST(InternetChecksum, KnownSums) {
  const struct {
    const char* name;
    const char* hex;
    uint16_t checksum;
  } rows[] = {
      {"Nothing", "", 0xffff},
      {"ExampleOfRfc1071", "0001 f203 f4f5 f6f7", 0x220d},
      {"OddLastByteIsTheHighOne", "0001 f203 f4f5 f6", 0x2304},
      {"CarriesFoldTwice", "ffff ffff 0001", 0xfffe},
      {"OwnChecksumInside", "45000040 00004000 401123a7 0a010102 0a020202", 0},
  };
  for (const auto& row : rows)
    EXPECT_EQ(InternetChecksum(FromHex(row.hex)), row.checksum) << row.name;
}

}  // namespace
}  // namespace weft::wire
