// SPDX-License-Identifier: Apache-2.0
#include "analyzer/infer/naming.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"

namespace weft::analyzer {
namespace {

using topology::Adjacency;
using topology::Fabric;
using topology::Interface;
using topology::Link;
using topology::Node;
using topology::NodeIndex;
using topology::NodeKind;
using wire::IpAddress;

const Interface* FindInterface(const Node& node, const std::string& name) {
  for (const Interface& interface : node.interfaces) {
    if (interface.name == name) return &interface;
  }
  return nullptr;
}

// The blueprint's name of the interface with this address.
std::optional<std::string> InterfaceName(const Fabric& blueprint, const IpAddress& address) {
  if (address.empty()) return std::nullopt;
  const std::optional<NodeIndex> node = blueprint.FindAddress(address);
  if (!node) return std::nullopt;
  for (const Interface& interface : blueprint.node(*node).interfaces) {
    if (interface.address == address) return interface.name;
  }
  return std::nullopt;
}

// The capacity of the blueprint's link between these two addresses.
std::optional<double> CapacityBetween(const Fabric& blueprint, const IpAddress& a,
                                      const IpAddress& b) {
  const std::optional<std::string> name = InterfaceName(blueprint, a);
  if (!name) return std::nullopt;
  const std::optional<Adjacency> port = blueprint.FindPort(*blueprint.FindAddress(a), *name);
  if (!port || InterfaceName(blueprint, b) != port->neighbour_interface) return std::nullopt;
  if (blueprint.FindAddress(b) != port->neighbour) return std::nullopt;
  return blueprint.link(port->direction.link).capacity_bps;
}

}  // namespace

absl::StatusOr<Fabric> NameByBlueprint(const Fabric& inferred, const Fabric& blueprint,
                                       std::span<const topology::NodeMatch> matches) {
  std::map<std::string, uint32_t> pieces;
  std::map<std::string, std::string> names;  // inferred -> blueprint
  for (const topology::NodeMatch& match : matches) ++pieces[match.blueprint];
  for (const topology::NodeMatch& match : matches) {
    if (pieces[match.blueprint] == 1) names.emplace(match.actual, match.blueprint);
  }
  Fabric named;
  std::map<std::pair<std::string, std::string>, std::string> ports;  // (inferred node, port) -> new
  for (const Node& node : inferred.nodes()) {
    Node renamed = node;
    const auto name = names.find(node.name);
    if (name != names.end()) renamed.name = name->second;
    std::set<std::string> taken;
    for (Interface& interface : renamed.interfaces) {
      const std::optional<std::string> better = InterfaceName(blueprint, interface.address);
      const std::string old = interface.name;
      if (better && name != names.end() && taken.insert(*better).second) interface.name = *better;
      ports[{node.name, old}] = interface.name;
    }
    const auto added = named.AddNode(std::move(renamed));
    if (!added.ok()) return added.status();
  }
  const auto rename = [&](topology::PortRef& port) {
    port.interface = ports.at({port.node, port.interface});
    const auto name = names.find(port.node);
    if (name != names.end()) port.node = name->second;
  };
  for (const Link& link : inferred.links()) {
    const Interface* a =
        FindInterface(inferred.node(*inferred.FindNode(link.a.node)), link.a.interface);
    const Interface* b =
        FindInterface(inferred.node(*inferred.FindNode(link.b.node)), link.b.interface);
    Link renamed = link;
    renamed.capacity_bps = CapacityBetween(blueprint, a->address, b->address);
    rename(renamed.a);
    rename(renamed.b);
    const auto added = named.AddLink(std::move(renamed));
    if (!added.ok()) return added.status();
  }
  return named;
}

void SetSilentApart(std::span<const IpAddress> silent_ends, const Fabric& blueprint,
                    topology::CheckResult* check) {
  std::map<std::string, double> silent;  // node -> interfaces whose far end answered
  for (const IpAddress& address : silent_ends) {
    if (const auto node = blueprint.FindAddress(address)) ++silent[blueprint.node(*node).name];
  }
  std::erase_if(silent, [&](const auto& entry) {
    return std::erase(check->missing_nodes, entry.first) == 0;
  });
  if (silent.empty()) return;
  std::erase_if(check->findings, [&](const topology::Finding& finding) {
    return finding.code == "missing-node" && silent.contains(finding.subject);
  });
  std::erase_if(check->missing_links, [&](const Link& link) {
    if (!silent.contains(link.a.node) && !silent.contains(link.b.node)) return false;
    check->not_measured_links.push_back(link);
    return true;
  });
  for (const auto& [name, interfaces] : silent) {
    check->not_measured_nodes.push_back(name);
    check->findings.push_back(
        {"node-silent",
         topology::Severity::kWarning,
         name,
         {{"links to it that were crossed while it did not answer", interfaces, "links",
           "path tables"}},
         "The switch forwards, but does not answer TTL-exceeded, so what it is linked to was not "
         "measured.",
         "Let it answer (ICMP limits, control-plane policing) and trace again."});
  }
  check->identical = false;
  check->agrees = std::none_of(
      check->findings.begin(), check->findings.end(),
      [](const topology::Finding& f) { return f.severity == topology::Severity::kError; });
}

std::vector<std::string> NotMeasured(const Fabric& inferred,
                                     std::span<const topology::PathTable> tables) {
  const auto leaf_of = [&](const IpAddress& host) -> std::optional<NodeIndex> {
    const std::optional<NodeIndex> node = inferred.FindAddress(host);
    if (!node || inferred.adjacencies(*node).empty()) return std::nullopt;
    return inferred.adjacencies(*node).front().neighbour;
  };
  std::set<std::pair<NodeIndex, NodeIndex>> traced;  // leaves, unordered
  for (const topology::PathTable& table : tables) {
    if (!table.void_reason.empty() || table.paths.empty()) continue;
    const auto from = leaf_of(table.source_address);
    const auto to = leaf_of(table.destination_address);
    if (from && to) traced.insert(std::minmax(*from, *to));
  }
  std::vector<NodeIndex> leaves;
  std::vector<NodeIndex> upper;
  for (NodeIndex i = 0; i < inferred.nodes().size(); ++i) {
    const std::optional<uint32_t> tier = inferred.node(i).tier;
    if (inferred.node(i).kind != NodeKind::kSwitch || !tier) continue;
    if (*tier == 0) leaves.push_back(i);
    if (*tier == 1) upper.push_back(i);
  }
  std::vector<std::string> missing;
  size_t more = 0;
  for (const NodeIndex spine : upper) {
    std::set<NodeIndex> linked;
    for (const Adjacency& adjacency : inferred.adjacencies(spine)) {
      linked.insert(adjacency.neighbour);
    }
    for (const NodeIndex leaf : leaves) {
      bool possible = linked.contains(leaf);
      for (const NodeIndex other : linked) possible |= traced.contains(std::minmax(leaf, other));
      if (possible) continue;
      if (missing.size() < kMaxNotMeasured) {
        missing.push_back(inferred.node(spine).name + " - " + inferred.node(leaf).name);
      } else {
        ++more;
      }
    }
  }
  if (more > 0) missing.push_back(absl::StrCat("and ", more, " more"));
  return missing;
}

}  // namespace weft::analyzer
