// SPDX-License-Identifier: Apache-2.0
#include "topology/route/route.h"

#include <cassert>

#include "absl/strings/str_cat.h"
#include "topology/route/router_builder.h"

namespace weft::topology {

Router::Router(const Fabric* fabric, std::vector<HashModel> hashes,
               std::span<const LinkIndex> links_down)
    : fabric_(fabric), hashes_(std::move(hashes)) {
  assert(hashes_.size() == fabric_->nodes().size());
  Builder(this, links_down).Build();
}

Router::Range Router::RangeOf(NodeIndex node, NodeIndex host) const {
  const uint32_t attachment = attachment_of_[host];
  if (node == host || attachment == Builder::kNone) return {};
  for (const LastHop& last : last_hops_[host]) {
    if (last.node == node) return last.range;
  }
  if (forwarder_rank_[node] != Builder::kNone) {
    return attachments_[attachment].ranges[forwarder_rank_[node]];
  }
  // A host behind one node goes there, if that node knows a way on.
  const Range way = only_way_[node];
  if (way.count == 0) return {};
  const NodeIndex next = fabric_->To(groups_[way.begin]);
  const bool next_is_host = fabric_->node(next).kind == NodeKind::kHost;
  return next_is_host || RangeOf(next, host).count == 0 ? Range{} : way;
}

std::span<const Direction> Router::NextHops(NodeIndex node, NodeIndex host) const {
  const Range range = RangeOf(node, host);
  return std::span(groups_).subspan(range.begin, range.count);
}

std::optional<Direction> Router::NextHop(NodeIndex node, const HashedHeaders& headers) const {
  const std::optional<NodeIndex> host = fabric_->FindAddress(headers.destination);
  if (!host) return std::nullopt;
  const std::span<const Direction> group = NextHops(node, *host);
  if (group.empty()) return std::nullopt;
  if (group.size() == 1) return group.front();
  return group[ChooseMember(hashes_[node], headers, static_cast<uint32_t>(group.size()))];
}

absl::StatusOr<std::vector<Direction>> Router::Route(const HashedHeaders& headers) const {
  const std::optional<NodeIndex> source = fabric_->FindAddress(headers.source);
  const std::optional<NodeIndex> destination = fabric_->FindAddress(headers.destination);
  for (const auto& [node, address] :
       {std::pair(source, headers.source), std::pair(destination, headers.destination)}) {
    if (node) continue;
    return absl::NotFoundError(
        absl::StrCat("address \"", address.ToString(), "\": no node of the fabric has it"));
  }
  if (fabric_->node(*destination).kind != NodeKind::kHost) {
    return absl::NotFoundError(absl::StrCat("address ", headers.destination.ToString(), ": node \"",
                                            fabric_->node(*destination).name,
                                            "\" has it: expected a host's"));
  }
  std::vector<Direction> route;
  for (NodeIndex node = *source; node != *destination; node = fabric_->To(route.back())) {
    const std::optional<Direction> next = NextHop(node, headers);
    if (!next) {
      return absl::NotFoundError(absl::StrCat("no way from ", fabric_->node(*source).name, " to ",
                                              fabric_->node(*destination).name));
    }
    route.push_back(*next);
  }
  return route;
}

std::vector<std::vector<Direction>> Router::AllPaths(NodeIndex from_host, NodeIndex to_host,
                                                     size_t limit) const {
  std::vector<std::vector<Direction>> paths;
  std::vector<Direction> path;
  // Depth first; choice[i] is the member of the i-th group that is walked next.
  std::vector<size_t> choice(1, 0);
  while (!choice.empty() && paths.size() < limit) {
    const NodeIndex node = path.empty() ? from_host : fabric_->To(path.back());
    const std::span<const Direction> group = NextHops(node, to_host);
    if (node == to_host && !path.empty()) paths.push_back(path);
    if (choice.back() < group.size()) {
      path.push_back(group[choice.back()++]);
      choice.push_back(0);
    } else {
      choice.pop_back();
      if (!path.empty()) path.pop_back();
    }
  }
  return paths;
}

}  // namespace weft::topology
