// SPDX-License-Identifier: Apache-2.0
#include "analyzer/capture/pcapng_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analyzer/capture/capture_builder.h"
#include "tests/analyzer/capture/read_all.h"

namespace weft::analyzer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int64_t kSecond = 1'000'000'000;

class PcapngOrders : public testing::TestWithParam<std::endian> {};

INSTANTIATE_TEST_SUITE_P(Both, PcapngOrders, testing::Values(std::endian::little, std::endian::big),
                         [](const auto& row) {
                           return row.param == std::endian::little ? "Little" : "Big";
                         });

TEST_P(PcapngOrders, EveryPacketBlockIsRead) {
  PcapngBuilder builder(GetParam());
  builder.Interface(1, 4)
      .Enhanced(0, 1'600'000'000'000'001, "abc", 100)
      .Block(4, "names...")
      .Block(10, "secrets.")
      .Block(0xbad, "custom..")
      .Simple("defg", 60)
      .OldPacket(0, 2'000'000, "hij", 3)
      .Block(0x77777777, "");
  const KeptCapture kept = ReadBytes(builder.bytes);
  EXPECT_THAT(
      kept.packets,
      ElementsAre(
          KeptPacket{.time_ns = 1'600'000'000'000'001'000, .wire_bytes = 100, .bytes = "abc"},
          KeptPacket{.has_time = false, .wire_bytes = 60, .bytes = "defg"},
          KeptPacket{.time_ns = 2 * kSecond, .wire_bytes = 3, .bytes = "hij"}));
  EXPECT_THAT(kept.problems, IsEmpty());
  ASSERT_THAT(kept.interfaces, SizeIs(1));
  EXPECT_EQ(kept.interfaces[0].cut_packets, 2u);
}

TEST_P(PcapngOrders, InterfacesKeepTheirOptions) {
  PcapngBuilder builder(GetParam());
  builder.Interface(1, 128,
                    builder.Option(2, "mlx5_0\x1b[2J") + builder.Option(8, 400'000'000'000) +
                        builder.Option(9, std::string(1, 9)) + builder.Option(14, uint64_t{100}));
  builder.Interface(276, 0, builder.Option(2, "any"));
  builder.Enhanced(0, 5, "abc", 3).Enhanced(1, 6, "de", 2);
  const KeptCapture kept = ReadBytes(builder.bytes);
  ASSERT_THAT(kept.interfaces, SizeIs(2));
  EXPECT_EQ(kept.interfaces[0].name, "mlx5_0?[2J");
  EXPECT_EQ(kept.interfaces[0].speed_bps, 400'000'000'000u);
  EXPECT_EQ(kept.interfaces[0].snaplen, 128u);
  EXPECT_EQ(kept.interfaces[1].name, "any");
  EXPECT_THAT(
      kept.packets,
      ElementsAre(
          KeptPacket{.time_ns = 100 * kSecond + 5, .wire_bytes = 3, .bytes = "abc"},
          KeptPacket{
              .time_ns = 6000, .wire_bytes = 2, .bytes = "de", .interface = 1, .link = 276}));
}

TEST_P(PcapngOrders, SectionsMayChangeTheByteOrderAndRestartInterfaces) {
  PcapngBuilder builder(GetParam());
  const std::endian other =
      GetParam() == std::endian::little ? std::endian::big : std::endian::little;
  builder.Interface(1).Enhanced(0, 1, "a", 1);
  builder.Section(other, 4).Interface(0).Enhanced(0, 2, "b", 1);  // a length that is not true
  builder.Section(GetParam()).Interface(1).Enhanced(0, 3, "c", 1);
  const KeptCapture kept = ReadBytes(builder.bytes);
  EXPECT_THAT(
      kept.packets,
      ElementsAre(
          KeptPacket{.time_ns = 1000, .wire_bytes = 1, .bytes = "a"},
          KeptPacket{.time_ns = 2000, .wire_bytes = 1, .bytes = "b", .interface = 1, .link = 0},
          KeptPacket{.time_ns = 3000, .wire_bytes = 1, .bytes = "c"}));
  EXPECT_THAT(kept.interfaces, SizeIs(2));  // the third is described as the first was
  EXPECT_THAT(kept.problems, IsEmpty());
}

std::string SmallFile(std::endian order, std::vector<size_t>* packet_ends,
                      std::vector<size_t>* block_ends) {
  PcapngBuilder builder(order);
  const auto mark = [&](bool is_packet) {
    block_ends->push_back(builder.bytes.size());
    if (is_packet) packet_ends->push_back(builder.bytes.size());
  };
  mark(false);
  builder.Interface(1, 4, builder.Option(2, "eth0"));
  mark(false);
  builder.Enhanced(0, 10, "abc", 100);
  mark(true);
  builder.Simple("defg", 60);
  mark(true);
  builder.Statistics(0, builder.Option(5, uint64_t{3}));
  mark(false);
  builder.Section(order == std::endian::big ? std::endian::little : std::endian::big);
  mark(false);
  builder.Interface(1);
  mark(false);
  builder.OldPacket(0, 12, "hi", 2);
  mark(true);
  return builder.bytes;
}

TEST_P(PcapngOrders, EveryTruncationKeepsWhatIsBeforeIt) {
  std::vector<size_t> packet_ends;
  std::vector<size_t> block_ends;
  const std::string whole = SmallFile(GetParam(), &packet_ends, &block_ends);
  const std::vector<KeptPacket> packets = ReadBytes(whole).packets;
  ASSERT_EQ(packets.size(), 3u);
  for (size_t size = 0; size < whole.size(); ++size) {
    SCOPED_TRACE(size);
    if (size < block_ends.front()) {
      const auto source =
          OpenCaptureBytes(std::make_unique<MemorySource>(whole.substr(0, size)), "cut");
      EXPECT_EQ(source.status().code(), absl::StatusCode::kInvalidArgument);
      continue;
    }
    const KeptCapture kept = ReadBytes(whole.substr(0, size));
    const auto count =
        std::upper_bound(packet_ends.begin(), packet_ends.end(), size) - packet_ends.begin();
    EXPECT_EQ(kept.packets, std::vector(packets.begin(), packets.begin() + count));
    const auto next = std::upper_bound(block_ends.begin(), block_ends.end(), size);
    const bool is_between = *(next - 1) == size;
    ASSERT_EQ(kept.problems.size(), is_between ? 0u : 1u);
    if (!is_between) {
      EXPECT_EQ(kept.problems[0].offset, *(next - 1));
    }
  }
}

TEST_P(PcapngOrders, ReadsTheSameInPiecesOfOneByte) {
  std::vector<size_t> ends;
  const std::string whole = SmallFile(GetParam(), &ends, &ends);
  EXPECT_EQ(ReadBytes(whole, 1).packets, ReadBytes(whole).packets);
}

// The total, not the last packet, counts: statistics are since the start of the capture.
TEST_P(PcapngOrders, DropsAreThoseOfTheLastStatistics) {
  PcapngBuilder builder(GetParam());
  const uint64_t unknown = ~uint64_t{0};
  builder.Interface().Interface(113).Interface(0);
  builder.Enhanced(0, 1, "a", 1, builder.Option(4, uint64_t{1000}));
  builder.Statistics(0, builder.Option(5, uint64_t{3}) + builder.Option(7, uint64_t{4}));
  builder.Statistics(0, builder.Option(5, uint64_t{5}) + builder.Option(7, uint64_t{4}));
  builder.Enhanced(1, 1, "a", 1, builder.Option(4, uint64_t{2}));
  builder.Enhanced(1, 1, "a", 1, builder.Option(4, uint64_t{1}));
  builder.Statistics(2, builder.Option(5, unknown) + builder.Option(4, uint64_t{9}));
  const KeptCapture kept = ReadBytes(builder.bytes);
  ASSERT_THAT(kept.interfaces, SizeIs(3));
  EXPECT_EQ(kept.interfaces[0].dropped, 9u);
  EXPECT_EQ(kept.interfaces[1].dropped, 3u);
  EXPECT_EQ(kept.interfaces[2].dropped, std::nullopt);
}

struct ProblemRow {
  const char* name;
  std::string (*blocks)(PcapngBuilder& builder);  // after an interface and one packet
  size_t packets;                                 // besides that one
  const char* problem;                            // "": none
};

std::string Bytes(const PcapngBuilder& builder) { return builder.bytes; }

const ProblemRow kProblemRows[] = {
    {"Healthy", [](PcapngBuilder& b) { return Bytes(b.Enhanced(0, 2, "b", 1)); }, 1, ""},
    {"LengthZero",
     [](PcapngBuilder& b) { return Bytes(b.RawBlock(6, 0, "....", 0).Enhanced(0, 2, "b", 1)); }, 0,
     "block length 0, a multiple of 4 and at least 12 expected"},
    {"LengthOfElevenBytes",
     [](PcapngBuilder& b) { return Bytes(b.RawBlock(6, 11, "....", 11).Enhanced(0, 2, "b", 1)); },
     0, "block length 11, a multiple of 4 and at least 12 expected"},
    {"LengthNoMultipleOfFour",
     [](PcapngBuilder& b) { return Bytes(b.RawBlock(6, 17, ".....", 17).Enhanced(0, 2, "b", 1)); },
     0, "block length 17, a multiple of 4 and at least 12 expected"},
    {"TrailingLengthDiffers",
     [](PcapngBuilder& b) { return Bytes(b.RawBlock(9, 16, "....", 20).Enhanced(0, 2, "b", 1)); },
     1, "block of 16 bytes says 20 at its end; taken by the former"},
    {"InterfaceNotDescribed",
     [](PcapngBuilder& b) {
       return Bytes(b.Enhanced(1, 2, "x", 1).Enhanced(7, 2, "x", 1).Enhanced(0, 2, "b", 1));
     },
     1, "packet of interface 1, the section has described 1 (the first of 2 blocks of this kind)"},
    {"InterfaceOfThePreviousSection",
     [](PcapngBuilder& b) { return Bytes(b.Section(std::endian::little).Enhanced(0, 2, "x", 1)); },
     0, "packet of interface 0, the section has described 0"},
    {"MorePacketThanBlock",
     [](PcapngBuilder& b) {
       const std::string body = b.Numbers().U32(0).U64(0).U32(65536).U32(65536).Bytes("abcd").bytes;
       return Bytes(b.Block(6, body).Enhanced(0, 2, "b", 1));
     },
     1, "packet of 65536 bytes in a block of 36"},
    {"PacketBlockWithoutItsFields",
     [](PcapngBuilder& b) { return Bytes(b.Block(6, "........").Enhanced(0, 2, "b", 1)); }, 1,
     "packet block of 20 bytes, at least 32 expected"},
    {"SimplePacketWithoutInterface",
     [](PcapngBuilder& b) { return Bytes(b.Section(std::endian::little).Simple("abcd", 4)); }, 0,
     "simple packet block before any interface is described"},
    {"SimplePacketLongerThanItsBlock",
     [](PcapngBuilder& b) { return Bytes(b.Simple("abcd", 400).Enhanced(0, 2, "b", 1)); }, 1,
     "packet of 400 bytes in a block of 20"},
    {"StatisticsOfNoInterface",
     [](PcapngBuilder& b) { return Bytes(b.Statistics(3, "").Enhanced(0, 2, "b", 1)); }, 1,
     "statistics block of 24 bytes for interface 3, the section has described 1"},
    {"OptionsThatRunOut",
     [](PcapngBuilder& b) {
       return Bytes(b.Interface(1, 0, b.Numbers().U16(2).U16(60000).bytes).Enhanced(1, 2, "b", 1));
     },
     1, ""},
    {"PacketBlockOfAGigabyte",
     [](PcapngBuilder& b) { return Bytes(b.RawBlock(6, 1u << 30, "....", 1u << 30)); }, 0,
     "packet block of 1073741824 bytes, at most 17825792 expected"},
    {"OtherBlockOfAGigabyte",
     [](PcapngBuilder& b) { return Bytes(b.RawBlock(10, 1u << 30, "....", 16)); }, 0,
     "block of type 10 says 1073741824 bytes, the file has 16 of them"},
    {"TwoStrayBytes", [](PcapngBuilder& b) { return Bytes(b) + "xx"; }, 0,
     "2 bytes at the end, where a block has 12 at least"},
    {"SectionOfVersionTwo",
     [](PcapngBuilder& b) {
       const std::string body = b.Numbers().U32(0x1a2b3c4d).U16(2).U16(0).U64(0).bytes;
       return Bytes(b.Block(0x0a0d0d0a, body).Enhanced(0, 2, "b", 1));
     },
     0, "section of pcapng version 2.0, 1.x expected"},
};

class PcapngProblems : public testing::TestWithParam<ProblemRow> {};
INSTANTIATE_TEST_SUITE_P(All, PcapngProblems, testing::ValuesIn(kProblemRows),
                         [](const auto& row) { return row.param.name; });

TEST_P(PcapngProblems, AreToldOnceAndLoseNoMoreThanTheyMust) {
  PcapngBuilder builder(std::endian::little);
  builder.Interface().Enhanced(0, 1, "a", 1);
  const size_t offset = builder.bytes.size();
  const KeptCapture kept = ReadBytes(GetParam().blocks(builder));
  EXPECT_EQ(kept.packets.size(), 1 + GetParam().packets);
  if (*GetParam().problem == '\0') {
    EXPECT_THAT(kept.problems, IsEmpty());
    return;
  }
  ASSERT_EQ(kept.problems.size(), 1u);
  EXPECT_EQ(kept.problems[0].what, GetParam().problem);
  if (std::string(GetParam().name).find("Section") == std::string::npos &&
      std::string(GetParam().name) != "SimplePacketWithoutInterface") {
    EXPECT_EQ(kept.problems[0].offset, offset);
  } else {
    EXPECT_GE(kept.problems[0].offset, offset);
  }
}

// Blocks without packets are skipped without being held.
TEST(PcapngReader, ABlockOfThirtyMegabytesIsSkipped) {
  PcapngBuilder builder(std::endian::big);
  builder.Interface().Block(10, std::string(30u << 20, 's')).Enhanced(0, 1, "a", 1);
  const KeptCapture kept = ReadBytes(builder.bytes, 1u << 20);
  EXPECT_THAT(kept.packets, SizeIs(1));
  EXPECT_THAT(kept.problems, IsEmpty());
}

}  // namespace
}  // namespace weft::analyzer
