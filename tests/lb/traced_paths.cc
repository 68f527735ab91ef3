// SPDX-License-Identifier: Apache-2.0
#include "tests/lb/traced_paths.h"

#include <algorithm>
#include <map>
#include <random>
#include <stdexcept>
#include <utility>

namespace weft::lb {
namespace {

std::vector<std::string> Spines(const topology::Fabric& fabric) {
  std::vector<std::string> spines;
  for (const topology::Node& node : fabric.nodes()) {
    if (node.tier == 1U) spines.push_back(node.name);
  }
  return spines;
}

topology::PathTable TraceOne(const topology::Fabric& fabric, const topology::Flow& pair,
                             const TraceOptions& options) {
  topology::PathTable table;
  table.source = pair.source;
  table.source_address = pair.source_address;
  table.destination = pair.destination;
  table.destination_address = pair.destination_address;
  table.measured_at = "2024-05-01T10:00:00Z";
  const std::string source_leaf = LeafOf(fabric, pair.source_address);
  const std::string destination_leaf = LeafOf(fabric, pair.destination_address);
  for (const std::string& spine : Spines(fabric)) {
    topology::Path path;
    path.hops = {{1, AddressTowards(fabric, source_leaf, pair.source), source_leaf},
                 {2, AddressTowards(fabric, spine, source_leaf), spine},
                 {3, AddressTowards(fabric, destination_leaf, spine), destination_leaf}};
    path.reaches_destination = true;
    path.state = options.dead_spines.contains(spine) ? topology::PathState::kDead
                                                     : topology::PathState::kAlive;
    for (uint32_t n = 0; n < options.ports_per_path; ++n) {
      path.udp_src_ports.push_back(static_cast<uint16_t>(50000 + 10 * table.paths.size() + n));
    }
    table.paths.push_back(std::move(path));
  }
  return table;
}

}  // namespace

std::string LeafOf(const topology::Fabric& fabric, const wire::IpAddress& nic) {
  const auto node = fabric.FindAddress(nic);
  if (!node) throw std::invalid_argument("not in the fabric: " + nic.ToString());
  return fabric.node(fabric.adjacencies(*node).front().neighbour).name;
}

wire::IpAddress AddressTowards(const topology::Fabric& fabric, const std::string& node,
                               const std::string& neighbour) {
  const topology::NodeIndex index = fabric.FindNode(node).value();
  for (const topology::Adjacency& adjacency : fabric.adjacencies(index)) {
    if (fabric.node(adjacency.neighbour).name != neighbour) continue;
    for (const topology::Interface& interface : fabric.node(index).interfaces) {
      if (interface.name == adjacency.interface) return interface.address;
    }
  }
  throw std::invalid_argument("no link: " + node + " - " + neighbour);
}

std::vector<topology::PathTable> TracePairs(const topology::Fabric& fabric,
                                            std::span<const topology::Flow> flows,
                                            const TraceOptions& options) {
  std::mt19937_64 random(options.seed);
  std::vector<topology::PathTable> tables;
  std::map<std::pair<wire::IpAddress, wire::IpAddress>, size_t> known;
  for (const topology::Flow& flow : flows) {
    const auto [found, added] =
        known.emplace(std::pair(flow.source_address, flow.destination_address), tables.size());
    if (added) tables.push_back(TraceOne(fabric, flow, options));
    topology::PathTable& table = tables[found->second];
    const size_t choice = random() % table.paths.size();
    const bool traced = std::any_of(table.paths.begin(), table.paths.end(), [&](const auto& path) {
      return std::ranges::find(path.udp_src_ports, flow.udp_src_port) != path.udp_src_ports.end();
    });
    if (traced) continue;
    std::vector<uint16_t>& ports = table.paths[choice].udp_src_ports;
    ports.insert(std::ranges::upper_bound(ports, flow.udp_src_port), flow.udp_src_port);
  }
  return tables;
}

topology::Path& PathOver(topology::PathTable& table, const std::string& spine) {
  for (topology::Path& path : table.paths) {
    if (path.hops[1].node == spine) return path;
  }
  throw std::invalid_argument("no path over " + spine);
}

topology::PathTable& TableOf(std::vector<topology::PathTable>& tables, const topology::Flow& flow) {
  for (topology::PathTable& table : tables) {
    if (table.source_address == flow.source_address &&
        table.destination_address == flow.destination_address) {
      return table;
    }
  }
  throw std::invalid_argument("no table of flow " + flow.id);
}

}  // namespace weft::lb
