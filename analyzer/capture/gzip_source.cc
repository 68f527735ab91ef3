// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <string>
#include <vector>

#include "analyzer/capture/byte_source.h"

// RFC 1952: a file is one member or several, one behind the other.
namespace weft::analyzer {
namespace {

constexpr size_t kInputBytes = size_t{128} << 10;
constexpr int kGzipWindowBits = 15 + 16;  // the largest window; 16: with gzip's own header

class Gzip final : public ByteSource {
 public:
  explicit Gzip(std::unique_ptr<ByteSource> compressed)
      : compressed_(std::move(compressed)), input_(kInputBytes) {
    if (inflateInit2(&stream_, kGzipWindowBits) != Z_OK) Fail("no memory to decompress gzip");
  }
  ~Gzip() override { inflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  size_t Read(std::span<std::byte> into) override {
    const size_t size = std::min<size_t>(into.size(), std::numeric_limits<uInt>::max());
    stream_.next_out = reinterpret_cast<Bytef*>(into.data());
    stream_.avail_out = static_cast<uInt>(size);
    while (!is_over_ && stream_.avail_out == size) Inflate();
    return size - stream_.avail_out;
  }
  absl::Status status() const override { return status_; }
  uint64_t bytes_read() const override { return compressed_->bytes_read(); }
  uint64_t bytes_total() const override { return compressed_->bytes_total(); }

 private:
  void Fail(const std::string& what) {
    status_ = absl::DataLossError(what);
    is_over_ = true;
  }

  bool FillInput() {
    if (stream_.avail_in > 0) return true;
    const size_t got = compressed_->Read(input_);
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(got);
    return got > 0;
  }

  void Inflate() {
    if (is_between_members_ && !BeginMember()) return;
    if (!FillInput()) {
      is_over_ = true;
      status_ = compressed_->status();
      if (status_.ok()) Fail("the gzip data ends early");
      return;
    }
    const int result = inflate(&stream_, Z_NO_FLUSH);
    if (result == Z_STREAM_END) {
      is_between_members_ = true;
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      Fail(std::string("the gzip data is damaged: ") +
           (stream_.msg != nullptr ? stream_.msg : zError(result)));
    }
  }

  // Padding by zeroes, which tapes and some tools leave, ends the data as the file's end does.
  bool BeginMember() {
    while (FillInput() && *stream_.next_in == 0) {
      ++stream_.next_in;
      --stream_.avail_in;
    }
    if (stream_.avail_in == 0) {
      is_over_ = true;
      status_ = compressed_->status();
      return false;
    }
    is_between_members_ = false;
    if (inflateReset(&stream_) != Z_OK) Fail("gzip cannot be started again");
    return !is_over_;
  }

  std::unique_ptr<ByteSource> compressed_;
  std::vector<std::byte> input_;
  z_stream stream_{};
  bool is_between_members_ = false;
  bool is_over_ = false;
  absl::Status status_;
};

}  // namespace

std::unique_ptr<ByteSource> GzipSource(std::unique_ptr<ByteSource> compressed) {
  return std::make_unique<Gzip>(std::move(compressed));
}

}  // namespace weft::analyzer
