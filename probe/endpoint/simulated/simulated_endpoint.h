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
//
// A probe with an explicit source leaves by the interface that has this address, as a NIC sends
// what is bound to it; others leave by whichever the routing chooses. Send() also fails with
// InvalidArgument where another endpoint has the source.
class SimulatedEndpoint final : public Endpoint {
 public:
  SimulatedEndpoint(SimulatedNetwork* network, topology::NodeIndex node, wire::IpAddress address,
                    uint32_t session);
  ~SimulatedEndpoint() override;

  int64_t Now() const override { return network_->now_ns(); }
  // The one it was opened with, or the host's first of the destination's family; may be none.
  wire::IpAddress LocalAddress(const wire::IpAddress& destination) const override;
  absl::Status Send(std::span<const Probe> probes) override;
  absl::Status Poll(int64_t deadline_ns, std::vector<Event>& events) override;
  size_t capacity() const override { return in_flight_.capacity(); }

  // Answers that came after their probe was given up.
  uint64_t late_count() const { return in_flight_.late_count(); }

 private:
  friend class SimulatedNetwork;

  absl::Status CheckSource(const Probe& probe);
  void SendOne(const Probe& probe);
  // The way out of the interface that has this address; nullopt: no interface that is plugged in.
  std::optional<topology::Direction> WayOf(const wire::IpAddress& source) const;
  // A packet for this host that is no question.
  void Receive(SimulatedPacket& packet);
  void ReceiveAnswer(SimulatedPacket& packet);
  void ReceiveError(SimulatedPacket& packet);
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
