// SPDX-License-Identifier: Apache-2.0
// The whole fabric from one trace a host and some more: 1,024 hosts, 8 pods of 8 leaves and 8
// spines, 64 cores, 1,100 path tables of up to 64 paths.
#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/infer/infer.h"
#include "analyzer/polarisation/polarisation.h"
#include "tests/analyzer/tables_from_route.h"
#include "topology/check/check.h"

namespace weft::analyzer {
namespace {

constexpr size_t kTables = 1100;

struct Traced {
  topology::Fabric built;
  std::vector<topology::PathTable> tables;
  topology::CheckOptions options;
};

// Every host is once a source and once a destination, of a host in another pod; and some at random.
const Traced& TracedFabric(int64_t numbering) {
  static std::map<int64_t, Traced> made;
  const auto [entry, added] = made.try_emplace(numbering);
  Traced& traced = entry->second;
  if (!added) return traced;
  traced.built = MakePods({8, 8, 8, 64, 16, false, static_cast<Numbering>(numbering), 1});
  const Tracer tracer(&traced.built, 1, {}, kMixedHashing);
  const std::vector<std::string> hosts = HostNames(traced.built);
  for (size_t i = 0; i < hosts.size(); ++i) {
    traced.tables.push_back(tracer.Trace(hosts[i], hosts[(i + 400) % hosts.size()]));
  }
  for (topology::PathTable& table : TraceSome(tracer, traced.built, kTables - hosts.size(), 1)) {
    traced.tables.push_back(std::move(table));
  }
  traced.options.from_traces = true;
  for (const topology::PathTable& table : traced.tables) {
    traced.options.traced_pairs.emplace_back(table.source, table.destination);
  }
  return traced;
}

void BM_InferAndCheck(benchmark::State& state) {
  const Traced& traced = TracedFabric(state.range(0));
  double paths = 0;
  double identical = 0;
  for (auto _ : state) {
    const auto inferred = InferFabric(traced.tables);
    const auto check = topology::Check(traced.built, inferred->fabric, traced.options);
    paths = inferred->counts.paths;
    identical = check.identical ? 1 : 0;
  }
  state.counters["paths"] = paths;
  state.counters["identical"] = identical;
}

void BM_InferOnly(benchmark::State& state) {
  const Traced& traced = TracedFabric(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(InferFabric(traced.tables));
}

void BM_JudgeHashing(benchmark::State& state) {
  const Traced& traced = TracedFabric(state.range(0));
  double flows = 0;
  for (auto _ : state) {
    flows = JudgeHashing(traced.built, traced.tables, std::nullopt)->flow_count;
  }
  state.counters["flows"] = flows;
}

// 0: numbered links, 1: unnumbered.
BENCHMARK(BM_InferAndCheck)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_InferOnly)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_JudgeHashing)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weft::analyzer
