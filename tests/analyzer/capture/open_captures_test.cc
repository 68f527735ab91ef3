// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "analyzer/capture/capture_source.h"
#include "tests/analyzer/capture/capture_builder.h"
#include "tests/analyzer/capture/compress.h"
#include "tests/analyzer/capture/read_all.h"

namespace weft::analyzer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class OpenCapturesTest : public testing::Test {
 protected:
  std::string File(const std::string& name, const std::string& bytes) {
    const std::filesystem::path path =
        std::filesystem::path(testing::TempDir()) /
        (std::string("weft_open_captures_") +
         testing::UnitTest::GetInstance()->current_test_info()->name() + "_" + name);
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  static KeptCapture Merged(const std::vector<std::string>& paths) {
    const auto source = OpenCaptures(paths);
    if (!source.ok()) {
      ADD_FAILURE() << source.status();
      return {};
    }
    return ReadAll(**source);
  }
  static std::vector<std::string> Contents(const KeptCapture& kept) {
    std::vector<std::string> contents;
    for (const KeptPacket& packet : kept.packets) contents.push_back(packet.bytes);
    return contents;
  }
};

std::string Pcap(const std::vector<std::pair<uint32_t, std::string>>& packets,
                 std::endian order = std::endian::little) {
  PcapBuilder builder(order);
  for (const auto& [seconds, data] : packets) {
    builder.Record(seconds, 0, data, static_cast<uint32_t>(data.size()));
  }
  return builder.bytes;
}

TEST_F(OpenCapturesTest, MergesByTimeAndOfEqualTimesTheFirstFileFirst) {
  const std::string a = File("a", Pcap({{1, "a1"}, {3, "a3"}, {5, "a5"}}));
  const std::string b =
      File("b", Gzipped(Pcap({{2, "b2"}, {3, "b3"}, {9, "b9"}}, std::endian::big)));
  const std::string c = File("c", Pcap({{3, "c3"}, {4, "c4"}}));
  EXPECT_THAT(Contents(Merged({a, b, c})),
              ElementsAre("a1", "b2", "a3", "b3", "c3", "c4", "a5", "b9"));
  EXPECT_THAT(Contents(Merged({c, b, a})),
              ElementsAre("a1", "b2", "c3", "b3", "a3", "c4", "a5", "b9"));
}

TEST_F(OpenCapturesTest, APacketThatIsLateInItsOwnFileComesAsItComes) {
  const std::string a = File("a", Pcap({{1, "a1"}, {9, "a9"}, {2, "a2"}, {10, "a10"}}));
  const std::string b = File("b", Pcap({{5, "b5"}, {12, "b12"}}));
  EXPECT_THAT(Contents(Merged({a, b})), ElementsAre("a1", "b5", "a9", "a2", "a10", "b12"));
}

TEST_F(OpenCapturesTest, PacketsWithoutATimeGoWithTheOneBefore) {
  PcapngBuilder builder(std::endian::little);
  builder.Interface().Enhanced(0, 4'000'000, "a4", 2).Simple("none", 4);
  builder.Enhanced(0, 8'000'000, "a8", 2);
  const std::string a = File("a", builder.bytes);
  const std::string b = File("b", Pcap({{1, "b1"}, {5, "b5"}}));
  EXPECT_THAT(Contents(Merged({a, b})), ElementsAre("b1", "a4", "none", "b5", "a8"));
}

TEST_F(OpenCapturesTest, InterfacesAreRenumberedAndKeepTheirCounts) {
  PcapngBuilder builder(std::endian::big);
  builder.Interface(1).Interface(276).Interface(0);
  builder.Enhanced(1, 2'000'000, "sll", 100).Enhanced(0, 3'000'000, "eth", 3);
  builder.Statistics(1, builder.Option(5, uint64_t{77}));
  const std::string a = File("a", builder.bytes);
  const std::string b = File("b", Pcap({{1, "b1"}, {4, "b4"}}));
  const KeptCapture kept = Merged({a, b});
  ASSERT_THAT(kept.interfaces, SizeIs(4));
  for (const KeptPacket& packet : kept.packets) {
    EXPECT_EQ(kept.interfaces[packet.interface].link_type, packet.link);
    EXPECT_EQ(kept.interfaces[packet.interface].file, packet.bytes[0] == 'b' ? b : a);
  }
  for (const CaptureInterface& interface : kept.interfaces) {
    const bool is_sll = interface.link_type == 276;
    EXPECT_EQ(interface.cut_packets, is_sll ? 1u : 0u);
    EXPECT_EQ(interface.dropped, is_sll ? std::optional<uint64_t>(77) : std::nullopt);
  }
}

TEST_F(OpenCapturesTest, ProblemsOfEachFileAreKept) {
  const std::string a = File("a", Pcap({{1, "a1"}, {5, "a5"}}) + "xx");
  const std::string b = File("b", Pcap({{2, "b2"}}));
  const std::string empty = File("empty", Pcap({}));
  const KeptCapture kept = Merged({a, b, empty});
  EXPECT_THAT(Contents(kept), ElementsAre("a1", "b2", "a5"));
  ASSERT_THAT(kept.problems, SizeIs(1));
  EXPECT_EQ(kept.problems[0].file, a);
  EXPECT_EQ(kept.problems[0].offset, 24u + 2 * 18);
  EXPECT_THAT(kept.interfaces, SizeIs(3));
}

// Batches of a file end while others go on; the order of thousands is still that of their times.
TEST_F(OpenCapturesTest, ThousandsOfPacketsStayInOrder) {
  std::vector<std::string> paths;
  for (uint32_t file = 0; file < 5; ++file) {
    std::vector<std::pair<uint32_t, std::string>> packets;
    for (uint32_t i = 0; i < 2000; ++i) packets.push_back({i * (file + 1), std::to_string(file)});
    paths.push_back(File(std::to_string(file), Pcap(packets)));
  }
  const KeptCapture kept = Merged(paths);
  ASSERT_THAT(kept.packets, SizeIs(10'000));
  for (size_t i = 1; i < kept.packets.size(); ++i) {
    const KeptPacket& before = kept.packets[i - 1];
    const KeptPacket& packet = kept.packets[i];
    ASSERT_TRUE(before.time_ns < packet.time_ns ||
                (before.time_ns == packet.time_ns && before.bytes <= packet.bytes))
        << i;
  }
}

// More files than a process may have open, one after the other in time, as tcpdump -C leaves them.
TEST_F(OpenCapturesTest, ManyRotatedFilesNeedNotBeOpenAtOnce) {
  std::vector<std::string> paths;
  for (uint32_t i = 0; i < 1500; ++i) {
    paths.push_back(File(std::to_string(i), Pcap({{i, std::to_string(i)}})));
  }
  const KeptCapture kept = Merged(paths);
  ASSERT_THAT(kept.packets, SizeIs(1500));
  EXPECT_EQ(kept.packets.back().bytes, "1499");
  for (const std::string& path : paths) std::filesystem::remove(path);
}

TEST_F(OpenCapturesTest, ProgressIsOfTheFilesOnDisk) {
  const std::string plain = Pcap({{1, std::string(5000, 'x')}});
  const std::string a = File("a", Gzipped(plain));
  const std::string b = File("b", plain);
  const auto source = OpenCaptures({a, b});
  ASSERT_TRUE(source.ok());
  EXPECT_EQ((*source)->progress().bytes_read, 0u);
  ReadAll(**source);
  EXPECT_EQ((*source)->progress().bytes_read, Gzipped(plain).size() + plain.size());
  EXPECT_EQ((*source)->progress().bytes_total, Gzipped(plain).size() + plain.size());
}

TEST_F(OpenCapturesTest, WhatIsNoCaptureIsRefusedByName) {
  const struct {
    std::string path;
    absl::StatusCode code;
    std::string message;
  } rows[] = {
      {File("text", "hello"), absl::StatusCode::kInvalidArgument,
       ": begins with 68 65 6c 6c, which is neither pcap nor pcapng"},
      {File("short", "\x01"), absl::StatusCode::kInvalidArgument, ": begins with 01, which is"},
      {File("empty", ""), absl::StatusCode::kInvalidArgument,
       ": is empty, a pcap or pcapng file expected"},
      {File("gzipped_text", Gzipped("hello")), absl::StatusCode::kInvalidArgument,
       ": begins with 68 65 6c 6c"},
      {File("no_gzip", std::string("\x1f\x8b\x08garbage")), absl::StatusCode::kInvalidArgument,
       ": the gzip data is damaged"},
      {testing::TempDir(), absl::StatusCode::kInvalidArgument, ": is a folder"},
      {testing::TempDir() + "weft_no_such_file", absl::StatusCode::kNotFound,
       ": No such file or directory"},
  };
  const std::string good = File("good", Pcap({{1, "a"}}));
  EXPECT_THAT(Merged({good}).packets, SizeIs(1));
  for (const auto& row : rows) {
    const auto alone = OpenCaptures({row.path});
    EXPECT_EQ(alone.status().code(), row.code) << row.path;
    EXPECT_THAT(alone.status().message(), HasSubstr(row.path + row.message));
    EXPECT_EQ(OpenCaptures({good, row.path}).status(), alone.status());
  }
  EXPECT_THAT(OpenCaptures({"-", "-"}).status().message(), HasSubstr("can be read only once"));
  EXPECT_EQ(OpenCaptures({}).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace weft::analyzer
