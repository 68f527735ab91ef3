// SPDX-License-Identifier: Apache-2.0
#include "analyzer/capture/capture_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/analyzer/capture/read_all.h"

namespace weft::analyzer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

std::span<const std::byte> AsBytes(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

CapturedPacket Packet(const std::string& bytes, int64_t time_ns, wire::LinkType link,
                      uint32_t wire_bytes) {
  CapturedPacket packet;
  packet.bytes = AsBytes(bytes);
  packet.time_ns = time_ns;
  packet.has_time = true;
  packet.link_type = link;
  packet.wire_bytes = wire_bytes;
  return packet;
}

TEST(CaptureWriter, WhatIsWrittenIsReadBack) {
  const std::string path = testing::TempDir() + "weft_writer_test.pcapng";
  const std::string long_frame(80'000, 'x');
  const std::string short_frame = "abcde";
  auto writer = CaptureWriter::Create(path);
  ASSERT_TRUE(writer.ok()) << writer.status();
  const int64_t late = 4'000'000'000'118'831'273;
  EXPECT_TRUE((*writer)->Write(Packet(short_frame, 1, wire::LinkType::kEthernet, 1500)).ok());
  EXPECT_TRUE((*writer)->Write(Packet(long_frame, late, wire::LinkType::kLinuxSll2, 80'000)).ok());
  EXPECT_TRUE((*writer)->Write(Packet("", 7, static_cast<wire::LinkType>(107), 0)).ok());
  CapturedPacket timeless = Packet(short_frame, 0, wire::LinkType::kEthernet, 5);
  timeless.has_time = false;
  EXPECT_TRUE((*writer)->Write(timeless).ok());
  EXPECT_TRUE((*writer)->Close().ok());

  const auto source = OpenCapture(path);
  ASSERT_TRUE(source.ok()) << source.status();
  const KeptCapture kept = ReadAll(**source);
  EXPECT_THAT(kept.packets,
              ElementsAre(KeptPacket{.time_ns = 1, .wire_bytes = 1500, .bytes = short_frame},
                          KeptPacket{.time_ns = late,
                                     .wire_bytes = 80'000,
                                     .bytes = long_frame,
                                     .interface = 1,
                                     .link = 276},
                          KeptPacket{.time_ns = 7, .interface = 2, .link = 107},
                          KeptPacket{.has_time = false, .wire_bytes = 5, .bytes = short_frame}));
  EXPECT_TRUE(kept.problems.empty());
  std::filesystem::remove(path);
}

TEST(CaptureWriter, WithoutPacketsTheFileIsStillACapture) {
  const std::string path = testing::TempDir() + "weft_writer_empty_test.pcapng";
  ASSERT_TRUE((*CaptureWriter::Create(path))->Close().ok());
  const auto source = OpenCapture(path);
  ASSERT_TRUE(source.ok()) << source.status();
  EXPECT_THAT(ReadAll(**source).packets, SizeIs(0));
  std::filesystem::remove(path);
}

TEST(CaptureWriter, AFullDiskIsTold) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  auto writer = CaptureWriter::Create("/dev/full");
  ASSERT_TRUE(writer.ok()) << writer.status();
  const std::string frame(1500, 'x');
  const CapturedPacket packet = Packet(frame, 1, wire::LinkType::kEthernet, 1500);
  absl::Status status;
  for (int i = 0; i < 1000 && status.ok(); ++i) status = (*writer)->Write(packet);
  EXPECT_THAT(status.message(), HasSubstr("/dev/full: cannot be written: No space left on device"));
  EXPECT_EQ((*writer)->Close(), status);

  auto small = CaptureWriter::Create("/dev/full");
  ASSERT_TRUE(small.ok());
  EXPECT_TRUE((*small)->Write(packet).ok());  // still in the buffer
  EXPECT_FALSE((*small)->Close().ok());
}

TEST(CaptureWriter, AFileThatCannotBeIsRefusedByName) {
  const auto writer = CaptureWriter::Create("/no/such/folder/a.pcapng");
  EXPECT_EQ(writer.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(writer.status().message(), HasSubstr("/no/such/folder/a.pcapng: cannot be created"));
}

}  // namespace
}  // namespace weft::analyzer
