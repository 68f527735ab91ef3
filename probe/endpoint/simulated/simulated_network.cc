// SPDX-License-Identifier: Apache-2.0
#include "probe/endpoint/simulated/simulated_network.h"

#include <algorithm>
#include <cassert>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "probe/endpoint/simulated/simulated_endpoint.h"

namespace weft::probe {
namespace {

// Bits that look random, the same for one value (finaliser of SplitMix64: Steele, Lea and Flood,
// OOPSLA 2014).
uint64_t Mix(uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

// By node: the address of the first host that is plugged into this switch and no other node.
std::vector<wire::IpAddress> StandIns(const topology::Fabric& fabric) {
  std::vector<wire::IpAddress> stand_ins(fabric.nodes().size());
  for (topology::NodeIndex host = 0; host < fabric.nodes().size(); ++host) {
    const topology::Node& node = fabric.node(host);
    const std::span<const topology::Adjacency> links = fabric.adjacencies(host);
    if (node.kind != topology::NodeKind::kHost || links.empty()) continue;
    const bool alone = std::ranges::all_of(links, [&](const topology::Adjacency& link) {
      return link.neighbour == links[0].neighbour;
    });
    wire::IpAddress& stand_in = stand_ins[links[0].neighbour];
    if (!alone || !stand_in.empty()) continue;
    for (const topology::Interface& interface : node.interfaces) {
      if (stand_in.empty()) stand_in = interface.address;
    }
  }
  return stand_ins;
}

}  // namespace

SimulatedNetwork::SimulatedNetwork(const topology::Fabric* fabric, SimulatedNetworkOptions options)
    : fabric_(fabric),
      options_(options),
      random_(options.seed),
      models_(fabric->nodes().size()),
      link_faults_(fabric->links().size() * 2),
      links_down_(fabric->links().size()),
      switch_faults_(fabric->nodes().size()),
      host_faults_(fabric->nodes().size()),
      hosts_(fabric->nodes().size(), HostBehaviour::kResponds),
      buckets_(fabric->nodes().size()),
      arrival_addresses_(fabric->links().size() * 2),
      stand_ins_(StandIns(*fabric)),
      is_tunnel_end_(fabric->nodes().size()),
      tunnel_ends_(fabric->nodes().size()) {
  for (topology::HopModel& model : models_) {
    model.hash.function = options.hash_function;
    model.hash.seed = static_cast<uint32_t>(random_.Bits());
  }
  for (topology::NodeIndex node = 0; node < models_.size(); ++node) {
    ip_ids_.push_back(Mix(options.seed ^ Mix(node)));
    for (const topology::Adjacency& link : fabric->adjacencies(node)) {
      const topology::Direction inbound = {link.direction.link, !link.direction.reversed};
      arrival_addresses_[inbound.index()] = fabric->FindInterface(node, link.interface)->address;
    }
  }
  SetLinksDown({});
}

SimulatedNetwork::~SimulatedNetwork() = default;

absl::StatusOr<std::unique_ptr<Endpoint>> SimulatedNetwork::OpenEndpoint(
    const wire::IpAddress& address) {
  const std::optional<topology::NodeIndex> node = fabric_->FindAddress(address);
  if (!node || fabric_->node(*node).kind != topology::NodeKind::kHost) {
    return absl::NotFoundError(
        absl::StrCat("address ", address.ToString(), ": expected a host's in the fabric"));
  }
  if (endpoints_.contains(address)) {
    return absl::AlreadyExistsError(
        absl::StrCat("address ", address.ToString(), ": it has an endpoint already"));
  }
  auto endpoint = std::make_unique<SimulatedEndpoint>(this, *node, address,
                                                      static_cast<uint32_t>(random_.Bits()));
  endpoints_[address] = endpoint.get();
  return endpoint;
}

void SimulatedNetwork::SetLinksDown(std::span<const topology::LinkIndex> links) {
  std::fill(links_down_.begin(), links_down_.end(), false);
  for (const topology::LinkIndex link : links) links_down_[link] = true;
  known_down_.assign(links.begin(), links.end());
  router_.reset();
  Refresh();
}

void SimulatedNetwork::Refresh() const {
  if (router_ != nullptr && !models_changed_) return;
  std::vector<topology::HashModel> hashes;
  hashes.reserve(models_.size());
  for (const topology::HopModel& model : models_) hashes.push_back(model.hash);
  router_ = std::make_unique<topology::Router>(fabric_, std::move(hashes), known_down_);
  if (!chooser_ || models_changed_) {
    chooser_.emplace(router_.get(), models_, Mix(options_.seed));
  } else {
    chooser_->SetRouter(router_.get());
  }
  models_changed_ = false;
}

void SimulatedNetwork::ForceNextHop(topology::NodeIndex node, topology::NodeIndex host,
                                    std::optional<topology::Direction> way) {
  assert(!way || fabric_->From(*way) == node);
  if (way) {
    forced_[{node, host}] = *way;
  } else {
    forced_.erase({node, host});
  }
}

absl::Status SimulatedNetwork::SetTunnelEnds(std::span<const topology::NodeIndex> switches) {
  for (const topology::NodeIndex node : switches) {
    if (stand_ins_[node].empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("node \"", fabric_->node(node).name,
                       "\": expected a switch that a host is plugged into alone"));
    }
  }
  std::fill(is_tunnel_end_.begin(), is_tunnel_end_.end(), false);
  for (const topology::NodeIndex node : switches) is_tunnel_end_[node] = true;
  for (topology::NodeIndex node = 0; node < models_.size(); ++node) {
    tunnel_ends_[node].reset();
    if (fabric_->node(node).kind != topology::NodeKind::kHost) continue;
    for (const topology::Adjacency& link : fabric_->adjacencies(node)) {
      if (is_tunnel_end_[link.neighbour] && !tunnel_ends_[node]) {
        tunnel_ends_[node] = link.neighbour;
      }
    }
  }
  return absl::OkStatus();
}

void SimulatedNetwork::At(int64_t time_ns, std::function<void(SimulatedNetwork&)> change) {
  Change added = {time_ns, order_++, std::move(change)};
  const auto later = [](const Change& a, const Change& b) {
    return std::tie(a.time_ns, a.order) > std::tie(b.time_ns, b.order);
  };
  const auto place = std::upper_bound(changes_.begin(), changes_.end(), added, later);
  changes_.insert(place, std::move(added));
}

std::optional<int64_t> SimulatedNetwork::NextHappening() const {
  std::optional<int64_t> next;
  if (!arrivals_.empty()) next = arrivals_.top().time_ns;
  if (!changes_.empty() && (!next || changes_.back().time_ns < *next)) {
    next = changes_.back().time_ns;
  }
  return next;
}

void SimulatedNetwork::HandleNextHappening() {
  const bool change = !changes_.empty() &&
                      (arrivals_.empty() || changes_.back().time_ns <= arrivals_.top().time_ns);
  if (!change) {
    HandleNextArrival();
    return;
  }
  const Change due = std::move(changes_.back());
  changes_.pop_back();
  now_ns_ = std::max(now_ns_, due.time_ns);
  due.run(*this);
}

void SimulatedNetwork::HandleNextArrival() {
  const Arrival arrival = arrivals_.top();
  arrivals_.Pop();
  now_ns_ = std::max(now_ns_, arrival.time_ns);
  const topology::NodeIndex node = fabric_->To(arrival.direction);
  if (switch_faults_[node].dead) {
    packets_.Free(arrival.packet);
  } else if (fabric_->node(node).kind == topology::NodeKind::kHost) {
    ArriveAtHost(node, arrival.packet);
  } else {
    ArriveAtSwitch(node, arrival.direction, arrival.packet);
  }
}

}  // namespace weft::probe
