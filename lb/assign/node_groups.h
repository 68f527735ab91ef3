// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "lb/assign/problem.h"

namespace weft::lb {

// Nodes that belong together: pods, planes. A union-find whose groups go by their lowest node.
class NodeGroups {
 public:
  // One group for each node that a link names.
  explicit NodeGroups(std::span<const ProblemLink> links) {
    uint32_t count = 0;
    for (const ProblemLink& link : links) count = std::max({count, link.from + 1, link.to + 1});
    for (uint32_t node = 0; node < count; ++node) parent_.push_back(node);
  }

  uint32_t Of(uint32_t node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
  }

  void Join(uint32_t a, uint32_t b) {
    a = Of(a);
    b = Of(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<uint32_t> parent_;
};

}  // namespace weft::lb
