// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "topology/fabric/fabric.h"

namespace weft::probe {

// A packet comes out of the far end of `direction`.
struct Arrival {
  int64_t time_ns = 0;
  uint64_t order = 0;  // of two at one time, the one sent earlier
  topology::Direction direction;
  uint32_t packet = 0;
  bool operator>(const Arrival& other) const {
    return time_ns != other.time_ns ? time_ns > other.time_ns : order > other.order;
  }
};

// What is under way, earliest first. Time never goes back, so what takes the usual delay is in
// order by itself and waits in a ring; only the rest needs a heap. Allocates only when more is
// under way than ever before.
class ArrivalQueue {
 public:
  bool empty() const { return ring_size_ == 0 && heap_.empty(); }
  // Not when empty.
  const Arrival& top() const { return RingIsNext() ? ring_[ring_begin_] : heap_.top(); }

  // After one delay that is the same for all of these.
  void PushUsual(const Arrival& arrival) {
    if (ring_size_ == ring_.size()) Grow();
    ring_[(ring_begin_ + ring_size_++) & (ring_.size() - 1)] = arrival;
  }
  void Push(const Arrival& arrival) { heap_.push(arrival); }
  void Pop() {
    if (!RingIsNext()) {
      heap_.pop();
      return;
    }
    ring_begin_ = (ring_begin_ + 1) & (ring_.size() - 1);
    --ring_size_;
  }

 private:
  bool RingIsNext() const {
    if (ring_size_ == 0) return false;
    return heap_.empty() || heap_.top() > ring_[ring_begin_];
  }
  void Grow() {
    std::vector<Arrival> larger(ring_.size() * 2);
    for (size_t i = 0; i < ring_size_; ++i) {
      larger[i] = ring_[(ring_begin_ + i) & (ring_.size() - 1)];
    }
    ring_.swap(larger);
    ring_begin_ = 0;
  }

  std::vector<Arrival> ring_ = std::vector<Arrival>(64);  // a power of two
  size_t ring_begin_ = 0;
  size_t ring_size_ = 0;
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> heap_;
};

}  // namespace weft::probe
