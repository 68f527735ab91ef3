// SPDX-License-Identifier: Apache-2.0
// Internal to topology/check: which node of the actual fabric is which of the blueprint's.
#pragma once

#include <optional>
#include <vector>

#include "topology/check/check.h"

namespace weft::topology {

struct NodeMatching {
  // Per actual node: its main match; none: an extra node.
  std::vector<std::optional<NodeIndex>> blueprint_of;
  std::vector<MatchedBy> how;  // per actual node that has a match
  // Per actual node matched by place: how many blueprint nodes had the very same place.
  std::vector<uint32_t> equals;
  // Both relations in full: one blueprint node seen as several (split), several seen as one
  // (merged).
  std::vector<std::vector<NodeIndex>> actual_nodes;     // per blueprint node
  std::vector<std::vector<NodeIndex>> blueprint_nodes;  // per actual node, the main match first
};

NodeMatching MatchNodes(const Fabric& blueprint, const Fabric& actual);

}  // namespace weft::topology
