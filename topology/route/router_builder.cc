// SPDX-License-Identifier: Apache-2.0
#include "topology/route/router_builder.h"

#include <algorithm>
#include <string>

namespace weft::topology {

Router::Builder::Builder(Router* router, std::span<const LinkIndex> links_down)
    : router_(*router),
      fabric_(*router->fabric_),
      interned_(0, GroupHash{&router->groups_}, GroupEqual{&router->groups_}) {
  for (const Node& node : fabric_.nodes()) is_host_.push_back(node.kind == NodeKind::kHost);
  CollectWays(links_down);
}

void Router::Builder::Build() {
  RankForwarders();
  AttachHosts();
  for (Attachment& attachment : router_.attachments_) FillRanges(attachment);
}

void Router::Builder::CollectWays(std::span<const LinkIndex> links_down) {
  std::vector<bool> down(fabric_.links().size());
  for (LinkIndex link : links_down) down[link] = true;
  ways_.resize(fabric_.nodes().size());
  std::vector<const Adjacency*> sorted;
  for (NodeIndex node = 0; node < ways_.size(); ++node) {
    sorted.clear();
    for (const Adjacency& adjacency : fabric_.adjacencies(node)) {
      if (!down[adjacency.direction.link]) sorted.push_back(&adjacency);
    }
    std::sort(sorted.begin(), sorted.end(),
              [](const Adjacency* a, const Adjacency* b) { return a->interface < b->interface; });
    for (const Adjacency* adjacency : sorted) {
      ways_[node].push_back({adjacency->neighbour, adjacency->direction});
    }
  }
}

// A host whose links all lead to one node needs no table: that way is its only one.
void Router::Builder::RankForwarders() {
  router_.forwarder_rank_.assign(ways_.size(), kNone);
  router_.only_way_.resize(ways_.size());
  for (NodeIndex node = 0; node < ways_.size(); ++node) {
    const std::vector<Way>& ways = ways_[node];
    const bool one_neighbour = std::all_of(ways.begin(), ways.end(), [&](const Way& way) {
      return way.neighbour == ways.front().neighbour;
    });
    if (is_host_[node] && one_neighbour) {
      std::vector<Direction> group;
      for (const Way& way : ways) group.push_back(way.direction);
      router_.only_way_[node] = Intern(group);
    } else {
      router_.forwarder_rank_[node] = static_cast<uint32_t>(forwarders_.size());
      forwarders_.push_back(node);
    }
  }
}

void Router::Builder::AttachHosts() {
  router_.attachment_of_.assign(ways_.size(), kNone);
  router_.last_hops_.resize(ways_.size());
  for (NodeIndex node = 0; node < ways_.size(); ++node) {
    if (is_host_[node] && !ways_[node].empty()) AttachHost(node);
  }
}

void Router::Builder::AttachHost(NodeIndex host) {
  std::vector<NodeIndex> nodes;
  for (const Way& way : ways_[host]) nodes.push_back(way.neighbour);
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  for (NodeIndex node : nodes) {
    std::vector<Direction> group;
    for (const Way& way : ways_[node]) {
      if (way.neighbour == host) group.push_back(way.direction);
    }
    router_.last_hops_[host].push_back({node, Intern(group)});
  }
  const auto next = static_cast<uint32_t>(router_.attachments_.size());
  const auto [found, added] = attachment_by_nodes_.emplace(nodes, next);
  if (added) router_.attachments_.push_back({std::move(nodes), {}});
  router_.attachment_of_[host] = found->second;
}

// Breadth first from the attachment's nodes outwards. Hosts are reached but not passed through.
void Router::Builder::FillRanges(Attachment& attachment) {
  distance_.assign(ways_.size(), kNone);
  queue_.clear();
  for (NodeIndex node : attachment.nodes) {
    distance_[node] = 0;
    queue_.push_back(node);
  }
  for (size_t i = 0; i < queue_.size(); ++i) {
    const NodeIndex node = queue_[i];
    if (is_host_[node]) continue;
    for (const Way& way : ways_[node]) {
      if (distance_[way.neighbour] != kNone) continue;
      distance_[way.neighbour] = distance_[node] + 1;
      queue_.push_back(way.neighbour);
    }
  }
  attachment.ranges.resize(forwarders_.size());
  std::vector<Direction> group;
  for (size_t rank = 0; rank < forwarders_.size(); ++rank) {
    const NodeIndex node = forwarders_[rank];
    if (distance_[node] == kNone || distance_[node] == 0) continue;
    group.clear();
    for (const Way& way : ways_[node]) {
      const bool nearer =
          distance_[way.neighbour] != kNone && distance_[way.neighbour] + 1 == distance_[node];
      if (nearer && !is_host_[way.neighbour]) group.push_back(way.direction);
    }
    attachment.ranges[rank] = Intern(group);
  }
}

size_t Router::Builder::GroupHash::operator()(std::span<const Direction> group) const {
  size_t hash = group.size();
  for (Direction direction : group) hash = (hash ^ direction.index()) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 32;
}

size_t Router::Builder::GroupHash::operator()(const Range& range) const {
  return (*this)(std::span(*groups).subspan(range.begin, range.count));
}

bool Router::Builder::GroupEqual::operator()(const Range& range,
                                             std::span<const Direction> group) const {
  return std::ranges::equal(std::span(*groups).subspan(range.begin, range.count), group);
}

Router::Range Router::Builder::Intern(std::span<const Direction> group) {
  if (group.empty()) return {};
  const auto found = interned_.find(group);
  if (found != interned_.end()) return *found;
  const Range fresh{static_cast<uint32_t>(router_.groups_.size()),
                    static_cast<uint32_t>(group.size())};
  router_.groups_.insert(router_.groups_.end(), group.begin(), group.end());
  interned_.insert(fresh);
  return fresh;
}

}  // namespace weft::topology
