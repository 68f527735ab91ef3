// SPDX-License-Identifier: Apache-2.0
#include "topology/export/picture.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace weft::topology {
namespace {

constexpr uint32_t kNone = Structure::kNone;

// What a person can take in at once, in boxes side by side and in lines.
constexpr size_t kMaxNodesDrawn = 48;
constexpr size_t kMaxLinksDrawn = 160;
constexpr size_t kMaxBoxesInRow = 24;
constexpr size_t kMaxGroupsInRow = 36;
constexpr size_t kMaxLines = 400;

// What a cable looks like in a picture.
using Look = std::tuple<std::optional<double>, std::optional<uint32_t>, std::string, bool>;
using Number = std::optional<uint32_t>;

class Drawer {
 public:
  Drawer(const Fabric& fabric, const Structure& structure, const Usual& usual, Detail detail)
      : fabric_(fabric), usual_(usual), home_(fabric.nodes().size(), kNone) {
    picture_.detail = detail;
    picture_.structure = structure;
    picture_.usual = usual;
  }
  Picture Draw();

 private:
  bool IsFolded(NodeIndex node) const;
  void FoldHosts();
  void MakeBoxes();
  void MakeBundles();
  void MakeClusters();
  uint32_t ClusterOf(NodeIndex node);
  std::string NetworkLabel(uint32_t network) const;
  Look LookOf(LinkIndex link) const;

  const Fabric& fabric_;
  const Usual& usual_;
  std::vector<NodeIndex> home_;   // per folded host: the switch of its first cable; else kNone
  std::vector<uint32_t> box_of_;  // per node; kNone: a folded host
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> clusters_;  // network, pod or rail -> cluster
  uint32_t drawn_networks_ = 0;
  std::set<Number> rails_;
  Picture picture_;
};

Look Drawer::LookOf(LinkIndex link) const {
  const Link& record = fabric_.link(link);
  return {record.capacity_bps, record.width, record.speed, record.one_or_more};
}

// A host is counted in its switch's box where all its cables lead to switches.
bool Drawer::IsFolded(NodeIndex node) const {
  if (picture_.detail == Detail::kAll || fabric_.node(node).kind != NodeKind::kHost) return false;
  const auto adjacencies = fabric_.adjacencies(node);
  return !adjacencies.empty() &&
         std::all_of(adjacencies.begin(), adjacencies.end(), [&](const Adjacency& adjacency) {
           return fabric_.node(adjacency.neighbour).kind == NodeKind::kSwitch;
         });
}

void Drawer::FoldHosts() {
  for (NodeIndex node = 0; node < home_.size(); ++node) {
    if (IsFolded(node)) home_[node] = fabric_.adjacencies(node).front().neighbour;
  }
}

// Boxes by what their nodes look like: at first from themselves, then with their neighbours.
void Drawer::MakeBoxes() {
  const bool grouped = picture_.detail >= Detail::kPods;
  using Own =
      std::tuple<NodeKind, int64_t, Number, Number, uint32_t, uint32_t, std::map<Look, size_t>>;
  std::map<Own, uint32_t> own_looks;
  std::vector<uint32_t> own(home_.size(), kNone);
  for (NodeIndex node = 0; node < home_.size(); ++node) {
    if (home_[node] != kNone) continue;
    const Node& record = fabric_.node(node);
    const bool loose = picture_.detail != Detail::kAll && record.kind == NodeKind::kHost &&
                       fabric_.adjacencies(node).empty();
    std::map<Look, size_t> host_cables;
    for (const Adjacency& adjacency : fabric_.adjacencies(node)) {
      if (home_[adjacency.neighbour] != kNone) ++host_cables[LookOf(adjacency.direction.link)];
    }
    const uint32_t alone = grouped || loose ? kNone : node;
    const uint32_t cluster = picture_.detail == Detail::kShape || loose ? kNone : ClusterOf(node);
    const Own look{record.kind, usual_.place[node], record.rail, record.plane, cluster,
                   alone,       host_cables};
    own[node] = own_looks.try_emplace(look, static_cast<uint32_t>(own_looks.size())).first->second;
  }
  using Whole = std::pair<uint32_t, std::map<std::pair<uint32_t, Look>, size_t>>;
  std::map<Whole, uint32_t> looks;
  box_of_.assign(home_.size(), kNone);
  for (NodeIndex node = 0; node < home_.size(); ++node) {
    if (home_[node] != kNone) continue;
    Whole look{own[node], {}};
    for (const Adjacency& adjacency : fabric_.adjacencies(node)) {
      if (home_[adjacency.neighbour] != kNone) continue;
      ++look.second[{own[adjacency.neighbour], LookOf(adjacency.direction.link)}];
    }
    const auto [found, added] =
        looks.try_emplace(look, static_cast<uint32_t>(picture_.boxes.size()));
    if (added) picture_.boxes.emplace_back();
    box_of_[node] = found->second;
    picture_.boxes[found->second].members.push_back(node);
  }
  for (NodeIndex node = 0; node < home_.size(); ++node) {
    if (home_[node] != kNone) picture_.boxes[box_of_[home_[node]]].hosts.push_back(node);
  }
}

void Drawer::MakeBundles() {
  std::map<std::pair<uint32_t, uint32_t>, std::vector<LinkIndex>> bundles;
  for (LinkIndex link = 0; link < fabric_.links().size(); ++link) {
    NodeIndex a = fabric_.From({link, false});
    NodeIndex b = fabric_.From({link, true});
    if (home_[a] != kNone || home_[b] != kNone) {
      picture_.boxes[box_of_[home_[a] != kNone ? b : a]].host_links.push_back(link);
      continue;
    }
    const auto rank = [&](NodeIndex node) {
      return std::make_pair(-usual_.place[node], box_of_[node]);
    };
    if (rank(b) < rank(a)) std::swap(a, b);
    bundles[{box_of_[a], box_of_[b]}].push_back(link);
  }
  for (auto& [ends, links] : bundles) {
    if (ends.first != ends.second) {
      picture_.boxes[ends.second].up.push_back(static_cast<uint32_t>(picture_.bundles.size()));
    }
    picture_.bundles.push_back({ends.first, ends.second, std::move(links)});
  }
}

std::string Drawer::NetworkLabel(uint32_t network) const {
  std::set<Number> planes;
  for (NodeIndex node = 0; node < home_.size(); ++node) {
    if (picture_.structure.network[node] == network) planes.insert(fabric_.node(node).plane);
  }
  if (planes.size() == 1 && *planes.begin()) return "plane " + std::to_string(**planes.begin());
  return "network " + std::to_string(network + 1);
}

// The frame that a node stands in: its pod or else its rail, inside its network.
uint32_t Drawer::ClusterOf(NodeIndex node) {
  const Structure& structure = picture_.structure;
  if (fabric_.node(node).kind != NodeKind::kSwitch) return kNone;
  uint32_t outer = kNone;
  if (drawn_networks_ > 1) {
    const uint32_t network = structure.network[node];
    const auto [found, added] =
        clusters_.try_emplace({network, kNone}, static_cast<uint32_t>(picture_.clusters.size()));
    if (added) picture_.clusters.push_back({NetworkLabel(network), kNone});
    outer = found->second;
  }
  const bool in_pods = structure.pods > 1;
  const Number inner = in_pods ? (structure.pod[node] == kNone ? Number() : structure.pod[node])
                               : fabric_.node(node).rail;
  if (!inner || (!in_pods && rails_.size() < 2)) return outer;
  const auto [found, added] =
      clusters_.try_emplace({outer == kNone ? 0 : structure.network[node], *inner},
                            static_cast<uint32_t>(picture_.clusters.size()));
  if (added) {
    picture_.clusters.push_back(
        {in_pods ? "pod " + std::to_string(*inner + 1) : "rail " + std::to_string(*inner), outer});
  }
  return found->second;
}

// Nodes of a box are in one frame, or the frames do not matter.
void Drawer::MakeClusters() {
  if (picture_.detail == Detail::kShape) return;
  for (Box& box : picture_.boxes) box.cluster = ClusterOf(box.members.front());
}

Picture Drawer::Draw() {
  std::set<uint32_t> networks;
  for (NodeIndex node = 0; node < home_.size(); ++node) {
    if (fabric_.node(node).kind != NodeKind::kSwitch) continue;
    networks.insert(picture_.structure.network[node]);
    if (fabric_.node(node).rail) rails_.insert(fabric_.node(node).rail);
  }
  drawn_networks_ = static_cast<uint32_t>(networks.size());
  FoldHosts();
  MakeBoxes();
  MakeBundles();
  MakeClusters();
  return std::move(picture_);
}

// Boxes side by side in the fullest row.
size_t WidestRow(const Picture& picture) {
  std::map<int64_t, size_t> rows;
  size_t widest = 0;
  for (const Box& box : picture.boxes) {
    widest = std::max(widest, ++rows[picture.usual.place[box.members.front()]]);
  }
  return widest;
}

}  // namespace

Picture DrawPicture(const Fabric& fabric, Detail detail) {
  const Structure structure = StructureOf(fabric);
  const Usual usual = FindUsual(fabric, structure);
  if (detail != Detail::kAuto) return Drawer(fabric, structure, usual, detail).Draw();
  if (fabric.nodes().size() <= kMaxNodesDrawn && fabric.links().size() <= kMaxLinksDrawn) {
    return Drawer(fabric, structure, usual, Detail::kAll).Draw();
  }
  Picture picture = Drawer(fabric, structure, usual, Detail::kSwitches).Draw();
  if (WidestRow(picture) <= kMaxBoxesInRow && picture.bundles.size() <= kMaxLines) return picture;
  picture = Drawer(fabric, structure, usual, Detail::kPods).Draw();
  if (WidestRow(picture) <= kMaxGroupsInRow && picture.bundles.size() <= kMaxLines) return picture;
  return Drawer(fabric, structure, usual, Detail::kShape).Draw();
}

}  // namespace weft::topology
