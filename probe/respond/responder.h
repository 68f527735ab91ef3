// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "probe/endpoint/probe_packet.h"
#include "probe/endpoint/udp/received.h"
#include "probe/endpoint/udp/udp_socket.h"
#include "probe/respond/rate_limit.h"
#include "probe/respond/target_server.h"
#include "probe/traffic/flow_sink.h"
#include "topology/records/target.h"

namespace weft::probe {

struct ResponderOptions {
  std::string name{};
  wire::IpAddress address{};  // to own UDP 4791 of; none: of all IPv4 addresses; ::, all IPv6 ones
  // What the target record says where `address` is none or ::.
  wire::IpAddress advertised_address{};
  std::string interface {};         // empty: any
  uint32_t path_mtu = 1024;         // payload bytes of the largest packet, 256 to 4096
  uint32_t dest_qpn = 0;            // 24 bits; 0: random
  std::optional<uint32_t> q_key{};  // none: random
  uint16_t tcp_port = 4791;         // where the target record is served; 0: nowhere
  double answers_per_second = 100'000;
  double answers_per_second_per_source = 20'000;
  FlowLimits flow_limits{};
  uint64_t seed = 0;  // of QPNs, Q_Key and heartbeat ports; 0: random
};

struct ResponderCounters {
  uint64_t answers = 0;
  uint64_t reply_port_busy = 0;  // answers from another source port than was asked for
  uint64_t malformed = 0;        // not a packet of ours, or longer than the path MTU
  uint64_t bad_icrc = 0;
  uint64_t wrong_qp = 0;  // another QPN or Q_Key
  uint64_t rate_limited = 0;
  uint64_t not_sent = 0;  // answers that the kernel did not take
  uint64_t flows_accepted = 0;
  uint64_t flows_refused = 0;
  uint64_t data_packets = 0;
  uint64_t unknown_flow = 0;  // data of no flow that was accepted from that address
  uint64_t records_served = 0;
  uint64_t socket_drops = 0;  // came, but the socket's buffer was full: not the fabric's loss
};

// Answers probes to UDP port 4791 and counts the elephants sent there. One thread; all that
// happens, happens inside Step(). Answers have the source port that the question asks for, the
// question's length and DSCP; only packets with our QPN, our Q_Key and a right ICRC are answered.
class Responder {
 public:
  // AlreadyExists: UDP 4791 or the TCP port is held, and by whom.
  static absl::StatusOr<std::unique_ptr<Responder>> Create(const ResponderOptions& options);
  ~Responder();

  const topology::Target& target() const { return target_; }
  ResponderCounters counters() const;

  // Handles what is there; when there is nothing, waits for it until `deadline_ns`
  // (CLOCK_MONOTONIC) at the latest. A deadline in the past: does not wait.
  void Step(int64_t deadline_ns);

 private:
  explicit Responder(const ResponderOptions& options);
  absl::Status Open();
  void FillTarget();

  void OnDatagram(const Datagram& datagram);
  void OnData(const Datagram& datagram, const wire::RoceDatagram& roce);
  void OnQuestion(const Datagram& datagram, const ProbePacket& question);
  void OnControl(const Datagram& datagram, const ControlPacket& packet);
  void SendHeartbeats();
  bool IsForUs(uint32_t dest_qpn, uint32_t q_key);

  // What an answer leaves from: the asked port where it can be had. A socket of its own only for
  // as long as the answer takes, so that the port is free for the probes and flows of this host.
  struct AnswerFrom {
    const UdpSocket* shared = nullptr;
    UdpSocket own{};
    uint16_t port = 0;
    bool asked_port_was_busy = false;
    const UdpSocket& socket() const { return shared != nullptr ? *shared : own; }
  };
  AnswerFrom SocketFor(uint16_t asked_port);
  void SendControl(const FlowSink::Outgoing& to, uint16_t asked_src_port);

  ResponderOptions options_;
  topology::Target target_;
  UdpSocket socket_;  // 4791
  UdpSocket spare_;   // for answers whose asked port is not to be had
  TargetServer server_;
  int epoll_fd_ = -1;
  ReceiveBatch batch_;
  RateLimit rate_limit_;
  FlowSink sink_;
  std::vector<FlowSink::Outgoing> heartbeats_;
  std::array<uint16_t, 16> heartbeat_ports_{};
  size_t next_heartbeat_port_ = 0;
  int64_t next_tick_ns_ = 0;
  ResponderCounters counters_;
};

}  // namespace weft::probe
