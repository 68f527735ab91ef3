// SPDX-License-Identifier: Apache-2.0
// Real and fuzz-found captures, by their manifest: what each holds is what a mature dissector
// counts, and packet for packet what libpcap gives, as far as it goes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tests/analyzer/capture/compress.h"
#include "tests/analyzer/capture/read_all.h"
#ifdef WEFT_HAS_PCAP
#include <pcap/pcap.h>
#endif

namespace weft::analyzer {
namespace {

using testing::HasSubstr;

struct ManifestRow {
  std::string path;
  std::string packets;  // a number, or "rejected"
};

std::filesystem::path Folder() {
  const char* shared = std::getenv("WEFT_SHARED_DIR");
  const std::filesystem::path root =
      shared != nullptr ? shared : std::string(WEFT_SOURCE_DIR) + "/../shared";
  return root / "data" / "captures";
}

std::vector<ManifestRow> Manifest() {
  std::ifstream file(Folder() / "MANIFEST.md");
  std::vector<ManifestRow> rows;
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> cells = absl::StrSplit(line, '|');
    if (cells.size() < 6) continue;
    const std::string path(absl::StripAsciiWhitespace(cells[1]));
    const std::string packets(absl::StripAsciiWhitespace(cells[4]));
    uint64_t number = 0;
    if (packets == "rejected" || absl::SimpleAtoi(packets, &number))
      rows.push_back({path, packets});
  }
  return rows;
}

class CaptureCorpus : public testing::Test {
 protected:
  void SetUp() override {
    rows_ = Manifest();
    if (rows_.empty()) GTEST_SKIP() << "no captures in " << Folder();
  }
  std::vector<ManifestRow> rows_;
};

TEST_F(CaptureCorpus, HoldsWhatTheManifestCounts) {
  EXPECT_EQ(rows_.size(), 98u);
  for (const ManifestRow& row : rows_) {
    SCOPED_TRACE(row.path);
    const std::string path = Folder() / row.path;
    const auto source = OpenCapture(path);
    if (row.packets != "rejected") {
      ASSERT_TRUE(source.ok()) << source.status();
      const KeptCapture kept = ReadAll(**source);
      EXPECT_EQ(std::to_string(kept.packets.size()), row.packets);
      EXPECT_TRUE(kept.problems.empty()) << kept.problems.front().what;
    } else if (!source.ok()) {
      EXPECT_EQ(source.status().code(), absl::StatusCode::kInvalidArgument);
      EXPECT_THAT(source.status().message(), HasSubstr(row.path));
    } else {
      const KeptCapture kept = ReadAll(**source);
      ASSERT_EQ(kept.problems.size(), 1u);
      EXPECT_LT(kept.problems[0].offset, std::filesystem::file_size(path));
    }
  }
}

TEST_F(CaptureCorpus, IsTheSameCompressedAndInSmallPieces) {
  for (const ManifestRow& row : rows_) {
    SCOPED_TRACE(row.path);
    std::ifstream file(Folder() / row.path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    const auto source = OpenCaptureBytes(std::make_unique<MemorySource>(bytes), "whole");
    if (!source.ok()) continue;
    const KeptCapture kept = ReadAll(**source);
    for (const KeptCapture& other :
         {ReadBytes(bytes, 7), ReadBytes(Gzipped(bytes)), ReadBytes(Zstded(bytes))}) {
      EXPECT_TRUE(other.packets == kept.packets);
      EXPECT_EQ(other.problems.size(), kept.problems.size());
    }
  }
}

#ifdef WEFT_HAS_PCAP
std::vector<KeptPacket> ByLibpcap(const std::string& path) {
  std::vector<KeptPacket> packets;
  std::array<char, PCAP_ERRBUF_SIZE> error{};
  pcap_t* capture = pcap_open_offline_with_tstamp_precision(
      path.c_str(), PCAP_TSTAMP_PRECISION_NANO, error.data());
  if (capture == nullptr) return packets;
  pcap_pkthdr* header = nullptr;
  const u_char* data = nullptr;
  while (pcap_next_ex(capture, &header, &data) == 1) {
    KeptPacket packet;
    packet.time_ns = int64_t{header->ts.tv_sec} * 1'000'000'000 + header->ts.tv_usec;
    packet.wire_bytes = std::max(header->len, header->caplen);
    packet.bytes.assign(reinterpret_cast<const char*>(data), header->caplen);
    packets.push_back(std::move(packet));
  }
  pcap_close(capture);
  return packets;
}

// libpcap takes seconds and microseconds for signed, which the format says they are not, and cuts
// records at a snaplen that they exceed; only files that a fuzzer made differ by either.
TEST_F(CaptureCorpus, IsWhatLibpcapReadsWhereItReads) {
  constexpr int64_t kSignNs = (int64_t{1} << 32) * 1000;  // 2^32 seconds is a multiple of it
  size_t compared = 0;
  size_t differing = 0;
  for (const ManifestRow& row : rows_) {
    SCOPED_TRACE(row.path);
    const std::string path = Folder() / row.path;
    const auto source = OpenCapture(path);
    if (!source.ok()) continue;
    const std::vector<KeptPacket> ours = ReadAll(**source).packets;
    const std::vector<KeptPacket> theirs = ByLibpcap(path);
    ASSERT_LE(theirs.size(), ours.size());
    for (size_t i = 0; i < theirs.size(); ++i) {
      EXPECT_EQ((ours[i].time_ns - theirs[i].time_ns) % kSignNs, 0) << i;
      EXPECT_EQ(ours[i].wire_bytes, theirs[i].wire_bytes) << i;
      EXPECT_EQ(ours[i].bytes.substr(0, theirs[i].bytes.size()), theirs[i].bytes) << i;
      const bool is_same = ours[i].time_ns == theirs[i].time_ns && ours[i].bytes == theirs[i].bytes;
      differing += is_same ? 0u : 1u;
    }
    compared += theirs.size();
  }
  EXPECT_GT(compared, 500u);
  EXPECT_LT(differing, 12u);
}
#endif

}  // namespace
}  // namespace weft::analyzer
