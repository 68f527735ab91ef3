// SPDX-License-Identifier: Apache-2.0
#include "probe/endpoint/udp/udp_endpoint.h"

#include <netinet/icmp6.h>
#include <netinet/ip_icmp.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "probe/endpoint/udp/host_clock.h"
#include "probe/endpoint/udp/local_interface.h"
#include "wire/roce.h"

namespace weft::probe {
namespace {

constexpr size_t kAnswersAtOnce = 64;
constexpr size_t kErrorsAtOnce = 64;
constexpr size_t kAnswerBytes = 512;
static_assert(kAnswerBytes >= kMaxProbeBytes);
constexpr size_t kMaxSourcePortSockets = 16384;
constexpr size_t kMaxAnswerSockets = 64;
constexpr int64_t kRouteLifeNs = 1'000'000'000;
constexpr size_t kMaxRoutes = 65536;

// What a router would say of a packet that this host's own rules do not let out, or for which it
// has no way.
uint8_t CodeFor(int error, const wire::IpAddress& destination) {
  const bool filtered = error == EPERM;
  if (destination.IsV6()) return filtered ? ICMP6_DST_UNREACH_ADMIN : ICMP6_DST_UNREACH_ADDR;
  return filtered ? ICMP_PKT_FILTERED : ICMP_HOST_UNREACH;
}

UdpSocketOptions SocketOptions(const UdpEndpointOptions& options) {
  return {.interface = options.interface,
          .hears_errors = true,
          .stamps_sends = options.kernel_stamps,
          .stamps_receives = options.kernel_stamps};
}

}  // namespace

absl::StatusOr<std::unique_ptr<UdpEndpoint>> UdpEndpoint::Create(
    const UdpEndpointOptions& options) {
  if (!options.interface.empty()) {
    absl::Status status = CheckInterface(options.interface);
    if (!status.ok()) return status;
  }
  auto endpoint = std::unique_ptr<UdpEndpoint>(new UdpEndpoint(options));
  endpoint->epoll_fd_ = epoll_create1(EPOLL_CLOEXEC);
  if (endpoint->epoll_fd_ < 0) {
    return absl::InternalError(absl::StrCat("epoll_create1: ", strerror(errno)));
  }
  UdpSocketOptions sources = SocketOptions(options);
  sources.sharing = PortSharing::kWithAnswers;
  endpoint->ports_.emplace(sources, std::min(RaiseFileLimit(), kMaxSourcePortSockets),
                           endpoint->epoll_fd_);
  endpoint->OpenIcmpSockets();
  return endpoint;
}

// Before anything is sent, so that no answer comes by the error queue alone.
void UdpEndpoint::OpenIcmpSockets() {
  quote_status_ = absl::UnavailableError("not asked for");
  if (!options_.sees_quotes) return;
  const auto open = [&](IcmpSocket& socket, wire::IpAddress::Family family) {
    int error = socket.Open(family, options_.kernel_stamps);
    if (error != 0) return error;
    epoll_event event = {};
    event.events = EPOLLIN;
    event.data.ptr = &socket;
    if (epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, socket.fd(), &event) == 0) return 0;
    error = errno;
    socket = IcmpSocket();
    return error;
  };
  const int error = open(icmp_v4_, wire::IpAddress::Family::kV4);
  quote_status_ = error == 0 ? absl::OkStatus() : absl::ErrnoToStatus(error, "raw ICMP socket");
  open(icmp_v6_, wire::IpAddress::Family::kV6);
  if (icmp_v4_.is_open() || icmp_v6_.is_open()) icmp_batch_.emplace(kErrorsAtOnce, kIcmpErrorBytes);
}

bool UdpEndpoint::SendsFrom(const wire::IpAddress& source, uint16_t udp_src_port) const {
  return ports_->IsOpen(source, udp_src_port) ||
         std::ranges::any_of(answers_, [&](const AnswerSocket& answers) {
           return answers.socket.address == source && answers.socket.port == udp_src_port;
         });
}

UdpEndpoint::UdpEndpoint(const UdpEndpointOptions& options)
    : options_(options),
      in_flight_(options.capacity),
      sent_(in_flight_.capacity()),
      batch_(kAnswersAtOnce, kAnswerBytes) {
  while (options_.session == 0) options_.session = std::random_device()();
  prepared_.reserve(in_flight_.capacity());
  pending_.reserve(2 * in_flight_.capacity());
}

UdpEndpoint::~UdpEndpoint() {
  if (epoll_fd_ >= 0) close(epoll_fd_);
}

int64_t UdpEndpoint::Now() const { return MonotonicNs(); }

wire::IpAddress UdpEndpoint::LocalAddress(const wire::IpAddress& destination) const {
  return options_.address.empty() ? RouteSource(destination, options_.interface) : options_.address;
}

UdpEndpointCounters UdpEndpoint::counters() const {
  UdpEndpointCounters counters = counters_;
  counters.late = in_flight_.late_count();
  counters.icmp_overflow = icmp_v4_.OverflowCount() + icmp_v6_.OverflowCount();
  return counters;
}

wire::IpAddress UdpEndpoint::SourceFor(const wire::IpAddress& destination) {
  if (!options_.address.empty()) return options_.address;
  const int64_t now = Now();
  const auto known = routes_.find(destination);
  if (known != routes_.end() && now < known->second.until_ns) return known->second.source;
  if (routes_.size() >= kMaxRoutes) routes_.clear();
  const wire::IpAddress source = RouteSource(destination, options_.interface);
  routes_[destination] = {.source = source, .until_ns = now + kRouteLifeNs};
  return source;
}

absl::StatusOr<UdpEndpoint::AnswerSocket*> UdpEndpoint::AnswerSocketOf(
    const wire::IpAddress& source) {
  for (AnswerSocket& known : answers_) {
    if (known.socket.address == source) return &known;
  }
  if (answers_.size() == kMaxAnswerSockets) {
    return absl::ResourceExhaustedError(
        absl::StrCat("sending from more than ", kMaxAnswerSockets, " local addresses"));
  }
  UdpSocketOptions options = SocketOptions(options_);
  options.address = source;
  options.receives = true;
  options.receive_buffer_bytes = 1 << 20;
  options.port = wire::kRoceUdpPort;
  AnswerSocket opened;
  int error = opened.socket.socket.Open(options);
  opened.owns_roce_port = error == 0;
  if (error == EADDRINUSE) {
    options.port = 0;
    error = opened.socket.socket.Open(options);
  }
  if (error != 0) return OpenError(options, error);
  opened.socket.address = source;
  opened.socket.port = opened.socket.socket.port();
  answers_.push_back(std::move(opened));
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.ptr = &answers_.back().socket;
  if (epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, answers_.back().socket.socket.fd(), &event) != 0) {
    answers_.pop_back();
    return absl::InternalError(absl::StrCat("epoll_ctl: ", strerror(errno)));
  }
  return &answers_.back();
}

absl::StatusOr<UdpEndpoint::Prepared> UdpEndpoint::Prepare(const Probe& probe) {
  absl::Status status = CheckProbe(probe);
  if (!status.ok()) return status;
  Prepared prepared = {.source =
                           probe.source.empty() ? SourceFor(probe.destination) : probe.source};
  if (prepared.source.empty()) {
    return absl::UnavailableError(absl::StrCat(probe.destination.ToString(), ": no route to host"));
  }
  if (prepared.source.family() != probe.destination.family()) {
    return absl::InvalidArgumentError(absl::StrCat("probe to ", probe.destination.ToString(),
                                                   " from ", prepared.source.ToString(),
                                                   ": expected addresses of one family"));
  }
  status = CheckFlowLabel(probe, prepared.source);
  if (!status.ok()) return status;
  absl::StatusOr<AnswerSocket*> answers = AnswerSocketOf(prepared.source);
  if (absl::IsNotFound(answers.status()) && !probe.source.empty()) {
    return absl::InvalidArgumentError(answers.status().message());
  }
  if (!answers.ok()) return answers.status();
  prepared.answer_port = (*answers)->socket.port;
  if (probe.udp_src_port == prepared.answer_port) {
    prepared.socket = &(*answers)->socket;
    return prepared;
  }
  int error = 0;
  prepared.socket = ports_->Get(prepared.source, probe.udp_src_port, &error);
  if (prepared.socket == nullptr) {
    UdpSocketOptions wanted = ports_->options();
    wanted.address = prepared.source;
    wanted.port = probe.udp_src_port;
    return OpenError(wanted, error);
  }
  return prepared;
}

absl::Status UdpEndpoint::CheckFlowLabel(const Probe& probe, const wire::IpAddress& source) {
  if (probe.flow_label == 0) return absl::OkStatus();
  if (source.IsV4()) {
    return absl::InvalidArgumentError(absl::StrCat("probe to ", probe.destination.ToString(),
                                                   ": flow label ", probe.flow_label,
                                                   ": expected 0, as IPv4 has none"));
  }
  if (!flow_labels_) flow_labels_ = CheckFlowLabels(source);
  return *flow_labels_;
}

absl::Status UdpEndpoint::Send(std::span<const Probe> probes) {
  if (probes.size() > in_flight_.capacity() - in_flight_.size()) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "more than ", in_flight_.capacity(), " probes in flight: poll before sending more"));
  }
  prepared_.clear();
  absl::Status status;
  for (const Probe& probe : probes) {
    absl::StatusOr<Prepared> prepared = Prepare(probe);
    if (!prepared.ok()) {
      status = prepared.status();
      break;
    }
    ++prepared->socket->users;
    prepared_.push_back(*prepared);
  }
  if (!status.ok()) {
    for (const Prepared& prepared : prepared_) --prepared.socket->users;
    return status;
  }
  for (size_t i = 0; i < probes.size(); ++i) SendPrepared(probes[i], prepared_[i]);
  return absl::OkStatus();
}

void UdpEndpoint::SendPrepared(const Probe& probe, const Prepared& prepared) {
  InFlight::Entry* entry = in_flight_.Add(probe, Now());
  sent_[entry->slot] = {.socket = prepared.socket};
  std::array<std::byte, kMaxProbeBytes> datagram;
  // An InfiniBand stack would answer to a source QPN; ours only has to be one.
  const uint32_t source_qpn = options_.session & wire::kPsnMask;
  const size_t size = BuildProbe(probe, prepared.source, options_.session, entry->sequence,
                                 source_qpn, prepared.answer_port, datagram);
  entry->sent_ns = Now();
  const int error = prepared.socket->socket.Send({.address = probe.destination,
                                                  .udp_port = wire::kRoceUdpPort,
                                                  .ttl = probe.ttl,
                                                  .traffic_class = probe.traffic_class,
                                                  .flow_label = probe.flow_label},
                                                 std::span(datagram).first(size));
  if (error == EAGAIN || error == ENOBUFS) {
    ++counters_.not_sent;
  } else if (error != 0) {
    Finish(entry, {.kind = EventKind::kUnreachable,
                   .hop_address = prepared.source,
                   .icmp_code = CodeFor(error, probe.destination)});
    return;
  }
  if (!options_.kernel_stamps) ReportSent(*entry);
}

}  // namespace weft::probe
