// SPDX-License-Identifier: Apache-2.0
#include "analyzer/capture/byte_source.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "analyzer/capture/file_source.h"

namespace weft::analyzer {
namespace {

// What tells a compression; a page, so that the reads after it stay aligned.
constexpr size_t kHeadBytes = 4096;
constexpr size_t kMagicBytes = 6;  // of the longest magic below

// Gives out what was read from the front to look at, then the rest.
class PeekedSource final : public ByteSource {
 public:
  explicit PeekedSource(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {
    while (size_ < kMagicBytes) {
      const size_t got = source_->Read(std::span(head_).subspan(size_));
      if (got == 0) break;
      size_ += got;
    }
  }

  std::span<const std::byte> head() const { return std::span(head_).first(size_); }

  size_t Read(std::span<std::byte> into) override {
    if (position_ == size_) return source_->Read(into);
    const size_t size = std::min(into.size(), size_ - position_);
    std::memcpy(into.data(), head_.data() + position_, size);
    position_ += size;
    return size;
  }
  absl::Status status() const override { return source_->status(); }
  uint64_t bytes_read() const override { return source_->bytes_read(); }
  uint64_t bytes_total() const override { return source_->bytes_total(); }

 private:
  std::unique_ptr<ByteSource> source_;
  std::array<std::byte, kHeadBytes> head_{};
  size_t size_ = 0;
  size_t position_ = 0;
};

struct Compression {
  const char* name;
  std::array<uint8_t, kMagicBytes> magic;
  size_t magic_bytes;
  std::unique_ptr<ByteSource> (*open)(std::unique_ptr<ByteSource>);  // null: not read here
};
constexpr std::array kCompressions = {
    Compression{"gzip", {0x1f, 0x8b, 0x08}, 3, GzipSource},
    Compression{"zstd", {0x28, 0xb5, 0x2f, 0xfd}, 4, ZstdSource},
    Compression{"xz", {0xfd, '7', 'z', 'X', 'Z', 0}, 6, nullptr},
    Compression{"bzip2", {'B', 'Z', 'h'}, 3, nullptr},
    Compression{"lz4", {0x04, 0x22, 0x4d, 0x18}, 4, nullptr},
    Compression{"zip", {'P', 'K', 3, 4}, 4, nullptr},
};

bool BeginsWith(std::span<const std::byte> head, const Compression& compression) {
  return head.size() >= compression.magic_bytes &&
         std::memcmp(head.data(), compression.magic.data(), compression.magic_bytes) == 0;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ByteSource>> Decompressed(std::unique_ptr<ByteSource> source,
                                                         const std::string& name) {
  auto peeked = std::make_unique<PeekedSource>(std::move(source));
  for (const Compression& compression : kCompressions) {
    if (!BeginsWith(peeked->head(), compression)) continue;
    if (compression.open != nullptr) {
      const bool is_file = peeked->bytes_total() > 0;
      auto decompressed = compression.open(std::move(peeked));
      return is_file ? ReadAheadOf(std::move(decompressed)) : std::move(decompressed);
    }
    return absl::InvalidArgumentError(name + ": compressed by " + compression.name +
                                      ", which is not read here; gzip and zstd are");
  }
  return peeked;
}

absl::StatusOr<std::unique_ptr<ByteSource>> OpenByteSource(const std::string& path) {
  auto file = OpenFileSource(path);
  if (!file.ok()) return file.status();
  return Decompressed(*std::move(file), path);
}

}  // namespace weft::analyzer
