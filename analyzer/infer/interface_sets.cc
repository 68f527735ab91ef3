// SPDX-License-Identifier: Apache-2.0
#include "analyzer/infer/interface_sets.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

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
    entries_.push_back({entry->second});
  }
  return entry->second;
}

void InterfaceSets::SetName(const IpAddress& address, Namer namer, const std::string& name) {
  entries_[IndexOf(address)].names[static_cast<size_t>(namer)] = name;
}

void InterfaceSets::HoldApart(const IpAddress& a, const IpAddress& b, std::string why) {
  const uint32_t index_a = IndexOf(a);
  const uint32_t index_b = IndexOf(b);
  entries_[Root(index_a)].apart.emplace_back(index_b, why);
  entries_[Root(index_b)].apart.emplace_back(index_a, std::move(why));
}

uint32_t InterfaceSets::Root(uint32_t index) const {
  while (entries_[index].parent != index) index = entries_[index].parent;
  return index;
}

// The lowest such path, so that the same one is named whatever the order inside the maps.
std::optional<InterfaceSets::Conflict> InterfaceSets::OnOnePath(uint32_t a, uint32_t b) const {
  const bool swapped = entries_[a].ttl_by_path.size() < entries_[b].ttl_by_path.size();
  const auto& large = entries_[swapped ? b : a].ttl_by_path;
  const auto& small = entries_[swapped ? a : b].ttl_by_path;
  std::optional<Conflict> conflict;
  for (const auto& [path, ttl] : small) {
    const auto other = large.find(path);
    if (other == large.end() || other->second == ttl) continue;
    if (conflict && conflict->path < path) continue;
    conflict = Conflict{Conflict::Kind::kPath, path, swapped ? ttl : other->second,
                        swapped ? other->second : ttl, ""};
  }
  return conflict;
}

std::optional<InterfaceSets::Conflict> InterfaceSets::AgainstRoots(uint32_t a, uint32_t b) const {
  for (size_t namer = 0; namer < kNamerCount; ++namer) {
    const std::string& name_a = entries_[a].names[namer];
    const std::string& name_b = entries_[b].names[namer];
    if (name_a.empty() || name_b.empty() || name_a == name_b) continue;
    constexpr std::array<const char*, kNamerCount> kSays = {"the given fabric says",
                                                            "the names say", "the path tables say"};
    return Conflict{Conflict::Kind::kNames, 0, 0, 0,
                    absl::StrCat(kSays[namer], " that one is of ", std::min(name_a, name_b),
                                 " and the other of ", std::max(name_a, name_b))};
  }
  const bool few_in_a = entries_[a].apart.size() < entries_[b].apart.size();
  for (const auto& [entry, why] : entries_[few_in_a ? a : b].apart) {
    if (Root(entry) == (few_in_a ? b : a)) {
      return Conflict{Conflict::Kind::kHeldApart, 0, 0, 0, why};
    }
  }
  return OnOnePath(a, b);
}

std::optional<InterfaceSets::Conflict> InterfaceSets::Against(const IpAddress& a,
                                                              const IpAddress& b) const {
  const std::optional<uint32_t> root_a = SetOf(a);
  const std::optional<uint32_t> root_b = SetOf(b);
  if (!root_a || !root_b || *root_a == *root_b) return std::nullopt;
  return AgainstRoots(*root_a, *root_b);
}

std::optional<InterfaceSets::Conflict> InterfaceSets::Join(const IpAddress& a, const IpAddress& b) {
  uint32_t into = Root(IndexOf(a));
  uint32_t from = Root(IndexOf(b));
  if (into == from) return std::nullopt;
  if (auto conflict = AgainstRoots(into, from)) return conflict;
  // The set seen on fewer paths moves: less to copy.
  if (entries_[into].ttl_by_path.size() < entries_[from].ttl_by_path.size()) std::swap(into, from);
  entries_[from].parent = into;
  for (const auto& [path, ttl] : entries_[from].ttl_by_path) {
    entries_[into].ttl_by_path.emplace(path, ttl);
  }
  entries_[from].ttl_by_path = {};
  for (size_t namer = 0; namer < kNamerCount; ++namer) {
    if (entries_[into].names[namer].empty()) {
      entries_[into].names[namer] = std::move(entries_[from].names[namer]);
    }
  }
  std::move(entries_[from].apart.begin(), entries_[from].apart.end(),
            std::back_inserter(entries_[into].apart));
  entries_[from].apart.clear();
  return std::nullopt;
}

std::optional<uint32_t> InterfaceSets::SetOf(const IpAddress& address) const {
  const auto found = index_.find(address);
  if (found == index_.end()) return std::nullopt;
  return Root(found->second);
}

bool InterfaceSets::Joined(const IpAddress& a, const IpAddress& b) const {
  const std::optional<uint32_t> set = SetOf(a);
  return set && set == SetOf(b);
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
