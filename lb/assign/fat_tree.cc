// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/fat_tree.h"

#include "lb/assign/even_colouring.h"

namespace weft::lb {
namespace {

static_assert(FatTreeFlow::kNone == EdgeColouring::kNone);

// The flows of one plane between pods.
struct Crossing {
  std::vector<uint32_t> flows;
  std::vector<EdgeColouring::Edge> edges;  // pods
  std::vector<uint32_t> present;           // cores
};

void ChooseCores(const FatTree& tree, const Crossing& crossing, std::span<FatTreeFlow> flows) {
  const std::vector<uint32_t> cores =
      SpreadEvenly({crossing.edges, tree.pod_count, tree.pod_count, tree.cores_per_plane,
                    crossing.present, tree.core_link_load});
  for (size_t i = 0; i < cores.size(); ++i) flows[crossing.flows[i]].core = cores[i];
}

}  // namespace

void ColourFatTree(const FatTree& tree, std::span<FatTreeFlow> flows) {
  std::vector<EdgeColouring::Edge> edges;
  std::vector<uint32_t> present;
  for (const FatTreeFlow& flow : flows) {
    edges.push_back({flow.source_leaf, flow.destination_leaf});
    present.push_back(flow.plane);
  }
  const auto leaf_count = static_cast<uint32_t>(tree.pod_of_leaf.size());
  const std::vector<uint32_t> planes =
      SpreadEvenly({edges, leaf_count, leaf_count, tree.plane_count, present, tree.leaf_link_load});

  std::vector<Crossing> crossing(tree.plane_count);
  for (uint32_t index = 0; index < flows.size(); ++index) {
    FatTreeFlow& flow = flows[index];
    const bool stays = flow.plane == planes[index];
    const uint32_t core = stays ? flow.core : FatTreeFlow::kNone;
    flow.plane = planes[index];
    flow.core = FatTreeFlow::kNone;
    const uint32_t source_pod = tree.pod_of_leaf[flow.source_leaf];
    const uint32_t destination_pod = tree.pod_of_leaf[flow.destination_leaf];
    if (source_pod == destination_pod) continue;
    Crossing& plane = crossing[flow.plane];
    plane.flows.push_back(index);
    plane.edges.push_back({source_pod, destination_pod});
    plane.present.push_back(core);
  }
  for (const Crossing& plane : crossing) ChooseCores(tree, plane, flows);
}

}  // namespace weft::lb
