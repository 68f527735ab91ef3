// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "analyzer/capture/byte_source.h"

namespace weft::analyzer {

// Gives out bytes in memory, at most `step` at once, and then `end_status`.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string bytes, size_t step = ~size_t{0}, absl::Status end_status = {})
      : bytes_(std::move(bytes)), step_(step), end_status_(std::move(end_status)) {}

  size_t Read(std::span<std::byte> into) override {
    const size_t size = std::min({into.size(), step_, bytes_.size() - position_});
    if (size == 0) {
      status_ = end_status_;
      return 0;
    }
    std::memcpy(into.data(), bytes_.data() + position_, size);
    position_ += size;
    return size;
  }
  absl::Status status() const override { return status_; }
  uint64_t bytes_read() const override { return position_; }
  uint64_t bytes_total() const override { return bytes_.size(); }

 private:
  std::string bytes_;
  size_t step_;
  absl::Status end_status_;
  absl::Status status_;
  size_t position_ = 0;
};

}  // namespace weft::analyzer
