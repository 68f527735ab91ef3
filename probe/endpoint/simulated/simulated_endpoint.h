// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "probe/endpoint/endpoint.h"
#include "probe/endpoint/in_flight.h"
#include "probe/endpoint/simulated/simulated_network.h"

namespace weft::probe {

// One host's endpoint in a SimulatedNetwork. Polling one lets time pass for all; what comes for the
// others meanwhile waits until they poll.
class SimulatedEndpoint final : public Endpoint {
 public:
  SimulatedEndpoint(SimulatedNetwork* network, topology::NodeIndex node, wire::IpAddress address,
                    uint32_t session);
  ~SimulatedEndpoint() override;

  int64_t Now() const override { return network_->now_ns(); }
  wire::IpAddress LocalAddress(const wire::IpAddress&) const override { return address_; }
  absl::Status Send(std::span<const Probe> probes) override;
  absl::Status Poll(int64_t deadline_ns, std::vector<Event>& events) override;
  size_t capacity() const override { return in_flight_.capacity(); }

  // Answers that came after their probe was given up.
  uint64_t late_count() const { return in_flight_.late_count(); }

 private:
  friend class SimulatedNetwork;

  void SendOne(const Probe& probe);
  // A packet for this host that is no question; `data` is what follows the IP header.
  void Receive(const wire::Ipv4Header& ip, std::span<const std::byte> packet);
  void ReceiveAnswer(const wire::Ipv4Header& ip, std::span<const std::byte> udp);
  void ReceiveIcmp(std::span<const std::byte> packet);
  void Expire(int64_t until_ns);  // what timed out by then

  SimulatedNetwork* network_;
  topology::NodeIndex node_;
  wire::IpAddress address_;
  uint32_t session_;
  InFlight in_flight_;
  std::vector<Event> events_;  // not handed out yet
  bool has_outcome_ = false;   // one of them is not kSent
};

}  // namespace weft::probe
