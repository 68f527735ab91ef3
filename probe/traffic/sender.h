// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "probe/endpoint/udp/port_sockets.h"
#include "probe/endpoint/udp/received.h"
#include "probe/endpoint/udp/udp_socket.h"
#include "probe/traffic/outgoing_flow.h"
#include "topology/records/flow.h"
#include "topology/records/target.h"

namespace weft::probe {

// A flow to send and the responder that it goes to.
struct FlowToSend {
  topology::Flow flow;
  topology::Target target;
  std::string cannot_send{};  // not empty: why it is only reported (its target is not known)
};

// Sends elephants: offers each flow to its responder, sends it paced, asks what came. All flows of
// one process in one thread; all that happens, happens inside Step().
//
// A responder that falls silent stops its flow within a second. A flow that cannot be sent ends
// with a reason in its report (stopped_because); the others go on.
class Sender {
 public:
  // Opens all sockets. InvalidArgument: options or flows that contradict each other. A flow whose
  // source port is held is not sent, and its report names the holder.
  static absl::StatusOr<std::unique_ptr<Sender>> Create(const SenderOptions& options,
                                                        std::vector<FlowToSend> flows);
  ~Sender();

  // Sends and hears what is due until `deadline_ns` (CLOCK_MONOTONIC) or until all flows have
  // ended.
  void Step(int64_t deadline_ns);
  bool done() const { return ended_count_ == flows_.size(); }
  // No more data; Step() on until done() for the reports of what was sent.
  void Stop(const std::string& reason);

  // In the order of the flows given; complete once done().
  std::vector<topology::FlowReport> Reports() const;

 private:
  struct ControlSocket {
    UdpSocket socket;
    wire::IpAddress address;
  };

  explicit Sender(const SenderOptions& options);
  absl::Status Add(const FlowToSend& to_send);
  absl::StatusOr<uint16_t> ControlPortOn(const wire::IpAddress& address);
  uint16_t RandomRocePort();

  int64_t Advance(OutgoingFlow& flow, int64_t now_ns);
  int64_t AdvanceAsking(OutgoingFlow& flow, int64_t now_ns);
  int64_t AdvanceSending(OutgoingFlow& flow, int64_t now_ns);
  bool SendData(OutgoingFlow& flow, int64_t now_ns);
  void SendControl(const OutgoingFlow& flow, const wire::TrafficMessage& message);
  void ReadControl();
  void OnControl(const ControlSocket& socket, const Datagram& datagram);

  SenderOptions options_;
  std::mt19937_64 random_;
  int epoll_fd_ = -1;
  PortSockets ports_;                         // of the flows: data
  std::list<ControlSocket> control_sockets_;  // one a source address: what responders say
  std::vector<OutgoingFlow> flows_;
  absl::flat_hash_map<uint64_t, size_t> by_token_;
  size_t ended_count_ = 0;
  ReceiveBatch batch_;
  std::vector<std::byte> payload_;
  std::vector<std::byte> packet_;
};

}  // namespace weft::probe
