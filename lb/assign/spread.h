// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "lb/assign/pair_table.h"
#include "lb/assign/path_links.h"
#include "topology/fabric/fabric.h"
#include "topology/records/hop_behaviour.h"
#include "topology/records/path_table.h"

namespace weft::lb {

// A measured path with its links found in the fabric.
struct PlacedPath {
  topology::NodeIndex leaf = 0;  // the source's
  std::vector<Step> steps;       // between switches
  topology::PathState state = topology::PathState::kUnknown;
  std::vector<uint16_t> udp_src_ports;
  std::vector<uint16_t> computed_udp_src_ports;

  // The switch before a step; after the last step: the destination's leaf.
  topology::NodeIndex NodeBefore(size_t step, const topology::Fabric& fabric) const {
    return step == 0 ? leaf : fabric.To(steps[step - 1].front());
  }
};

// The source port has no say in a hop's choice: it sends packets of one flow over several links, or
// it was seen to ignore the port. A hop with one way on chooses nothing.
bool IsUnsteered(const topology::HopBehaviour& behaviour);

// A hop on a path at which no port chooses the way.
struct UnsteeredHop {
  topology::NodeIndex node = 0;
  topology::HopBehaviour behaviour;
  uint32_t ways_known = 0;  // links from there that measured paths to the same leaf take
};

// The ways over which flows are spread where no source port chooses among them. A switch that was
// seen to behave so in any table does so to all flows for which it has several ways; the latest
// word about it counts.
class Spread {
 public:
  Spread(const topology::Fabric* fabric, const std::map<PairKey, PairTable>& tables);

  // Takes note of where a usable path leads. All paths first, then Apply().
  void Learn(const PlacedPath& path);

  // From the first such hop on, replaces the path's steps by all that measured paths from there to
  // the same leaf take, side by side. nullopt: ports choose this path.
  std::optional<UnsteeredHop> Apply(const PairTable& table, PlacedPath* path) const;

 private:
  // Switch and destination leaf.
  using Reach = std::pair<topology::NodeIndex, topology::NodeIndex>;

  std::optional<topology::NodeIndex> Resolve(const topology::HopBehaviour& behaviour) const;
  // What makes the switch before a step unsteered for a pair whose own table is `table`.
  const topology::HopBehaviour* OwnWord(const PairTable& table, topology::NodeIndex node,
                                        size_t step) const;

  const topology::Fabric* fabric_;
  bool any_ = false;                                        // table says so of any hop
  std::map<topology::NodeIndex, SeenBehaviour> unsteered_;  // the latest word is that it is so
  std::map<Reach, std::vector<Step>> ways_;
};

}  // namespace weft::lb
