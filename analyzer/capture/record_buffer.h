// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "analyzer/capture/byte_source.h"

namespace weft::analyzer {

// A window on a byte source that moves forward: one read() of kChunkBytes after another, whatever a
// chunk's end cuts in two is moved to the front, so that each record lies in one piece. It grows
// for a longer record, and only as far as bytes for it really come. Not thread-safe.
class RecordBuffer {
 public:
  // So much stays in a core's second-level cache between being read and being looked at.
  static constexpr size_t kChunkBytes = size_t{512} << 10;

  RecordBuffer(std::unique_ptr<ByteSource> source, size_t chunk_bytes);  // at least 1

  // What is there and not yet consumed.
  std::span<const std::byte> bytes() const { return {storage_.data() + begin_, end_ - begin_}; }
  void Consume(size_t size) {
    begin_ += size;
    offset_ += size;
  }
  uint64_t offset() const { return offset_; }  // of bytes().front(), from the source's start

  // Reads on until `size` bytes are there; false where the source ends before. Spans from bytes()
  // are void afterwards.
  bool Fill(size_t size);
  // Consumes `size` bytes, of any number, without holding them. False where the source ends before.
  bool Skip(uint64_t size);

  const ByteSource& source() const { return *source_; }

 private:
  void MakeRoom(size_t size);

  std::unique_ptr<ByteSource> source_;
  size_t chunk_bytes_;
  std::vector<std::byte> storage_;
  size_t begin_ = 0;
  size_t end_ = 0;
  uint64_t offset_ = 0;
};

}  // namespace weft::analyzer
