// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "topology/records/path_table.h"
#include "wire/ip_address.h"

namespace weft::lb {

// Source and destination address.
using PairKey = std::pair<wire::IpAddress, wire::IpAddress>;

// How a hop was seen to choose, and when (RFC 3339).
struct SeenBehaviour {
  topology::HopBehaviour behaviour;
  std::string measured_at;
};

// What all tables of one pair say together, the later one having the last word: a port belongs to
// the path that it was last measured on, and a path is in the state that was last seen. A table
// that is void makes everything before it void too.
struct PairTable {
  std::vector<topology::Path> paths;
  std::string void_reason;    // not empty: nothing has been measured since
  std::string hidden_reason;  // not empty: the last table saw no paths, for an overlay hides them
  std::vector<SeenBehaviour> behaviours;
};

// The order of `tables` makes no difference: measured_at counts, and between equals the content.
std::map<PairKey, PairTable> MergeTables(std::span<const topology::PathTable> tables);

}  // namespace weft::lb
