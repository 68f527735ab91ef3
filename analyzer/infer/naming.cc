// SPDX-License-Identifier: Apache-2.0
#include "analyzer/infer/naming.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/infer/path_links.h"

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

// The blueprint's cable between the two named nodes, where it has just one.
void SetOnlyCable(const Fabric& blueprint, Link* link) {
  const std::optional<NodeIndex> a = blueprint.FindNode(link->a.node);
  const std::optional<NodeIndex> b = blueprint.FindNode(link->b.node);
  if (!a || !b) return;
  const std::optional<CableBundle> bundle = BundleBetween(blueprint, *a, *b);
  if (!bundle || bundle->cables != 1) return;
  link->capacity_bps = blueprint.link(bundle->first.link).capacity_bps;
  link->one_or_more = false;
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
  for (NodeIndex index = 0; index < inferred.nodes().size(); ++index) {
    const Node& node = inferred.node(index);
    Node renamed = node;
    const auto name = names.find(node.name);
    if (name != names.end()) renamed.name = name->second;
    std::set<std::string> taken;
    for (Interface& interface : renamed.interfaces) {
      std::optional<std::string> better = InterfaceName(blueprint, interface.address);
      const std::string old = interface.name;
      // Without an address it is named after what is at its other end.
      if (!better && interface.address.empty()) {
        const std::optional<Adjacency> port = inferred.FindPort(index, old);
        const auto peer = port ? names.find(inferred.node(port->neighbour).name) : names.end();
        if (peer != names.end()) better = peer->second;
      }
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
    if (link.one_or_more) SetOnlyCable(blueprint, &renamed);
    const auto added = named.AddLink(std::move(renamed));
    if (!added.ok()) return added.status();
  }
  return named;
}

void SetSilentApart(const InferredFabric& inferred, const Fabric& blueprint,
                    topology::CheckResult* check) {
  std::map<std::string, double> silent;  // node -> places at which it was crossed
  for (const IpAddress& address : inferred.silent_ends) {
    if (const auto node = blueprint.FindAddress(address)) ++silent[blueprint.node(*node).name];
  }
  for (const SilentGap& gap : inferred.silent_gaps) {
    const auto before = blueprint.FindAddress(gap.before);
    const auto behind = blueprint.FindAddress(gap.behind);
    if (!before || !behind) continue;
    std::set<NodeIndex> between;
    for (const Adjacency& adjacency : blueprint.adjacencies(*before)) {
      const NodeIndex node = adjacency.neighbour;
      if (BundleBetween(blueprint, node, *behind)) between.insert(node);
    }
    for (const NodeIndex node : between) ++silent[blueprint.node(node).name];
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
         {{"links or gaps at which it was crossed while it did not answer", interfaces, "places",
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

namespace {

// Which switches of each tier have been shown to lie above which leaves, and what pairs showed.
class Coverage {
 public:
  Coverage(const Fabric& inferred, std::span<const topology::PathTable> tables)
      : inferred_(inferred) {
    for (NodeIndex i = 0; i < inferred.nodes().size(); ++i) {
      const Node& node = inferred.node(i);
      if (node.kind != NodeKind::kSwitch || !node.tier) continue;
      by_tier_[*node.tier].push_back(i);
    }
    for (const NodeIndex leaf : OfTier(0)) Climb(leaf);
    for (const topology::PathTable& table : tables) Add(table);
  }

  const std::vector<NodeIndex>& OfTier(uint32_t tier) const {
    static const std::vector<NodeIndex> kNone;
    const auto found = by_tier_.find(tier);
    return found == by_tier_.end() ? kNone : found->second;
  }
  uint32_t TierCount() const { return static_cast<uint32_t>(by_tier_.size()); }

  // Packets of a traced pair went up through `a` and down through `b`, or would have where both are
  // linked to one switch above: the pair's path is no shorter than that.
  bool Traced(NodeIndex a, NodeIndex b) const { return traced_.contains(std::minmax(a, b)); }

 private:
  void Climb(NodeIndex leaf) {
    std::vector<NodeIndex> level = {leaf};
    for (uint32_t tier = 0; !level.empty(); ++tier) {
      above_[leaf].push_back(level);
      std::set<NodeIndex> next;
      for (const NodeIndex node : level) {
        for (const Adjacency& adjacency : inferred_.adjacencies(node)) {
          if (inferred_.node(adjacency.neighbour).tier == tier + 1)
            next.insert(adjacency.neighbour);
        }
      }
      level.assign(next.begin(), next.end());
    }
  }

  std::optional<NodeIndex> LeafOf(const IpAddress& host) const {
    const std::optional<NodeIndex> node = inferred_.FindAddress(host);
    if (!node || inferred_.adjacencies(*node).empty()) return std::nullopt;
    return inferred_.adjacencies(*node).front().neighbour;
  }

  void Add(const topology::PathTable& table) {
    if (!table.void_reason.empty() || !table.hidden_reason.empty() || table.paths.empty()) return;
    const auto from = LeafOf(table.source_address);
    const auto to = LeafOf(table.destination_address);
    if (!from || !to || !above_.contains(*from) || !above_.contains(*to)) return;
    size_t shortest = table.paths.front().hops.size();
    for (const topology::Path& path : table.paths) shortest = std::min(shortest, path.hops.size());
    if (!pairs_.emplace(*from, *to, shortest).second) return;
    const auto& up = above_.at(*from);
    const auto& down = above_.at(*to);
    // By way of tier t + 1 a path has 2 t + 3 hops.
    for (size_t tier = 0; tier < up.size() && tier < down.size(); ++tier) {
      if (shortest < 2 * tier + 3) break;
      for (const NodeIndex a : up[tier]) {
        for (const NodeIndex b : down[tier]) traced_.insert(std::minmax(a, b));
      }
    }
  }

  const Fabric& inferred_;
  std::map<uint32_t, std::vector<NodeIndex>> by_tier_;
  std::map<NodeIndex, std::vector<std::vector<NodeIndex>>> above_;  // leaf -> by tier
  std::set<std::tuple<NodeIndex, NodeIndex, size_t>> pairs_;
  std::set<std::pair<NodeIndex, NodeIndex>> traced_;
};

}  // namespace

std::vector<std::string> NotMeasured(const Fabric& inferred,
                                     std::span<const topology::PathTable> tables) {
  const Coverage coverage(inferred, tables);
  std::vector<std::string> missing;
  size_t more = 0;
  for (uint32_t tier = 1; tier < coverage.TierCount(); ++tier) {
    for (const NodeIndex upper : coverage.OfTier(tier)) {
      std::set<NodeIndex> linked;
      for (const Adjacency& adjacency : inferred.adjacencies(upper)) {
        if (inferred.node(adjacency.neighbour).tier == tier - 1) linked.insert(adjacency.neighbour);
      }
      for (const NodeIndex lower : coverage.OfTier(tier - 1)) {
        const bool measured = linked.contains(lower) ||
                              std::any_of(linked.begin(), linked.end(), [&](NodeIndex other) {
                                return coverage.Traced(lower, other);
                              });
        if (measured) continue;
        if (missing.size() < kMaxNotMeasured) {
          missing.push_back(inferred.node(upper).name + " - " + inferred.node(lower).name);
        } else {
          ++more;
        }
      }
    }
  }
  if (more > 0) missing.push_back(absl::StrCat("and ", more, " more"));
  return missing;
}

}  // namespace weft::analyzer
