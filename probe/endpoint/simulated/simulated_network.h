// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "probe/endpoint/endpoint.h"
#include "probe/endpoint/probe_packet.h"
#include "probe/endpoint/simulated/arrival_queue.h"
#include "probe/endpoint/simulated/faults.h"
#include "probe/endpoint/simulated/packet.h"
#include "probe/endpoint/simulated/random.h"
#include "topology/fabric/fabric.h"
#include "topology/route/hop_chooser.h"
#include "topology/route/route.h"
#include "wire/icmp.h"
#include "wire/ip_error.h"

// A fabric on virtual time, IPv4 or IPv6 as its addresses are. Real packet bytes move through it:
// switches choose by topology::HopChooser, count the TTL down and answer with ICMP errors,
// responders answer probes, and every answer is routed and may be lost like anything else. A switch
// can be probed by its own addresses too and answers that the port is closed, if it has a host that
// is plugged into no other node; to other switches there is no way. All chance comes from one seed.
namespace weft::probe {

struct SimulatedNetworkOptions {
  uint64_t seed = 1;              // of the switches' hashes and of all chance
  int64_t link_delay_ns = 1'000;  // each way, each link
  int64_t responder_delay_ns = 5'000;
  // IPv4's quotes, up to wire::kIcmpLongestQuoteBytes.
  size_t icmp_quote_bytes = wire::kIcmpShortestQuoteBytes;
  size_t endpoint_capacity = 4096;
  // Of all switches at first; each has a seed of its own. With kCrc32 seeds only rename the members
  // of groups of 2, 4, 8.., so the tiers of a fabric choose alike.
  topology::HashModel::Function hash_function = topology::HashModel::Function::kCrc32;
};

class SimulatedEndpoint;

// Not for several threads: all its endpoints belong to one.
class SimulatedNetwork {
 public:
  // Keeps a pointer to the fabric, which must outlive it and not grow.
  explicit SimulatedNetwork(const topology::Fabric* fabric, SimulatedNetworkOptions options = {});
  ~SimulatedNetwork();
  SimulatedNetwork(const SimulatedNetwork&) = delete;
  SimulatedNetwork& operator=(const SimulatedNetwork&) = delete;

  // The endpoint of the host that has this address; must not outlive the network. NotFound: no host
  // has it. AlreadyExists: it has one, or another endpoint of the host has used it as a source.
  absl::StatusOr<std::unique_ptr<Endpoint>> OpenEndpoint(const wire::IpAddress& address);

  LinkFault& fault(topology::Direction direction) { return link_faults_[direction.index()]; }
  SwitchFault& fault(topology::NodeIndex node) { return switch_faults_[node]; }
  HostFault& host_fault(topology::NodeIndex node) { return host_faults_[node]; }
  HostBehaviour& host(topology::NodeIndex node) { return hosts_[node]; }

  // How a switch chooses among next hops. To be changed at once, not kept: whatever it was set to
  // counts from the next packet on. A change makes all switches forget the flows they remember.
  topology::HopModel& hop(topology::NodeIndex node) {
    models_changed_ = true;
    return models_[node];
  }

  const topology::HopModel& hop(topology::NodeIndex node) const { return models_[node]; }

  // A loud failure: routing knows these links to be down from now on, and those only; packets on
  // them are lost.
  void SetLinksDown(std::span<const topology::LinkIndex> links);

  // At `node` packets to this host take this way, whatever the routing says; nullopt: the routing's
  // again. The way must start at `node`. Loops end as TTLs do (and after kMaxLinks links).
  void ForceNextHop(topology::NodeIndex node, topology::NodeIndex host,
                    std::optional<topology::Direction> way);

  // An overlay. Between two of these switches packets for their hosts travel inside a tunnel: TTL
  // and traffic class of the packet count at the two ends only, and what lies between sees the
  // outer headers, whose source port is a hash of the packet's flow. A host belongs to the first of
  // its links that leads to an end. Replaces the tunnels before. InvalidArgument: a node that no
  // host is plugged into alone.
  absl::Status SetTunnelEnds(std::span<const topology::NodeIndex> switches);

  // Runs `change` when virtual time passes `time_ns` (at the next Poll where it has already).
  void At(int64_t time_ns, std::function<void(SimulatedNetwork&)> change);

  const topology::Fabric& fabric() const { return *fabric_; }
  // Valid until links go down or a hop's model changes.
  const topology::Router& router() const {
    Refresh();
    return *router_;
  }
  int64_t now_ns() const { return now_ns_; }
  const SimulatedNetworkOptions& options() const { return options_; }

 private:
  friend class SimulatedEndpoint;

  static constexpr uint32_t kMaxLinks = 1024;  // that a packet crosses

  struct Change {
    int64_t time_ns = 0;
    uint64_t order = 0;
    std::function<void(SimulatedNetwork&)> run;
  };
  struct TokenBucket {
    double tokens = 0;
    int64_t filled_ns = -1;  // never
  };

  // simulated_network.cc: what it is made of, and time.
  void Refresh() const;  // router and chooser, after models or links changed
  std::optional<int64_t> NextHappening() const;
  void HandleNextHappening();
  void HandleNextArrival();

  // forwarding.cc: how packets move. All take the packet.
  void Originate(topology::NodeIndex node, uint32_t packet, int64_t delay_ns,
                 std::optional<topology::Direction> way = std::nullopt);
  void Transmit(topology::Direction way, uint32_t packet, int64_t delay_ns);
  void ArriveAtSwitch(topology::NodeIndex node, topology::Direction from, uint32_t packet);
  void Forward(topology::NodeIndex node, std::optional<topology::Direction> from, uint32_t packet);
  void ForwardOuter(topology::NodeIndex node, uint32_t packet);
  // Whether the packet begins with a node that has its destination's address; sets `routed`.
  void FindDestination(SimulatedPacket& packet) const;
  std::optional<topology::Direction> NextHop(topology::NodeIndex node,
                                             const SimulatedPacket& packet);
  // Puts the packet into the tunnel that starts at `node` and leads to its destination, if any.
  void Encapsulate(topology::NodeIndex node, SimulatedPacket& packet) const;
  static void Decapsulate(SimulatedPacket& packet);

  // answers.cc: what nodes say.
  void ArriveAtHost(topology::NodeIndex node, uint32_t packet);
  void AnswerProbe(topology::NodeIndex node, const ProbePacket& question, uint32_t packet);
  // `from`: where the packet came in; nullopt: out of a tunnel, or it was for this node.
  void SendError(topology::NodeIndex node, std::optional<topology::Direction> from,
                 wire::IpErrorKind kind, uint32_t original);
  wire::IpAddress RouterAddress(topology::NodeIndex node, std::optional<topology::Direction> from,
                                const SimulatedPacket& original,
                                std::optional<topology::Direction> way) const;
  wire::IpAddress Loopback(topology::NodeIndex node, wire::IpAddress::Family family) const;
  bool TakeIcmpToken(topology::NodeIndex node);
  uint16_t NextIpId(topology::NodeIndex node);

  const topology::Fabric* fabric_;
  SimulatedNetworkOptions options_;
  Random random_;
  std::vector<topology::HopModel> models_;  // by node
  mutable bool models_changed_ = false;
  std::vector<topology::LinkIndex> known_down_;
  mutable std::unique_ptr<topology::Router> router_;
  mutable std::optional<topology::HopChooser> chooser_;

  std::vector<LinkFault> link_faults_;      // by Direction::index()
  std::vector<bool> links_down_;            // by LinkIndex
  std::vector<SwitchFault> switch_faults_;  // by node
  std::vector<HostFault> host_faults_;      // by node
  std::vector<HostBehaviour> hosts_;        // by node
  std::vector<TokenBucket> buckets_;        // by node
  std::vector<uint64_t> ip_ids_;            // by node: how many it has used, from a random one on

  std::vector<wire::IpAddress> arrival_addresses_;  // by Direction::index(): of the far interface
  std::vector<wire::IpAddress> stand_ins_;          // by node: address of a host behind it alone
  std::vector<bool> is_tunnel_end_;                 // by node
  std::vector<std::optional<topology::NodeIndex>> tunnel_ends_;  // by node: the end a host is at
  absl::flat_hash_map<std::pair<topology::NodeIndex, topology::NodeIndex>, topology::Direction>
      forced_;  // by node and host
  absl::flat_hash_map<wire::IpAddress, SimulatedEndpoint*> endpoints_;

  int64_t now_ns_ = 0;
  uint64_t order_ = 0;
  ArrivalQueue arrivals_;
  std::vector<Change> changes_;  // earliest last
  PacketPool packets_;
};

}  // namespace weft::probe
