// SPDX-License-Identifier: Apache-2.0
#include "analyzer/capture/record_buffer.h"

#include <algorithm>
#include <cstring>

namespace weft::analyzer {

RecordBuffer::RecordBuffer(std::unique_ptr<ByteSource> source, size_t chunk_bytes)
    : source_(std::move(source)), chunk_bytes_(chunk_bytes), storage_(chunk_bytes) {}

void RecordBuffer::MakeRoom(size_t size) {
  if (begin_ > 0) {
    std::memmove(storage_.data(), storage_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  // Doubling, so that a length that lies costs no more than twice what is there.
  if (end_ == storage_.size()) storage_.resize(std::min(storage_.size() * 2, size + chunk_bytes_));
}

bool RecordBuffer::Fill(size_t size) {
  while (end_ - begin_ < size) {
    MakeRoom(size);
    const size_t got = source_->Read(std::span(storage_).subspan(end_));
    if (got == 0) return false;
    end_ += got;
  }
  return true;
}

bool RecordBuffer::Skip(uint64_t size) {
  while (size > 0) {
    if (begin_ == end_ && !Fill(1)) return false;
    const size_t part = static_cast<size_t>(std::min<uint64_t>(size, end_ - begin_));
    Consume(part);
    size -= part;
  }
  return true;
}

}  // namespace weft::analyzer
