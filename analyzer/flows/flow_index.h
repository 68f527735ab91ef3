// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "analyzer/flows/flow_state.h"

namespace weft::analyzer {

inline uint64_t MixHash(uint64_t h, uint64_t value) {
  h = (h ^ value) * 0x9e3779b97f4a7c15u;
  return h ^ (h >> 32);
}
inline uint64_t HashOf(const wire::NetworkAddress& a) {
  return MixHash(MixHash(static_cast<uint64_t>(a.kind()) + 1, a.high()), a.low());
}

// Flows by key: open addressing with linear probing, at most three quarters full. Flows stay where
// they are.
class FlowIndex {
 public:
  FlowIndex();

  // The flow of these; a new one where there is none and fewer than `max_flows`; else null.
  Flow* FindOrAdd(const wire::NetworkAddress& source, const wire::NetworkAddress& destination,
                  uint32_t dest_qpn, size_t max_flows, bool& is_new);
  Flow* Find(const FlowKey& key);
  std::deque<Flow>& flows() { return flows_; }
  const std::deque<Flow>& flows() const { return flows_; }
  size_t memory_bytes() const { return slots_.capacity() * sizeof(Slot); }

 private:
  struct Slot {
    uint64_t hash = 0;
    Flow* flow = nullptr;
  };

  Slot& Probe(uint64_t hash, const wire::NetworkAddress& source,
              const wire::NetworkAddress& destination, uint32_t dest_qpn);
  void Grow();

  std::vector<Slot> slots_;
  std::deque<Flow> flows_;
};

}  // namespace weft::analyzer
