// SPDX-License-Identifier: Apache-2.0
#include "tests/analyzer/whole_fabric.h"

#include <chrono>
#include <memory>
#include <utility>

#include "analyzer/infer/infer.h"
#include "probe/endpoint/simulated/simulated_network.h"
#include "probe/trace/tracer.h"

namespace weft::analyzer {
namespace {

using topology::NodeIndex;

double SecondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Hosts by leaf, leaves in the fabric's order.
std::vector<std::vector<NodeIndex>> HostsByLeaf(const topology::Fabric& fabric) {
  std::vector<std::vector<NodeIndex>> leaves;
  for (NodeIndex node = 0; node < fabric.nodes().size(); ++node) {
    if (fabric.node(node).kind != topology::NodeKind::kSwitch) continue;
    std::vector<NodeIndex> hosts;
    for (const topology::Adjacency& adjacency : fabric.adjacencies(node)) {
      const bool is_host = fabric.node(adjacency.neighbour).kind == topology::NodeKind::kHost;
      if (is_host) hosts.push_back(adjacency.neighbour);
    }
    if (!hosts.empty()) leaves.push_back(std::move(hosts));
  }
  return leaves;
}

std::vector<std::pair<NodeIndex, NodeIndex>> ChoosePairs(const topology::Fabric& fabric,
                                                         uint32_t leaves_per_pod) {
  const std::vector<std::vector<NodeIndex>> leaves = HostsByLeaf(fabric);
  std::vector<std::pair<NodeIndex, NodeIndex>> pairs;
  for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    const std::vector<NodeIndex>& hosts = leaves[leaf];
    pairs.emplace_back(hosts[0], leaves[(leaf + leaves_per_pod) % leaves.size()][0]);
    for (size_t host = 1; host < hosts.size(); ++host) {
      pairs.emplace_back(hosts[host], hosts[(host + 1) % hosts.size()]);
    }
  }
  return pairs;
}

wire::IpAddress AddressOf(const topology::Fabric& fabric, NodeIndex host) {
  return fabric.node(host).interfaces[0].address;
}

}  // namespace

absl::StatusOr<WholeFabricResult> MeasureWholeFabric(const topology::Fabric& fabric,
                                                     uint32_t leaves_per_pod,
                                                     const WholeFabricOptions& options) {
  probe::SimulatedNetwork network(
      &fabric, {.seed = options.seed, .hash_function = topology::HashModel::Function::kMixed});
  for (NodeIndex node = 0; node < fabric.nodes().size(); ++node) {
    network.fault(node).icmp_per_second = options.switch_icmp_per_second;
  }
  std::vector<std::unique_ptr<probe::Endpoint>> endpoints;
  std::vector<probe::TraceJob> jobs;
  for (const auto& [from, to] : ChoosePairs(fabric, leaves_per_pod)) {
    auto endpoint = network.OpenEndpoint(AddressOf(fabric, from));
    if (!endpoint.ok()) return endpoint.status();
    endpoints.push_back(*std::move(endpoint));
    jobs.push_back({.endpoint = endpoints.back().get(),
                    .destinations = {{.target = {.address = AddressOf(fabric, to)},
                                      .name = fabric.node(to).name}},
                    .source_name = fabric.node(from).name});
  }

  WholeFabricResult result;
  result.pairs = static_cast<uint32_t>(jobs.size());
  auto begin = std::chrono::steady_clock::now();
  probe::TraceOptions trace;
  trace.icmp_per_second = options.icmp_per_second;
  trace.seed = options.seed;
  const auto traces = probe::TraceAll(jobs, trace);
  if (!traces.ok()) return traces.status();
  result.tracing_seconds = SecondsSince(begin);
  result.traced_seconds = static_cast<double>(network.now_ns()) * 1e-9;

  std::vector<topology::PathTable> tables;
  topology::CheckOptions check{.from_traces = true, .traced_pairs = {}};
  for (const std::vector<probe::TraceResult>& job : *traces) {
    for (const probe::TraceResult& traced : job) {
      if (!traced.problem.empty() || traced.table.confidence == 0) ++result.incomplete_pairs;
      result.probes_sent += traced.table.probes_sent;
      result.probes_asked += traced.table.probes_asked;
      for (const topology::Finding& finding : traced.table.findings) {
        result.findings.push_back(finding.code + " " + finding.subject);
      }
      check.traced_pairs.emplace_back(traced.table.source, traced.table.destination);
      tables.push_back(traced.table);
    }
  }
  begin = std::chrono::steady_clock::now();
  const auto inferred = InferFabric(tables);
  if (!inferred.ok()) return inferred.status();
  result.check = topology::Check(fabric, inferred->fabric, check);
  result.inferring_seconds = SecondsSince(begin);
  for (const topology::Finding& finding : inferred->findings) {
    result.findings.push_back(finding.code + " " + finding.subject);
  }
  return result;
}

}  // namespace weft::analyzer
