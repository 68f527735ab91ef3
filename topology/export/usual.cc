// SPDX-License-Identifier: Apache-2.0
#include "topology/export/usual.h"

#include <algorithm>
#include <utility>

namespace weft::topology {
namespace {

using Ends = std::pair<int64_t, int64_t>;

// The value that most have; of equally frequent ones the greatest.
template <typename T>
std::optional<T> Mode(const std::map<T, size_t>& counts) {
  std::optional<T> mode;
  size_t most = 0;
  for (const auto& [value, count] : counts) {
    if (count < most) continue;
    most = count;
    mode = value;
  }
  return mode;
}

Ends EndsOf(const Fabric& fabric, const Usual& usual, LinkIndex link) {
  return Usual::Ends(usual.place[fabric.From({link, false})],
                     usual.place[fabric.From({link, true})]);
}

void CompareLinks(const Fabric& fabric, Usual& usual) {
  std::map<Ends, std::map<double, size_t>> rates;
  std::map<Ends, std::map<uint32_t, size_t>> widths;
  for (LinkIndex link = 0; link < fabric.links().size(); ++link) {
    const Ends ends = EndsOf(fabric, usual, link);
    if (fabric.link(link).capacity_bps) ++rates[ends][*fabric.link(link).capacity_bps];
    if (fabric.link(link).width) ++widths[ends][*fabric.link(link).width];
  }
  for (const auto& [ends, counts] : rates) usual.bps[ends] = *Mode(counts);
  for (LinkIndex link = 0; link < fabric.links().size(); ++link) {
    const Ends ends = EndsOf(fabric, usual, link);
    const Link& record = fabric.link(link);
    const auto bps = usual.bps.find(ends);
    const auto width = widths.find(ends);
    CableState& state = usual.state.emplace_back(CableState::kUsual);
    if (width != widths.end() && record.width && *record.width < *Mode(width->second)) {
      state = CableState::kNarrower;
    } else if (bps != usual.bps.end()) {
      if (!record.capacity_bps) state = CableState::kUnknownRate;
      if (record.capacity_bps && *record.capacity_bps < bps->second) state = CableState::kSlower;
    }
  }
}

// Switches with fewer cables to a tier than most switches of their own tier: more than half of at
// least three agree on how many it should be.
void CompareSwitches(const Fabric& fabric, Usual& usual) {
  std::vector<std::map<int64_t, size_t>> cables(fabric.nodes().size());  // per node, by place
  std::map<int64_t, size_t> switches;                                    // per place
  std::map<Ends, std::map<size_t, size_t>> counts;  // own and other place -> cables -> switches
  for (NodeIndex node = 0; node < fabric.nodes().size(); ++node) {
    if (usual.place[node] < 0) continue;
    ++switches[usual.place[node]];
    for (const Adjacency& adjacency : fabric.adjacencies(node)) {
      if (usual.place[adjacency.neighbour] >= 0) ++cables[node][usual.place[adjacency.neighbour]];
    }
    for (const auto& [place, count] : cables[node]) ++counts[{usual.place[node], place}][count];
  }
  for (NodeIndex node = 0; node < fabric.nodes().size(); ++node) {
    if (usual.place[node] < 0) continue;
    const int64_t own = usual.place[node];
    for (auto at = counts.lower_bound({own, 0}); at != counts.end() && at->first.first == own;
         ++at) {
      const int64_t other = at->first.second;
      const size_t mode = *Mode(at->second);
      const bool agreed = switches[own] >= 3 && at->second.at(mode) * 2 > switches[own];
      const auto found = cables[node].find(other);
      const size_t count = found == cables[node].end() ? 0 : found->second;
      if (!agreed || count >= mode || other == own) continue;
      std::string& missing = usual.missing[node];
      missing += (missing.empty() ? "" : ", ") + std::to_string(count) + " of " +
                 std::to_string(mode) + " cables to " + PlaceName(other, true);
    }
  }
}

}  // namespace

std::string PlaceName(int64_t place, bool several) {
  if (place == Usual::kHost) return several ? "hosts" : "host";
  if (place == Usual::kOther) return several ? "nodes of unknown kind" : "node of unknown kind";
  if (place == 0) return several ? "leaves" : "leaf";
  const std::string name = TierName(static_cast<uint32_t>(place));
  if (place <= 2) return several ? name + "s" : name;
  return several ? "switches of " + name : "switch of " + name;
}

Usual FindUsual(const Fabric& fabric, const Structure& structure) {
  Usual usual;
  for (NodeIndex node = 0; node < fabric.nodes().size(); ++node) {
    const auto& tier = structure.tier[node];
    const bool host = fabric.node(node).kind == NodeKind::kHost;
    usual.place.push_back(host   ? int64_t{Usual::kHost}
                          : tier ? int64_t{*tier}
                                 : int64_t{Usual::kOther});
  }
  usual.missing.resize(fabric.nodes().size());
  CompareLinks(fabric, usual);
  CompareSwitches(fabric, usual);
  return usual;
}

}  // namespace weft::topology
