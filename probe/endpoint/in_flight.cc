// SPDX-License-Identifier: Apache-2.0
#include "probe/endpoint/in_flight.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

#include "absl/hash/hash.h"

namespace weft::probe {
namespace {

constexpr size_t kMaxCapacity = size_t{1} << 20;

}  // namespace

InFlight::InFlight(size_t capacity)
    : capacity_(std::bit_ceil(std::clamp<size_t>(capacity, 1, kMaxCapacity))),
      used_(capacity_, false),
      buckets_(capacity_ * 2, kNone) {
  entries_.reserve(capacity_);
  free_.reserve(capacity_);
  heap_.reserve(capacity_);
  heap_position_.reserve(capacity_);
  next_.reserve(capacity_);
}

size_t InFlight::BucketOf(const wire::IpAddress& destination, uint16_t udp_src_port) const {
  return absl::HashOf(destination, udp_src_port) & (buckets_.size() - 1);
}

uint32_t InFlight::TakeSlot() {
  if (!free_.empty()) {
    const uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
  }
  const auto slot = static_cast<uint32_t>(entries_.size());
  entries_.push_back({.sequence = slot, .slot = slot});
  heap_position_.push_back(0);
  next_.push_back(kNone);
  return slot;
}

InFlight::Entry* InFlight::Add(const Probe& probe, int64_t sent_ns) {
  if (size() == capacity_) return nullptr;
  const uint32_t slot = TakeSlot();
  used_[slot] = true;
  Entry& entry = entries_[slot];
  entry.probe = probe;
  entry.sequence += static_cast<uint32_t>(capacity_);  // the slot's next generation; wraps
  entry.sent_ns = sent_ns;
  entry.deadline_ns = sent_ns + probe.timeout_ns;
  entry.sent_reported = false;
  uint32_t& first = buckets_[BucketOf(probe.destination, probe.udp_src_port)];
  next_[slot] = std::exchange(first, slot);
  heap_.push_back(slot);
  heap_position_[slot] = static_cast<uint32_t>(heap_.size() - 1);
  SiftUp(heap_.size() - 1);
  return &entry;
}

InFlight::Entry* InFlight::Find(uint32_t sequence) {
  const size_t slot = sequence & (capacity_ - 1);
  return used_[slot] && entries_[slot].sequence == sequence ? &entries_[slot] : nullptr;
}

InFlight::Entry* InFlight::FindAnswered(uint32_t sequence) {
  Entry* entry = Find(sequence);
  if (entry == nullptr) ++late_count_;
  return entry;
}

InFlight::Entry* InFlight::FindQuoted(const wire::IpAddress& destination, uint16_t udp_src_port,
                                      std::optional<uint8_t> ttl_modulo_64,
                                      const wire::IpAddress& source) {
  Entry* found = nullptr;
  for (uint32_t slot = buckets_[BucketOf(destination, udp_src_port)]; slot != kNone;
       slot = next_[slot]) {
    Entry& entry = entries_[slot];
    if (entry.probe.udp_src_port != udp_src_port || entry.probe.destination != destination)
      continue;
    const bool any_source = source.empty() || entry.probe.source.empty();
    if (!any_source && entry.probe.source != source) continue;
    if (ttl_modulo_64 && entry.probe.ttl % 64 != *ttl_modulo_64) continue;
    if (found == nullptr || entry.probe.ttl < found->probe.ttl) found = &entry;
  }
  if (found == nullptr) ++late_count_;
  return found;
}

void InFlight::Remove(Entry* entry) {
  const auto slot = static_cast<uint32_t>(entry->slot);
  assert(used_[slot]);
  uint32_t* link = &buckets_[BucketOf(entry->probe.destination, entry->probe.udp_src_port)];
  while (*link != slot) link = &next_[*link];
  *link = next_[slot];

  const size_t position = heap_position_[slot];
  const uint32_t last = heap_.back();
  heap_.pop_back();
  if (last != slot) {
    PlaceInHeap(position, last);
    SiftUp(position);
    SiftDown(heap_position_[last]);
  }
  used_[slot] = false;
  free_.push_back(slot);
}

InFlight::Entry* InFlight::Expired(int64_t now_ns) {
  if (heap_.empty() || entries_[heap_.front()].deadline_ns > now_ns) return nullptr;
  return &entries_[heap_.front()];
}

std::optional<int64_t> InFlight::NextDeadline() const {
  if (heap_.empty()) return std::nullopt;
  return entries_[heap_.front()].deadline_ns;
}

void InFlight::PlaceInHeap(size_t position, uint32_t slot) {
  heap_[position] = slot;
  heap_position_[slot] = static_cast<uint32_t>(position);
}

void InFlight::SiftUp(size_t position) {
  const uint32_t slot = heap_[position];
  while (position > 0) {
    const size_t parent = (position - 1) / 2;
    if (!Earlier(slot, heap_[parent])) break;
    PlaceInHeap(position, heap_[parent]);
    position = parent;
  }
  PlaceInHeap(position, slot);
}

void InFlight::SiftDown(size_t position) {
  const uint32_t slot = heap_[position];
  while (true) {
    size_t child = 2 * position + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && Earlier(heap_[child + 1], heap_[child])) ++child;
    if (!Earlier(heap_[child], slot)) break;
    PlaceInHeap(position, heap_[child]);
    position = child;
  }
  PlaceInHeap(position, slot);
}

}  // namespace weft::probe
