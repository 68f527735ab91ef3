// SPDX-License-Identifier: Apache-2.0
#include "topology/export/slurm_machines.h"

#include <algorithm>
#include <map>

#include "topology/export/disjoint_sets.h"
#include "topology/export/names.h"

namespace weft::topology {
namespace {

struct Machine {
  std::string name;
  std::map<NodeIndex, uint32_t> cables;  // to switches
};

std::vector<Machine> CollectMachines(const Fabric& fabric, Machines& out) {
  std::vector<Machine> machines;
  std::map<std::string, size_t> index;
  for (NodeIndex node = 0; node < fabric.nodes().size(); ++node) {
    if (fabric.node(node).kind != NodeKind::kHost) continue;
    if (IsAggregationNode(fabric.node(node))) {
      out.not_hosts.Add(fabric.node(node).name);
      continue;
    }
    const std::string& name = MachineOf(fabric.node(node));
    const auto [found, added] = index.try_emplace(name, machines.size());
    if (added) machines.push_back({name, {}});
    for (const Adjacency& adjacency : fabric.adjacencies(node)) {
      if (fabric.node(adjacency.neighbour).kind != NodeKind::kSwitch) continue;
      ++machines[found->second].cables[adjacency.neighbour];
    }
  }
  return machines;
}

// Joins the switches of one tier that have most of their machines in common.
void JoinRails(const Structure& structure, const std::vector<Machine>& machines,
               DisjointSets& joined) {
  std::map<NodeIndex, size_t> on_switch;
  std::map<std::pair<NodeIndex, NodeIndex>, size_t> shared;  // with the machine's first switch
  for (const Machine& machine : machines) {
    for (const auto& [node, cables] : machine.cables) {
      ++on_switch[node];
      const NodeIndex first = machine.cables.begin()->first;
      if (node != first && structure.tier[node] == structure.tier[first]) ++shared[{first, node}];
    }
  }
  for (const auto& [pair, count] : shared) {
    if (count * 2 > std::max(on_switch[pair.first], on_switch[pair.second])) {
      joined.Join(pair.first, pair.second);
    }
  }
}

}  // namespace

bool IsSlurmNameCharacter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
         c == '_' || c == '.';
}

Machines PlaceMachines(const Fabric& fabric, const Structure& structure) {
  Machines out;
  const std::vector<Machine> machines = CollectMachines(fabric, out);
  std::vector<std::string> names;
  for (const Machine& machine : machines) names.push_back(machine.name);
  const NameTable slurm_names(names, IsSlurmNameCharacter, kMaxSlurmName);
  out.replaced = slurm_names.replaced();

  DisjointSets joined(fabric.nodes().size());
  JoinRails(structure, machines, joined);
  std::map<NodeIndex, MachineGroup> groups;  // by representative
  for (const Machine& machine : machines) {
    std::map<NodeIndex, uint32_t> cables;  // to groups
    for (const auto& [node, count] : machine.cables) cables[joined.Find(node)] += count;
    if (cables.empty()) {
      out.without_switch.Add(Visible(machine.name));
      continue;
    }
    if (cables.size() > 1) out.several_groups.Add(Visible(machine.name));
    const auto most =
        std::max_element(cables.begin(), cables.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    groups[most->first].machines.push_back(slurm_names.Of(machine.name));
  }
  for (NodeIndex node = 0; node < fabric.nodes().size(); ++node) {
    const auto found = groups.find(joined.Find(node));
    if (found != groups.end()) found->second.switches.push_back(node);
  }
  for (auto& [representative, group] : groups) out.groups.push_back(std::move(group));
  return out;
}

}  // namespace weft::topology
