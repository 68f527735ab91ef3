// SPDX-License-Identifier: Apache-2.0
// BM_PlanFlows is a whole plan, from records to records; the others solve alone, the problem being
// made outside the timed part.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "lb/assign/bounds.h"
#include "lb/assign/fat_tree.h"
#include "lb/assign/local_search.h"
#include "lb/assign/plan.h"
#include "lb/assign/two_tier.h"
#include "lb/demand/demand.h"
#include "tests/lb/traced_paths.h"
#include "tests/lb/two_tier_problem.h"
#include "topology/generate/leaf_spine.h"
#include "topology/generate/three_tier.h"

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

// 8 pods of 64 leaves and 64 spines, 64 cores a plane, 64 hosts a leaf: 32,768 hosts and 98,304
// cables, which is 196,608 directed links. Full-rate flows, one from each host, ECMP's paths now.
struct Tree {
  static constexpr uint32_t kPods = 8;
  static constexpr uint32_t kSize = 64;

  FatTree tree;
  std::vector<FatTreeFlow> flows;
};

Tree MakeTree() {
  Tree made;
  made.tree = {{}, Tree::kPods, Tree::kSize, Tree::kSize, 1, 1};
  for (uint32_t leaf = 0; leaf < Tree::kPods * Tree::kSize; ++leaf) {
    made.tree.pod_of_leaf.push_back(leaf / Tree::kSize);
  }
  std::mt19937_64 random(1);
  for (const LeafPair& pair : PermutationPairs(Tree::kPods * Tree::kSize, Tree::kSize, random)) {
    made.flows.push_back(
        {pair.source, pair.destination, Below(random, Tree::kSize), Below(random, Tree::kSize)});
  }
  return made;
}

// Flows on the links of a tree: up and down, leaf to spine by leaf and plane, spine to core by pod,
// plane and core.
class TreeLoad {
 public:
  explicit TreeLoad(const FatTree& tree) : tree_(tree) {
    leaf_.assign(2 * tree.pod_of_leaf.size() * tree.plane_count, 0);
    core_.assign(size_t{2} * tree.pod_count * tree.plane_count * tree.cores_per_plane, 0);
  }

  uint32_t FullestAfter(const FatTreeFlow& flow) { return Visit(flow, 0); }
  void Add(const FatTreeFlow& flow) { fullest_ = std::max(fullest_, Visit(flow, 1)); }
  uint32_t fullest() const { return fullest_; }

 private:
  uint32_t Visit(const FatTreeFlow& flow, uint32_t add) {
    uint32_t most = 0;
    const auto visit = [&](uint32_t& link) {
      most = std::max(most, link + 1);
      link += add;
    };
    const auto leaves = static_cast<uint32_t>(tree_.pod_of_leaf.size());
    visit(leaf_[size_t{flow.source_leaf} * tree_.plane_count + flow.plane]);
    visit(leaf_[size_t{leaves + flow.destination_leaf} * tree_.plane_count + flow.plane]);
    const uint32_t from = tree_.pod_of_leaf[flow.source_leaf];
    const uint32_t to = tree_.pod_of_leaf[flow.destination_leaf];
    if (from == to) return most;
    const auto core = [&](uint32_t pod) {
      return (size_t{pod} * tree_.plane_count + flow.plane) * tree_.cores_per_plane + flow.core;
    };
    visit(core_[core(from)]);
    visit(core_[core(tree_.pod_count + to)]);
    return most;
  }

  const FatTree& tree_;
  std::vector<uint32_t> leaf_;
  std::vector<uint32_t> core_;
  uint32_t fullest_ = 0;
};

void FinishTree(benchmark::State& state, const Tree& made) {
  TreeLoad load(made.tree);
  for (const FatTreeFlow& flow : made.flows) load.Add(flow);
  state.counters["fullest_link"] = load.fullest();
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(made.flows.size()));
}

void BM_ExactThreeTier(benchmark::State& state) {
  const Tree ecmp = MakeTree();
  Tree planned;
  for (auto iteration : state) {
    planned = ecmp;
    ColourFatTree(planned.tree, planned.flows);
  }
  FinishTree(state, planned);
}
BENCHMARK(BM_ExactThreeTier)->Unit(benchmark::kMillisecond);

// The same flows, each over the core where the fullest of its links is least full.
void BM_LongestFirstThreeTier(benchmark::State& state) {
  const Tree ecmp = MakeTree();
  Tree planned;
  for (auto iteration : state) {
    planned = ecmp;
    TreeLoad load(planned.tree);
    for (FatTreeFlow& flow : planned.flows) {
      FatTreeFlow best = flow;
      uint32_t least = ~uint32_t{0};
      for (flow.plane = 0; flow.plane < Tree::kSize; ++flow.plane) {
        for (flow.core = 0; flow.core < Tree::kSize; ++flow.core) {
          const uint32_t after = load.FullestAfter(flow);
          if (after >= least) continue;
          least = after;
          best = flow;
        }
      }
      flow = best;
      load.Add(flow);
    }
  }
  FinishTree(state, planned);
}
BENCHMARK(BM_LongestFirstThreeTier)->Unit(benchmark::kMillisecond);

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

// A whole plan on 4 pods of 4 leaves and 4 spines, 16 cores, three ports a path; one table per
// flow.
void BM_PlanFlowsThreeTier(benchmark::State& state) {
  topology::ThreeTierOptions options;
  options.pods = 4;
  options.leaves_per_pod = options.spines_per_pod = 4;
  options.cores = 16;
  options.hosts_per_leaf = static_cast<uint32_t>(state.range(0)) / 16;
  options.uplink_bps = options.core_bps = 1e9 * options.hosts_per_leaf / 4;
  const topology::Fabric fabric = topology::GenerateThreeTier(options).value();
  const auto flows = PermutationFlows(fabric, {1e9, 1, 1}).value();
  const auto tables = TracePairs(fabric, flows, {});
  Plan plan;
  for (auto iteration : state) plan = PlanFlows(fabric, flows, tables).value();
  state.counters["fullest_link"] = plan.assignment.fullest_link;
  state.counters["lower_bound"] = plan.assignment.lower_bound;
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_PlanFlowsThreeTier)->Arg(64)->Arg(1024)->Unit(benchmark::kMillisecond);

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
