// SPDX-License-Identifier: Apache-2.0
#include "topology/check/node_matching.h"

#include <algorithm>
#include <map>

namespace weft::topology {
namespace {

bool HasOneOrMore(const Fabric& fabric) {
  return std::any_of(fabric.links().begin(), fabric.links().end(),
                     [](const Link& link) { return link.one_or_more; });
}

class NodeMatcher {
 public:
  NodeMatcher(const Fabric& blueprint, const Fabric& actual)
      : blueprint_(blueprint),
        actual_(actual),
        one_or_more_(HasOneOrMore(blueprint) || HasOneOrMore(actual)) {
    result_.blueprint_of.resize(actual.nodes().size());
    result_.how.resize(actual.nodes().size());
    result_.equals.resize(actual.nodes().size());
    result_.actual_nodes.resize(blueprint.nodes().size());
    result_.blueprint_nodes.resize(actual.nodes().size());
  }

  NodeMatching Match() {
    for (NodeIndex node = 0; node < actual_.nodes().size(); ++node) MatchByAddress(node);
    for (NodeIndex node = 0; node < actual_.nodes().size(); ++node) MatchByName(node);
    // A place that is one of a kind may make others so: those of several equals come last.
    while (MatchPlaces(/*with_equals=*/false) || MatchPlaces(/*with_equals=*/true)) {
    }
    return std::move(result_);
  }

 private:
  // Nodes by place: the blueprint's names for their neighbours, as far as those are matched.
  using Place = std::vector<NodeIndex>;
  struct Candidates {
    std::vector<NodeIndex> blueprint;
    std::vector<NodeIndex> actual;
  };

  void Add(NodeIndex blueprint, NodeIndex actual, MatchedBy how) {
    if (!result_.blueprint_of[actual]) {
      result_.blueprint_of[actual] = blueprint;
      result_.how[actual] = how;
    }
    result_.actual_nodes[blueprint].push_back(actual);
    result_.blueprint_nodes[actual].push_back(blueprint);
  }

  void MatchByAddress(NodeIndex actual) {
    std::map<NodeIndex, size_t> shared;  // blueprint node -> addresses in common
    for (const wire::IpAddress& address : actual_.node(actual).addresses) {
      if (const auto owner = blueprint_.FindAddress(address)) ++shared[*owner];
    }
    for (const Interface& interface : actual_.node(actual).interfaces) {
      if (interface.address.empty()) continue;
      if (const auto owner = blueprint_.FindAddress(interface.address)) ++shared[*owner];
    }
    std::vector<std::pair<NodeIndex, size_t>> ranked(shared.begin(), shared.end());
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const auto& [blueprint, count] : ranked) Add(blueprint, actual, MatchedBy::kAddress);
  }

  void MatchByName(NodeIndex actual) {
    if (result_.blueprint_of[actual]) return;
    const auto blueprint = blueprint_.FindNode(actual_.node(actual).name);
    if (blueprint && result_.actual_nodes[*blueprint].empty()) {
      Add(*blueprint, actual, MatchedBy::kName);
    }
  }

  Place PlaceInActual(NodeIndex node) const {
    Place place;
    for (const Adjacency& adjacency : actual_.adjacencies(node)) {
      if (const auto match = result_.blueprint_of[adjacency.neighbour]) place.push_back(*match);
    }
    Tidy(place);
    return place;
  }

  Place PlaceInBlueprint(NodeIndex node) const {
    Place place;
    for (const Adjacency& adjacency : blueprint_.adjacencies(node)) {
      if (!result_.actual_nodes[adjacency.neighbour].empty()) place.push_back(adjacency.neighbour);
    }
    Tidy(place);
    return place;
  }

  // Where cables were not told apart, their number says nothing of a place.
  void Tidy(Place& place) const {
    std::sort(place.begin(), place.end());
    if (one_or_more_) place.erase(std::unique(place.begin(), place.end()), place.end());
  }

  bool KindsAllow(NodeIndex blueprint, NodeIndex actual) const {
    const NodeKind a = blueprint_.node(blueprint).kind;
    const NodeKind b = actual_.node(actual).kind;
    return a == b || a == NodeKind::kUnknown || b == NodeKind::kUnknown;
  }

  // One round over all that is unmatched; true if anything was matched.
  bool MatchPlaces(bool with_equals) {
    std::map<Place, Candidates> places;
    for (NodeIndex node = 0; node < actual_.nodes().size(); ++node) {
      if (!result_.blueprint_of[node]) places[PlaceInActual(node)].actual.push_back(node);
    }
    if (places.empty()) return false;
    for (NodeIndex node = 0; node < blueprint_.nodes().size(); ++node) {
      if (result_.actual_nodes[node].empty()) {
        places[PlaceInBlueprint(node)].blueprint.push_back(node);
      }
    }
    bool any = false;
    for (const auto& [place, candidates] : places) {
      if (place.empty()) continue;  // knows no neighbour: stands nowhere
      const size_t most = std::max(candidates.blueprint.size(), candidates.actual.size());
      if (most > 1 && !with_equals) continue;
      any = MatchPlace(candidates) || any;
    }
    return any;
  }

  bool MatchPlace(const Candidates& candidates) {
    const size_t count = std::min(candidates.blueprint.size(), candidates.actual.size());
    const size_t most = std::max(candidates.blueprint.size(), candidates.actual.size());
    bool any = false;
    for (size_t i = 0; i < count; ++i) {
      const NodeIndex actual = candidates.actual[i];
      if (!KindsAllow(candidates.blueprint[i], actual)) continue;
      Add(candidates.blueprint[i], actual, MatchedBy::kPlace);
      result_.equals[actual] = static_cast<uint32_t>(most);
      any = true;
    }
    return any;
  }

  const Fabric& blueprint_;
  const Fabric& actual_;
  const bool one_or_more_;
  NodeMatching result_;
};

}  // namespace

NodeMatching MatchNodes(const Fabric& blueprint, const Fabric& actual) {
  return NodeMatcher(blueprint, actual).Match();
}

}  // namespace weft::topology
