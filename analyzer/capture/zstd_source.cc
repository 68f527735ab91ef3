// SPDX-License-Identifier: Apache-2.0
#include <zstd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analyzer/capture/byte_source.h"

// RFC 8878: a file is one frame or several, one behind the other, skippable ones among them.
namespace weft::analyzer {
namespace {

// A frame says how much of what it gave out it refers back to, and so what it costs in memory. 2^27
// bytes is what `zstd` itself accepts when not told otherwise (and what `zstd --long` writes).
constexpr int kMaxWindowLog = 27;

constexpr size_t kFrameStartBytes = 5;  // magic and descriptor

class Zstd final : public ByteSource {
 public:
  explicit Zstd(std::unique_ptr<ByteSource> compressed)
      : compressed_(std::move(compressed)),
        context_(ZSTD_createDCtx()),
        buffer_(ZSTD_DStreamInSize()) {
    if (context_ == nullptr) {
      Fail("no memory to decompress zstd");
    } else {
      ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, kMaxWindowLog);
    }
  }
  ~Zstd() override { ZSTD_freeDCtx(context_); }
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;

  size_t Read(std::span<std::byte> into) override {
    ZSTD_outBuffer output{into.data(), into.size(), 0};
    while (!is_over_ && output.pos == 0) Decompress(output);
    return output.pos;
  }
  absl::Status status() const override { return status_; }
  uint64_t bytes_read() const override { return compressed_->bytes_read(); }
  uint64_t bytes_total() const override { return compressed_->bytes_total(); }

 private:
  void Fail(const std::string& what) {
    status_ = absl::DataLossError(what);
    is_over_ = true;
  }

  void Decompress(ZSTD_outBuffer& output) {
    // A call without input is needed only where the last one may have held output back.
    if (input_.pos == input_.size && !holds_output_) {
      const size_t got = compressed_->Read(buffer_);
      input_ = {buffer_.data(), got, 0};
      if (got == 0) {
        is_over_ = true;
        status_ = compressed_->status();
        if (status_.ok() && is_in_frame_) Fail("the zstd data ends early");
        return;
      }
    }
    // No more than the decoder asks for, which is a block: what it has decoded in a call that fails
    // is lost.
    ZSTD_inBuffer part = {input_.src, std::min(input_.size, input_.pos + wanted_), input_.pos};
    const size_t result = ZSTD_decompressStream(context_, &output, &part);
    if (ZSTD_isError(result) != 0) {
      return Fail(std::string("the zstd data is damaged: ") + ZSTD_getErrorName(result));
    }
    input_.pos = part.pos;
    wanted_ = result != 0 ? result : kFrameStartBytes;
    is_in_frame_ = result != 0;
    holds_output_ = is_in_frame_ && output.pos == output.size;
  }

  std::unique_ptr<ByteSource> compressed_;
  ZSTD_DCtx* context_;
  std::vector<std::byte> buffer_;
  ZSTD_inBuffer input_{nullptr, 0, 0};
  size_t wanted_ = kFrameStartBytes;
  bool is_in_frame_ = false;
  bool holds_output_ = false;
  bool is_over_ = false;
  absl::Status status_;
};

}  // namespace

std::unique_ptr<ByteSource> ZstdSource(std::unique_ptr<ByteSource> compressed) {
  return std::make_unique<Zstd>(std::move(compressed));
}

}  // namespace weft::analyzer
