// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "probe/endpoint/endpoint.h"

namespace weft::probe {

// The probes that an endpoint has sent and not yet accounted for. Each one leaves exactly once, by
// Remove(); what is heard of it afterwards finds nothing and is counted as late. The bounds are
// fixed at construction and nothing is allocated later; memory is first touched as it is needed.
// Not for several threads.
class InFlight {
 public:
  struct Entry {
    Probe probe{};
    // Goes into the packet and comes back in the answer; modulo capacity it is the slot.
    uint32_t sequence = 0;
    int64_t sent_ns = 0;  // on the endpoint's clock; the timeout counts from here
    int64_t deadline_ns = 0;
    bool sent_reported = false;  // for the endpoint: kSent was handed out
    size_t slot = 0;             // in [0, capacity()): where an endpoint may keep more of its own
  };

  // Capacity is rounded up to a power of two; at most 2^20, so that 12 bits or more of a sequence
  // tell a slot's successive probes apart.
  explicit InFlight(size_t capacity);
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;

  size_t capacity() const { return capacity_; }
  size_t size() const { return heap_.size(); }

  // nullptr: full. Pointers stay valid until Remove().
  Entry* Add(const Probe& probe, int64_t sent_ns);

  // The probe with this sequence; nullptr: it is no longer (or never was) in flight.
  Entry* Find(uint32_t sequence);
  // The same for an answer: one that finds nothing counts as late.
  Entry* FindAnswered(uint32_t sequence);
  // For an ICMP error: the probe to `destination` from `udp_src_port`, with this TTL modulo 64
  // where the quote tells; otherwise the one with the lowest TTL. `source`: the quoted one; a probe
  // that was sent with an explicit source must match it. Finding nothing counts as late.
  Entry* FindQuoted(const wire::IpAddress& destination, uint16_t udp_src_port,
                    std::optional<uint8_t> ttl_modulo_64, const wire::IpAddress& source = {});

  void Remove(Entry* entry);

  // The probe with the earliest deadline when that is at or before `now_ns`; it stays in.
  Entry* Expired(int64_t now_ns);
  std::optional<int64_t> NextDeadline() const;

  uint64_t late_count() const { return late_count_; }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  uint32_t TakeSlot();
  size_t BucketOf(const wire::IpAddress& destination, uint16_t udp_src_port) const;
  bool Earlier(uint32_t slot, uint32_t other) const {
    return entries_[slot].deadline_ns < entries_[other].deadline_ns;
  }
  void SiftUp(size_t position);
  void SiftDown(size_t position);
  void PlaceInHeap(size_t position, uint32_t slot);

  size_t capacity_;
  std::vector<Entry> entries_;           // by slot, as many as were ever used at once; never moves
  std::vector<bool> used_;               // by slot
  std::vector<uint32_t> free_;           // slots
  std::vector<uint32_t> heap_;           // slots, earliest deadline first
  std::vector<uint32_t> heap_position_;  // by slot
  std::vector<uint32_t> buckets_;        // hash of destination and source port -> first slot
  std::vector<uint32_t> next_;           // by slot: the next in its bucket
  uint64_t late_count_ = 0;
};

}  // namespace weft::probe
