// SPDX-License-Identifier: Apache-2.0
#include "topology/check/link_matching.h"

#include <array>

namespace weft::topology {
namespace {

// An end of an actual link, in the blueprint's terms.
struct End {
  std::optional<NodeIndex> node;
  const Interface* interface = nullptr;  // of the blueprint; nullptr: only the node is known
};

class LinkMatcher {
 public:
  LinkMatcher(const Fabric& blueprint, const Fabric& actual, const NodeMatching& nodes)
      : blueprint_(blueprint), actual_(actual), nodes_(nodes) {
    result_.blueprint_of.resize(actual.links().size());
    result_.actual_of.resize(blueprint.links().size());
  }

  LinkMatching Match() {
    const auto count = static_cast<LinkIndex>(actual_.links().size());
    for (LinkIndex link = 0; link < count; ++link) {
      ends_.push_back({Resolve(actual_.From({link, false}), actual_.link(link).a),
                       Resolve(actual_.From({link, true}), actual_.link(link).b)});
    }
    // What is known best chooses first.
    for (int ports_known : {2, 1, 0}) {
      for (LinkIndex link = 0; link < count; ++link) {
        const auto& [a, b] = ends_[link];
        if ((a.interface ? 1 : 0) + (b.interface ? 1 : 0) != ports_known) continue;
        if (!a.node || !b.node || actual_.link(link).one_or_more) continue;
        if (const auto match = Find(link, a, b)) {
          result_.blueprint_of[link] = *match;
          result_.actual_of[*match] = link;
        }
      }
    }
    for (LinkIndex link = 0; link < count; ++link) {
      const auto& [a, b] = ends_[link];
      if (!a.node || !b.node) continue;
      if (actual_.link(link).one_or_more) {
        MatchOneOrMore(link, *a.node, *b.node);
      } else if (!result_.blueprint_of[link]) {
        result_.blueprint_of[link] = OneOrMoreBetween(*a.node, *b.node);
      }
    }
    return std::move(result_);
  }

 private:
  End Resolve(NodeIndex node, const PortRef& port) {
    End end;
    end.node = nodes_.blueprint_of[node];
    const Interface* seen = actual_.FindInterface(node, port.interface);
    if (const auto owner = blueprint_.FindAddressInterface(seen->address)) {
      end.node = owner->node;
      end.interface = &blueprint_.node(owner->node).interfaces[owner->interface];
    } else if (end.node) {
      end.interface = blueprint_.FindInterface(*end.node, port.interface);
    }
    return end;
  }

  std::optional<LinkIndex> Find(LinkIndex link, const End& a, const End& b) {
    NotePort(link, a);
    NotePort(link, b);
    if (a.interface == nullptr && b.interface == nullptr)
      return FindBetween(link, *a.node, *b.node);
    const End& from = a.interface ? a : b;
    const End& to = a.interface ? b : a;
    const std::optional<Adjacency> way = blueprint_.FindPort(*from.node, from.interface->name);
    if (!way || way->neighbour != *to.node || result_.actual_of[way->direction.link]) {
      return std::nullopt;
    }
    if (to.interface && to.interface->name != way->neighbour_interface) return std::nullopt;
    return way->direction.link;
  }

  std::optional<LinkIndex> FindBetween(LinkIndex link, NodeIndex a, NodeIndex b) {
    const std::vector<LinkIndex> cables = Between(a, b);
    for (LinkIndex cable : cables) {
      if (result_.actual_of[cable]) continue;
      if (cables.size() > 1) result_.by_nodes_only.push_back(link);
      return cable;
    }
    return std::nullopt;
  }

  // The blueprint's cables between two of its nodes.
  std::vector<LinkIndex> Between(NodeIndex a, NodeIndex b) const {
    if (blueprint_.adjacencies(a).size() > blueprint_.adjacencies(b).size()) std::swap(a, b);
    std::vector<LinkIndex> cables;
    for (const Adjacency& adjacency : blueprint_.adjacencies(a)) {
      if (adjacency.neighbour == b) cables.push_back(adjacency.direction.link);
    }
    return cables;
  }

  void MatchOneOrMore(LinkIndex link, NodeIndex a, NodeIndex b) {
    const std::vector<LinkIndex> cables = Between(a, b);
    if (cables.empty()) return;
    result_.blueprint_of[link] = cables.front();
    for (LinkIndex cable : cables) {
      if (!result_.actual_of[cable]) result_.actual_of[cable] = link;
    }
    if (cables.size() > 1) {
      result_.not_told_apart.push_back({link, static_cast<uint32_t>(cables.size())});
    }
  }

  std::optional<LinkIndex> OneOrMoreBetween(NodeIndex a, NodeIndex b) const {
    for (LinkIndex cable : Between(a, b)) {
      if (blueprint_.link(cable).one_or_more) return cable;
    }
    return std::nullopt;
  }

  void NotePort(LinkIndex link, const End& end) {
    if (end.interface == nullptr) return;
    result_.at_port.emplace(ToString(PortRef{blueprint_.node(*end.node).name, end.interface->name}),
                            link);
  }

  const Fabric& blueprint_;
  const Fabric& actual_;
  const NodeMatching& nodes_;
  std::vector<std::array<End, 2>> ends_;
  LinkMatching result_;
};

}  // namespace

LinkMatching MatchLinks(const Fabric& blueprint, const Fabric& actual, const NodeMatching& nodes) {
  return LinkMatcher(blueprint, actual, nodes).Match();
}

}  // namespace weft::topology
