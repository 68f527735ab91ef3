// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "topology/fabric/fabric.h"
#include "topology/records/path_table.h"
#include "wire/ip_address.h"

// Path tables by hand, and what of an inferred fabric is compared.
namespace weft::analyzer {

inline wire::IpAddress Address(const std::string& text) { return *wire::IpAddress::Parse(text); }

// One path, hop addresses in text; "" is silent.
inline topology::PathTable HandMade(const std::string& source, const std::string& destination,
                                    const std::vector<std::string>& hops) {
  topology::PathTable table;
  table.source = "host-" + source;
  table.source_address = Address(source);
  table.destination = "host-" + destination;
  table.destination_address = Address(destination);
  topology::Path path;
  path.reaches_destination = true;
  path.state = topology::PathState::kAlive;
  for (const std::string& hop : hops) {
    path.hops.push_back({static_cast<uint32_t>(path.hops.size() + 1),
                         hop.empty() ? wire::IpAddress() : Address(hop), ""});
  }
  table.paths.push_back(std::move(path));
  return table;
}

// Two hosts behind a leaf each, with one spine between, traced both ways.
inline std::vector<topology::PathTable> BothWays() {
  return {HandMade("10.0.0.1", "10.0.0.3", {"10.0.0.0", "10.128.0.1", "10.128.0.2"}),
          HandMade("10.0.0.3", "10.0.0.1", {"10.0.0.2", "10.128.0.3", "10.128.0.0"})};
}

inline size_t CountSwitches(const topology::Fabric& fabric, uint32_t tier) {
  return static_cast<size_t>(std::count_if(
      fabric.nodes().begin(), fabric.nodes().end(), [tier](const topology::Node& node) {
        return node.kind == topology::NodeKind::kSwitch && node.tier == tier;
      }));
}

// A fabric without the names that inference cannot know: which addresses are one node's, of which
// kind and tier, and between which addresses cables run.
struct Anatomy {
  std::set<std::tuple<topology::NodeKind, uint32_t, std::set<wire::IpAddress>>> nodes;
  std::set<std::set<wire::IpAddress>> links;
  bool operator==(const Anatomy&) const = default;
};

inline wire::IpAddress AddressOf(const topology::Fabric& fabric, const topology::PortRef& port) {
  for (const topology::Interface& interface : fabric.node(*fabric.FindNode(port.node)).interfaces) {
    if (interface.name == port.interface) return interface.address;
  }
  return {};
}

inline Anatomy AnatomyOf(const topology::Fabric& fabric) {
  Anatomy anatomy;
  for (const topology::Node& node : fabric.nodes()) {
    std::set<wire::IpAddress> addresses;
    for (const topology::Interface& interface : node.interfaces) {
      addresses.insert(interface.address);
    }
    anatomy.nodes.emplace(node.kind, node.tier.value_or(99), addresses);
  }
  for (const topology::Link& link : fabric.links()) {
    anatomy.links.insert({AddressOf(fabric, link.a), AddressOf(fabric, link.b)});
  }
  return anatomy;
}

}  // namespace weft::analyzer
