// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/spread.h"

#include <algorithm>
#include <iterator>

namespace weft::lb {
namespace {

using topology::FieldUse;
using topology::HashedField;
using topology::HopBehaviour;
using topology::HopMode;
using topology::NodeIndex;

// Nothing was found out about whether ports choose there.
bool SaysNothing(const HopBehaviour& behaviour) {
  if (behaviour.next_hop_count <= 1) return true;
  return behaviour.mode == HopMode::kUnknown && !IsUnsteered(behaviour);
}

// Later, and between words of one time the one that promises less.
bool Outweighs(const SeenBehaviour& a, const SeenBehaviour& b) {
  if (a.measured_at != b.measured_at) return a.measured_at > b.measured_at;
  return IsUnsteered(a.behaviour) && !IsUnsteered(b.behaviour);
}

void AddSteps(const std::vector<Step>& more, std::vector<Step>* steps) {
  for (size_t i = 0; i < steps->size(); ++i) {
    Step both;
    std::set_union((*steps)[i].begin(), (*steps)[i].end(), more[i].begin(), more[i].end(),
                   std::back_inserter(both));
    (*steps)[i] = std::move(both);
  }
}

}  // namespace

bool IsUnsteered(const HopBehaviour& behaviour) {
  if (behaviour.next_hop_count <= 1) return false;
  if (behaviour.mode == HopMode::kPerPacket || behaviour.mode == HopMode::kFlowlet ||
      behaviour.mode == HopMode::kAdaptive) {
    return true;
  }
  return std::any_of(behaviour.fields.begin(), behaviour.fields.end(), [](const auto& field) {
    return field.field == HashedField::kUdpSrcPort && field.effect == FieldUse::kIgnored;
  });
}

Spread::Spread(const topology::Fabric* fabric, const std::map<PairKey, PairTable>& tables)
    : fabric_(fabric) {
  std::map<NodeIndex, SeenBehaviour> words;
  for (const auto& [key, table] : tables) {
    for (const SeenBehaviour& seen : table.behaviours) {
      if (SaysNothing(seen.behaviour)) continue;
      any_ = any_ || IsUnsteered(seen.behaviour);
      const std::optional<NodeIndex> node = Resolve(seen.behaviour);
      if (!node) continue;
      const auto [known, added] = words.emplace(*node, seen);
      if (!added && Outweighs(seen, known->second)) known->second = seen;
    }
  }
  for (const auto& [node, seen] : words) {
    if (IsUnsteered(seen.behaviour)) unsteered_.emplace(node, seen);
  }
}

std::optional<NodeIndex> Spread::Resolve(const HopBehaviour& behaviour) const {
  if (!behaviour.address.empty()) {
    if (const auto node = fabric_->FindAddress(behaviour.address)) return node;
  }
  return behaviour.node.empty() ? std::nullopt : fabric_->FindNode(behaviour.node);
}

void Spread::Learn(const PlacedPath& path) {
  if (!any_ || path.steps.empty()) return;
  const NodeIndex last = path.NodeBefore(path.steps.size(), *fabric_);
  for (size_t step = 0; step < path.steps.size(); ++step) {
    const auto from = path.steps.begin() + static_cast<std::ptrdiff_t>(step);
    std::vector<Step> tail(from, path.steps.end());
    std::vector<Step>& ways = ways_[{path.NodeBefore(step, *fabric_), last}];
    // Equal-cost ways are equally long; a longer one is a detour that others need not take.
    if (ways.empty() || tail.size() < ways.size()) {
      ways = std::move(tail);
    } else if (tail.size() == ways.size()) {
      AddSteps(tail, &ways);
    }
  }
}

const HopBehaviour* Spread::OwnWord(const PairTable& table, NodeIndex node, size_t step) const {
  for (const SeenBehaviour& seen : table.behaviours) {
    const std::optional<NodeIndex> named = Resolve(seen.behaviour);
    const bool here = named ? *named == node : seen.behaviour.hop_index == step + 1;
    const bool silent = seen.behaviour.address.empty() && seen.behaviour.node.empty();
    if (here && (named || silent) && IsUnsteered(seen.behaviour)) return &seen.behaviour;
  }
  return nullptr;
}

std::optional<UnsteeredHop> Spread::Apply(const PairTable& table, PlacedPath* path) const {
  if (!any_) return std::nullopt;
  const NodeIndex last = path->NodeBefore(path->steps.size(), *fabric_);
  for (size_t step = 0; step < path->steps.size(); ++step) {
    const NodeIndex node = path->NodeBefore(step, *fabric_);
    const auto word = unsteered_.find(node);
    const HopBehaviour* own = OwnWord(table, node, step);
    if (word == unsteered_.end() && (own == nullptr || Resolve(*own))) continue;
    const auto ways = ways_.find({node, last});
    const bool known = ways != ways_.end() && ways->second.size() == path->steps.size() - step;
    const auto ways_known =
        static_cast<uint32_t>(known ? ways->second[0].size() : path->steps[step].size());
    if (own == nullptr && ways_known == path->steps[step].size()) continue;
    if (known) {
      path->steps.resize(step);
      path->steps.insert(path->steps.end(), ways->second.begin(), ways->second.end());
    }
    return UnsteeredHop{node, word != unsteered_.end() ? word->second.behaviour : *own, ways_known};
  }
  return std::nullopt;
}

}  // namespace weft::lb
