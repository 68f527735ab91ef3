// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "probe/endpoint/simulated/simulated_network.h"
#include "probe/trace/tracer.h"
#include "topology/generate/leaf_spine.h"
#include "topology/generate/three_tier.h"

namespace weft::probe {

// A fabric on virtual time, with names instead of indices: leaf-spine, three tiers, or any other.
class SimulatedFabric {
 public:
  explicit SimulatedFabric(topology::Fabric fabric, const SimulatedNetworkOptions& options = {})
      : fabric_(std::move(fabric)), network_(&fabric_, options) {}
  explicit SimulatedFabric(const topology::LeafSpineOptions& clos,
                           const SimulatedNetworkOptions& options = {})
      : SimulatedFabric(*topology::GenerateLeafSpine(clos), options) {}
  explicit SimulatedFabric(const topology::ThreeTierOptions& clos,
                           const SimulatedNetworkOptions& options = {})
      : SimulatedFabric(*topology::GenerateThreeTier(clos), options) {}
  SimulatedFabric(uint32_t leaves, uint32_t spines, uint32_t hosts_per_leaf,
                  const SimulatedNetworkOptions& options = {},
                  const topology::Addressing& addressing = {})
      : SimulatedFabric(topology::LeafSpineOptions{.leaves = leaves,
                                                   .spines = spines,
                                                   .hosts_per_leaf = hosts_per_leaf,
                                                   .addressing = addressing},
                        options) {}
  SimulatedFabric(const SimulatedFabric&) = delete;
  SimulatedFabric& operator=(const SimulatedFabric&) = delete;

  SimulatedNetwork& network() { return network_; }
  const topology::Fabric& fabric() const { return fabric_; }
  topology::NodeIndex node(const std::string& name) const { return *fabric_.FindNode(name); }
  // A node's loopback, else the address of its first interface.
  wire::IpAddress address(const std::string& name) const {
    const topology::Node& named = fabric_.node(node(name));
    return named.addresses.empty() ? named.interfaces[0].address : named.addresses[0];
  }
  // The address of the interface of `name` that leads to `peer`; none where it has none.
  wire::IpAddress address(const std::string& name, const std::string& peer) const {
    return NearAddress(direction(name, peer));
  }
  // The way from one node to a neighbour.
  topology::Direction direction(const std::string& from, const std::string& to) const {
    for (const topology::Adjacency& adjacency : fabric_.adjacencies(node(from))) {
      if (adjacency.neighbour == node(to)) return adjacency.direction;
    }
    ADD_FAILURE() << from << " has no link to " << to;
    return {};
  }
  std::unique_ptr<Endpoint> Open(const std::string& host) {
    return *network_.OpenEndpoint(address(host));
  }
  TraceDestination Destination(const std::string& host) const {
    return {
        .target = {.address = address(host), .dest_qpn = 0x12}, .name = host, .wanted_ports = {}};
  }

  // All switches, in the fabric's order.
  std::vector<topology::NodeIndex> Switches() const {
    std::vector<topology::NodeIndex> switches;
    for (topology::NodeIndex i = 0; i < fabric_.nodes().size(); ++i) {
      if (fabric_.node(i).kind == topology::NodeKind::kSwitch) switches.push_back(i);
    }
    return switches;
  }
  std::vector<topology::NodeIndex> Leaves() const {
    std::vector<topology::NodeIndex> leaves;
    for (const topology::NodeIndex i : Switches()) {
      if (fabric_.node(i).tier == 0U) leaves.push_back(i);
    }
    return leaves;
  }
  // All switches hash with one seed, as namespaces of one kernel do.
  void Polarise(uint32_t seed = 1) {
    for (const topology::NodeIndex i : Switches()) network_.hop(i).hash.seed = seed;
  }

  // Hop addresses from one host to another by way of each of the spines, as the router sees them;
  // by the spine's name ("spine1-core2-spine3" where more lies between the leaves, "leaf" where
  // nothing does; a second path over the same switches has "#2" behind it).
  std::map<std::string, std::vector<wire::IpAddress>> TruePaths(const std::string& from,
                                                                const std::string& to) const {
    std::map<std::string, std::vector<wire::IpAddress>> paths;
    for (const auto& path : network_.router().AllPaths(node(from), node(to), 1000)) {
      std::vector<wire::IpAddress> hops;
      for (size_t i = 0; i + 1 < path.size(); ++i) hops.push_back(HopAddress(path[i]));
      const std::string via = Via(path);
      std::string name = via;
      for (int copy = 2; paths.contains(name); ++copy) name = via + "#" + std::to_string(copy);
      paths[name] = hops;
    }
    return paths;
  }
  // The spine that a source port really crosses (names as those of TruePaths, without "#2").
  std::string SpineOf(const std::string& from, const std::string& to, uint16_t port) const {
    const auto route = network_.router().Route(
        {.source = address(from), .destination = address(to), .udp_src_port = port});
    return Via(*route);
  }

 private:
  std::string Via(const std::vector<topology::Direction>& path) const {
    std::string via;
    for (size_t i = 1; i + 2 < path.size(); ++i) {
      via += (via.empty() ? "" : "-") + fabric_.node(fabric_.To(path[i])).name;
    }
    return via.empty() ? "leaf" : via;
  }
  wire::IpAddress NearAddress(topology::Direction direction) const {
    const topology::DirectedLink link = fabric_.Describe(direction);
    return fabric_.FindInterface(node(link.from.node), link.from.interface)->address;
  }
  // What a polite switch answers with that is reached this way.
  wire::IpAddress HopAddress(topology::Direction direction) const {
    const wire::IpAddress inbound = NearAddress({direction.link, !direction.reversed});
    const std::vector<wire::IpAddress>& loopbacks = fabric_.node(fabric_.To(direction)).addresses;
    return inbound.empty() && !loopbacks.empty() ? loopbacks[0] : inbound;
  }

  topology::Fabric fabric_;
  SimulatedNetwork network_;
};

inline std::vector<wire::IpAddress> AddressesOf(const topology::Path& path) {
  std::vector<wire::IpAddress> addresses;
  for (const topology::Hop& hop : path.hops) addresses.push_back(hop.address);
  return addresses;
}

}  // namespace weft::probe
