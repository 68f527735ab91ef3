// SPDX-License-Identifier: Apache-2.0
// Fabrics are made outside the timed part, except in BM_Generate. Sizes are hosts.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include "topology/check/check.h"
#include "topology/generate/leaf_spine.h"
#include "topology/generate/three_tier.h"
#include "topology/route/hop_chooser.h"
#include "topology/route/linear_map.h"
#include "topology/route/ports.h"
#include "topology/route/route.h"

namespace weft::topology {
namespace {

// 1,024: 8 pods of 8 leaves and 8 spines, 64 cores. 32,768: 32 pods of 32 and 32, 1,024 cores.
Fabric ThreeTier(int64_t hosts) {
  const uint32_t size = hosts <= 1024 ? 8 : 32;
  ThreeTierOptions options{size, size, size, size * size,
                           static_cast<uint32_t>(hosts) / (size * size)};
  return *GenerateThreeTier(options);
}

Fabric TwoTier(int64_t hosts) {
  const uint32_t size = hosts <= 1024 ? 32 : 64;
  return *GenerateLeafSpine({size, size, static_cast<uint32_t>(hosts) / size});
}

std::vector<HashModel> Seeds(const Fabric& fabric) {
  std::vector<HashModel> hashes(fabric.nodes().size());
  for (size_t i = 0; i < hashes.size(); ++i) hashes[i].seed = static_cast<uint32_t>(i);
  return hashes;
}

HashedHeaders Headers(const Fabric& fabric) {
  HashedHeaders headers;
  headers.source = fabric.node(*fabric.FindNode("host1-1")).interfaces[0].address;
  headers.destination = fabric.nodes().back().interfaces[0].address;
  headers.udp_src_port = 0xc000;
  return headers;
}

void BM_Generate(benchmark::State& state) {
  for (auto iteration : state) benchmark::DoNotOptimize(ThreeTier(state.range(0)));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_Generate)->Arg(1024)->Arg(32768)->Unit(benchmark::kMillisecond);

void BuildRouters(benchmark::State& state, const Fabric& fabric) {
  const std::vector<HashModel> hashes = Seeds(fabric);
  for (auto iteration : state) {
    const Router router(&fabric, hashes, {});
    benchmark::DoNotOptimize(router.NextHops(0, 0).data());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
void BM_RouterTwoTier(benchmark::State& state) { BuildRouters(state, TwoTier(state.range(0))); }
void BM_RouterThreeTier(benchmark::State& state) { BuildRouters(state, ThreeTier(state.range(0))); }
BENCHMARK(BM_RouterTwoTier)->Arg(1024)->Arg(32768)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_RouterThreeTier)->Arg(1024)->Arg(32768)->Unit(benchmark::kMillisecond);

// One packet at one leaf: the addresses, the group, the hash.
void BM_NextHop(benchmark::State& state) {
  const Fabric fabric = TwoTier(1024);
  const Router router(&fabric, Seeds(fabric), {});
  HashedHeaders headers = Headers(fabric);
  for (auto iteration : state) {
    ++headers.udp_src_port;
    benchmark::DoNotOptimize(router.NextHop(0, headers));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_NextHop);

// By HopMode, over 1,024 flows.
void BM_HopChooser(benchmark::State& state) {
  const Fabric fabric = TwoTier(1024);
  const Router router(&fabric, Seeds(fabric), {});
  std::vector<HopModel> models(fabric.nodes().size());
  for (size_t i = 0; i < models.size(); ++i) {
    models[i].hash = router.hash(static_cast<NodeIndex>(i));
    models[i].mode = static_cast<HopMode>(state.range(0));
  }
  HopChooser chooser(&router, models, 1);
  HashedHeaders headers = Headers(fabric);
  int64_t now_ns = 0;
  for (auto iteration : state) {
    headers.udp_src_port = static_cast<uint16_t>(0xc000 | (headers.udp_src_port + 1) % 1024);
    benchmark::DoNotOptimize(chooser.NextHop(0, headers, now_ns += 100));
  }
  state.SetLabel(ToString(static_cast<HopMode>(state.range(0))));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_HopChooser)->DenseRange(1, 4);

// A whole map of 16 choices from 26 measured ports.
void BM_LearnLinearMap(benchmark::State& state) {
  HashedHeaders headers{wire::IpAddress::V4(0x0a000001), wire::IpAddress::V4(0x0a000003)};
  for (auto iteration : state) {
    LinearMapLearner learner(0xc000);
    while (const auto port = learner.NextPort()) {
      headers.udp_src_port = *port;
      learner.Learn(std::to_string(ChooseMember({}, headers, 16)));
    }
    benchmark::DoNotOptimize(LinearMap::From(learner));
  }
}
BENCHMARK(BM_LearnLinearMap)->Unit(benchmark::kMicrosecond);

// 16 ports of one path across cores; Solved against Searched, where the hash is not linear.
void PortsOfAPath(benchmark::State& state, HashModel::Function function) {
  const Fabric fabric = ThreeTier(1024);
  std::vector<HashModel> hashes = Seeds(fabric);
  for (HashModel& hash : hashes) hash.function = function;
  const Router router(&fabric, hashes, {});
  const HashedHeaders headers = Headers(fabric);
  const std::vector<Direction> path = *router.Route(headers);
  size_t ports = 0;
  for (auto iteration : state) ports = PortsFor(router, headers, path).size();
  state.counters["ports"] = static_cast<double>(ports);
}
void BM_PortsForSolved(benchmark::State& state) {
  PortsOfAPath(state, HashModel::Function::kCrc32);
}
void BM_PortsForSearched(benchmark::State& state) {
  PortsOfAPath(state, HashModel::Function::kMixed);
}
BENCHMARK(BM_PortsForSolved)->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_PortsForSearched)->Unit(benchmark::kMicrosecond);

// A fabric against itself as traces of all pairs show it.
void BM_Check(benchmark::State& state) {
  const Fabric fabric = ThreeTier(state.range(0));
  const CheckOptions options{.from_traces = true, .traced_pairs = {}};
  for (auto iteration : state) {
    if (!Check(fabric, fabric, options).identical) state.SkipWithError("not identical to itself");
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_Check)->Arg(1024)->Arg(32768)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weft::topology
