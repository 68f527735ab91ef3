// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "topology/records/record_codec.h"
#include "wire/ip_address.h"

// Nodes and links as they stand in files. topology/fabric is the model that is built from them.
namespace weft::topology {

enum class NodeKind : uint8_t { kUnknown, kHost, kSwitch };

struct Interface {
  std::string name;
  wire::IpAddress address;  // none: it has none, or it is not known
  bool operator==(const Interface&) const = default;
};

struct Node {
  std::string name;
  NodeKind kind = NodeKind::kUnknown;
  std::optional<uint32_t> tier;  // switches: leaf 0, spine 1, core 2; absent: not known, or a host
  std::vector<Interface> interfaces;
  // Of the node itself (loopbacks): what its interfaces without an address answer with.
  std::vector<wire::IpAddress> addresses{};
  bool operator==(const Node&) const = default;
};

// One end of a link: a node's interface (the switch or NIC socket a cable is plugged into).
struct PortRef {
  std::string node;
  std::string interface;
  auto operator<=>(const PortRef&) const = default;
};
std::string ToString(const PortRef& port);  // "leaf1:spine2"

// A cable, unordered. DirectedLink is one way along it.
struct Link {
  PortRef a;
  PortRef b;
  std::optional<double> capacity_bps;  // of one direction
  // At least one cable: traces cannot tell parallel links apart whose ends have no address.
  bool one_or_more = false;
  bool operator==(const Link&) const = default;
};

struct DirectedLink {
  PortRef from;
  PortRef to;
  auto operator<=>(const DirectedLink&) const = default;
};
std::string ToString(const DirectedLink& link);  // "leaf1 -> spine2"

using FabricRecord = std::variant<Node, Link>;
template <>
inline constexpr RecordKind kRecordKind<FabricRecord> = {"fabric", 1};

}  // namespace weft::topology
