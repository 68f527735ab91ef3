// SPDX-License-Identifier: Apache-2.0
// 1,024 hosts on three tiers, traced within the budget of ICMP answers and inferred. The limit it
// is held against: what the stopping rule asks for (x_MDA), and the time that the busiest switch
// needs to answer.
#include <benchmark/benchmark.h>

#include "tests/analyzer/whole_fabric.h"
#include "topology/generate/three_tier.h"

namespace weft::analyzer {
namespace {

// `width` pods of as many leaves and spines, its square of cores, 16 hosts a leaf: 8 makes 1,024.
void BM_WholeFabric(benchmark::State& state) {
  const auto width = static_cast<uint32_t>(state.range(0));
  const auto fabric = topology::GenerateThreeTier(
      {.pods = width,
       .leaves_per_pod = width,
       .spines_per_pod = width,
       .cores = width * width,
       .hosts_per_leaf = 16,
       .addressing = {.ipv6 = state.range(1) == 6, .unnumbered = state.range(2) != 0}});
  const auto limit = static_cast<double>(state.range(3));
  for (auto _ : state) {
    const auto result = MeasureWholeFabric(*fabric, width, {.switch_icmp_per_second = limit});
    if (!result.ok()) return state.SkipWithError(std::string(result.status().message()).c_str());
    state.counters["identical"] = result->check.identical ? 1 : 0;
    state.counters["pairs"] = result->pairs;
    state.counters["incomplete"] = result->incomplete_pairs;
    state.counters["probes"] = static_cast<double>(result->probes_sent);
    state.counters["x_MDA"] =
        static_cast<double>(result->probes_sent) / static_cast<double>(result->probes_asked);
    state.counters["fabric_s"] = result->traced_seconds;
    state.counters["trace_s"] = result->tracing_seconds;
    state.counters["infer_s"] = result->inferring_seconds;
  }
}
BENCHMARK(BM_WholeFabric)
    ->ArgNames({"width", "ip", "unnumbered", "limit"})
    ->Args({4, 4, 0, 0})
    ->Args({4, 4, 0, 60})
    ->Args({4, 6, 1, 60})
    ->Args({8, 4, 0, 60})
    ->Args({4, 6, 0, 60})
    ->Args({4, 4, 1, 60})
    ->Args({8, 6, 0, 60})
    ->Args({8, 4, 1, 60})
    ->Args({8, 6, 1, 60})
    ->Iterations(1)
    ->Repetitions(1)
    ->Unit(benchmark::kSecond);

}  // namespace
}  // namespace weft::analyzer
