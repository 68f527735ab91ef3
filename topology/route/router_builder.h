// SPDX-License-Identifier: Apache-2.0
// Internal to topology/route: how a Router's tables come about.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "topology/route/route.h"

namespace weft::topology {

class Router::Builder {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  Builder(Router* router, std::span<const LinkIndex> links_down);
  void Build();

 private:
  struct Way {
    NodeIndex neighbour = 0;
    Direction direction;
  };

  void CollectWays(std::span<const LinkIndex> links_down);
  void RankForwarders();
  void AttachHosts();
  void AttachHost(NodeIndex host);
  void FillRanges(Attachment& attachment);
  Range Intern(std::span<const Direction> group);

  // Groups by what they hold, wherever that stands.
  struct GroupHash {
    using is_transparent = void;
    const std::vector<Direction>* groups;
    size_t operator()(std::span<const Direction> group) const;
    size_t operator()(const Range& range) const;
  };
  struct GroupEqual {
    using is_transparent = void;
    const std::vector<Direction>* groups;
    bool operator()(const Range& a, const Range& b) const { return a.begin == b.begin; }
    bool operator()(const Range& range, std::span<const Direction> group) const;
  };

  Router& router_;
  const Fabric& fabric_;
  std::vector<std::vector<Way>> ways_;  // per node: links that are up, by own interface name
  std::vector<uint8_t> is_host_;        // per node; the nodes themselves are large
  std::vector<NodeIndex> forwarders_;   // rank -> node
  absl::flat_hash_map<std::vector<NodeIndex>, uint32_t> attachment_by_nodes_;
  absl::flat_hash_set<Range, GroupHash, GroupEqual> interned_;  // where equal groups stand
  // Scratch of FillRanges, kept to save allocations.
  std::vector<uint32_t> distance_;
  std::vector<NodeIndex> queue_;
};

}  // namespace weft::topology
