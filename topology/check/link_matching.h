// SPDX-License-Identifier: Apache-2.0
// Internal to topology/check: which cable of the actual fabric is which of the blueprint's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "topology/check/node_matching.h"

namespace weft::topology {

struct LinkMatching {
  // Where one side's link is one or more, it is the match of every cable of the other side between
  // the same two nodes that nothing else matches; of its own matches only the first is kept.
  std::vector<std::optional<LinkIndex>> blueprint_of;  // per actual link; none: extra
  std::vector<std::optional<LinkIndex>> actual_of;     // per blueprint link; none: not seen
  // Actual links told by their two nodes only, where the blueprint has several between the two.
  std::vector<LinkIndex> by_nodes_only;
  // Actual links that are one or more where the blueprint has more than one, and how many it has.
  struct NotToldApart {
    LinkIndex actual = 0;
    uint32_t blueprint_count = 0;
  };
  std::vector<NotToldApart> not_told_apart;
  // Which actual link is plugged into a port of the blueprint: ToString(PortRef) -> link.
  absl::flat_hash_map<std::string, LinkIndex> at_port;
};

// Ends are told by address where both sides know one, else by node and interface name, else by
// node. Links that are one or more come last, by node.
LinkMatching MatchLinks(const Fabric& blueprint, const Fabric& actual, const NodeMatching& nodes);

}  // namespace weft::topology
