// SPDX-License-Identifier: Apache-2.0
// BM_PlanFlows is a whole plan, from records to records; the others solve alone, the problem being
// made outside the timed part.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>

#include "lb/assign/bounds.h"
#include "lb/assign/local_search.h"
#include "lb/assign/plan.h"
#include "lb/assign/two_tier.h"
#include "lb/demand/demand.h"
#include "tests/lb/traced_paths.h"
#include "tests/lb/two_tier_problem.h"
#include "topology/generate/leaf_spine.h"

namespace weft::lb {
namespace {

// `flows` equal flows, one from each host, on 64 leaves and 64 spines (1,024: 32 and 32), the hosts
// of a leaf sending as much as its uplinks take; present routes are ECMP's.
Problem ProblemOf(int64_t flows) {
  const uint32_t size = flows <= 1024 ? 32 : 64;
  const auto hosts_per_leaf = static_cast<uint32_t>(flows) / size;
  std::mt19937_64 random(1);
  Problem problem = TwoTierProblem(size, size, PermutationPairs(size, hosts_per_leaf, random), 1,
                                   static_cast<double>(hosts_per_leaf) / size);
  PlaceAtRandom(random, &problem);
  return problem;
}

void Finish(benchmark::State& state, const Problem& problem, const Placement& placement) {
  const Score score = ScoreOf(problem, placement);
  state.counters["fullest_link"] = score.fullest_link;
  state.counters["lower_bound"] = ComputeBounds(problem).integral;
  state.counters["moved_share"] = score.moved / static_cast<double>(problem.flows.size());
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(problem.flows.size()));
}

void BM_ExactTwoTier(benchmark::State& state) {
  const Problem problem = ProblemOf(state.range(0));
  Placement placement;
  for (auto iteration : state) placement = *SolveTwoTier(problem);
  Finish(state, problem, placement);
}
BENCHMARK(BM_ExactTwoTier)->Arg(1024)->Arg(32768)->Unit(benchmark::kMillisecond);

// With what a plan does after it: flows go back to their present routes where that costs nothing.
void BM_ExactTwoTierImproved(benchmark::State& state) {
  const Problem problem = ProblemOf(state.range(0));
  const Bounds bounds = ComputeBounds(problem);
  Placement placement;
  for (auto iteration : state) placement = Improve(problem, *SolveTwoTier(problem), bounds);
  Finish(state, problem, placement);
}
BENCHMARK(BM_ExactTwoTierImproved)->Arg(1024)->Arg(32768)->Unit(benchmark::kMillisecond);

void BM_LongestFirst(benchmark::State& state) {
  const Problem problem = ProblemOf(state.range(0));
  const Placement nothing(problem.flows.size(), kNoRoute);
  Placement placement;
  for (auto iteration : state) placement = PlaceLongestFirst(problem, nothing);
  Finish(state, problem, placement);
}
BENCHMARK(BM_LongestFirst)->Arg(1024)->Arg(32768)->Unit(benchmark::kMillisecond);

// One uplink of the fabric gone: not complete any more, so the general solver has it.
void BM_LocalSearchOneLinkDead(benchmark::State& state) {
  Problem problem = ProblemOf(state.range(0));
  for (FlowChoices& flow : problem.flows) {
    std::erase_if(flow.routes,
                  [&](uint32_t route) { return problem.routes[route].links.front() == 0; });
  }
  const Bounds bounds = ComputeBounds(problem);
  Placement placement;
  for (auto iteration : state) placement = SolveByLocalSearch(problem, bounds, {});
  Finish(state, problem, placement);
}
BENCHMARK(BM_LocalSearchOneLinkDead)->Arg(1024)->Arg(32768)->Unit(benchmark::kMillisecond);

// One flow from each of the hosts of 32 leaves, 32 spines, three ports a path; one table per flow.
void BM_PlanFlows(benchmark::State& state) {
  const auto hosts_per_leaf = static_cast<uint32_t>(state.range(0)) / 32;
  const topology::Fabric fabric =
      topology::GenerateLeafSpine({32, 32, hosts_per_leaf, 1e9 * hosts_per_leaf / 32, std::nullopt})
          .value();
  const auto flows = PermutationFlows(fabric, {1e9, 1, 1}).value();
  const auto tables = TracePairs(fabric, flows, {});
  Plan plan;
  for (auto iteration : state) plan = PlanFlows(fabric, flows, tables).value();
  state.counters["fullest_link"] = plan.assignment.fullest_link;
  state.counters["lower_bound"] = plan.assignment.lower_bound;
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_PlanFlows)->Arg(1024)->Arg(8192)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weft::lb
