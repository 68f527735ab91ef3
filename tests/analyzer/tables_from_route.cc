// SPDX-License-Identifier: Apache-2.0
#include "tests/analyzer/tables_from_route.h"

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <stdexcept>
#include <utility>
#include <variant>

#include "topology/generate/leaf_spine.h"
#include "topology/generate/three_tier.h"

namespace weft::analyzer {
namespace {

using topology::Direction;
using topology::Fabric;
using topology::FabricRecord;
using topology::Link;
using topology::Node;
using topology::NodeIndex;
using topology::NodeKind;
using wire::IpAddress;

// Ports are taken this far apart over the whole range from 0xC000: CRC-32 is linear, so ports next
// to each other can share the bits that choose the link.
constexpr uint32_t kFirstPort = 0xC000;
constexpr uint32_t kPortStep = 61;

// Tests have no other way to say that their own set-up is wrong.
template <typename T>
T Must(absl::StatusOr<T> value) {
  if (!value.ok()) throw std::runtime_error(std::string(value.status().message()));
  return *std::move(value);
}

// What a switch answers with to a probe that came in by this interface.
IpAddress AnswerAddress(const Node& node, const std::string& name) {
  for (const topology::Interface& interface : node.interfaces) {
    if (interface.name == name && !interface.address.empty()) return interface.address;
  }
  return node.addresses.empty() ? IpAddress() : node.addresses.front();
}

// A second cable between the ends of `link`, numbered in 10.192.0.0.
Link AddParallel(std::vector<FabricRecord>& records, const Link& link, uint32_t number) {
  Link second = link;
  second.a.interface += "b";
  second.b.interface += "b";
  for (FabricRecord& record : records) {
    Node* node = std::get_if<Node>(&record);
    if (node == nullptr) continue;
    const uint32_t address = (10U << 24) + (192U << 16) + 2 * number;
    if (node->name == link.a.node) {
      node->interfaces.push_back({second.a.interface, IpAddress::V4(address)});
    } else if (node->name == link.b.node) {
      node->interfaces.push_back({second.b.interface, IpAddress::V4(address + 1)});
    }
  }
  return second;
}

// Takes the interfaces out that a missing link had: no trace can see a port without a cable.
void RemoveEnds(std::vector<FabricRecord>& records, const Link& link) {
  for (FabricRecord& record : records) {
    Node* node = std::get_if<Node>(&record);
    if (node == nullptr) continue;
    std::erase_if(node->interfaces, [&](const topology::Interface& interface) {
      const topology::PortRef port{node->name, interface.name};
      return port == link.a || port == link.b;
    });
  }
}

}  // namespace

Fabric MakeFabric(const Shape& shape) {
  topology::LeafSpineOptions options;
  options.leaves = shape.leaves;
  options.spines = shape.spines;
  options.hosts_per_leaf = shape.hosts_per_leaf;
  options.uplink_bps = 20e6;
  options.host_bps = 100e6;
  const Fabric generated = Must(topology::GenerateLeafSpine(options));
  std::vector<FabricRecord> records;
  std::vector<Link> links;
  for (const FabricRecord& record : generated.ToRecords()) {
    if (std::holds_alternative<Node>(record)) {
      records.push_back(record);
    } else {
      links.push_back(std::get<Link>(record));
    }
  }
  std::vector<Link> kept;
  uint32_t parallel = 0;
  for (const Link& link : links) {
    const NodeIndex a = *generated.FindNode(link.a.node);
    const NodeIndex b = *generated.FindNode(link.b.node);
    const bool uplink =
        generated.node(a).kind == NodeKind::kSwitch && generated.node(b).kind == NodeKind::kSwitch;
    const NodeIndex spine = std::max(a, b) - shape.leaves;
    // Link i of leaf i goes; that one and its neighbours stay for the others.
    if (uplink && std::min(a, b) == spine && spine < shape.missing) {
      RemoveEnds(records, link);
      continue;
    }
    kept.push_back(link);
    if (uplink && parallel < shape.parallel) {
      kept.push_back(AddParallel(records, link, parallel++));
    }
  }
  records.insert(records.end(), kept.begin(), kept.end());
  return Must(Fabric::FromRecords(records));
}

Fabric MakePods(const PodShape& shape) {
  topology::ThreeTierOptions options;
  options.pods = shape.pods;
  options.leaves_per_pod = shape.leaves;
  options.spines_per_pod = shape.spines;
  options.cores = shape.cores;
  options.hosts_per_leaf = shape.hosts_per_leaf;
  options.parallel = shape.parallel;
  options.uplink_bps = options.core_bps = 20e6;
  options.host_bps = 100e6;
  options.addressing.ipv6 = shape.ipv6;
  options.addressing.unnumbered = shape.numbering == Numbering::kUnnumbered;
  Fabric generated = Must(topology::GenerateThreeTier(options));
  if (shape.numbering != Numbering::kMixed) return generated;
  std::vector<FabricRecord> records = generated.ToRecords();
  uint32_t number = 0;
  for (FabricRecord& record : records) {
    Node* node = std::get_if<Node>(&record);
    if (node == nullptr || node->kind != NodeKind::kSwitch || node->tier == 0U) continue;
    for (topology::Interface& interface : node->interfaces) {
      if (node->tier == 2U || interface.name.starts_with("core")) interface.address = IpAddress();
    }
    ++number;
    std::array<uint8_t, 16> v6 = {0xfd, 0, 0, 0, 0, 0, 0, 2};
    if (shape.loopbacks_near) v6[7] = 1;
    v6[14] = 200;
    v6[15] = static_cast<uint8_t>(number);
    const uint32_t v4 = shape.loopbacks_near ? 0x0A80C800U : 0xAC100000U;
    node->addresses = {shape.ipv6 ? IpAddress::V6(v6) : IpAddress::V4(v4 + number)};
  }
  return Must(Fabric::FromRecords(records));
}

Tracer::Tracer(const Fabric* fabric, uint32_t seed, Faults faults, Hashing hashing)
    : fabric_(*fabric),
      router_(fabric,
              [&] {
                std::vector<topology::HashModel> hashes(fabric->nodes().size());
                for (size_t i = 0; i < hashes.size(); ++i) {
                  hashes[i].function = hashing.function;
                  hashes[i].seed = seed * 1000 + (hashing.one_seed ? 0 : static_cast<uint32_t>(i));
                }
                return hashes;
              }(),
              {}),
      faults_(std::move(faults)) {}

topology::PathTable Tracer::Trace(const std::string& source, const std::string& destination) const {
  const Node& from = fabric_.node(*fabric_.FindNode(source));
  const Node& to = fabric_.node(*fabric_.FindNode(destination));
  topology::PathTable table;
  table.source = source;
  table.source_address = from.interfaces.front().address;
  table.destination = destination;
  table.destination_address = to.interfaces.front().address;
  table.headers.udp_dst_port = 4791;
  table.measured_at = "2025-01-01T00:00:00Z";
  std::map<std::vector<Direction>, topology::Path> paths;
  for (uint32_t port = kFirstPort; port <= 0xFFFF; port += kPortStep) {
    topology::HashedHeaders headers;
    headers.source = table.source_address;
    headers.destination = table.destination_address;
    headers.udp_src_port = static_cast<uint16_t>(port);
    const auto route = router_.Route(headers);
    if (!route.ok()) continue;  // no way between the two
    paths[*route].udp_src_ports.push_back(headers.udp_src_port);
  }
  for (auto& [route, path] : paths) {
    bool dead = false;
    for (size_t i = 0; i < route.size(); ++i) {
      const topology::DirectedLink link = fabric_.Describe(route[i]);
      dead |= faults_.dead_links.contains({link.from.node, link.to.node});
      if (i + 1 == route.size()) break;
      dead |= faults_.dead_nodes.contains(link.to.node);
      topology::Hop hop;
      hop.hop_index = static_cast<uint32_t>(i + 1);
      const Node& node = fabric_.node(fabric_.To(route[i]));
      if (!faults_.silent_nodes.contains(node.name)) {
        hop.address = AnswerAddress(node, link.to.interface);
      }
      path.hops.push_back(std::move(hop));
    }
    path.state = dead ? topology::PathState::kDead : topology::PathState::kAlive;
    path.reaches_destination = !dead;
    table.paths.push_back(std::move(path));
  }
  return table;
}

std::vector<topology::PathTable> Tracer::TraceAll() const {
  std::vector<topology::PathTable> tables;
  for (const std::string& source : HostNames(fabric_)) {
    for (const std::string& destination : HostNames(fabric_)) {
      if (source != destination) tables.push_back(Trace(source, destination));
    }
  }
  return tables;
}

std::vector<topology::PathTable> TraceSome(const Tracer& tracer, const Fabric& fabric, size_t pairs,
                                           uint32_t seed) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const std::string& source : HostNames(fabric)) {
    for (const std::string& destination : HostNames(fabric)) {
      if (source != destination) all.emplace_back(source, destination);
    }
  }
  std::mt19937 random(seed);
  std::shuffle(all.begin(), all.end(), random);
  all.resize(std::min(all.size(), pairs));
  std::vector<topology::PathTable> tables;
  for (const auto& [source, destination] : all) {
    tables.push_back(tracer.Trace(source, destination));
  }
  return tables;
}

std::vector<std::string> HostNames(const Fabric& fabric) {
  std::vector<std::string> names;
  for (const Node& node : fabric.nodes()) {
    if (node.kind == NodeKind::kHost) names.push_back(node.name);
  }
  return names;
}

uint32_t CountPaths(const std::vector<topology::PathTable>& tables, topology::PathState state) {
  uint32_t count = 0;
  for (const topology::PathTable& table : tables) {
    for (const topology::Path& path : table.paths) count += path.state == state ? 1U : 0U;
  }
  return count;
}

}  // namespace weft::analyzer
