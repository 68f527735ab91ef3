// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weft::lb {

// A complete fat tree in numbers: every leaf is linked to the spine of its pod in every plane, and
// that spine to all cores of its plane.
struct FatTree {
  std::vector<uint32_t> pod_of_leaf;  // from 0
  uint32_t pod_count = 0;
  uint32_t plane_count = 0;
  uint32_t cores_per_plane = 0;  // 0 where no flow leaves its pod
  double leaf_link_load = 0;     // what one flow puts on a link of its leaf, over the capacity
  double core_link_load = 0;     // the same on a link of a core
};

// A flow between two leaves, or the way of one: the plane, and the core counted within the plane.
struct FatTreeFlow {
  static constexpr uint32_t kNone = ~uint32_t{0};

  uint32_t source_leaf = 0;
  uint32_t destination_leaf = 0;
  uint32_t plane = kNone;  // now: where it stays if a place is free for it
  uint32_t core = kNone;   // none inside a pod
};

// Gives equal flows between different leaves their planes and cores by two nested colourings: the
// flows between leaves get a plane each, then in each plane those between pods get a core each. No
// leaf has more than q = ceil(its flows / planes) in one plane, for the leaf with most flows; no
// core link takes more than ceil(q x leaves of a pod / cores of a plane). So the fullest link is as
// little full as can be where a pod's spines have as much capacity upwards as downwards; where they
// have less, planes may share a pod's flows unevenly, and the result is a good one, no more.
void ColourFatTree(const FatTree& tree, std::span<FatTreeFlow> flows);

}  // namespace weft::lb
