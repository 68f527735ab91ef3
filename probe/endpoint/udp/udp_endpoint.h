// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "probe/endpoint/endpoint.h"
#include "probe/endpoint/in_flight.h"
#include "probe/endpoint/probe_packet.h"
#include "probe/endpoint/udp/icmp_socket.h"
#include "probe/endpoint/udp/port_sockets.h"
#include "probe/endpoint/udp/received.h"

namespace weft::probe {

struct UdpEndpointOptions {
  wire::IpAddress address{};  // to send from; none: as the route to each destination says
  std::string interface {};   // empty: as the routes say
  size_t capacity = 4096;     // probes in flight
  bool kernel_stamps = true;
  bool sees_quotes = true;  // hears ICMP errors by raw sockets, where this process may open them
  // Names this prober in its packets: answers to another session are dropped. 0: random.
  uint32_t session = 0;
};

// What was heard and not made an event.
struct UdpEndpointCounters {
  uint64_t malformed = 0;  // not an answer in our format
  uint64_t bad_icrc = 0;
  uint64_t other_session = 0;  // meant for another prober, or for an earlier one on our ports
  // An answer from another address than was asked, or an error that quotes another's source.
  uint64_t stray = 0;
  uint64_t late = 0;            // answers and ICMP errors after their probe had ended
  uint64_t other_errors = 0;    // ICMP errors that end no probe
  uint64_t foreign_errors = 0;  // ICMP errors about other programs' packets, which raw sockets hear
  uint64_t icmp_overflow = 0;   // ICMP errors that found a raw socket's buffer full
  uint64_t not_sent = 0;        // the kernel had no room; the probe counts as lost
};

// Probes from ordinary, unprivileged UDP sockets: one per source port. Answers are asked for on UDP
// port 4791 where that is free, otherwise on a port of the kernel's choice.
//
// Hops answer by ICMP errors, of which every one comes two ways. Where this process may open raw
// ICMP sockets (CAP_NET_RAW), it hears them there, with the whole quote and, over IPv4, the header
// that carried them; what the error queues say of the same is dropped. Otherwise it hears them from
// the error queues (IP_RECVERR), by which Linux hands on only what is quoted after the UDP header.
// Where a switch quotes just 28 bytes, the probe is then known by addresses and source port alone,
// so an answer that is later than its probe's timeout can be taken for that of the next probe
// there. Of the quoted IP header the queues tell IPv6's traffic class, and of the header that
// carried the error its TTL; the rest of the two stays unknown.
class UdpEndpoint : public Endpoint {
 public:
  static absl::StatusOr<std::unique_ptr<UdpEndpoint>> Create(const UdpEndpointOptions& options);
  ~UdpEndpoint() override;

  int64_t Now() const override;  // CLOCK_MONOTONIC
  wire::IpAddress LocalAddress(const wire::IpAddress& destination) const override;
  // AlreadyExists: a source port is held by another program, which the message names.
  // FailedPrecondition: a flow label is asked for that this host does not let us choose.
  absl::Status Send(std::span<const Probe> probes) override;
  absl::Status Poll(int64_t deadline_ns, std::vector<Event>& events) override;
  size_t capacity() const override { return in_flight_.capacity(); }

  UdpEndpointCounters counters() const;

  // Ok: the quotes of IPv4 errors are seen. Otherwise why not, as "Operation not permitted".
  const absl::Status& quote_status() const { return quote_status_; }

 private:
  struct AnswerSocket {
    PortSockets::Socket socket;
    bool owns_roce_port = false;
  };
  // Of one probe in flight, by slot.
  struct Sent {
    PortSockets::Socket* socket = nullptr;
    int64_t stamp_ns = 0;  // kernel's time of leaving, CLOCK_REALTIME; 0: none
  };
  struct Prepared {
    wire::IpAddress source;
    PortSockets::Socket* socket = nullptr;
    uint16_t answer_port = 0;
  };

  explicit UdpEndpoint(const UdpEndpointOptions& options);
  absl::StatusOr<Prepared> Prepare(const Probe& probe);
  absl::Status CheckFlowLabel(const Probe& probe, const wire::IpAddress& source);
  absl::StatusOr<AnswerSocket*> AnswerSocketOf(const wire::IpAddress& source);
  wire::IpAddress SourceFor(const wire::IpAddress& destination);
  void SendPrepared(const Probe& probe, const Prepared& prepared);

  void OpenIcmpSockets();
  const IcmpSocket& IcmpSocketOf(const wire::IpAddress& address) const {
    return address.IsV6() ? icmp_v6_ : icmp_v4_;
  }
  bool SendsFrom(const wire::IpAddress& source, uint16_t udp_src_port) const;

  void ReadReady();
  void ReadIcmp(const IcmpSocket& socket);
  void ReadAnswers(const AnswerSocket& answers);
  void ReadErrors(PortSockets::Socket& socket);
  void OnAnswer(const AnswerSocket& answers, const Datagram& datagram);
  void ReadSendStamp(const InFlight::Entry& entry);
  void OnSendStamp(const QueuedError& error);
  void OnQueuedIcmp(const PortSockets::Socket& socket, const QueuedError& error);
  void OnIcmp(const Datagram& datagram);
  InFlight::Entry* FindQuoted(const wire::IpError& error);
  void ExpireProbes();
  void ReportSent(InFlight::Entry& entry);
  void Finish(InFlight::Entry* entry, const Event& event);
  // From CLOCK_REALTIME, which the kernel stamps with, to Now()'s clock.
  int64_t FromRealtime(int64_t realtime_ns) const { return realtime_ns - realtime_ahead_ns_; }
  int64_t RttOf(const InFlight::Entry& entry, int64_t received_stamp_ns) const;

  UdpEndpointOptions options_;
  int epoll_fd_ = -1;
  InFlight in_flight_;
  std::vector<Sent> sent_;
  std::optional<PortSockets> ports_;
  std::list<AnswerSocket> answers_;  // one per local address that was sent from
  ReceiveBatch batch_;
  IcmpSocket icmp_v4_;
  IcmpSocket icmp_v6_;
  std::optional<ReceiveBatch> icmp_batch_;  // where one of the two is open
  absl::Status quote_status_;
  std::array<std::byte, 2048> error_bytes_;
  std::vector<Prepared> prepared_;
  std::vector<Event> pending_;
  int64_t realtime_ahead_ns_ = 0;
  UdpEndpointCounters counters_;
  std::optional<absl::Status> flow_labels_;  // whether they can be chosen, once that was asked

  struct CachedRoute {
    wire::IpAddress source;
    int64_t until_ns = 0;
  };
  absl::flat_hash_map<wire::IpAddress, CachedRoute> routes_;
};

}  // namespace weft::probe
