// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/plan.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "lb/assign/bounds.h"
#include "lb/assign/candidates.h"
#include "lb/assign/local_search.h"
#include "lb/assign/pair_findings.h"
#include "lb/assign/plan_findings.h"
#include "lb/assign/ports.h"
#include "lb/assign/solve.h"

namespace weft::lb {
namespace {

// The problem as it would be if every pair had ports for all paths that live between its leaves.
std::optional<Problem> WithAllLivingRoutes(const Candidates& candidates) {
  const auto complete = [](const FlowPair& pair) { return pair.routes_without_port.empty(); };
  if (std::all_of(candidates.pairs.begin(), candidates.pairs.end(), complete)) return std::nullopt;
  Problem problem = candidates.problem;
  for (size_t flow = 0; flow < problem.flows.size(); ++flow) {
    const FlowPair& pair = candidates.pairs[candidates.pair_of_flow[flow]];
    std::vector<uint32_t> routes;
    std::set_union(problem.flows[flow].routes.begin(), problem.flows[flow].routes.end(),
                   pair.routes_without_port.begin(), pair.routes_without_port.end(),
                   std::back_inserter(routes));
    problem.flows[flow].routes = std::move(routes);
  }
  return problem;
}

void NoteWanted(const Placement& ideal, const Candidates& candidates, Plan* plan) {
  std::set<std::pair<uint32_t, uint32_t>> wanted;  // pair, route
  for (uint32_t flow = 0; flow < ideal.size(); ++flow) {
    const std::vector<uint32_t>& measured = candidates.problem.flows[flow].routes;
    if (ideal[flow] == kNoRoute ||
        std::binary_search(measured.begin(), measured.end(), ideal[flow])) {
      continue;
    }
    wanted.emplace(candidates.pair_of_flow[flow], ideal[flow]);
  }
  for (const auto& [pair_id, route] : wanted) {
    const FlowPair& pair = candidates.pairs[pair_id];
    const std::vector<std::string>& switches = candidates.switches_of_route[route];
    plan->wanted.push_back({pair.source, pair.destination, switches});
    plan->assignment.findings.push_back(PathWithoutPort(pair, switches));
  }
}

// What a placement puts on each link of the problem.
struct Crossing {
  double offered_bps = 0;
  std::vector<uint32_t> flows;
};

std::vector<Crossing> Crossings(const Candidates& candidates, const Placement& placement) {
  std::vector<Crossing> crossings(candidates.problem.links.size());
  for (uint32_t flow = 0; flow < placement.size(); ++flow) {
    if (placement[flow] == kNoRoute) continue;
    const FlowChoices& choices = candidates.problem.flows[flow];
    const auto cross = [&](uint32_t link, double share) {
      crossings[link].offered_bps += choices.rate_bps * share;
      crossings[link].flows.push_back(flow);
    };
    for (uint32_t link : choices.access_links) cross(link, 1);
    const Route& route = candidates.problem.routes[placement[flow]];
    for (size_t i = 0; i < route.links.size(); ++i) cross(route.links[i], route.Share(i));
  }
  return crossings;
}

// By name. Cables that count as one link are equally full.
std::vector<topology::LinkLoad> LinkLoads(const topology::Fabric& fabric,
                                          const Candidates& candidates,
                                          const Placement& placement) {
  const std::vector<Crossing> crossings = Crossings(candidates, placement);
  std::vector<std::optional<uint32_t>> link_of(fabric.links().size() * 2);
  for (uint32_t link = 0; link < candidates.cables_of_link.size(); ++link) {
    for (topology::Direction cable : candidates.cables_of_link[link]) {
      link_of[cable.index()] = link;
    }
  }
  std::vector<topology::LinkLoad> loads;
  for (uint32_t index = 0; index < link_of.size(); ++index) {
    const topology::Direction direction{index / 2, index % 2 == 1};
    topology::LinkLoad load;
    load.between_switches = fabric.BetweenSwitches(direction.link);
    const bool crossed = link_of[index] && !crossings[*link_of[index]].flows.empty();
    if (!load.between_switches && !crossed) continue;
    load.link = fabric.Describe(direction);
    load.capacity_bps = fabric.link(direction.link).capacity_bps;
    if (crossed) {
      const Crossing& crossing = crossings[*link_of[index]];
      const bool shared = candidates.cables_of_link[*link_of[index]].size() > 1;
      const double share =
          shared ? *load.capacity_bps / candidates.problem.links[*link_of[index]].capacity_bps : 1;
      load.offered_bps = crossing.offered_bps * share;
      for (uint32_t flow : crossing.flows) load.flows.push_back(candidates.flows[flow].id);
    }
    if (load.capacity_bps && *load.capacity_bps > 0) {
      load.load = load.offered_bps / *load.capacity_bps;
    }
    loads.push_back(std::move(load));
  }
  std::sort(loads.begin(), loads.end(),
            [](const auto& a, const auto& b) { return a.link < b.link; });
  return loads;
}

std::vector<TierLoad> TierLoads(const topology::Fabric& fabric,
                                const std::vector<topology::LinkLoad>& links) {
  std::map<std::tuple<bool, uint32_t, uint32_t>, TierLoad> tiers;  // downwards, from, to
  for (const topology::LinkLoad& link : links) {
    if (!link.between_switches || !link.load) continue;
    const auto from = fabric.node(*fabric.FindNode(link.link.from.node)).tier;
    const auto to = fabric.node(*fabric.FindNode(link.link.to.node)).tier;
    if (!from || !to) continue;
    const uint32_t order = *from < *to ? *from : ~*from;  // down: from the top
    TierLoad& tier = tiers[{*from > *to, order, *to}];
    tier.from_tier = *from;
    tier.to_tier = *to;
    ++tier.links;
    if (!link.flows.empty()) ++tier.crossed;
    tier.mean_load += *link.load;
    tier.fullest = std::max(tier.fullest, *link.load);
  }
  std::vector<TierLoad> loads;
  for (auto& [key, tier] : tiers) {
    tier.mean_load /= tier.links;
    loads.push_back(tier);
  }
  return loads;
}

// What the flows' present ports make of the fabric.
void NotePresent(const Problem& problem, Plan* plan) {
  Placement present;
  bool any = false;
  for (const FlowChoices& flow : problem.flows) {
    present.push_back(flow.present);
    any = any || flow.present != kNoRoute;
    if (!flow.routes.empty() && flow.present == kNoRoute) ++plan->unknown_before;
  }
  if (any) plan->fullest_link_before = ScoreOf(problem, present).fullest_link;
}

void NoteComputedPorts(const std::vector<uint32_t>& flows, const Candidates& candidates,
                       Plan* plan) {
  if (flows.empty()) return;
  std::vector<std::string> ids;
  for (uint32_t flow : flows) ids.push_back(candidates.flows[flow].id);
  const auto planned = std::count_if(candidates.flows.begin(), candidates.flows.end(),
                                     [](const topology::Flow& flow) { return !flow.path.empty(); });
  plan->assignment.findings.push_back(ComputedPorts(ids, static_cast<size_t>(planned)));
}

}  // namespace

absl::StatusOr<Plan> PlanFlows(const topology::Fabric& fabric,
                               std::span<const topology::Flow> flows,
                               std::span<const topology::PathTable> tables) {
  absl::StatusOr<Candidates> candidates = FindCandidates(fabric, flows, tables);
  if (!candidates.ok()) return candidates.status();
  const Problem& problem = candidates->problem;

  Plan plan;
  plan.assignment.findings = candidates->findings;
  NotePresent(problem, &plan);
  const std::optional<Problem> all_living = WithAllLivingRoutes(*candidates);
  const Bounds bounds = ComputeBounds(all_living ? *all_living : problem);
  Solution solution;
  if (all_living) {
    const Solution ideal = Solve(*all_living, bounds, {});
    solution = Solve(problem, bounds, std::span(&ideal.placement, 1));
    if (IsBetter({ScoreOf(*all_living, ideal.placement).fullest_link,
                  ScoreOf(*all_living, ideal.placement).carried_share, 0},
                 {ScoreOf(problem, solution.placement).fullest_link,
                  ScoreOf(problem, solution.placement).carried_share, 0})) {
      NoteWanted(ideal.placement, *candidates, &plan);
    }
  } else {
    solution = Solve(problem, bounds, {});
  }

  const Score score = ScoreOf(problem, solution.placement);
  for (const topology::Flow& flow : candidates->flows) {
    plan.ports_before.push_back(flow.udp_src_port);
  }
  NoteComputedPorts(ChoosePorts(solution.placement, &*candidates), *candidates, &plan);
  topology::Assignment& assignment = plan.assignment;
  assignment.links = LinkLoads(fabric, *candidates, solution.placement);
  plan.tiers = TierLoads(fabric, assignment.links);
  assignment.flows = std::move(candidates->flows);
  assignment.flows_moved = score.moved;
  assignment.fullest_link = score.fullest_link;
  assignment.lower_bound = bounds.integral;
  assignment.fluid_bound = bounds.fluid;
  assignment.carried_share = score.carried_share;
  assignment.fits_share = bounds.fits_share;
  assignment.method = solution.method;
  plan.unplanned = static_cast<uint32_t>(
      std::count(solution.placement.begin(), solution.placement.end(), kNoRoute));
  return plan;
}

}  // namespace weft::lb
