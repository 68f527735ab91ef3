// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "lb/assign/path_links.h"
#include "lb/assign/problem.h"
#include "topology/fabric/fabric.h"

namespace weft::lb {

// A way over the switches, without the host links; the source's leaf tells routes without links
// apart.
struct RouteKey {
  topology::NodeIndex leaf = 0;
  std::vector<Step> between_switches;
  bool operator==(const RouteKey&) const = default;
  template <typename H>
  friend H AbslHashValue(H h, const RouteKey& key) {
    h = H::combine(std::move(h), key.leaf, key.between_switches.size());
    for (const Step& step : key.between_switches) {
      for (topology::Direction direction : step) h = H::combine(std::move(h), direction.index());
      h = H::combine(std::move(h), step.size());
    }
    return h;
  }
};

// The links and routes of a problem. Routes are collected first, then all are numbered by name, so
// that the order of the input does not show in a plan. Keeps a pointer to the fabric.
class RouteTable {
 public:
  explicit RouteTable(const topology::Fabric* fabric) : fabric_(fabric) {}

  // From here on the cables from one node to another are one link of their summed capacity.
  void Bundle(topology::NodeIndex from, topology::NodeIndex to) { bundled_.emplace(from, to); }
  bool IsBundled(topology::Direction direction) const {
    return bundled_.contains({fabric_->From(direction), fabric_->To(direction)});
  }

  // Its number until Number() gives it another. To be asked when all bundles are known.
  uint32_t RouteOf(RouteKey key);
  void AddHostLink(topology::Direction direction) { host_links_.push_back(direction); }

  // Fills `problem`'s links and routes. InvalidArgument: a link between switches that a route
  // crosses and whose capacity is not known. Once.
  absl::Status Number(Problem* problem);

  // After Number():
  uint32_t NumberOf(uint32_t collected) const { return numbers_[collected]; }
  uint32_t NumberOf(const RouteKey& key) const { return numbers_[ids_.at(key)]; }
  uint32_t LinkOf(topology::Direction direction) const { return links_.at(direction.index()); }
  // By link of the problem: the cables of it, by name.
  const std::vector<std::vector<topology::Direction>>& cables() const { return cables_; }
  // By route: the switches it crosses; kAnySwitch where they are several side by side.
  const std::vector<std::vector<std::string>>& switches() const { return switches_; }

  static constexpr const char* kAnySwitch = "*";

 private:
  Step WithAllCables(const Step& step) const;
  // By name.
  std::vector<topology::Direction> CablesOf(topology::Direction direction) const;
  absl::Status NumberLinks(Problem* problem);
  absl::Status AddLink(std::vector<topology::Direction> cables, Problem* problem);
  Route RouteFor(const std::vector<std::vector<uint32_t>>& steps, const Problem& problem) const;

  const topology::Fabric* fabric_;
  std::set<std::pair<topology::NodeIndex, topology::NodeIndex>> bundled_;
  std::vector<RouteKey> keys_;
  absl::flat_hash_map<RouteKey, uint32_t> ids_;
  std::vector<topology::Direction> host_links_;
  std::vector<uint32_t> numbers_;
  absl::flat_hash_map<uint32_t, uint32_t> links_;  // index of a direction -> link of the problem
  std::vector<std::vector<topology::Direction>> cables_;
  std::vector<std::vector<std::string>> switches_;
};

}  // namespace weft::lb
