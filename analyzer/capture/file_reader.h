// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/capture/capture_source.h"
#include "analyzer/capture/record_buffer.h"

namespace weft::analyzer {

// What the readers of all file formats have in common.
class FileReader : public CaptureSource {
 public:
  bool finished() const override { return is_finished_; }
  const std::vector<CaptureInterface>& interfaces() const override { return interfaces_; }
  const std::vector<CaptureProblem>& problems() const override { return problems_; }
  CaptureProgress progress() const override {
    return {.bytes_read = buffer_.source().bytes_read(),
            .bytes_total = buffer_.source().bytes_total()};
  }

 protected:
  FileReader(std::string file, RecordBuffer buffer)
      : file_(std::move(file)), buffer_(std::move(buffer)) {}

  // Ends the reading, for a reason. `offset`: of the record that is not read.
  void Stop(uint64_t offset, std::string what) {
    problems_.push_back({.file = file_, .offset = offset, .what = std::move(what)});
    is_finished_ = true;
  }
  // The same where the source gave no more. `what_is_cut`: empty where it ended between two
  // records.
  void StopAtEnd(uint64_t offset, std::string what_is_cut);

  std::string file_;
  RecordBuffer buffer_;
  std::vector<CaptureInterface> interfaces_;
  std::vector<CaptureProblem> problems_;
  uint64_t packets_ = 0;
  bool is_finished_ = false;
};

}  // namespace weft::analyzer
