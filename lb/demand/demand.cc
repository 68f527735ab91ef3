// SPDX-License-Identifier: Apache-2.0
#include "lb/demand/demand.h"

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "wire/flow_label.h"

namespace weft::lb {
namespace {

using topology::Fabric;
using topology::Flow;
using topology::NodeIndex;

constexpr uint32_t kQpnMask = 0xffffff;
constexpr uint32_t kFirstFreeQpn = 2;  // 0 and 1 are the management QPs

struct Nic {
  std::string host;
  wire::IpAddress address;
  NodeIndex leaf = 0;
};

std::optional<Nic> NicOf(const Fabric& fabric, NodeIndex index) {
  const topology::Node& node = fabric.node(index);
  if (node.kind != topology::NodeKind::kHost) return std::nullopt;
  for (const topology::Interface& interface : node.interfaces) {
    const auto port = fabric.FindPort(index, interface.name);
    if (interface.address.empty() || !port) continue;
    if (fabric.node(port->neighbour).kind != topology::NodeKind::kSwitch) continue;
    return Nic{node.name, interface.address, port->neighbour};
  }
  return std::nullopt;
}

// std::uniform_int_distribution differs between libraries; the engine does not.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  // 0 to count - 1; uneven by less than count / 2^32.
  uint32_t Below(uint32_t count) {
    return static_cast<uint32_t>(((engine_() >> 32) * uint64_t{count}) >> 32);
  }

 private:
  std::mt19937_64 engine_;
};

// Makes flows with ids, QPNs that are unique at their host, and the port that follows from them.
class FlowMaker {
 public:
  FlowMaker(Random* random, size_t flow_count)
      : random_(random), id_digits_(std::max<size_t>(2, absl::StrCat(flow_count).size())) {}

  Flow Make(const Nic& source, const Nic& destination, double rate_bps) {
    Flow flow;
    std::string number = absl::StrCat(++made_);
    number.insert(0, id_digits_ - std::min(id_digits_, number.size()), '0');
    flow.id = "f" + number;
    flow.source = source.host;
    flow.source_address = source.address;
    flow.destination = destination.host;
    flow.destination_address = destination.address;
    flow.rate_bps = rate_bps;
    flow.source_qpn = FreshQpn(source.host);
    flow.dest_qpn = FreshQpn(destination.host);
    flow.flow_label = wire::DefaultFlowLabel(flow.source_qpn, flow.dest_qpn);
    flow.udp_src_port = wire::UdpSourcePortOf(flow.flow_label);
    return flow;
  }

 private:
  uint32_t FreshQpn(const std::string& host) {
    absl::flat_hash_set<uint32_t>& taken = taken_[host];
    uint32_t qpn = 0;
    do {
      qpn = kFirstFreeQpn + random_->Below(kQpnMask - kFirstFreeQpn + 1);
    } while (!taken.insert(qpn).second);
    return qpn;
  }

  Random* random_;
  size_t id_digits_;
  size_t made_ = 0;
  std::map<std::string, absl::flat_hash_set<uint32_t>> taken_;
};

// The hosts' NICs by name, so that the order of the records makes no difference.
std::vector<Nic> Nics(const Fabric& fabric) {
  std::vector<Nic> nics;
  for (NodeIndex node = 0; node < fabric.nodes().size(); ++node) {
    std::optional<Nic> nic = NicOf(fabric, node);
    if (nic) nics.push_back(*std::move(nic));
  }
  std::sort(nics.begin(), nics.end(), [](const Nic& a, const Nic& b) { return a.host < b.host; });
  return nics;
}

absl::Status CheckPermutationExists(const Fabric& fabric, const std::vector<Nic>& nics) {
  std::map<NodeIndex, size_t> hosts_under;
  for (const Nic& nic : nics) ++hosts_under[nic.leaf];
  if (hosts_under.size() < 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("permutation: hosts under ", hosts_under.size(),
                     hosts_under.size() == 1 ? " leaf" : " leaves",
                     ": expected at least 2, because every host sends to another leaf"));
  }
  for (const auto& [leaf, count] : hosts_under) {
    if (2 * count <= nics.size()) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "permutation: ", count, " of ", nics.size(), " hosts are under ", fabric.node(leaf).name,
        ": expected at most half, because every host sends "
        "to another leaf"));
  }
  return absl::OkStatus();
}

// A random permutation, then every pair under one leaf (A) changes partners with a random pair that
// neither begins nor ends under A. If at most half of the hosts (N) are under A (a), there is one:
// of the N - a pairs that begin elsewhere at most a - 1 end under A.
std::vector<uint32_t> CrossLeafPermutation(const std::vector<Nic>& nics, Random* random) {
  const auto count = static_cast<uint32_t>(nics.size());
  std::vector<uint32_t> target(count);
  for (uint32_t i = 0; i < count; ++i) target[i] = i;
  for (uint32_t i = count; i > 1; --i) std::swap(target[i - 1], target[random->Below(i)]);
  for (uint32_t i = 0; i < count; ++i) {
    const NodeIndex leaf = nics[i].leaf;
    if (nics[target[i]].leaf != leaf) continue;
    uint32_t other = random->Below(count);
    while (nics[other].leaf == leaf || nics[target[other]].leaf == leaf) {
      other = (other + 1) % count;
    }
    std::swap(target[i], target[other]);
  }
  return target;
}

}  // namespace

absl::StatusOr<std::vector<Flow>> PermutationFlows(const Fabric& fabric,
                                                   const PermutationOptions& options) {
  if (!(options.rate_bps > 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("rate ", options.rate_bps, " bit/s: expected more than 0"));
  }
  if (options.flows_per_host == 0 || options.flows_per_host > kMaxFlowsPerHost) {
    return absl::InvalidArgumentError(absl::StrCat("flows per host ", options.flows_per_host,
                                                   ": expected 1 to ", kMaxFlowsPerHost));
  }
  const std::vector<Nic> nics = Nics(fabric);
  const absl::Status exists = CheckPermutationExists(fabric, nics);
  if (!exists.ok()) return exists;

  Random random(options.seed);
  const std::vector<uint32_t> target = CrossLeafPermutation(nics, &random);
  FlowMaker maker(&random, nics.size() * options.flows_per_host);
  std::vector<Flow> flows;
  for (size_t i = 0; i < nics.size(); ++i) {
    for (uint32_t q = 0; q < options.flows_per_host; ++q) {
      flows.push_back(maker.Make(nics[i], nics[target[i]], options.rate_bps));
    }
  }
  return flows;
}

absl::StatusOr<std::vector<Flow>> FlowsFromDemands(const Fabric& fabric,
                                                   std::span<const topology::Demand> demands,
                                                   uint64_t seed) {
  std::vector<std::pair<Nic, Nic>> ends;
  size_t flow_count = 0;
  for (size_t i = 0; i < demands.size(); ++i) {
    const topology::Demand& demand = demands[i];
    const std::string which =
        absl::StrCat("demand ", i + 1, " (", demand.source, " -> ", demand.destination, "): ");
    std::vector<Nic> nics;
    for (const std::string& name : {demand.source, demand.destination}) {
      const std::optional<NodeIndex> node = fabric.FindNode(name);
      std::optional<Nic> nic = node ? NicOf(fabric, *node) : std::nullopt;
      if (!nic) {
        return absl::InvalidArgumentError(
            absl::StrCat(which, "\"", name, "\": expected a host of the fabric with an address"));
      }
      nics.push_back(*std::move(nic));
    }
    if (demand.source == demand.destination) {
      return absl::InvalidArgumentError(which + "expected two hosts");
    }
    if (!(demand.rate_bps > 0)) {
      return absl::InvalidArgumentError(
          absl::StrCat(which, "rate_bps ", demand.rate_bps, ": expected more than 0"));
    }
    if (demand.flow_count == 0 || demand.flow_count > kMaxFlowsPerHost) {
      return absl::InvalidArgumentError(absl::StrCat(which, "flow_count ", demand.flow_count,
                                                     ": expected 1 to ", kMaxFlowsPerHost));
    }
    flow_count += demand.flow_count;
    ends.emplace_back(std::move(nics[0]), std::move(nics[1]));
  }

  Random random(seed);
  FlowMaker maker(&random, flow_count);
  std::vector<Flow> flows;
  for (size_t i = 0; i < demands.size(); ++i) {
    for (uint32_t q = 0; q < demands[i].flow_count; ++q) {
      flows.push_back(
          maker.Make(ends[i].first, ends[i].second, demands[i].rate_bps / demands[i].flow_count));
    }
  }
  return flows;
}

}  // namespace weft::lb
