// SPDX-License-Identifier: Apache-2.0
#include "tests/lb/traced_paths.h"

#include <algorithm>
#include <map>
#include <random>
#include <stdexcept>
#include <utility>

namespace weft::lb {
namespace {

using topology::NodeIndex;

// Of every node that can reach `target` over switches: how many links away it is.
std::map<NodeIndex, uint32_t> DistancesTo(const topology::Fabric& fabric, NodeIndex target) {
  std::map<NodeIndex, uint32_t> distances = {{target, 0}};
  std::vector<NodeIndex> queue = {target};
  for (size_t i = 0; i < queue.size(); ++i) {
    for (const topology::Adjacency& adjacency : fabric.adjacencies(queue[i])) {
      if (fabric.node(adjacency.neighbour).kind != topology::NodeKind::kSwitch) continue;
      if (distances.emplace(adjacency.neighbour, distances[queue[i]] + 1).second) {
        queue.push_back(adjacency.neighbour);
      }
    }
  }
  return distances;
}

// What a switch answers with that a probe came to by an interface.
wire::IpAddress AnswerOf(const topology::Node& node, const std::string& interface) {
  for (const topology::Interface& known : node.interfaces) {
    if (known.name == interface && !known.address.empty()) return known.address;
  }
  return node.addresses.at(0);
}

// Extends `hops` by all shortest ways to the end, each a path. Ways that look the same are one.
void Walk(const topology::Fabric& fabric, const std::map<NodeIndex, uint32_t>& distances,
          NodeIndex at, std::vector<topology::Hop>* hops, std::vector<topology::Path>* paths) {
  if (distances.at(at) == 0) {
    topology::Path path;
    path.hops = *hops;
    const bool known = std::any_of(paths->begin(), paths->end(),
                                   [&](const auto& other) { return other.hops == path.hops; });
    if (!known) paths->push_back(std::move(path));
    return;
  }
  for (const topology::Adjacency& adjacency : fabric.adjacencies(at)) {
    const auto next = distances.find(adjacency.neighbour);
    if (next == distances.end() || next->second + 1 != distances.at(at)) continue;
    const topology::Node& node = fabric.node(adjacency.neighbour);
    hops->push_back({static_cast<uint32_t>(hops->size() + 1),
                     AnswerOf(node, adjacency.neighbour_interface), node.name});
    Walk(fabric, distances, adjacency.neighbour, hops, paths);
    hops->pop_back();
  }
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
  const NodeIndex first = fabric.FindNode(source_leaf).value();
  std::vector<topology::Hop> hops = {
      {1, AddressTowards(fabric, source_leaf, pair.source), source_leaf}};
  Walk(fabric, DistancesTo(fabric, fabric.FindNode(destination_leaf).value()), first, &hops,
       &table.paths);
  for (size_t index = 0; index < table.paths.size(); ++index) {
    topology::Path& path = table.paths[index];
    path.reaches_destination = true;
    const bool dead = std::any_of(path.hops.begin(), path.hops.end(), [&](const auto& hop) {
      return options.dead_spines.contains(hop.node);
    });
    path.state = dead ? topology::PathState::kDead : topology::PathState::kAlive;
    for (uint32_t n = 0; n < options.ports_per_path; ++n) {
      path.udp_src_ports.push_back(static_cast<uint16_t>(50000 + 10 * index + n));
    }
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
