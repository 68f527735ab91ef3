// SPDX-License-Identifier: Apache-2.0
#include "programs/weft-topo/identity_summary.h"

#include <algorithm>
#include <set>

namespace weft::topo {
namespace {

using topology::NodeKind;

void CountInterface(const topology::Interface& interface, IdentitySummary& summary) {
  if (!interface.lid) return;
  const uint32_t last = *interface.lid + (1U << interface.lmc.value_or(0)) - 1;
  summary.lowest_lid =
      summary.lids == 0 ? *interface.lid : std::min(summary.lowest_lid, *interface.lid);
  summary.highest_lid = std::max(summary.highest_lid, last);
  ++summary.lids;
  if (interface.lmc) ++summary.lmcs[*interface.lmc];
}

void CountMember(const topology::Node& node, IdentitySummary::Members& members) {
  if (node.kind == NodeKind::kSwitch) ++members.switches;
  if (node.kind == NodeKind::kHost) ++members.hosts;
}

}  // namespace

IdentitySummary SummariseIdentity(const topology::Fabric& fabric) {
  IdentitySummary summary;
  std::set<topology::Guid> systems;
  std::set<std::string> machines;
  for (const topology::Node& node : fabric.nodes()) {
    if (node.guid != topology::kNoGuid) ++summary.guids;
    if (node.system_guid != topology::kNoGuid) systems.insert(node.system_guid);
    if (!node.machine.empty()) {
      ++summary.nics;
      machines.insert(node.machine);
    }
    if (node.rail) CountMember(node, summary.rails[*node.rail]);
    if (node.plane) CountMember(node, summary.planes[*node.plane]);
    for (const topology::Interface& interface : node.interfaces) {
      CountInterface(interface, summary);
      const bool nic = node.kind == NodeKind::kHost && !node.rail;
      if (nic && interface.rail) ++summary.rails[*interface.rail].hosts;
    }
  }
  summary.systems = static_cast<uint32_t>(systems.size());
  summary.machines = static_cast<uint32_t>(machines.size());
  return summary;
}

std::optional<uint32_t> LidOf(const topology::Node& node) {
  for (const topology::Interface& interface : node.interfaces) {
    if (interface.lid) return interface.lid;
  }
  return std::nullopt;
}

}  // namespace weft::topo
