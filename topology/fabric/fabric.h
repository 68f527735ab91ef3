// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "topology/records/fabric_records.h"
#include "wire/ip_address.h"

namespace weft::topology {

// Index types of one Fabric; never stored in records, which name things.
using NodeIndex = uint32_t;
using LinkIndex = uint32_t;

// One way along a link: link * 2, plus 1 when it goes from b to a.
struct Direction {
  LinkIndex link = 0;
  bool reversed = false;
  auto operator<=>(const Direction&) const = default;
  uint32_t index() const { return link * 2 + (reversed ? 1 : 0); }
};

// A link seen from one of its nodes.
struct Adjacency {
  NodeIndex neighbour = 0;
  Direction direction;              // from this node to the neighbour
  std::string interface;            // this node's
  std::string neighbour_interface;  // the neighbour's
};

// An interface by its place: node(owner.node).interfaces[owner.interface].
struct InterfaceIndex {
  NodeIndex node = 0;
  uint32_t interface = 0;
  bool operator==(const InterfaceIndex&) const = default;
};

// The fabric as a graph: nodes with named interfaces, and cables between them. Node names are
// unique; so are addresses (of interfaces and of nodes) and (node, interface) pairs. Grows by
// adding; lookups are hashed. Not thread-safe while it grows.
class Fabric {
 public:
  // Nodes first, links after; the first thing wrong is named: "node \"leaf1\": the name is used
  // twice".
  static absl::StatusOr<Fabric> FromRecords(std::span<const FabricRecord> records);
  std::vector<FabricRecord> ToRecords() const;

  absl::StatusOr<NodeIndex> AddNode(Node node);
  // Adds an interface that a node lacks. Both ends of a link must name interfaces that exist.
  absl::Status AddInterface(NodeIndex node, Interface interface);
  absl::StatusOr<LinkIndex> AddLink(Link link);

  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Link>& links() const { return links_; }
  const Node& node(NodeIndex index) const { return nodes_[index]; }
  const Link& link(LinkIndex index) const { return links_[index]; }
  std::span<const Adjacency> adjacencies(NodeIndex node) const { return adjacencies_[node]; }

  std::optional<NodeIndex> FindNode(std::string_view name) const;
  std::optional<NodeIndex> FindAddress(const wire::IpAddress& address) const;  // whose it is
  // nullopt for an address of the node itself (a loopback), too.
  std::optional<InterfaceIndex> FindAddressInterface(const wire::IpAddress& address) const;
  // nullptr: the node has no interface of this name. Valid until the node gets another interface.
  const Interface* FindInterface(NodeIndex node, std::string_view interface) const;
  // The link plugged into this interface, and its way out of it.
  std::optional<Adjacency> FindPort(NodeIndex node, std::string_view interface) const;

  NodeIndex From(Direction direction) const;
  NodeIndex To(Direction direction) const;
  DirectedLink Describe(Direction direction) const;
  // Both ends are switches.
  bool BetweenSwitches(LinkIndex link) const;

  // Component number of each node, from 0; several: the fabric is in several parts.
  std::vector<uint32_t> Components() const;

 private:
  static constexpr uint32_t kNoAdjacency = ~uint32_t{0};  // nothing is plugged in

  static constexpr uint32_t kNodeItself = ~uint32_t{0};  // an InterfaceIndex's, for loopbacks

  struct Port {
    uint32_t interface = 0;             // in the node's interfaces
    uint32_t adjacency = kNoAdjacency;  // in the node's adjacencies
  };

  void RemoveLastNode();
  absl::Status ClaimAddress(const wire::IpAddress& address, InterfaceIndex owner);
  absl::StatusOr<NodeIndex> CheckFreePort(const Link& link, const PortRef& port) const;
  void Plug(NodeIndex node, Adjacency adjacency);

  std::vector<Node> nodes_;
  std::vector<Link> links_;
  std::vector<std::vector<Adjacency>> adjacencies_;
  std::vector<absl::flat_hash_map<std::string, Port>> ports_;  // per node, by interface name
  std::vector<std::pair<NodeIndex, NodeIndex>> link_ends_;
  absl::flat_hash_map<std::string, NodeIndex> by_name_;
  absl::flat_hash_map<wire::IpAddress, InterfaceIndex> by_address_;
};

}  // namespace weft::topology
