// SPDX-License-Identifier: Apache-2.0
#include "programs/weft-topo/host_pair.h"

#include <optional>
#include <utility>

#include "programs/weft-topo/node_text.h"

namespace weft::topo {
namespace {

using topology::Fabric;
using topology::NodeIndex;

// A host by name, or else by address.
absl::StatusOr<NodeIndex> FindHost(const Fabric& fabric, const std::string& text) {
  std::optional<NodeIndex> node = fabric.FindNode(text);
  if (!node) {
    if (const auto address = wire::IpAddress::Parse(text)) node = fabric.FindAddress(*address);
  }
  if (!node) {
    return absl::InvalidArgumentError("\"" + text +
                                      "\": no node of the fabric has this name or address");
  }
  if (fabric.node(*node).kind != topology::NodeKind::kHost) {
    return absl::InvalidArgumentError("\"" + text + "\": it is of kind " +
                                      KindName(fabric.node(*node).kind) + ": expected a host");
  }
  return *node;
}

}  // namespace

absl::StatusOr<HostPair> FindPair(const Fabric& fabric, const std::string& from,
                                  const std::string& to) {
  const auto first = FindHost(fabric, from);
  if (!first.ok()) return first.status();
  const auto second = FindHost(fabric, to);
  if (!second.ok()) return second.status();
  if (*first == *second) {
    return absl::InvalidArgumentError("\"" + to + "\": expected two different hosts");
  }
  return HostPair{*first, *second};
}

absl::StatusOr<topology::HashedHeaders> HeadersBetween(const Fabric& fabric, HostPair pair) {
  topology::HashedHeaders headers;
  for (auto [node, address] :
       {std::pair(pair.from, &headers.source), std::pair(pair.to, &headers.destination)}) {
    const std::string text = FirstAddress(fabric.node(node));
    if (text.empty()) {
      return absl::InvalidArgumentError("node \"" + fabric.node(node).name +
                                        "\" has no address: a hash needs both");
    }
    *address = *wire::IpAddress::Parse(text);
  }
  return headers;
}

}  // namespace weft::topo
