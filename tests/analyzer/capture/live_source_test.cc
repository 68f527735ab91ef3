// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <string>

#include "analyzer/capture/capture_source.h"

namespace weft::analyzer {
namespace {

using testing::HasSubstr;

TEST(LiveSource, RefusesOptionsThatCannotBe) {
  const auto zero = OpenLive({.interface = "lo", .snaplen = 0});
  if (zero.status().code() == absl::StatusCode::kUnimplemented) {
    GTEST_SKIP() << "this build is without libpcap";
  }
  EXPECT_EQ(zero.status().message(), "snaplen 0: between 1 and 262144 expected");
  EXPECT_EQ(OpenLive({.interface = "lo", .poll_ms = 0}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

class LiveLoopback : public testing::Test {
 protected:
  void SetUp() override {
    auto source = OpenLive({.interface = "lo", .snaplen = 64, .poll_ms = 20});
    if (!source.ok()) GTEST_SKIP() << source.status();
    source_ = *std::move(source);
    socket_ = ::socket(AF_INET, SOCK_DGRAM, 0);
    if (socket_ < 0 || !Send(kOther)) GTEST_SKIP() << "no UDP over the loopback interface";
  }
  void TearDown() override {
    if (socket_ >= 0) ::close(socket_);
  }

  // To a port at which nobody listens.
  bool Send(const std::string& payload) const {
    sockaddr_in to = {};
    to.sin_family = AF_INET;
    to.sin_port = htons(9);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    // An earlier datagram's "port unreachable" comes back as an error of the next one.
    for (int attempt = 0; attempt < 2; ++attempt) {
      const ssize_t sent = ::sendto(socket_, payload.data(), payload.size(), 0,
                                    reinterpret_cast<const sockaddr*>(&to), sizeof to);
      if (sent == static_cast<ssize_t>(payload.size())) return true;
    }
    return false;
  }

  static constexpr char kOther[] = "first";
  std::unique_ptr<CaptureSource> source_;
  int socket_ = -1;
};

TEST_F(LiveLoopback, GivesPacketsAsTheyComeCutToTheSnaplen) {
  const std::string mark = "weft live test " + std::to_string(::getpid());
  const std::string payload = mark + std::string(500, '.');
  constexpr size_t kCount = 300;
  for (size_t i = 0; i < kCount; ++i) ASSERT_TRUE(Send(payload));
  constexpr size_t kUdpPayloadAt = 14 + 20 + 8;
  size_t seen = 0;
  uint64_t last_number = 0;
  std::array<CapturedPacket, 64> batch;
  // The loopback interface shows a packet once on its way out and once on its way in.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (seen < kCount && std::chrono::steady_clock::now() < deadline) {
    const size_t count = source_->Read(batch);
    for (const CapturedPacket& packet : std::span(batch).first(count)) {
      EXPECT_EQ(packet.number, ++last_number);
      ASSERT_LE(packet.bytes.size(), 64u);
      const std::string bytes(reinterpret_cast<const char*>(packet.bytes.data()),
                              packet.bytes.size());
      if (bytes.size() < 64 || bytes.compare(kUdpPayloadAt, 15, mark, 0, 15) != 0) continue;
      ++seen;
      EXPECT_EQ(packet.wire_bytes, kUdpPayloadAt + payload.size());
      EXPECT_TRUE(packet.has_time);
      EXPECT_GT(packet.time_ns, 1'600'000'000'000'000'000);
    }
  }
  EXPECT_GE(seen, kCount);
  const CaptureInterface& interface = source_->interfaces().at(0);
  EXPECT_EQ(interface.link_type, 1);
  EXPECT_GE(interface.cut_packets, kCount);
  EXPECT_EQ(interface.dropped, 0u);
  EXPECT_FALSE(source_->finished());
}

TEST_F(LiveLoopback, ReturnsWhenNothingComes) {
  std::array<CapturedPacket, 64> batch;
  const auto begin = std::chrono::steady_clock::now();
  size_t empty = 0;
  for (int i = 0; i < 50 && empty == 0; ++i) empty += source_->Read(batch) == 0 ? 1u : 0u;
  const auto spent = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(spent, std::chrono::seconds(20));  // it would be for ever
  EXPECT_FALSE(source_->finished());
  EXPECT_TRUE(source_->problems().empty());
}

TEST_F(LiveLoopback, AnInterfaceThatIsNotThereIsNamed) {
  const auto source = OpenLive({.interface = "weft-none0"});
  EXPECT_EQ(source.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(source.status().message(), HasSubstr("interface weft-none0: "));
}

}  // namespace
}  // namespace weft::analyzer
