// SPDX-License-Identifier: Apache-2.0
// How fast a simulated network moves packets: 1,024 hosts on three tiers (64 leaves, 64 spines, 64
// cores), 204,800 probes a run, whose TTL ends at the fifth switch. Each probe is a packet that
// crosses five links and an answer that crosses five back. "allocations" counts calls of operator
// new per probe, after a first run.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "probe/endpoint/simulated/simulated_network.h"
#include "tests/wire/allocation_counter.h"
#include "topology/generate/three_tier.h"

namespace weft::probe {
namespace {

constexpr uint32_t kProbesPerHost = 200;
constexpr uint8_t kTtl = 5;

struct Prober {
  std::unique_ptr<Endpoint> endpoint;
  std::vector<Probe> probes;
};

// Every host probes the one half the fabric away, from 200 source ports.
std::vector<Prober> MakeProbers(const topology::Fabric& fabric, SimulatedNetwork& network) {
  std::vector<wire::IpAddress> hosts;
  for (const topology::Node& node : fabric.nodes()) {
    if (node.kind == topology::NodeKind::kHost) hosts.push_back(node.interfaces[0].address);
  }
  std::vector<Prober> probers(hosts.size());
  for (size_t i = 0; i < hosts.size(); ++i) {
    probers[i].endpoint = *network.OpenEndpoint(hosts[i]);
    for (uint32_t n = 0; n < kProbesPerHost; ++n) {
      probers[i].probes.push_back({.id = n,
                                   .destination = hosts[(i + hosts.size() / 2) % hosts.size()],
                                   .udp_src_port = static_cast<uint16_t>(0xc000 + 61 * n),
                                   .reply_udp_src_port = 0xc000,
                                   .ttl = kTtl});
    }
  }
  return probers;
}

// Sends all and polls until all answers are there; how many.
uint64_t RunAll(std::vector<Prober>& probers, std::vector<Event>& events) {
  uint64_t hop_count = 0;
  for (Prober& prober : probers) {
    if (!prober.endpoint->Send(prober.probes).ok()) return 0;
  }
  for (Prober& prober : probers) {
    for (uint32_t heard = 0; heard < kProbesPerHost;) {
      events.clear();
      if (!prober.endpoint->Poll(prober.endpoint->Now() + 1'000'000, events).ok()) return 0;
      for (const Event& event : events) {
        heard += event.kind != EventKind::kSent ? 1 : 0;
        hop_count += event.kind == EventKind::kHop ? 1 : 0;
      }
    }
  }
  return hop_count;
}

void BM_TraceThreeTiers(benchmark::State& state) {
  topology::ThreeTierOptions clos = {
      .pods = 8, .leaves_per_pod = 8, .spines_per_pod = 8, .cores = 64, .hosts_per_leaf = 16};
  clos.addressing.ipv6 = state.range(0) == 6;
  const topology::Fabric fabric = *topology::GenerateThreeTier(clos);
  SimulatedNetwork network(
      &fabric, {.endpoint_capacity = 256, .hash_function = topology::HashModel::Function::kMixed});
  std::vector<Prober> probers = MakeProbers(fabric, network);
  std::vector<Event> events;
  uint64_t probe_count = 0;
  RunAll(probers, events);
  const size_t before = AllocationCount();
  const uint64_t counted = RunAll(probers, events);
  state.counters["allocations"] =
      static_cast<double>(AllocationCount() - before) / static_cast<double>(counted);
  for (auto _ : state) {
    const uint64_t hop_count = RunAll(probers, events);
    if (hop_count != probers.size() * kProbesPerHost) {
      state.SkipWithError("not every probe was answered by a hop");
      return;
    }
    probe_count += hop_count;
  }
  state.SetItemsProcessed(static_cast<int64_t>(probe_count));
  state.counters["packets/s"] =
      benchmark::Counter(2.0 * static_cast<double>(probe_count), benchmark::Counter::kIsRate);
  state.counters["links/s"] = benchmark::Counter(2.0 * kTtl * static_cast<double>(probe_count),
                                                 benchmark::Counter::kIsRate);
}
BENCHMARK(BM_TraceThreeTiers)->ArgName("ip")->Arg(4)->Arg(6)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weft::probe
