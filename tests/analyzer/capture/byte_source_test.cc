// SPDX-License-Identifier: Apache-2.0
#include "analyzer/capture/byte_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <random>

#include "tests/analyzer/capture/capture_builder.h"
#include "tests/analyzer/capture/compress.h"
#include "tests/analyzer/capture/read_all.h"

namespace weft::analyzer {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

struct CompressionRow {
  const char* name;
  std::string (*compress)(const std::string&);
  const char* word;
};

class Compressions : public testing::TestWithParam<CompressionRow> {};
INSTANTIATE_TEST_SUITE_P(All, Compressions,
                         testing::Values(CompressionRow{"Gzip", Gzipped, "gzip"},
                                         CompressionRow{"Zstd", Zstded, "zstd"}),
                         [](const auto& row) { return row.param.name; });

// Some 600 kB, several zstd blocks, of bytes that compress by half.
std::string Capture() {
  PcapBuilder builder(std::endian::little);
  std::mt19937 random(7);
  for (uint32_t i = 0; i < 4000; ++i) {
    std::string data(i % 300, '\0');
    for (char& letter : data) letter = static_cast<char>('a' + random() % 16);
    builder.Record(i, i, data, 400);
  }
  return builder.bytes;
}

TEST_P(Compressions, GiveTheSamePackets) {
  const std::string whole = Capture();
  for (const size_t step : {size_t{1}, size_t{1000}, ~size_t{0}}) {
    const KeptCapture kept = ReadBytes(GetParam().compress(whole), step);
    EXPECT_TRUE(kept.packets == ReadBytes(whole).packets) << step;
    EXPECT_THAT(kept.problems, IsEmpty());
  }
}

// What `cat a.gz b.gz` makes, cut in the middle of a record.
TEST_P(Compressions, SeveralPiecesAreOne) {
  const std::string whole = Capture();
  const std::string pieces = GetParam().compress(whole.substr(0, 77'777)) +
                             GetParam().compress("") + GetParam().compress(whole.substr(77'777));
  const KeptCapture kept = ReadBytes(pieces, 1000);
  EXPECT_TRUE(kept.packets == ReadBytes(whole).packets);
  EXPECT_THAT(kept.problems, IsEmpty());
}

TEST_P(Compressions, ACutOneGivesWhatWasBeforeAndOneProblem) {
  const std::string whole = Capture();
  const std::vector<KeptPacket> packets = ReadBytes(whole).packets;
  const std::string compressed = GetParam().compress(whole);
  size_t most = 0;
  for (size_t size = 100'000; size < compressed.size(); size += 9973) {
    SCOPED_TRACE(size);
    const KeptCapture kept = ReadBytes(compressed.substr(0, size));
    ASSERT_LE(kept.packets.size(), packets.size());
    EXPECT_TRUE(std::equal(kept.packets.begin(), kept.packets.end(), packets.begin()));
    ASSERT_EQ(kept.problems.size(), 1u);
    EXPECT_THAT(kept.problems[0].what,
                HasSubstr(std::string("the ") + GetParam().word + " data ends early"));
    most = std::max(most, kept.packets.size());
  }
  EXPECT_GT(most, 2000u);
}

TEST_P(Compressions, DamageIsToldOnce) {
  std::string compressed = GetParam().compress(Capture());
  for (size_t i = 0; i < 400; ++i) compressed[compressed.size() / 2 + i] = '\x55';
  const KeptCapture kept = ReadBytes(compressed);
  ASSERT_EQ(kept.problems.size(), 1u);
  EXPECT_THAT(kept.problems[0].what,
              testing::AnyOf(HasSubstr("data is damaged"), HasSubstr("record says")));
}

TEST(ByteSource, ZeroesBehindGzipArePaddingAndOtherBytesAProblem) {
  const std::string compressed = Gzipped(Capture());
  EXPECT_THAT(ReadBytes(compressed + std::string(1000, '\0')).problems, IsEmpty());
  const KeptCapture kept = ReadBytes(compressed + "more");
  EXPECT_EQ(kept.packets.size(), 4000u);
  ASSERT_EQ(kept.problems.size(), 1u);
  EXPECT_THAT(kept.problems[0].what, HasSubstr("gzip data is damaged"));
}

TEST(ByteSource, OtherCompressionsAreNamed) {
  const auto source = Decompressed(std::make_unique<MemorySource>(std::string("\xfd"
                                                                              "7zXZ\0rest",
                                                                              10)),
                                   "a.pcap.xz");
  EXPECT_EQ(source.status().message(),
            "a.pcap.xz: compressed by xz, which is not read here; gzip and zstd are");
}

TEST(ByteSource, AnErrorOfReadingEndsTheFileAndIsTold) {
  auto bytes = std::make_unique<MemorySource>(Capture(), 4096,
                                              absl::UnavailableError("test: Input/output error"));
  const auto source = OpenCaptureBytes(std::move(bytes), "test");
  ASSERT_TRUE(source.ok());
  const KeptCapture kept = ReadAll(**source);
  EXPECT_EQ(kept.packets.size(), 4000u);
  ASSERT_EQ(kept.problems.size(), 1u);
  EXPECT_EQ(kept.problems[0].what, "test: Input/output error");
}

// Ctrl-C in front of a pipe that stays silent: the process catches it and wants what there is.
TEST(ByteSource, ASignalThatIsCaughtEndsTheWaitForMore) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  ASSERT_EQ(write(ends[1], "ten bytes.", 10), 10);
  const auto source = OpenByteSource("/dev/fd/" + std::to_string(ends[0]));
  ASSERT_TRUE(source.ok()) << source.status();
  std::array<std::byte, 64> into{};
  size_t got = 0;
  while (got < 10) got += (*source)->Read(std::span(into).subspan(got));

  struct sigaction action = {};
  action.sa_handler = [](int) {};
  ASSERT_EQ(sigaction(SIGALRM, &action, nullptr), 0);
  itimerval again = {.it_interval = {.tv_sec = 0, .tv_usec = 20'000},
                     .it_value = {.tv_sec = 0, .tv_usec = 20'000}};
  ASSERT_EQ(setitimer(ITIMER_REAL, &again, nullptr), 0);
  EXPECT_EQ((*source)->Read(into), 0u);
  EXPECT_EQ((*source)->status().code(), absl::StatusCode::kCancelled);
  again = {};
  setitimer(ITIMER_REAL, &again, nullptr);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace weft::analyzer
