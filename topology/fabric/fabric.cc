// SPDX-License-Identifier: Apache-2.0
#include "topology/fabric/fabric.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace weft::topology {
namespace {

// Debian's absl::string_view is a type of its own, and the only one its maps can be asked with.
absl::string_view Key(std::string_view text) { return {text.data(), text.size()}; }

absl::Status NodeError(const std::string& node, const std::string& problem) {
  return absl::InvalidArgumentError(absl::StrCat("node \"", node, "\": ", problem));
}

std::string LinkName(const Link& link) {
  return absl::StrCat("link ", ToString(link.a), " - ", ToString(link.b));
}

}  // namespace

absl::StatusOr<Fabric> Fabric::FromRecords(std::span<const FabricRecord> records) {
  Fabric fabric;
  for (const FabricRecord& record : records) {
    if (const Node* node = std::get_if<Node>(&record)) {
      absl::StatusOr<NodeIndex> added = fabric.AddNode(*node);
      if (!added.ok()) return added.status();
    }
  }
  for (const FabricRecord& record : records) {
    if (const Link* link = std::get_if<Link>(&record)) {
      absl::StatusOr<LinkIndex> added = fabric.AddLink(*link);
      if (!added.ok()) return added.status();
    }
  }
  return fabric;
}

std::vector<FabricRecord> Fabric::ToRecords() const {
  std::vector<FabricRecord> records;
  records.reserve(nodes_.size() + links_.size());
  records.insert(records.end(), nodes_.begin(), nodes_.end());
  records.insert(records.end(), links_.begin(), links_.end());
  return records;
}

absl::StatusOr<NodeIndex> Fabric::AddNode(Node node) {
  if (node.name.empty()) return NodeError("", "expected a name");
  if (by_name_.contains(node.name)) return NodeError(node.name, "the name is used twice");
  std::vector<Interface> interfaces = std::exchange(node.interfaces, {});
  std::vector<wire::IpAddress> addresses = std::exchange(node.addresses, {});
  const auto index = static_cast<NodeIndex>(nodes_.size());
  by_name_.emplace(node.name, index);
  nodes_.push_back(std::move(node));
  adjacencies_.emplace_back();
  ports_.emplace_back();
  for (Interface& interface : interfaces) {
    absl::Status status = AddInterface(index, std::move(interface));
    if (!status.ok()) {
      RemoveLastNode();
      return status;
    }
  }
  for (const wire::IpAddress& address : addresses) {
    absl::Status status = ClaimAddress(address, {index, kNodeItself});
    if (!status.ok()) {
      RemoveLastNode();
      return status;
    }
    nodes_[index].addresses.push_back(address);
  }
  return index;
}

void Fabric::RemoveLastNode() {
  const Node& node = nodes_.back();
  for (const Interface& interface : node.interfaces) by_address_.erase(interface.address);
  for (const wire::IpAddress& address : node.addresses) by_address_.erase(address);
  by_name_.erase(node.name);
  nodes_.pop_back();
  adjacencies_.pop_back();
  ports_.pop_back();
}

absl::Status Fabric::AddInterface(NodeIndex node, Interface interface) {
  const std::string& name = nodes_[node].name;
  if (interface.name.empty()) return NodeError(name, "expected a name for every interface");
  if (ports_[node].contains(interface.name)) {
    return NodeError(name, absl::StrCat("interface \"", interface.name, "\" is named twice"));
  }
  const auto index = static_cast<uint32_t>(nodes_[node].interfaces.size());
  if (!interface.address.empty()) {
    absl::Status status = ClaimAddress(interface.address, {node, index});
    if (!status.ok()) return status;
  }
  ports_[node].emplace(interface.name, Port{index, kNoAdjacency});
  nodes_[node].interfaces.push_back(std::move(interface));
  return absl::OkStatus();
}

absl::Status Fabric::ClaimAddress(const wire::IpAddress& address, InterfaceIndex owner) {
  if (address.empty()) return NodeError(nodes_[owner.node].name, "expected no empty address");
  const auto [first, added] = by_address_.emplace(address, owner);
  if (added) return absl::OkStatus();
  return NodeError(nodes_[owner.node].name,
                   absl::StrCat("address ", address.ToString(), " is used twice, first by node \"",
                                nodes_[first->second.node].name, "\""));
}

absl::StatusOr<NodeIndex> Fabric::CheckFreePort(const Link& link, const PortRef& port) const {
  const std::optional<NodeIndex> node = FindNode(port.node);
  if (!node) {
    return absl::InvalidArgumentError(
        absl::StrCat(LinkName(link), ": there is no node \"", port.node, "\""));
  }
  const auto found = ports_[*node].find(port.interface);
  if (found == ports_[*node].end()) {
    return absl::InvalidArgumentError(absl::StrCat(LinkName(link), ": node \"", port.node,
                                                   "\" has no interface \"", port.interface, "\""));
  }
  if (found->second.adjacency != kNoAdjacency) {
    const Link& other = links_[adjacencies_[*node][found->second.adjacency].direction.link];
    return absl::InvalidArgumentError(absl::StrCat(LinkName(link), ": ", ToString(port),
                                                   " is in use already, by ", LinkName(other)));
  }
  return *node;
}

absl::StatusOr<LinkIndex> Fabric::AddLink(Link link) {
  const absl::StatusOr<NodeIndex> a = CheckFreePort(link, link.a);
  if (!a.ok()) return a.status();
  const absl::StatusOr<NodeIndex> b = CheckFreePort(link, link.b);
  if (!b.ok()) return b.status();
  if (link.a == link.b) {
    return absl::InvalidArgumentError(
        absl::StrCat(LinkName(link), ": expected two different ends"));
  }
  const auto index = static_cast<LinkIndex>(links_.size());
  Plug(*a, {*b, {index, false}, link.a.interface, link.b.interface});
  Plug(*b, {*a, {index, true}, link.b.interface, link.a.interface});
  link_ends_.emplace_back(*a, *b);
  links_.push_back(std::move(link));
  return index;
}

void Fabric::Plug(NodeIndex node, Adjacency adjacency) {
  ports_[node][adjacency.interface].adjacency = static_cast<uint32_t>(adjacencies_[node].size());
  adjacencies_[node].push_back(std::move(adjacency));
}

std::optional<NodeIndex> Fabric::FindNode(std::string_view name) const {
  const auto found = by_name_.find(Key(name));
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

std::optional<InterfaceIndex> Fabric::FindAddressInterface(const wire::IpAddress& address) const {
  const auto found = by_address_.find(address);
  if (found == by_address_.end() || found->second.interface == kNodeItself) return std::nullopt;
  return found->second;
}

std::optional<NodeIndex> Fabric::FindAddress(const wire::IpAddress& address) const {
  const auto found = by_address_.find(address);
  if (found == by_address_.end()) return std::nullopt;
  return found->second.node;
}

const Interface* Fabric::FindInterface(NodeIndex node, std::string_view interface) const {
  const auto found = ports_[node].find(Key(interface));
  if (found == ports_[node].end()) return nullptr;
  return &nodes_[node].interfaces[found->second.interface];
}

std::optional<Adjacency> Fabric::FindPort(NodeIndex node, std::string_view interface) const {
  const auto found = ports_[node].find(Key(interface));
  if (found == ports_[node].end() || found->second.adjacency == kNoAdjacency) {
    return std::nullopt;
  }
  return adjacencies_[node][found->second.adjacency];
}

NodeIndex Fabric::From(Direction direction) const {
  const auto& [a, b] = link_ends_[direction.link];
  return direction.reversed ? b : a;
}

NodeIndex Fabric::To(Direction direction) const {
  const auto& [a, b] = link_ends_[direction.link];
  return direction.reversed ? a : b;
}

DirectedLink Fabric::Describe(Direction direction) const {
  const Link& link = links_[direction.link];
  return direction.reversed ? DirectedLink{link.b, link.a} : DirectedLink{link.a, link.b};
}

bool Fabric::BetweenSwitches(LinkIndex link) const {
  const auto& [a, b] = link_ends_[link];
  return nodes_[a].kind == NodeKind::kSwitch && nodes_[b].kind == NodeKind::kSwitch;
}

std::vector<uint32_t> Fabric::Components() const {
  constexpr uint32_t kNone = ~uint32_t{0};
  std::vector<uint32_t> component(nodes_.size(), kNone);
  std::vector<NodeIndex> pending;
  uint32_t count = 0;
  for (NodeIndex start = 0; start < nodes_.size(); ++start) {
    if (component[start] != kNone) continue;
    component[start] = count;
    pending.assign(1, start);
    while (!pending.empty()) {
      const NodeIndex node = pending.back();
      pending.pop_back();
      for (const Adjacency& adjacency : adjacencies_[node]) {
        if (component[adjacency.neighbour] != kNone) continue;
        component[adjacency.neighbour] = count;
        pending.push_back(adjacency.neighbour);
      }
    }
    ++count;
  }
  return component;
}

}  // namespace weft::topology
