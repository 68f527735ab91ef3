// SPDX-License-Identifier: Apache-2.0
#include "analyzer/infer/interface_sets.h"

#include <algorithm>
#include <utility>

namespace weft::analyzer {

using wire::IpAddress;

InterfaceSets::InterfaceSets(std::span<const ObservedPath> paths) {
  for (size_t p = 0; p < paths.size(); ++p) {
    for (size_t i = 0; i < paths[p].hops.size(); ++i) {
      if (paths[p].hops[i].empty()) continue;
      const uint32_t index = IndexOf(paths[p].hops[i]);
      entries_[index].ttl_by_path.emplace(static_cast<uint32_t>(p), static_cast<uint32_t>(i + 1));
    }
  }
}

uint32_t InterfaceSets::IndexOf(const IpAddress& address) {
  const auto [entry, added] = index_.emplace(address, static_cast<uint32_t>(addresses_.size()));
  if (added) {
    addresses_.push_back(address);
    entries_.push_back({entry->second, {}});
  }
  return entry->second;
}

uint32_t InterfaceSets::Root(uint32_t index) const {
  while (entries_[index].parent != index) index = entries_[index].parent;
  return index;
}

std::optional<InterfaceSets::Conflict> InterfaceSets::Join(const IpAddress& a, const IpAddress& b) {
  uint32_t into = Root(IndexOf(a));
  uint32_t from = Root(IndexOf(b));
  if (into == from) return std::nullopt;
  bool swapped = false;
  // The set seen on fewer paths moves: less to compare and to copy.
  if (entries_[into].ttl_by_path.size() < entries_[from].ttl_by_path.size()) {
    std::swap(into, from);
    swapped = true;
  }
  // The lowest path, so that the same conflict is named whatever the order inside the maps.
  std::optional<Conflict> conflict;
  for (const auto& [path, ttl] : entries_[from].ttl_by_path) {
    const auto other = entries_[into].ttl_by_path.find(path);
    if (other == entries_[into].ttl_by_path.end() || other->second == ttl) continue;
    if (conflict && conflict->path < path) continue;
    conflict = swapped ? Conflict{path, ttl, other->second} : Conflict{path, other->second, ttl};
  }
  if (conflict) return conflict;
  entries_[from].parent = into;
  for (const auto& [path, ttl] : entries_[from].ttl_by_path) {
    entries_[into].ttl_by_path.emplace(path, ttl);
  }
  entries_[from].ttl_by_path = {};
  return std::nullopt;
}

bool InterfaceSets::Joined(const IpAddress& a, const IpAddress& b) const {
  const auto found_a = index_.find(a);
  const auto found_b = index_.find(b);
  if (found_a == index_.end() || found_b == index_.end()) return false;
  return Root(found_a->second) == Root(found_b->second);
}

std::vector<std::vector<IpAddress>> InterfaceSets::Sets() const {
  std::vector<uint32_t> order(addresses_.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [this](uint32_t a, uint32_t b) { return addresses_[a] < addresses_[b]; });
  absl::flat_hash_map<uint32_t, size_t> place;
  std::vector<std::vector<IpAddress>> sets;
  for (const uint32_t index : order) {
    const auto [entry, added] = place.emplace(Root(index), sets.size());
    if (added) sets.emplace_back();
    sets[entry->second].push_back(addresses_[index]);
  }
  return sets;
}

}  // namespace weft::analyzer
