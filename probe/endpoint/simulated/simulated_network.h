// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "probe/endpoint/endpoint.h"
#include "probe/endpoint/probe_packet.h"
#include "probe/endpoint/simulated/random.h"
#include "topology/fabric/fabric.h"
#include "topology/route/route.h"
#include "wire/icmp.h"
#include "wire/ipv4.h"

// A fabric on virtual time. Real packet bytes move through it: switches forward by
// topology::Router, count the TTL down and answer with ICMP errors, responders answer probes, and
// every answer is routed and may be lost like anything else. All chance comes from one seed.
namespace weft::probe {

// What is wrong with one direction of a link. The routing does not know of any of it.
struct LinkFault {
  bool dead = false;            // swallows everything
  double loss_probability = 0;  // 0-1, of each packet
  int64_t extra_delay_ns = 0;
  int64_t jitter_ns = 0;  // evenly between 0 and this, per packet
};

struct SwitchFault {
  bool dead = false;           // swallows everything that reaches it
  bool silent = false;         // forwards, but sends no ICMP
  double icmp_per_second = 0;  // a token bucket of all ICMP it sends; 0: no limit
  double icmp_burst = 10;      // the bucket's size
};

enum class HostBehaviour : uint8_t {
  kResponds,     // runs a responder
  kUnreachable,  // nobody listens: answers with ICMP port unreachable
  kSilent,       // answers nothing
};

struct SimulatedNetworkOptions {
  uint64_t seed = 1;              // of the switches' hashes and of all chance
  int64_t link_delay_ns = 1'000;  // each way, each link
  int64_t responder_delay_ns = 5'000;
  size_t icmp_quote_bytes = wire::kIcmpShortestQuoteBytes;  // up to wire::kIcmpLongestQuoteBytes
  size_t endpoint_capacity = 4096;
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
  // has it. AlreadyExists: it has one.
  absl::StatusOr<std::unique_ptr<Endpoint>> OpenEndpoint(const wire::IpAddress& address);

  LinkFault& fault(topology::Direction direction) { return link_faults_[direction.index()]; }
  SwitchFault& fault(topology::NodeIndex node) { return switch_faults_[node]; }
  HostBehaviour& host(topology::NodeIndex node) { return hosts_[node]; }

  // A loud failure: routing knows these links to be down from now on, and those only; packets on
  // them are lost.
  void SetLinksDown(std::span<const topology::LinkIndex> links);

  const topology::Fabric& fabric() const { return *fabric_; }
  const topology::Router& router() const { return *router_; }
  int64_t now_ns() const { return now_ns_; }
  const SimulatedNetworkOptions& options() const { return options_; }

 private:
  friend class SimulatedEndpoint;

  struct Packet {
    std::array<std::byte, 576> bytes{};
    size_t size = 0;
    std::span<std::byte> span() { return std::span(bytes).first(size); }
  };
  // A packet comes out of the far end of `direction`.
  struct Arrival {
    int64_t time_ns = 0;
    uint64_t order = 0;  // of two at one time, the one sent earlier
    topology::Direction direction;
    uint32_t packet = 0;  // in packets_
    bool operator>(const Arrival& other) const {
      return time_ns != other.time_ns ? time_ns > other.time_ns : order > other.order;
    }
  };
  struct TokenBucket {
    double tokens = 0;
    int64_t filled_ns = -1;  // never
  };

  uint32_t NewPacket();
  // Sends a packet that starts at `node` after `delay_ns`; takes the packet.
  void Originate(topology::NodeIndex node, uint32_t packet, int64_t delay_ns);
  void Transmit(topology::Direction direction, uint32_t packet, int64_t delay_ns);
  std::optional<int64_t> NextArrival() const;
  void HandleNextArrival();
  void ArriveAtSwitch(topology::NodeIndex node, topology::Direction from, uint32_t packet);
  void ArriveAtHost(topology::NodeIndex node, uint32_t packet);
  void AnswerProbe(topology::NodeIndex node, const wire::Ipv4Header& ip,
                   const ProbePacket& question, uint32_t packet);
  void SendIcmp(topology::NodeIndex node, const wire::IpAddress& from, wire::IcmpType type,
                uint8_t code, uint32_t original);
  bool TakeIcmpToken(topology::NodeIndex node);

  const topology::Fabric* fabric_;
  SimulatedNetworkOptions options_;
  Random random_;
  std::vector<topology::HashModel> hashes_;
  std::unique_ptr<topology::Router> router_;
  std::vector<LinkFault> link_faults_;      // by Direction::index()
  std::vector<bool> links_down_;            // by LinkIndex
  std::vector<SwitchFault> switch_faults_;  // by node
  std::vector<TokenBucket> buckets_;        // by node
  std::vector<HostBehaviour> hosts_;        // by node
  absl::flat_hash_map<wire::IpAddress, SimulatedEndpoint*> endpoints_;

  int64_t now_ns_ = 0;
  uint64_t order_ = 0;
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;
  std::vector<std::unique_ptr<Packet>> packets_;
  std::vector<uint32_t> free_packets_;
};

}  // namespace weft::probe
