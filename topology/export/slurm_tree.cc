// SPDX-License-Identifier: Apache-2.0
#include "topology/export/slurm_tree.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "topology/export/disjoint_sets.h"
#include "topology/export/names.h"
#include "topology/export/slurm_machines.h"
#include "topology/export/structure.h"

namespace weft::topology {
namespace {

constexpr const char* kOrigin = "Slurm topology";
constexpr uint32_t kNone = ~uint32_t{0};

class Builder {
 public:
  explicit Builder(const Fabric& fabric)
      : fabric_(fabric),
        structure_(StructureOf(fabric)),
        machines_(PlaceMachines(fabric, structure_)),
        joined_(fabric.nodes().size()),
        top_(fabric.nodes().size(), kNone),
        in_tree_(fabric.nodes().size()),
        grouped_(fabric.nodes().size()),
        switch_names_(NamesOf(fabric)) {}

  SlurmTree Build();

 private:
  static NameTable NamesOf(const Fabric& fabric);
  uint32_t Add(std::string name, std::string why);
  std::string MadeUpName(const std::optional<uint32_t>& tier);
  std::string Listed(std::span<const NodeIndex> switches) const;
  uint32_t AddNode(std::span<const NodeIndex> members, std::optional<uint32_t> tier,
                   const std::string& reason);
  void AddLeaves();
  void AddTier(uint32_t tier);
  void AddParts();
  void ReportLosses();

  const Fabric& fabric_;
  Structure structure_;
  Machines machines_;
  DisjointSets joined_;        // switches that the tree built so far joins
  std::vector<uint32_t> top_;  // per representative in joined_: the tree's topmost switch
  std::vector<bool> in_tree_;
  std::vector<bool> grouped_;  // shares a switch of the tree with others
  NameTable switch_names_;
  std::map<std::optional<uint32_t>, uint32_t> made_up_;  // per tier
  SlurmTree tree_;
};

NameTable Builder::NamesOf(const Fabric& fabric) {
  std::vector<std::string> names;
  for (const Node& node : fabric.nodes()) {
    if (node.kind == NodeKind::kSwitch) names.push_back(node.name);
  }
  return NameTable(names, IsSlurmNameCharacter, kMaxSlurmName);
}

uint32_t Builder::Add(std::string name, std::string why) {
  tree_.switches.push_back({std::move(name), std::move(why), {}, {}});
  return static_cast<uint32_t>(tree_.switches.size() - 1);
}

std::string Builder::MadeUpName(const std::optional<uint32_t>& tier) {
  std::string role = TierName(tier);
  std::replace(role.begin(), role.end(), ' ', '-');
  return switch_names_.Invent(role + "-group-" + std::to_string(++made_up_[tier]));
}

std::string Builder::Listed(std::span<const NodeIndex> switches) const {
  std::vector<std::string> names;
  for (NodeIndex node : switches) names.push_back(switch_names_.Of(fabric_.node(node).name));
  return HostList(names);
}

// A switch of the tree for these of the fabric.
uint32_t Builder::AddNode(std::span<const NodeIndex> members, std::optional<uint32_t> tier,
                          const std::string& reason) {
  for (NodeIndex node : members) in_tree_[node] = true;
  if (members.size() == 1) return Add(switch_names_.Of(fabric_.node(members.front()).name), "");
  for (NodeIndex node : members) grouped_[node] = true;
  return Add(MadeUpName(tier),
             std::to_string(members.size()) + " switches " + reason + ": " + Listed(members));
}

// The switches that machines hang on. Those above tier 0 get a leaf of their own below them.
void Builder::AddLeaves() {
  for (const MachineGroup& group : machines_.groups) {
    const std::optional<uint32_t> tier = structure_.tier[group.switches.front()];
    uint32_t leaf = kNone;
    if (tier.value_or(0) == 0) {
      leaf = AddNode(group.switches, tier, "with the same machines (one rail or plane each)");
    } else {
      const std::string listed = Listed(group.switches);
      leaf = Add(
          switch_names_.Invent(switch_names_.Of(fabric_.node(group.switches[0]).name) + "-hosts"),
          "the machines directly on " + listed);
    }
    tree_.switches[leaf].machines = group.machines;
    for (NodeIndex node : group.switches) joined_.Join(group.switches.front(), node);
    top_[joined_.Find(group.switches.front())] = leaf;
  }
}

// Adds what the switches of one tier join of the tiers below.
void Builder::AddTier(uint32_t tier) {
  std::vector<NodeIndex> members;
  std::map<NodeIndex, uint32_t> tops;  // representatives before this tier -> topmost switch
  for (NodeIndex node = 0; node < fabric_.nodes().size(); ++node) {
    if (structure_.tier[node] != tier) continue;
    members.push_back(node);
    tops[joined_.Find(node)] = top_[joined_.Find(node)];
    for (const Adjacency& adjacency : fabric_.adjacencies(node)) {
      const auto& below = structure_.tier[adjacency.neighbour];
      if (!below || *below >= tier) continue;
      const NodeIndex old = joined_.Find(adjacency.neighbour);
      tops[old] = top_[old];
    }
  }
  for (NodeIndex node : members) {
    for (const Adjacency& adjacency : fabric_.adjacencies(node)) {
      const auto& below = structure_.tier[adjacency.neighbour];
      if (below && *below < tier) joined_.Join(node, adjacency.neighbour);
    }
  }
  std::map<NodeIndex, std::vector<uint32_t>> children;  // by representative now
  for (const auto& [old, top] : tops) {
    if (top != kNone) children[joined_.Find(old)].push_back(top);
  }
  std::map<NodeIndex, std::vector<NodeIndex>> joiners;
  for (NodeIndex node : members) joiners[joined_.Find(node)].push_back(node);
  for (const auto& [representative, switches] : joiners) {
    const auto found = children.find(representative);
    top_[representative] = kNone;
    if (found == children.end()) continue;  // no machine below: no use to a scheduler
    const uint32_t added = AddNode(switches, tier, "that join the same switches below");
    std::sort(found->second.begin(), found->second.end());
    tree_.switches[added].children = found->second;
    top_[representative] = added;
  }
}

// One root for each part of the fabric.
void Builder::AddParts() {
  DisjointSets parts(fabric_.nodes().size());
  for (LinkIndex link = 0; link < fabric_.links().size(); ++link) {
    if (fabric_.BetweenSwitches(link))
      parts.Join(fabric_.From({link, false}), fabric_.To({link, false}));
  }
  for (const MachineGroup& group : machines_.groups) {
    for (NodeIndex node : group.switches) parts.Join(group.switches.front(), node);
  }
  std::map<NodeIndex, std::set<uint32_t>> tops;  // by the part's representative, its first switch
  for (NodeIndex node = 0; node < fabric_.nodes().size(); ++node) {
    const uint32_t top = top_[joined_.Find(node)];
    if (top != kNone) tops[parts.Find(node)].insert(top);
  }
  for (const auto& [part, part_tops] : tops) {
    if (part_tops.size() == 1) {
      tree_.roots.push_back(*part_tops.begin());
      continue;
    }
    const uint32_t root = Add(switch_names_.Invent("top-" + std::to_string(tree_.roots.size() + 1)),
                              "made up: cables join these " + std::to_string(part_tops.size()) +
                                  " switches, but no switch stands above them all");
    tree_.switches[root].children.assign(part_tops.begin(), part_tops.end());
    tree_.roots.push_back(root);
  }
}

void Builder::ReportLosses() {
  Loss renamed("names-replaced", "names with characters that Slurm does not allow",
               "comments in the file say what stands for what");
  for (const auto* replaced : {&switch_names_.replaced(), &std::as_const(machines_).replaced}) {
    for (const auto& [name, replacement] : *replaced) {
      // In quotes, for a backslash at the end of a line would join it with the next one.
      tree_.comments.push_back(replacement + " = \"" + Visible(name) + "\"");
      renamed.Add(Visible(name));
    }
  }
  Loss grouped("switches-grouped", "switches that share a name in Slurm's tree",
               "a tree has one switch above another; those that do the same work are one switch "
               "of it, and comments name them");
  Loss empty("empty-switches-left-out", "switches without machines below",
             "Slurm refuses a switch without nodes");
  std::vector<NodeIndex> left_out;
  for (NodeIndex node = 0; node < fabric_.nodes().size(); ++node) {
    if (fabric_.node(node).kind != NodeKind::kSwitch) continue;
    if (grouped_[node]) grouped.Add(fabric_.node(node).name);
    if (in_tree_[node]) continue;
    left_out.push_back(node);
    empty.Add(fabric_.node(node).name);
  }
  if (!left_out.empty()) tree_.comments.push_back("no machines below: " + Listed(left_out));
  for (const Loss* loss : {&renamed, &grouped, &empty, &machines_.several_groups,
                           &machines_.without_switch, &machines_.not_hosts}) {
    loss->Report(kOrigin, tree_.findings);
  }
}

SlurmTree Builder::Build() {
  AddLeaves();
  std::set<uint32_t> tiers;
  for (const auto& tier : structure_.tier) {
    if (tier.value_or(0) > 0) tiers.insert(*tier);
  }
  for (uint32_t tier : tiers) AddTier(tier);
  AddParts();
  ReportLosses();
  return std::move(tree_);
}

}  // namespace

SlurmTree BuildSlurmTree(const Fabric& fabric) { return Builder(fabric).Build(); }

}  // namespace weft::topology
