// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/path_links.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace weft::lb {
namespace {

using topology::Direction;
using topology::NodeIndex;

Direction Reverse(Direction direction) { return {direction.link, !direction.reversed}; }

absl::Status HopError(size_t index, const topology::Hop& hop, const std::string& problem) {
  const std::string who = hop.address.empty() ? "silent" : hop.address.ToString();
  return absl::InvalidArgumentError(absl::StrCat("hop ", index + 1, " (", who, "): ", problem));
}

}  // namespace

PathLinks::PathLinks(const topology::Fabric* fabric) : fabric_(fabric) {
  for (NodeIndex node = 0; node < fabric->nodes().size(); ++node) {
    for (const topology::Interface& interface : fabric->node(node).interfaces) {
      if (interface.address.empty()) continue;
      const auto port = fabric->FindPort(node, interface.name);
      if (port) into_.emplace(interface.address, Reverse(port->direction));
    }
  }
}

std::optional<Direction> PathLinks::Into(const wire::IpAddress& address) const {
  const auto found = into_.find(address);
  if (found == into_.end()) return std::nullopt;
  return found->second;
}

std::optional<NodeIndex> PathLinks::NodeOfHop(const topology::Path& path, size_t hop) const {
  const topology::Hop& seen = path.hops[hop];
  if (!seen.address.empty()) return fabric_->FindAddress(seen.address);
  if (!seen.node.empty()) return fabric_->FindNode(seen.node);
  if (hop + 1 == path.hops.size()) return std::nullopt;
  const std::optional<Direction> next = Into(path.hops[hop + 1].address);
  if (!next) return std::nullopt;
  return fabric_->From(*next);
}

std::optional<Direction> PathLinks::OnlyLink(NodeIndex from, NodeIndex to) const {
  std::optional<Direction> only;
  for (const topology::Adjacency& adjacency : fabric_->adjacencies(from)) {
    if (adjacency.neighbour != to) continue;
    if (only) return std::nullopt;
    only = adjacency.direction;
  }
  return only;
}

absl::StatusOr<std::vector<Direction>> PathLinks::Of(const wire::IpAddress& source,
                                                     const wire::IpAddress& destination,
                                                     const topology::Path& path) const {
  const std::optional<Direction> into_source = Into(source);
  const std::optional<Direction> into_destination = Into(destination);
  if (!into_source || !into_destination) {
    const wire::IpAddress& unknown = into_source ? destination : source;
    return absl::InvalidArgumentError(
        absl::StrCat(unknown.ToString(), ": expected the address of a linked host interface"));
  }
  const NodeIndex first = fabric_->From(*into_source);
  const NodeIndex last = fabric_->From(*into_destination);
  std::vector<Direction> links = {Reverse(*into_source)};
  for (size_t i = 0; i < path.hops.size(); ++i) {
    const topology::Hop& hop = path.hops[i];
    std::optional<NodeIndex> node = NodeOfHop(path, i);
    if (!node && hop.address.empty() && i + 1 == path.hops.size()) node = last;
    if (!node) return HopError(i, hop, "expected the address of a switch in the fabric");
    const NodeIndex before = fabric_->To(links.back());
    if (i == 0) {
      if (*node != first) return HopError(i, hop, "expected the source's leaf");
      continue;
    }
    const std::optional<Direction> named = Into(hop.address);
    const bool from_before =
        named && fabric_->From(*named) == before && fabric_->To(*named) == *node;
    const std::optional<Direction> link = from_before ? named : OnlyLink(before, *node);
    if (!link) {
      return HopError(i, hop,
                      absl::StrCat("expected one link from ", fabric_->node(before).name, " to ",
                                   fabric_->node(*node).name));
    }
    links.push_back(*link);
  }
  if (fabric_->To(links.back()) != last) {
    return absl::InvalidArgumentError("its last hop is not the destination's leaf");
  }
  links.push_back(*into_destination);
  return links;
}

}  // namespace weft::lb
