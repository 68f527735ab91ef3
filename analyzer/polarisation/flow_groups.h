// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "topology/fabric/fabric.h"
#include "topology/records/flow.h"
#include "topology/records/path_table.h"
#include "topology/route/route.h"

// Internal to analyzer/polarisation: which member of which group every flow took.
namespace weft::analyzer {

struct GroupFlows {
  topology::NodeIndex node = 0;
  std::vector<topology::Direction> members;  // the first cable where several are not told apart
  std::vector<uint32_t> cables;              // per member; 0: not known
  std::vector<uint32_t> flows;               // per member
};

// Flows that took member `member` of group `first`, and met group `then` afterwards.
struct CaseKey {
  size_t first = 0;
  size_t member = 0;
  size_t then = 0;
  auto operator<=>(const CaseKey&) const = default;
};
struct CaseFlows {
  std::vector<uint32_t> flows;  // per member of `then`
  size_t choices_between = 0;   // the least number of other groups between the two
};

// Follows flows through the fabric. Keeps a reference to it.
class FlowGroups {
 public:
  explicit FlowGroups(const topology::Fabric& fabric);

  // Reads which switches do not hash; before any table is followed.
  void NoteModes(const topology::PathTable& table);
  // All measured ports of the table; with `ports`, only those of them.
  void Follow(const topology::PathTable& table, const std::set<uint16_t>* ports);

  const std::vector<GroupFlows>& groups() const { return groups_; }
  const std::map<CaseKey, CaseFlows>& cases() const { return cases_; }
  bool Hashes(topology::NodeIndex node) const { return !not_hashed_.contains(node); }
  uint32_t flow_count() const { return flow_count_; }
  uint32_t unplaced() const { return unplaced_; }

 private:
  struct Choice {
    size_t group = 0;
    size_t member = 0;
  };
  // nullopt: the switch has no choice there. An unknown way out: unplaced is set.
  std::optional<Choice> ChoiceAt(topology::NodeIndex node, topology::NodeIndex host,
                                 topology::Direction taken, bool* unplaced);
  size_t GroupOf(topology::NodeIndex node, std::span<const topology::Direction> next_hops);
  void Count(const std::vector<Choice>& choices, uint32_t flows);

  const topology::Fabric& fabric_;
  topology::Router router_;
  std::set<topology::NodeIndex> not_hashed_;
  std::vector<GroupFlows> groups_;
  // The router keeps equal groups once: told apart by where they stand.
  absl::flat_hash_map<std::pair<const topology::Direction*, size_t>, size_t> group_by_span_;
  std::map<std::pair<topology::NodeIndex, std::vector<topology::Direction>>, size_t> by_members_;
  std::map<CaseKey, CaseFlows> cases_;
  uint32_t flow_count_ = 0;
  uint32_t unplaced_ = 0;
};

}  // namespace weft::analyzer
