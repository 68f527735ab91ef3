// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/path_links.h"

#include <algorithm>
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

std::optional<NodeIndex> PathLinks::NodeOfHop(const topology::Path& path, size_t hop,
                                              NodeIndex before) const {
  const topology::Hop& seen = path.hops[hop];
  if (!seen.address.empty()) return fabric_->FindAddress(seen.address);
  if (!seen.node.empty()) return fabric_->FindNode(seen.node);
  if (hop + 1 == path.hops.size()) return std::nullopt;
  const topology::Hop& next = path.hops[hop + 1];
  if (const std::optional<Direction> into_next = Into(next.address)) {
    return fabric_->From(*into_next);
  }
  const std::optional<NodeIndex> after =
      next.address.empty() ? fabric_->FindNode(next.node) : fabric_->FindAddress(next.address);
  return after ? OnlyNodeBetween(before, *after) : std::nullopt;
}

std::optional<NodeIndex> PathLinks::OnlyNodeBetween(NodeIndex before, NodeIndex after) const {
  std::optional<NodeIndex> only;
  for (const topology::Adjacency& adjacency : fabric_->adjacencies(before)) {
    if (adjacency.neighbour == only || Cables(adjacency.neighbour, after).empty()) continue;
    if (only) return std::nullopt;
    only = adjacency.neighbour;
  }
  return only;
}

Step PathLinks::Cables(NodeIndex from, NodeIndex to) const {
  Step cables;
  for (const topology::Adjacency& adjacency : fabric_->adjacencies(from)) {
    if (adjacency.neighbour == to) cables.push_back(adjacency.direction);
  }
  std::sort(cables.begin(), cables.end());
  return cables;
}

absl::StatusOr<std::vector<Step>> PathLinks::Of(const wire::IpAddress& source,
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
  std::vector<Step> steps = {{Reverse(*into_source)}};
  for (size_t i = 0; i < path.hops.size(); ++i) {
    const topology::Hop& hop = path.hops[i];
    const NodeIndex before = fabric_->To(steps.back().front());
    const bool silent = hop.address.empty() && hop.node.empty();
    std::optional<NodeIndex> node = silent && i == 0 ? first : NodeOfHop(path, i, before);
    if (!node && silent && i + 1 == path.hops.size()) node = last;
    if (!node) return HopError(i, hop, "expected the address of a switch in the fabric");
    if (i == 0) {
      if (*node != first) return HopError(i, hop, "expected the source's leaf");
      continue;
    }
    const std::optional<Direction> named = Into(hop.address);
    const bool from_before =
        named && fabric_->From(*named) == before && fabric_->To(*named) == *node;
    Step step = from_before ? Step{*named} : Cables(before, *node);
    if (step.empty()) {
      return HopError(i, hop,
                      absl::StrCat("expected a link from ", fabric_->node(before).name, " to ",
                                   fabric_->node(*node).name));
    }
    steps.push_back(std::move(step));
  }
  if (fabric_->To(steps.back().front()) != last) {
    return absl::InvalidArgumentError("its last hop is not the destination's leaf");
  }
  steps.push_back({*into_destination});
  return steps;
}

}  // namespace weft::lb
