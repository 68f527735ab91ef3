// SPDX-License-Identifier: Apache-2.0
// Internal to topology/route: how a Router's tables come about.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
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
  Range Intern(const std::vector<Direction>& group);

  Router& router_;
  const Fabric& fabric_;
  std::vector<std::vector<Way>> ways_;  // per node: links that are up, by own interface name
  std::vector<NodeIndex> forwarders_;   // rank -> node
  absl::flat_hash_map<std::vector<NodeIndex>, uint32_t> attachment_by_nodes_;
  // A group as Direction::index() numbers -> where it stands in groups_.
  absl::flat_hash_map<std::vector<uint32_t>, Range> interned_;
  // Scratch of FillRanges, kept to save allocations.
  std::vector<uint32_t> distance_;
  std::vector<NodeIndex> queue_;
};

}  // namespace weft::topology
