// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "analyzer/capture/byte_source.h"

namespace weft::analyzer {
namespace {

constexpr size_t kBlocks = 4;
constexpr size_t kBlockBytes = size_t{256} << 10;

// A ring of blocks: one thread fills them in turn, Read() empties them.
class ReadAhead final : public ByteSource {
 public:
  explicit ReadAhead(std::unique_ptr<ByteSource> source)
      : source_(std::move(source)), bytes_total_(source_->bytes_total()) {
    for (Block& block : blocks_) block.bytes.resize(kBlockBytes);
    // Signals are for whoever reads: they end waits there.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      worker_ = std::thread([this] { FillBlocks(); });
    } catch (const std::system_error&) {  // no more threads: Read() does it all
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  ~ReadAhead() override {
    if (!worker_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      is_stopped_ = true;
    }
    changed_.notify_all();
    worker_.join();
  }
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  size_t Read(std::span<std::byte> into) override {
    if (!worker_.joinable()) {
      const size_t got = source_->Read(into);
      bytes_read_ = source_->bytes_read();
      if (got == 0) status_ = source_->status();
      return got;
    }
    Block& block = blocks_[emptied_ % kBlocks];
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return filled_ > emptied_ || is_over_; });
      if (filled_ == emptied_) {
        status_ = end_;
        return 0;
      }
    }
    const size_t size = std::min(into.size(), block.size - position_);
    std::memcpy(into.data(), block.bytes.data() + position_, size);
    position_ += size;
    if (position_ < block.size) return size;
    position_ = 0;
    {
      const std::lock_guard lock(mutex_);
      ++emptied_;
    }
    changed_.notify_all();
    return size;
  }
  absl::Status status() const override { return status_; }
  uint64_t bytes_read() const override { return bytes_read_; }
  uint64_t bytes_total() const override { return bytes_total_; }

 private:
  struct Block {
    std::vector<std::byte> bytes;
    size_t size = 0;
  };

  void FillBlocks() {
    for (uint64_t next = 0;; ++next) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return next - emptied_ < kBlocks || is_stopped_; });
        if (is_stopped_) return;
      }
      Block& block = blocks_[next % kBlocks];
      block.size = 0;
      size_t got = 1;
      while (got > 0 && block.size < kBlockBytes) {
        got = source_->Read(std::span(block.bytes).subspan(block.size));
        block.size += got;
      }
      bytes_read_ = source_->bytes_read();
      {
        const std::lock_guard lock(mutex_);
        if (block.size > 0) ++filled_;
        if (got == 0) {
          is_over_ = true;
          end_ = source_->status();
        }
      }
      changed_.notify_all();
      if (got == 0) return;
    }
  }

  std::unique_ptr<ByteSource> source_;  // the worker's alone, where there is one
  const uint64_t bytes_total_;
  std::array<Block, kBlocks> blocks_;
  std::atomic<uint64_t> bytes_read_ = 0;
  size_t position_ = 0;  // in the block that is emptied
  absl::Status status_;  // as Read() has told it: not before all bytes are given out

  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t filled_ = 0;  // blocks so far
  uint64_t emptied_ = 0;
  bool is_over_ = false;
  bool is_stopped_ = false;
  absl::Status end_;  // of the source, where is_over_

  std::thread worker_;
};

}  // namespace

std::unique_ptr<ByteSource> ReadAheadOf(std::unique_ptr<ByteSource> source) {
  return std::make_unique<ReadAhead>(std::move(source));
}

}  // namespace weft::analyzer
