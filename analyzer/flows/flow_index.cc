// SPDX-License-Identifier: Apache-2.0
#include "analyzer/flows/flow_index.h"

namespace weft::analyzer {
namespace {

constexpr size_t kFirstSlots = 1024;

uint64_t HashOfKey(const wire::NetworkAddress& source, const wire::NetworkAddress& destination,
                   uint32_t dest_qpn) {
  uint64_t h = MixHash(dest_qpn, source.low() * 3 + destination.low());
  return MixHash(h, source.high() * 5 + destination.high());
}

}  // namespace

FlowIndex::FlowIndex() : slots_(kFirstSlots) {}

FlowIndex::Slot& FlowIndex::Probe(uint64_t hash, const wire::NetworkAddress& source,
                                  const wire::NetworkAddress& destination, uint32_t dest_qpn) {
  const size_t mask = slots_.size() - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    Slot& slot = slots_[i];
    if (slot.flow == nullptr) return slot;
    if (slot.hash != hash) continue;
    const FlowKey& key = slot.flow->key;
    if (key.dest_qpn == dest_qpn && key.source == source && key.destination == destination) {
      return slot;
    }
  }
}

Flow* FlowIndex::Find(const FlowKey& key) {
  const uint64_t hash = HashOfKey(key.source, key.destination, key.dest_qpn);
  return Probe(hash, key.source, key.destination, key.dest_qpn).flow;
}

Flow* FlowIndex::FindOrAdd(const wire::NetworkAddress& source,
                           const wire::NetworkAddress& destination, uint32_t dest_qpn,
                           size_t max_flows, bool& is_new) {
  const uint64_t hash = HashOfKey(source, destination, dest_qpn);
  Slot& slot = Probe(hash, source, destination, dest_qpn);
  is_new = slot.flow == nullptr;
  if (!is_new) return slot.flow;
  if (flows_.size() >= max_flows) return nullptr;
  Flow& flow = flows_.emplace_back();
  flow.key = {.source = source, .destination = destination, .dest_qpn = dest_qpn};
  flow.way_hash = MixHash(HashOf(source), HashOf(destination));
  flow.back_hash = MixHash(HashOf(destination), HashOf(source));
  slot = {.hash = hash, .flow = &flow};
  if (flows_.size() * 4 > slots_.size() * 3) Grow();
  return &flow;
}

void FlowIndex::Grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  const size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.flow == nullptr) continue;
    size_t i = slot.hash & mask;
    while (slots_[i].flow != nullptr) i = (i + 1) & mask;
    slots_[i] = slot;
  }
}

}  // namespace weft::analyzer
