// SPDX-License-Identifier: Apache-2.0
#include "analyzer/capture/pcap_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analyzer/capture/capture_builder.h"
#include "tests/analyzer/capture/read_all.h"

namespace weft::analyzer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct FormatRow {
  const char* name;
  uint32_t magic;
  std::endian order;
  int64_t subsecond_ns;
};

class PcapFormats : public testing::TestWithParam<FormatRow> {};

INSTANTIATE_TEST_SUITE_P(
    All, PcapFormats,
    testing::Values(FormatRow{"MicrosecondsLittle", kMicrosecondMagic, std::endian::little, 1000},
                    FormatRow{"MicrosecondsBig", kMicrosecondMagic, std::endian::big, 1000},
                    FormatRow{"NanosecondsLittle", kNanosecondMagic, std::endian::little, 1},
                    FormatRow{"NanosecondsBig", kNanosecondMagic, std::endian::big, 1},
                    FormatRow{"ModifiedLittle", kModifiedMagic, std::endian::little, 1000},
                    FormatRow{"ModifiedBig", kModifiedMagic, std::endian::big, 1000},
                    FormatRow{"NetsniffLittle", kNetsniffMagic, std::endian::little, 1},
                    FormatRow{"NetsniffBig", kNetsniffMagic, std::endian::big, 1}),
    [](const auto& row) { return row.param.name; });

std::string ThreePackets(const FormatRow& row) {
  return PcapBuilder(row.order, {.magic = row.magic})
      .Record(1'600'000'000, 7, "abc", 3)
      .Record(4'000'000'000, 999'999, "defgh", 1500)  // past 2^31 seconds
      .Record(5, 0, "", 60)
      .bytes;
}

TEST_P(PcapFormats, GivesPacketsTimesAndLengths) {
  const KeptCapture kept = ReadBytes(ThreePackets(GetParam()));
  const int64_t unit = GetParam().subsecond_ns;
  EXPECT_THAT(kept.packets,
              ElementsAre(KeptPacket{.time_ns = 1'600'000'000'000'000'000 + 7 * unit,
                                     .wire_bytes = 3,
                                     .bytes = "abc"},
                          KeptPacket{.time_ns = 4'000'000'000'000'000'000 + 999'999 * unit,
                                     .wire_bytes = 1500,
                                     .bytes = "defgh"},
                          KeptPacket{.time_ns = 5'000'000'000, .wire_bytes = 60}));
  EXPECT_THAT(kept.problems, IsEmpty());
  ASSERT_EQ(kept.interfaces.size(), 1u);
  EXPECT_EQ(kept.interfaces[0].cut_packets, 2u);
  EXPECT_EQ(kept.interfaces[0].snaplen, 65535u);
}

TEST_P(PcapFormats, ReadsTheSameInPiecesOfOneByte) {
  EXPECT_EQ(ReadBytes(ThreePackets(GetParam()), 1).packets,
            ReadBytes(ThreePackets(GetParam())).packets);
}

// Whole packets before any cut come, and the cut is told once, unless it is between two records.
TEST_P(PcapFormats, EveryTruncationKeepsWhatIsBeforeIt) {
  const std::string whole = ThreePackets(GetParam());
  const std::vector<KeptPacket> packets = ReadBytes(whole).packets;
  const size_t header_bytes = (whole.size() - PcapReader::kFileHeaderBytes - 8) / 3;
  std::vector<size_t> ends = {PcapReader::kFileHeaderBytes};  // of the header and each record
  for (const KeptPacket& packet : packets) {
    ends.push_back(ends.back() + header_bytes + packet.bytes.size());
  }
  for (size_t size = PcapReader::kFileHeaderBytes; size < whole.size(); ++size) {
    SCOPED_TRACE(size);
    const KeptCapture kept = ReadBytes(whole.substr(0, size));
    const auto next = std::upper_bound(ends.begin(), ends.end(), size);
    const size_t whole_packets = static_cast<size_t>(next - ends.begin()) - 1;
    EXPECT_EQ(kept.packets, std::vector(packets.begin(),
                                        packets.begin() + static_cast<ptrdiff_t>(whole_packets)));
    const bool is_between = ends[whole_packets] == size;
    ASSERT_EQ(kept.problems.size(), is_between ? 0u : 1u);
    if (!is_between) {
      EXPECT_EQ(kept.problems[0].offset, ends[whole_packets]);
    }
  }
}

TEST_P(PcapFormats, ACutFileHeaderIsRefused) {
  const std::string whole = ThreePackets(GetParam());
  for (size_t size = 4; size < PcapReader::kFileHeaderBytes; ++size) {
    const auto source =
        OpenCaptureBytes(std::make_unique<MemorySource>(whole.substr(0, size)), "cut.pcap");
    EXPECT_EQ(source.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(source.status().message(), HasSubstr("cut.pcap: ends after"));
  }
}

// libpcap reads files whose sub-second part is a second and more as what they sum up to.
TEST(PcapReader, SubsecondPartsOfMoreThanASecondAdd) {
  const auto bytes = PcapBuilder(std::endian::little, {.magic = kNanosecondMagic})
                         .Record(10, 2'500'000'000, "", 0);
  EXPECT_EQ(ReadBytes(bytes.bytes).packets.at(0).time_ns, 12'500'000'000);
}

TEST(PcapReader, NanosecondsAreExact) {
  const auto bytes = PcapBuilder(std::endian::little, {.magic = kNanosecondMagic})
                         .Record(1'500'000'000, 118'831'273, "", 0);
  EXPECT_EQ(ReadBytes(bytes.bytes).packets.at(0).time_ns, 1'500'000'000'118'831'273);
}

TEST(PcapReader, MoreCapturedThanThereWasCountsAsTheLength) {
  const KeptCapture kept =
      ReadBytes(PcapBuilder(std::endian::little).Record(1, 0, "abcd", 2).bytes);
  EXPECT_EQ(kept.packets.at(0).wire_bytes, 4u);
  EXPECT_EQ(kept.interfaces.at(0).cut_packets, 0u);
}

// Before version 2.4 the length on the wire could stand first.
TEST(PcapReader, OldVersionsMayHaveTheLengthsSwapped) {
  const KeptCapture kept = ReadBytes(PcapBuilder(std::endian::big, {.minor = 3})
                                         .Record(1, 0, 60, 4, "abcd")
                                         .Record(2, 0, 3, 60, "efg")
                                         .bytes);
  EXPECT_THAT(kept.packets,
              ElementsAre(KeptPacket{.time_ns = 1'000'000'000, .wire_bytes = 60, .bytes = "abcd"},
                          KeptPacket{.time_ns = 2'000'000'000, .wire_bytes = 60, .bytes = "efg"}));
}

struct LinkRow {
  const char* name;
  uint32_t in_file;
  uint16_t link;
  bool is_known;
};

class PcapLinks : public testing::TestWithParam<LinkRow> {};

INSTANTIATE_TEST_SUITE_P(All, PcapLinks,
                         testing::Values(LinkRow{"Ethernet", 1, 1, true},
                                         LinkRow{"EthernetWithFcsLength", 0x24000001, 1, true},
                                         LinkRow{"RawOfMostSystems", 12, 101, true},
                                         LinkRow{"RawOfOpenBsd", 14, 101, true},
                                         LinkRow{"Infiniband", 247, 247, true},
                                         LinkRow{"Erf", 197, 197, true},
                                         LinkRow{"FrameRelay", 107, 107, false}),
                         [](const auto& row) { return row.param.name; });

TEST_P(PcapLinks, AreTheLowSixteenBits) {
  PcapBuilder builder(std::endian::little, {.link = GetParam().in_file});
  builder.Record(1, 0, "abc", 3);
  const auto source = OpenCaptureBytes(std::make_unique<MemorySource>(builder.bytes), "test");
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_EQ((*source)->interfaces().at(0).link_type, GetParam().link);
  CapturedPacket packet;
  ASSERT_EQ((*source)->Read({&packet, 1}), 1u);
  EXPECT_EQ(packet.link_is_known, GetParam().is_known);
  EXPECT_EQ(static_cast<uint16_t>(packet.link_type), GetParam().link);
}

TEST(PcapReader, ReservedLinkBitsAreRefused) {
  const auto source = OpenCaptureBytes(
      std::make_unique<MemorySource>(PcapBuilder(std::endian::big, {.link = 0x00300001}).bytes),
      "odd.pcap");
  EXPECT_EQ(source.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(source.status().message(), HasSubstr("odd.pcap: link type field 0x00300001"));
}

TEST(PcapReader, OtherVersionsAreRefused) {
  const auto source = OpenCaptureBytes(
      std::make_unique<MemorySource>(PcapBuilder(std::endian::big, {.major = 3}).bytes),
      "new.pcap");
  EXPECT_THAT(source.status().message(), HasSubstr("new.pcap: pcap version 3.4"));
}

struct LengthRow {
  const char* name;
  uint32_t snaplen;
  uint32_t captured;
  size_t packets;  // before the reading stops, or with it
  const char* problem;
};

class PcapLengths : public testing::TestWithParam<LengthRow> {};

INSTANTIATE_TEST_SUITE_P(
    All, PcapLengths,
    testing::Values(LengthRow{"BigTcp", 65535, 80000, 2, ""},
                    LengthRow{"SnaplenOf524288", 524288, 400000, 2, ""},
                    LengthRow{"SnaplenOfAllOnes", 0xffffffff, 400000, 2, ""},
                    LengthRow{"NoSnaplen", 0, 400000, 2, ""},
                    LengthRow{"SmallSnaplenThatLies", 64, 1500, 2, ""},
                    LengthRow{"BeyondSnaplen", 65535, 400000, 1,
                              "record says 400000 bytes, at most 262144 expected"},
                    LengthRow{"BeyondEverything", 0xffffffff, 0xffffffff, 1,
                              "record says 4294967295 bytes, at most 16777216 expected"}),
    [](const auto& row) { return row.param.name; });

TEST_P(PcapLengths, AreBoundedBySnaplenOnlyAboveTheUsual) {
  PcapBuilder builder(std::endian::little, {.snaplen = GetParam().snaplen});
  builder.Record(1, 0, "abc", 3);
  const std::string data(std::min<uint32_t>(GetParam().captured, 500'000), 'x');
  builder.Record(2, 0, GetParam().captured, GetParam().captured, data);
  const KeptCapture kept = ReadBytes(builder.bytes);
  EXPECT_EQ(kept.packets.size(), GetParam().packets);
  if (*GetParam().problem == '\0') {
    EXPECT_THAT(kept.problems, IsEmpty());
    EXPECT_EQ(kept.packets.back().bytes, data);
  } else {
    ASSERT_EQ(kept.problems.size(), 1u);
    EXPECT_EQ(kept.problems[0].what, GetParam().problem);
    EXPECT_EQ(kept.problems[0].offset, 24u + 16 + 3);
    EXPECT_EQ(kept.problems[0].file, "test");
  }
}

TEST(PcapReader, TwoStrayBytesAtTheEndAreTold) {
  const KeptCapture kept = ReadBytes(PcapBuilder(std::endian::little).Record(1, 0, "abc", 3).bytes +
                                     std::string("\x7f\x7f"));
  EXPECT_EQ(kept.packets.size(), 1u);
  ASSERT_EQ(kept.problems.size(), 1u);
  EXPECT_EQ(kept.problems[0].offset, 43u);
  EXPECT_EQ(kept.problems[0].what, "2 bytes at the end, where a record header has 16");
}

// Records that cross the ends of chunks come whole, whatever their sizes.
TEST(PcapReader, RecordsAcrossChunksComeWhole) {
  PcapBuilder builder(std::endian::little, {.snaplen = 0});
  std::vector<size_t> sizes;
  for (uint32_t i = 0; i < 300; ++i) {
    sizes.push_back(i % 50 == 49 ? 700'000 : i * 37 % 9000);
    builder.Record(i, 0, std::string(sizes.back(), static_cast<char>('a' + i % 26)), 9000);
  }
  for (const size_t chunk_bytes : {size_t{1}, size_t{20'000}, RecordBuffer::kChunkBytes}) {
    SCOPED_TRACE(chunk_bytes);
    const KeptCapture kept = ReadBytes(builder.bytes, 100'000, chunk_bytes);
    ASSERT_EQ(kept.packets.size(), sizes.size());
    for (size_t i = 0; i < sizes.size(); ++i) {
      EXPECT_TRUE(kept.packets[i].bytes == std::string(sizes[i], static_cast<char>('a' + i % 26)))
          << i;
    }
    EXPECT_THAT(kept.problems, IsEmpty());
  }
}

}  // namespace
}  // namespace weft::analyzer
