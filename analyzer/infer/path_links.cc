// SPDX-License-Identifier: Apache-2.0
#include "analyzer/infer/path_links.h"

#include <algorithm>

namespace weft::analyzer {
namespace {

using topology::Adjacency;
using topology::Direction;
using topology::Fabric;
using topology::Interface;
using topology::NodeIndex;
using topology::PathState;
using wire::IpAddress;

std::optional<NodeIndex> FindEnd(const Fabric& fabric, const std::string& name,
                                 const IpAddress& address) {
  if (!address.empty()) {
    if (const auto node = fabric.FindAddress(address)) return node;
  }
  return name.empty() ? std::nullopt : fabric.FindNode(name);
}

// The link by which packets come in at the interface that has this address.
std::optional<Direction> LinkInto(const Fabric& fabric, const IpAddress& address) {
  const std::optional<topology::InterfaceIndex> place = fabric.FindAddressInterface(address);
  if (!place) return std::nullopt;
  const Interface& interface = fabric.node(place->node).interfaces[place->interface];
  const std::optional<Adjacency> port = fabric.FindPort(place->node, interface.name);
  if (!port) return std::nullopt;
  return Direction{port->direction.link, !port->direction.reversed};
}

}  // namespace

std::optional<CableBundle> BundleBetween(const Fabric& fabric, NodeIndex from, NodeIndex to) {
  std::optional<CableBundle> bundle;
  const std::string* lowest = nullptr;
  bool number_known = true;
  for (const Adjacency& adjacency : fabric.adjacencies(from)) {
    if (adjacency.neighbour != to) continue;
    if (!bundle) bundle = CableBundle{adjacency.direction, 0};
    if (lowest == nullptr || adjacency.interface < *lowest) {
      lowest = &adjacency.interface;
      bundle->first = adjacency.direction;
    }
    ++bundle->cables;
    number_known = number_known && !fabric.link(adjacency.direction.link).one_or_more;
  }
  if (bundle && !number_known) bundle->cables = 0;
  return bundle;
}

PlacedPath PlacePath(const Fabric& fabric, const topology::PathTable& table,
                     const topology::Path& path) {
  const size_t hops = path.hops.size();
  // Nodes at TTL 0 (the source) to n + 1 (the destination).
  std::vector<std::optional<NodeIndex>> nodes(hops + 2);
  std::vector<std::optional<Direction>> links(hops + 1);
  nodes.front() = FindEnd(fabric, table.source, table.source_address);
  nodes.back() = FindEnd(fabric, table.destination, table.destination_address);
  for (size_t i = 0; i < hops; ++i) {
    nodes[i + 1] = FindEnd(fabric, path.hops[i].node, path.hops[i].address);
    links[i] = LinkInto(fabric, path.hops[i].address);
  }
  links.back() = LinkInto(fabric, table.destination_address);
  for (size_t i = links.size(); i-- > 0;) {
    if (!links[i]) continue;
    const NodeIndex from = fabric.From(*links[i]);
    // A hop whose address says otherwise than the next one's link answered from another interface.
    if (nodes[i] && *nodes[i] != from) {
      links[i] = std::nullopt;
    } else {
      nodes[i] = from;
    }
  }
  PlacedPath placed;
  placed.cables.assign(links.size(), 1);
  for (size_t i = 0; i < links.size(); ++i) {
    if (links[i] || !nodes[i] || !nodes[i + 1]) continue;
    const auto bundle = BundleBetween(fabric, *nodes[i], *nodes[i + 1]);
    if (!bundle) continue;
    links[i] = bundle->first;
    placed.cables[i] = bundle->cables;
  }
  placed.complete = std::all_of(links.begin(), links.end(), [](const auto& l) { return !!l; });
  placed.switches.assign(nodes.begin() + 1, nodes.end() - 1);
  placed.links = std::move(links);
  return placed;
}

std::string EndName(const Fabric& fabric, const std::string& name, const IpAddress& address) {
  if (const auto node = FindEnd(fabric, name, address)) return fabric.node(*node).name;
  return name.empty() ? address.ToString() : name;
}

std::string HopName(const Fabric& fabric, const PlacedPath& placed, const topology::Path& path,
                    size_t hop) {
  if (placed.switches[hop]) return fabric.node(*placed.switches[hop]).name;
  if (!path.hops[hop].node.empty()) return path.hops[hop].node;
  return path.hops[hop].address.empty() ? "?" : path.hops[hop].address.ToString();
}

bool IsLiving(const topology::Path& path) {
  return path.state == PathState::kAlive || path.state == PathState::kLossy ||
         (path.state == PathState::kUnknown && path.reaches_destination);
}

}  // namespace weft::analyzer
