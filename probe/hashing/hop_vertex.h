// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "probe/hashing/hop_flow.h"
#include "topology/records/path_table.h"

namespace weft::probe {

// A place where flows of one pair may part.
struct NextHop {
  wire::IpAddress address{};  // none: the destination itself, or a silent hop
  bool is_destination = false;
  std::vector<uint16_t> ports;  // that were seen to go there, in the table's order
  // It follows no other hop of this table, so whoever is seen there has passed this one.
  bool is_only_from_here = true;

  bool silent() const { return address.empty() && !is_destination; }
};

// One hop of a path table, with what was seen to follow it.
struct HopVertex {
  uint32_t hop_index = 0;
  wire::IpAddress address{};       // none: silent
  std::string node;                // empty: not resolved to a switch
  wire::IpAddress before{};        // who answers at the hop before; none: the source, silent,
                                   // or several
  bool is_only_at_hop = true;      // every path of the table passes it
  std::vector<NextHop> next_hops;  // silent ones at most once: two cannot be told apart
  // TTLs up to this end in a switch, whatever path a packet takes.
  uint32_t farthest_switch_ttl = 0;

  // Every packet of this source passes it, whatever its headers.
  bool all_pass() const { return hop_index == 1 && is_only_at_hop; }
  bool HasNextHop(const wire::IpAddress& next) const;
  // The ports of all next hops, taking turns.
  std::vector<uint16_t> PortsInTurn() const;
};

// Asks where the flow goes after the hop.
HopQuestion QuestionAfter(const HopVertex& vertex, const HopFlow& flow);
// Whether an answer at the hop's TTL is its.
bool IsAt(const HopVertex& vertex, const SeenPlace& answer);

// The hops of a table, nearest first. Silent hops are left out, except where it is the only one of
// its TTL: otherwise nothing says which switch it is.
std::vector<HopVertex> VerticesOf(const topology::PathTable& table);

}  // namespace weft::probe
