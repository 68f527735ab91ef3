// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "analyzer/capture/byte_source.h"

namespace weft::analyzer {
namespace {

// Numbered bytes in pieces of changing size, then a status.
class Numbered final : public ByteSource {
 public:
  Numbered(size_t size, absl::Status status) : size_(size), end_(std::move(status)) {}

  static std::byte At(size_t i) { return static_cast<std::byte>(i * 7 + i / 251); }

  size_t Read(std::span<std::byte> into) override {
    const size_t size = std::min({into.size(), size_ - at_, 1 + at_ % 70'000});
    for (size_t i = 0; i < size; ++i) into[i] = At(at_ + i);
    at_ += size;
    return size;
  }
  absl::Status status() const override { return at_ == size_ ? end_ : absl::OkStatus(); }
  uint64_t bytes_read() const override { return at_ / 2; }
  uint64_t bytes_total() const override { return size_ / 2; }

 private:
  size_t size_;
  size_t at_ = 0;
  absl::Status end_;
};

class ReadAheadOfSize : public testing::TestWithParam<size_t> {};
INSTANTIATE_TEST_SUITE_P(Sizes, ReadAheadOfSize,
                         testing::Values(0, 1, 262'143, 262'144, 262'145, 3'000'000));

TEST_P(ReadAheadOfSize, GivesTheSameBytesAndThenTheSameEnd) {
  for (const absl::Status& end : {absl::OkStatus(), absl::DataLossError("damaged")}) {
    for (const size_t step : {size_t{1'000}, size_t{100'000}, size_t{5'000'000}}) {
      const auto source = ReadAheadOf(std::make_unique<Numbered>(GetParam(), end));
      EXPECT_EQ(source->bytes_total(), GetParam() / 2);
      std::vector<std::byte> piece(step);
      size_t at = 0;
      while (const size_t got = source->Read(piece)) {
        for (size_t i = 0; i < got; ++i) {
          ASSERT_EQ(piece[i], Numbered::At(at + i)) << "byte " << at + i << ", step " << step;
        }
        at += got;
        ASSERT_TRUE(source->status().ok()) << "before Read() has told the end";
      }
      EXPECT_EQ(at, GetParam());
      EXPECT_EQ(source->status(), end);
      EXPECT_EQ(source->bytes_read(), GetParam() / 2);
      EXPECT_EQ(source->Read(piece), 0u) << "after the end";
    }
  }
}

TEST(ReadAhead, MayBeLeftAnywhere) {
  for (const size_t read : {0u, 1u, 300'000u, 2'000'000u}) {
    const auto source = ReadAheadOf(std::make_unique<Numbered>(50'000'000, absl::OkStatus()));
    std::vector<std::byte> piece(1'000'000);
    for (size_t at = 0; at < read;) at += source->Read(std::span(piece).first(100'000));
  }
}

}  // namespace
}  // namespace weft::analyzer
