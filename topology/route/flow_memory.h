// SPDX-License-Identifier: Apache-2.0
// Internal to topology/route: what a switch remembers of the flows that it has seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "topology/route/route.h"

namespace weft::topology {

// A flow as a switch tells flows apart: headers whose other fields are zero.
struct FlowKey {
  HashedHeaders headers;
  bool operator==(const FlowKey&) const = default;
  template <typename H>
  friend H AbslHashValue(H h, const FlowKey& key) {
    const HashedHeaders& f = key.headers;
    return H::combine(std::move(h), f.source, f.destination, f.protocol, f.udp_src_port,
                      f.udp_dst_port, f.flow_label, f.traffic_class, f.dest_qpn, f.bth_opcode);
  }
};

// Flows and what is known of each; past `capacity` the one that was used longest ago is forgotten.
template <typename Value>
class FlowMemory {
 public:
  explicit FlowMemory(size_t capacity) : capacity_(capacity) {}

  // The flow's value, made the most recently used; `*fresh`: it was not known. Valid until the next
  // call.
  Value& Use(const FlowKey& key, bool* fresh) {
    const auto found = index_.find(key);
    *fresh = found == index_.end();
    uint32_t at = 0;
    if (!*fresh) {
      at = found->second;
      Unlink(at);
    } else if (entries_.size() < capacity_) {
      at = static_cast<uint32_t>(entries_.size());
      entries_.push_back({key, {}, kNone, kNone});
      index_.emplace(key, at);
    } else {
      at = oldest_;
      Unlink(at);
      index_.erase(entries_[at].key);
      entries_[at] = {key, {}, kNone, kNone};
      index_.emplace(key, at);
    }
    Append(at);
    return entries_[at].value;
  }

  size_t size() const { return entries_.size(); }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  struct Entry {
    FlowKey key;
    Value value;
    uint32_t older = kNone;
    uint32_t newer = kNone;
  };

  void Unlink(uint32_t at) {
    const Entry& entry = entries_[at];
    (entry.older == kNone ? oldest_ : entries_[entry.older].newer) = entry.newer;
    (entry.newer == kNone ? newest_ : entries_[entry.newer].older) = entry.older;
  }
  void Append(uint32_t at) {
    entries_[at].older = newest_;
    entries_[at].newer = kNone;
    (newest_ == kNone ? oldest_ : entries_[newest_].newer) = at;
    newest_ = at;
  }

  size_t capacity_;
  std::vector<Entry> entries_;
  absl::flat_hash_map<FlowKey, uint32_t> index_;
  uint32_t oldest_ = kNone;
  uint32_t newest_ = kNone;
};

}  // namespace weft::topology
