// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/cuts.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>

#include "lb/assign/node_groups.h"

namespace weft::lb {
namespace {

constexpr double kWholeStep = 1 - 1e-6;  // of a flow, with what rounding takes from its shares
constexpr uint32_t kAny = kNoRoute;

using CutKey = std::pair<uint32_t, uint32_t>;

enum Kind : uint8_t {
  kSourceLeaf,
  kDestinationLeaf,
  kLeafPair,
  kSourcePod,
  kDestinationPod,
  kPodPair,
  kSourceSpine,
  kDestinationSpine,
  kKindCount
};

// Where each step of a route begins in its links; the last entry is their number.
void FindSteps(const Route& route, std::vector<size_t>* begins) {
  begins->clear();
  double share = 1;
  for (size_t i = 0; i < route.links.size(); ++i) {
    if (share >= kWholeStep) {
      begins->push_back(i);
      share = 0;
    }
    share += route.Share(i);
  }
  begins->push_back(route.links.size());
}

class Finder {
 public:
  explicit Finder(const Problem& problem)
      : problem_(problem), seen_(problem.routes.size(), 0), pods_(problem.links) {
    for (const FlowChoices& flow : problem.flows) {
      for (uint32_t route : flow.routes) JoinPods(route);
    }
    std::fill(seen_.begin(), seen_.end(), 0);
  }

  std::vector<CutSide> Run() {
    for (const FlowChoices& flow : problem_.flows) AddFlow(flow);
    std::vector<CutSide> sides;
    for (uint8_t kind = 0; kind < kKindCount; ++kind) {
      if (cuts_[kind].empty()) continue;
      CutSide side{{}, elsewhere_bps_[kind]};
      for (auto& [key, cut] : cuts_[kind]) {
        std::sort(cut.whole_bps.begin(), cut.whole_bps.end(), std::greater<>());
        std::sort(cut.free_bps.begin(), cut.free_bps.end(), std::greater<>());
        std::sort(cut.links.begin(), cut.links.end());
        cut.links.erase(std::unique(cut.links.begin(), cut.links.end()), cut.links.end());
        side.cuts.push_back(std::move(cut));
      }
      sides.push_back(std::move(side));
    }
    return sides;
  }

 private:
  // What is to be known of a flow: where it begins and ends, and how it can leave its pod.
  struct Ends {
    uint32_t source = 0;
    uint32_t destination = 0;
    bool crosses_pods = true;              // on every route
    std::optional<uint32_t> source_spine;  // the only one
    std::optional<uint32_t> destination_spine;
  };

  void JoinPods(uint32_t route) {
    if (std::exchange(seen_[route], 1) != 0) return;
    const std::vector<uint32_t>& links = problem_.routes[route].links;
    if (links.empty()) return;
    FindSteps(problem_.routes[route], &steps_);
    for (size_t i = 0; i < links.size(); ++i) {
      const bool outer = i < steps_[1] || i >= steps_[steps_.size() - 2];
      if (outer) pods_.Join(problem_.links[links[i]].from, problem_.links[links[i]].to);
    }
  }

  Ends EndsOf(const FlowChoices& flow) {
    const std::vector<uint32_t>& first = problem_.routes[flow.routes.front()].links;
    Ends ends;
    ends.source = problem_.links[first.front()].from;
    ends.destination = problem_.links[first.back()].to;
    ends.source_spine = problem_.links[first.front()].to;
    ends.destination_spine = problem_.links[first.back()].from;
    for (uint32_t route : flow.routes) {
      const Route& way = problem_.routes[route];
      const auto keep = [](std::optional<uint32_t>* only, uint32_t node) {
        if (*only != node) only->reset();
      };
      keep(&ends.source_spine, problem_.links[way.links.front()].to);
      keep(&ends.destination_spine, problem_.links[way.links.back()].from);
      if (way.shares.empty()) {
        ends.crosses_pods = ends.crosses_pods && way.links.size() >= 4;
        continue;
      }
      FindSteps(way, &steps_);
      ends.crosses_pods = ends.crosses_pods && steps_.size() > 4;
      if (steps_[1] > 1) ends.source_spine.reset();
      if (steps_[steps_.size() - 2] + 1 < way.links.size()) ends.destination_spine.reset();
    }
    return ends;
  }

  void AddFlow(const FlowChoices& flow) {
    if (flow.routes.empty()) return;
    if (problem_.routes[flow.routes.front()].links.empty()) {
      for (double& bps : elsewhere_bps_) bps += flow.rate_bps;
      return;
    }
    const Ends ends = EndsOf(flow);
    AddToCut(kSourceLeaf, CutKey(ends.source, kAny), flow);
    AddToCut(kDestinationLeaf, CutKey(kAny, ends.destination), flow);
    AddToCut(kLeafPair, CutKey(ends.source, ends.destination), flow);
    const bool crosses = ends.crosses_pods;
    const uint32_t from_pod = pods_.Of(ends.source);
    const uint32_t to_pod = pods_.Of(ends.destination);
    AddToCut(kSourcePod, crosses ? std::optional(CutKey(from_pod, kAny)) : std::nullopt, flow);
    AddToCut(kDestinationPod, crosses ? std::optional(CutKey(kAny, to_pod)) : std::nullopt, flow);
    AddToCut(kPodPair, crosses ? std::optional(CutKey(from_pod, to_pod)) : std::nullopt, flow);
    const auto spine_key = [&](const std::optional<uint32_t>& spine) -> std::optional<CutKey> {
      if (!crosses || !spine) return std::nullopt;
      return CutKey(*spine, kAny);
    };
    AddToCut(kSourceSpine, spine_key(ends.source_spine), flow);
    AddToCut(kDestinationSpine, spine_key(ends.destination_spine), flow);
    AddLinks(flow, ends);
  }

  void AddToCut(Kind kind, const std::optional<CutKey>& key, const FlowChoices& flow) {
    current_[kind] = key ? &cuts_[kind][*key] : nullptr;
    if (!key) {
      elsewhere_bps_[kind] += flow.rate_bps;
      return;
    }
    const bool whole = std::all_of(flow.routes.begin(), flow.routes.end(), [&](uint32_t route) {
      return problem_.routes[route].shares.empty();
    });
    if (whole) {
      current_[kind]->whole_bps.push_back(flow.rate_bps);
      if (flow.routes.size() > 1) current_[kind]->free_bps.push_back(flow.rate_bps);
    } else {
      current_[kind]->split_bps += flow.rate_bps;
    }
  }

  // A route's links are the same in every cut of a leaf or a pod, so once is enough there.
  void AddLinks(const FlowChoices& flow, const Ends& ends) {
    const uint8_t mark = ends.crosses_pods ? 2 : 1;
    const bool by_spine =
        current_[kSourceSpine] != nullptr || current_[kDestinationSpine] != nullptr;
    for (uint32_t route : flow.routes) {
      const bool known = std::exchange(seen_[route], std::max(seen_[route], mark)) >= mark;
      if (known && !by_spine) continue;
      FindSteps(problem_.routes[route], &steps_);
      const size_t last = steps_.size() - 2;
      Append(kSourceLeaf, route, 0);
      Append(kDestinationLeaf, route, last);
      Append(kLeafPair, route, 0);
      if (!ends.crosses_pods) continue;
      Append(kSourcePod, route, 1);
      Append(kDestinationPod, route, last - 1);
      Append(kPodPair, route, 1);
      Append(kSourceSpine, route, 1);
      Append(kDestinationSpine, route, last - 1);
    }
  }

  void Append(Kind kind, uint32_t route, size_t step) {
    if (current_[kind] == nullptr) return;
    const std::vector<uint32_t>& links = problem_.routes[route].links;
    for (size_t i = steps_[step]; i < steps_[step + 1]; ++i) {
      current_[kind]->links.push_back(links[i]);
    }
  }

  const Problem& problem_;
  std::vector<uint8_t> seen_;  // by route: its links are in the cuts of leaves (1) and of pods (2)
  NodeGroups pods_;
  std::vector<size_t> steps_;  // of the route at hand
  std::array<std::map<CutKey, Cut>, kKindCount> cuts_;
  std::array<Cut*, kKindCount> current_{};  // the cuts of the flow at hand
  std::array<double, kKindCount> elsewhere_bps_{};
};

}  // namespace

std::vector<CutSide> FindCuts(const Problem& problem) { return Finder(problem).Run(); }

}  // namespace weft::lb
