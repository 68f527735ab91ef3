// SPDX-License-Identifier: Apache-2.0
#include "analyzer/capture/merged_source.h"

#include <algorithm>
#include <limits>
#include <set>

namespace weft::analyzer {
namespace {

constexpr uint32_t kUnmapped = std::numeric_limits<uint32_t>::max();

}  // namespace

absl::StatusOr<std::unique_ptr<CaptureSource>> OpenCaptures(const std::vector<std::string>& paths) {
  if (paths.empty()) return absl::InvalidArgumentError("no capture file given");
  if (paths.size() == 1) return OpenCapture(paths.front());
  return MergedSource::Open(paths);
}

absl::StatusOr<std::unique_ptr<CaptureSource>> MergedSource::Open(
    const std::vector<std::string>& paths) {
  if (std::count(paths.begin(), paths.end(), "-") > 1) {
    return absl::InvalidArgumentError("standard input (\"-\") can be read only once");
  }
  std::unique_ptr<MergedSource> merged(new MergedSource);
  for (const std::string& path : paths) {
    if (absl::Status status = merged->Add(path); !status.ok()) return status;
  }
  return merged;
}

// Learns a file's first time; it is opened again when that time has come. What cannot be opened
// twice stays open.
absl::Status MergedSource::Add(const std::string& path) {
  auto source = OpenCapture(path);
  if (!source.ok()) return source.status();
  Input input{.path = path};
  input.source = *std::move(source);
  input.bytes_total = input.source->progress().bytes_total;
  const bool can_reopen = path != "-" && input.bytes_total > 0;
  if (!Refill(input)) {
    inputs_.push_back(std::move(input));
    return absl::OkStatus();
  }
  if (can_reopen) {
    input.source = nullptr;
    input.batch = {};
    input.size = 0;
  }
  inputs_.push_back(std::move(input));
  Push(inputs_.size() - 1);
  return absl::OkStatus();
}

void MergedSource::Push(size_t index) {
  waiting_.push_back({inputs_[index].time_ns, index});
  std::push_heap(waiting_.begin(), waiting_.end(), IsLater);
}

// False: at its end, and closed.
bool MergedSource::Refill(Input& input) {
  if (input.source == nullptr) {
    auto source = OpenCapture(input.path);
    if (!source.ok()) {
      problems_.push_back(
          {input.path, 0, "cannot be opened again: " + std::string(source.status().message())});
      return false;
    }
    input.source = *std::move(source);
  }
  input.batch.resize(kBatch);
  input.position = 0;
  input.size = input.source->Read(input.batch);
  if (input.size == 0) {
    Close(input);
    return false;
  }
  if (input.batch.front().has_time) input.time_ns = input.batch.front().time_ns;
  return true;
}

void MergedSource::Close(Input& input) {
  // Interfaces and problems outlive the source.
  const size_t count = input.source->interfaces().size();
  for (uint32_t index = 0; index < count; ++index) MapInterface(input, index);
  CopyDropped(input);
  for (const CaptureProblem& problem : input.source->problems()) problems_.push_back(problem);
  input.bytes_read = input.source->progress().bytes_read;
  input.source = nullptr;
  input.batch = {};
}

void MergedSource::MapInterface(Input& input, uint32_t index) {
  if (index >= input.interfaces.size()) input.interfaces.resize(index + 1, kUnmapped);
  if (input.interfaces[index] != kUnmapped) return;
  input.interfaces[index] = static_cast<uint32_t>(interfaces_.size());
  interfaces_.push_back(input.source->interfaces()[index]);
  interfaces_.back().packets = 0;
  interfaces_.back().cut_packets = 0;
}

size_t MergedSource::Read(std::span<CapturedPacket> packets) {
  // An input is refilled only here, since its last batch was in the caller's hands until now.
  if (empty_) {
    const size_t index = *empty_;
    empty_.reset();
    std::pop_heap(waiting_.begin(), waiting_.end(), IsLater);
    waiting_.pop_back();
    if (Refill(inputs_[index])) Push(index);
  }
  size_t count = 0;
  while (count < packets.size() && !waiting_.empty() && !empty_) {
    const size_t index = waiting_.front().input;
    Input& input = inputs_[index];
    if (input.position == input.size) {
      // Not yet open, and no packet of it given out: it may be read at once.
      std::pop_heap(waiting_.begin(), waiting_.end(), IsLater);
      waiting_.pop_back();
      if (Refill(input)) Push(index);
      continue;
    }
    GiveOut(input, packets[count++]);
    if (input.position == input.size) {
      empty_ = index;  // stays at the front of the heap
      break;
    }
    const CapturedPacket& next = input.batch[input.position];
    if (next.has_time) input.time_ns = next.time_ns;
    if (input.time_ns == waiting_.front().time_ns) continue;
    std::pop_heap(waiting_.begin(), waiting_.end(), IsLater);
    waiting_.back().time_ns = input.time_ns;
    std::push_heap(waiting_.begin(), waiting_.end(), IsLater);
  }
  return count;
}

void MergedSource::GiveOut(Input& input, CapturedPacket& packet) {
  packet = input.batch[input.position++];
  if (packet.interface >= input.interfaces.size() ||
      input.interfaces[packet.interface] == kUnmapped) {
    MapInterface(input, packet.interface);
  }
  packet.number = ++packets_;
  packet.interface = input.interfaces[packet.interface];
  CaptureInterface& interface = interfaces_[packet.interface];
  ++interface.packets;
  interface.cut_packets += packet.wire_bytes > packet.bytes.size() ? 1u : 0u;
}

void MergedSource::CopyDropped(const Input& input) const {
  if (input.source == nullptr) return;
  const auto& own = input.source->interfaces();
  for (size_t i = 0; i < input.interfaces.size(); ++i) {
    if (input.interfaces[i] == kUnmapped) continue;
    interfaces_[input.interfaces[i]].dropped = own[i].dropped;
  }
}

const std::vector<CaptureInterface>& MergedSource::interfaces() const {
  for (const Input& input : inputs_) CopyDropped(input);
  return interfaces_;
}

CaptureProgress MergedSource::progress() const {
  CaptureProgress progress;
  bool is_total_known = true;
  for (const Input& input : inputs_) {
    progress.bytes_read +=
        input.source == nullptr ? input.bytes_read : input.source->progress().bytes_read;
    progress.bytes_total += input.bytes_total;
    is_total_known = is_total_known && input.bytes_total > 0;
  }
  if (!is_total_known) progress.bytes_total = 0;
  return progress;
}

}  // namespace weft::analyzer
