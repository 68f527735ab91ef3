// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "topology/export/structure.h"
#include "topology/fabric/fabric.h"

namespace weft::topology {

// How a cable compares with most cables between the same tiers.
enum class CableState : uint8_t {
  kUsual,
  kUnknownRate,  // of this one; that of most is known
  kSlower,
  kNarrower,  // fewer lanes
};

// What is usual in a fabric, and what is not.
struct Usual {
  // Where a node stands: a switch's tier, a host, or neither.
  enum Place : int64_t { kHost = -1, kOther = -2 };
  static std::pair<int64_t, int64_t> Ends(int64_t a, int64_t b) {
    return {std::min(a, b), std::max(a, b)};
  }

  std::vector<int64_t> place;                         // per node
  std::vector<CableState> state;                      // per link
  std::map<std::pair<int64_t, int64_t>, double> bps;  // by the places of both ends
  // Per node: "15 of 16 cables to spines", where most switches of its tier have more.
  std::vector<std::string> missing;
};

Usual FindUsual(const Fabric& fabric, const Structure& structure);

// "leaf", "host"; several of it: "leaves".
std::string PlaceName(int64_t place, bool several);

}  // namespace weft::topology
