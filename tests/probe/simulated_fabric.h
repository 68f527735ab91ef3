// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "probe/endpoint/simulated/simulated_network.h"
#include "probe/trace/tracer.h"
#include "topology/generate/leaf_spine.h"

namespace weft::probe {

// A leaf-spine fabric on virtual time, with names instead of indices.
class SimulatedFabric {
 public:
  SimulatedFabric(uint32_t leaves, uint32_t spines, uint32_t hosts_per_leaf,
                  const SimulatedNetworkOptions& options = {})
      : fabric_(Generate(leaves, spines, hosts_per_leaf)), network_(&fabric_, options) {}

  SimulatedNetwork& network() { return network_; }
  const topology::Fabric& fabric() const { return fabric_; }
  topology::NodeIndex node(const std::string& name) const { return *fabric_.FindNode(name); }
  wire::IpAddress address(const std::string& host) const {
    return fabric_.node(node(host)).interfaces[0].address;
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

  // Hop addresses from one host to another by way of each of the spines, as the router sees them;
  // by the spine's name.
  std::map<std::string, std::vector<wire::IpAddress>> TruePaths(const std::string& from,
                                                                const std::string& to) const {
    std::map<std::string, std::vector<wire::IpAddress>> paths;
    for (const auto& path : network_.router().AllPaths(node(from), node(to), 1000)) {
      std::vector<wire::IpAddress> hops;
      for (size_t i = 0; i + 1 < path.size(); ++i) hops.push_back(InboundAddress(path[i]));
      const std::string via = path.size() < 4 ? "leaf" : fabric_.node(fabric_.To(path[1])).name;
      paths[via] = hops;
    }
    return paths;
  }
  // The spine that a source port really crosses.
  std::string SpineOf(const std::string& from, const std::string& to, uint16_t port) const {
    const auto route = network_.router().Route(
        {.source = address(from), .destination = address(to), .udp_src_port = port});
    return fabric_.node(fabric_.To((*route)[1])).name;
  }

 private:
  static topology::Fabric Generate(uint32_t leaves, uint32_t spines, uint32_t hosts_per_leaf) {
    topology::LeafSpineOptions options;
    options.leaves = leaves;
    options.spines = spines;
    options.hosts_per_leaf = hosts_per_leaf;
    return *topology::GenerateLeafSpine(options);
  }
  wire::IpAddress InboundAddress(topology::Direction direction) const {
    const topology::DirectedLink link = fabric_.Describe(direction);
    for (const topology::Interface& i : fabric_.node(node(link.to.node)).interfaces) {
      if (i.name == link.to.interface) return i.address;
    }
    return {};
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
