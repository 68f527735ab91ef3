// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topology/export/structure.h"
#include "topology/export/usual.h"
#include "topology/fabric/fabric.h"

namespace weft::topology {

// How much of a fabric a picture shows.
enum class Detail : uint8_t {
  kAuto,      // the first of the others that stays readable
  kAll,       // a box for every node
  kSwitches,  // hosts are counted in the box of their switch
  kPods,      // switches that look alike within a pod, rail and network are one box
  kShape,     // so are those of pods that look alike
};

// Nodes that are drawn as one box, for they look alike: same kind, tier, rail and plane, and as
// many cables of each sort to each sort of neighbour.
struct Box {
  std::vector<NodeIndex> members;
  std::vector<NodeIndex> hosts;         // that have no box of their own, and their first cable here
  std::vector<LinkIndex> host_links;    // that are not drawn
  std::vector<uint32_t> up;             // of Picture::bundles, whose b it is
  uint32_t cluster = Structure::kNone;  // of Picture::clusters; kNone: in none
};

// All cables between two boxes, drawn as one line; within one box where a == b.
struct Bundle {
  uint32_t a = 0;  // the box of the higher tier
  uint32_t b = 0;
  std::vector<LinkIndex> links;
};

// A frame around boxes.
struct Cluster {
  std::string label;
  uint32_t parent = Structure::kNone;  // an earlier cluster; kNone: none
};

// Every node is in one box (as a member or as a host of it), every link in one bundle or in the
// host_links of one box. Boxes are in the order of their first members.
struct Picture {
  Detail detail = Detail::kAll;  // never kAuto
  Structure structure;
  Usual usual;
  std::vector<Box> boxes;
  std::vector<Bundle> bundles;
  std::vector<Cluster> clusters;
};

Picture DrawPicture(const Fabric& fabric, Detail detail);

}  // namespace weft::topology
