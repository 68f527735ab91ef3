// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/capture/capture_source.h"

namespace weft::analyzer {

// Several files as one, in the order of their packets' times. Files of which nothing is given out
// yet, or everything, are not open, so that a thousand rotated ones cost no more than those that
// overlap. A packet without a time goes with the one before it in its file.
class MergedSource final : public CaptureSource {
 public:
  static absl::StatusOr<std::unique_ptr<CaptureSource>> Open(const std::vector<std::string>& paths);

  size_t Read(std::span<CapturedPacket> packets) override;
  bool finished() const override { return waiting_.empty(); }
  const std::vector<CaptureInterface>& interfaces() const override;
  const std::vector<CaptureProblem>& problems() const override { return problems_; }
  CaptureProgress progress() const override;

 private:
  static constexpr size_t kBatch = 256;

  struct Input {
    std::string path;
    std::unique_ptr<CaptureSource> source = nullptr;  // null: not yet open again, or at its end
    std::vector<CapturedPacket> batch{};
    size_t position = 0;
    size_t size = 0;      // of what is in `batch`
    int64_t time_ns = 0;  // of the packet at `position`
    uint64_t bytes_total = 0;
    uint64_t bytes_read = 0;             // once the source is gone
    std::vector<uint32_t> interfaces{};  // by the file's own index, that in interfaces_
  };
  struct Next {
    int64_t time_ns = 0;
    size_t input = 0;
  };
  static bool IsLater(const Next& a, const Next& b) {
    return a.time_ns != b.time_ns ? a.time_ns > b.time_ns : a.input > b.input;
  }

  MergedSource() = default;
  absl::Status Add(const std::string& path);
  bool Refill(Input& input);
  void Close(Input& input);
  void GiveOut(Input& input, CapturedPacket& packet);
  void MapInterface(Input& input, uint32_t index);
  void CopyDropped(const Input& input) const;
  void Push(size_t index);

  std::vector<Input> inputs_;
  std::vector<Next> waiting_;    // a heap, the earliest at its front
  std::optional<size_t> empty_;  // input to refill before the next packet is chosen
  uint64_t packets_ = 0;
  mutable std::vector<CaptureInterface> interfaces_;  // drop counts are copied when asked for
  std::vector<CaptureProblem> problems_;
};

}  // namespace weft::analyzer
