// SPDX-License-Identifier: Apache-2.0
#include "probe/respond/responder.h"

#include <linux/sock_diag.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <random>

#include "absl/strings/str_cat.h"
#include "probe/endpoint/udp/host_clock.h"
#include "probe/endpoint/udp/local_interface.h"
#include "probe/endpoint/udp/socket_address.h"
#include "wire/roce.h"

namespace weft::probe {
namespace {

constexpr size_t kDatagramsAtOnce = 64;
constexpr size_t kMaxDatagramBytes = 4096 + 64;
constexpr int kReceiveBufferBytes = 8 << 20;
constexpr int64_t kTickNs = 50'000'000;
constexpr uint8_t kEcnBits = 0x03;
// Ports below this one need rights, and belong to services that we must not stand in for.
constexpr uint16_t kFirstAnswerPort = 1024;
constexpr uint16_t kFirstRocePort = 0xc000;  // RoCEv2 source ports are 0xc000 to 0xffff
// On so many source ports each heartbeat goes, so that full or dead paths do not stop it.
constexpr int kHeartbeatCopies = 4;

absl::Status Watch(int epoll_fd, int fd) {
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.fd = fd;
  if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("epoll_ctl: ", strerror(errno)));
}

uint64_t SocketDrops(int fd) {
  std::array<uint32_t, SK_MEMINFO_VARS> info{};
  socklen_t size = sizeof info;
  return getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info.data(), &size) == 0 ? info[SK_MEMINFO_DROPS]
                                                                         : 0;
}

uint64_t SeedOf(const ResponderOptions& options) {
  if (options.seed != 0) return options.seed;
  std::random_device device;
  return uint64_t{device()} << 32 | device();
}

}  // namespace

Responder::Responder(const ResponderOptions& options)
    : options_(options),
      batch_(kDatagramsAtOnce, kMaxDatagramBytes),
      rate_limit_(options.answers_per_second, options.answers_per_second_per_source, MonotonicNs()),
      sink_(options.flow_limits, SeedOf(options)) {
  std::mt19937_64 random(SeedOf(options) + 1);
  while (options_.dest_qpn < 2 || options_.dest_qpn == wire::kPsnMask) {
    options_.dest_qpn = static_cast<uint32_t>(random() & wire::kPsnMask);
  }
  // The highest bit would ask an InfiniBand stack for a privileged Q_Key.
  if (!options_.q_key) options_.q_key = static_cast<uint32_t>(random() & 0x7fffffff);
  for (uint16_t& port : heartbeat_ports_) {
    port = static_cast<uint16_t>(kFirstRocePort + random() % (0x10000 - kFirstRocePort));
  }
}

Responder::~Responder() {
  if (epoll_fd_ >= 0) close(epoll_fd_);
}

absl::StatusOr<std::unique_ptr<Responder>> Responder::Create(const ResponderOptions& options) {
  if (!options.interface.empty()) {
    absl::Status status = CheckInterface(options.interface);
    if (!status.ok()) return status;
  }
  auto responder = std::unique_ptr<Responder>(new Responder(options));
  absl::Status status = responder->Open();
  if (!status.ok()) return status;
  responder->FillTarget();
  return responder;
}

absl::Status Responder::Open() {
  UdpSocketOptions udp = {.address = options_.address,
                          .port = wire::kRoceUdpPort,
                          .interface = options_.interface,
                          .receives = true,
                          .stamps_receives = true,
                          .receive_buffer_bytes = kReceiveBufferBytes};
  if (const int error = socket_.Open(udp); error != 0) return OpenError(udp, error);
  const UdpSocketOptions spare = {.address = options_.address, .interface = options_.interface};
  if (const int error = spare_.Open(spare); error != 0) return OpenError(spare, error);
  epoll_fd_ = epoll_create1(EPOLL_CLOEXEC);
  if (epoll_fd_ < 0) return absl::InternalError(absl::StrCat("epoll: ", strerror(errno)));
  absl::Status status = Watch(epoll_fd_, socket_.fd());
  if (!status.ok() || options_.tcp_port == 0) return status;
  absl::StatusOr<TargetServer> server = TargetServer::Listen(options_.address, options_.tcp_port);
  if (!server.ok()) return server.status();
  server_ = *std::move(server);
  return Watch(epoll_fd_, server_.fd());
}

void Responder::FillTarget() {
  const bool answers_on_all = options_.address.empty() || IsEveryAddress(options_.address);
  target_ = {.name = options_.name,
             .address = answers_on_all ? options_.advertised_address : options_.address,
             .dest_qpn = options_.dest_qpn,
             .q_key = *options_.q_key,
             .path_mtu = options_.path_mtu,
             .clock = "kernel",
             .tcp_port = server_.tcp_port()};
}

ResponderCounters Responder::counters() const {
  ResponderCounters counters = counters_;
  counters.socket_drops = SocketDrops(socket_.fd());
  return counters;
}

void Responder::Step(int64_t deadline_ns) {
  const int64_t until = sink_.flow_count() > 0 ? std::min(deadline_ns, next_tick_ns_) : deadline_ns;
  const int64_t wait_ns = until - MonotonicNs();
  if (wait_ns > 0) WaitReadable(epoll_fd_, wait_ns);
  size_t count = 0;
  do {
    count = batch_.Receive(socket_.fd());
    for (size_t i = 0; i < count; ++i) OnDatagram(batch_.Get(i));
    SendHeartbeats();
  } while (count == batch_.capacity() && MonotonicNs() < deadline_ns);
  if (server_.fd() >= 0) {
    counters_.records_served += static_cast<uint64_t>(server_.Serve(target_));
  }
}

bool Responder::IsForUs(uint32_t dest_qpn, uint32_t q_key) {
  const bool ours = dest_qpn == options_.dest_qpn && q_key == *options_.q_key;
  if (!ours) ++counters_.wrong_qp;
  return ours;
}

void Responder::OnDatagram(const Datagram& datagram) {
  const std::optional<wire::RoceDatagram> roce = wire::ParseRoceDatagram(datagram.bytes);
  if (!roce || datagram.cut) {
    ++counters_.malformed;
    return;
  }
  const bool is_data = IsUcSend(roce->bth.opcode);
  if (is_data && !sink_.Expects(datagram.source, roce->bth.dest_qpn)) {
    ++counters_.unknown_flow;
    return;
  }
  if (!wire::IcrcMatches({.source = datagram.source,
                          .destination = datagram.destination,
                          .udp_src_port = datagram.udp_src_port},
                         datagram.bytes)) {
    ++counters_.bad_icrc;
    return;
  }
  if (is_data) {
    OnData(datagram, *roce);
  } else if (const auto question = ReadProbePacket(*roce)) {
    OnQuestion(datagram, *question);
  } else if (const auto control = ParseControl(*roce)) {
    OnControl(datagram, *control);
  } else {
    ++counters_.malformed;
  }
}

void Responder::OnData(const Datagram& datagram, const wire::RoceDatagram& roce) {
  const std::optional<DataPacket> data = ParseData(roce);
  if (!data) {
    ++counters_.malformed;
  } else if (sink_.OnData(datagram.source, *data, MonotonicNs())) {
    ++counters_.data_packets;
  } else {
    ++counters_.unknown_flow;
  }
}

Responder::AnswerFrom Responder::SocketFor(uint16_t asked_port) {
  if (asked_port == wire::kRoceUdpPort || asked_port == 0) {
    return {.shared = &socket_, .port = wire::kRoceUdpPort};
  }
  AnswerFrom from = {.port = asked_port};
  const UdpSocketOptions options = {.address = options_.address,
                                    .port = asked_port,
                                    .interface = options_.interface,
                                    .sharing = PortSharing::kForOneAnswer};
  if (asked_port >= kFirstAnswerPort && from.own.Open(options) == 0) return from;
  return {.shared = &spare_, .port = spare_.port(), .asked_port_was_busy = true};
}

void Responder::OnQuestion(const Datagram& datagram, const ProbePacket& question) {
  if (question.payload.type != wire::ProbeType::kQuestion) {
    ++counters_.malformed;
    return;
  }
  if (!IsForUs(question.dest_qpn, question.q_key)) return;
  if (!rate_limit_.Take(datagram.source, MonotonicNs())) {
    ++counters_.rate_limited;
    return;
  }
  const AnswerFrom from = SocketFor(question.payload.reply_udp_src_port);
  if (from.asked_port_was_busy) ++counters_.reply_port_busy;
  std::array<std::byte, kMaxDatagramBytes> answer;
  AnswerDetails details = {.udp_src_port = from.port,
                           .reply_port_was_busy = from.asked_port_was_busy,
                           .received_ttl = datagram.ttl,
                           .received_traffic_class = datagram.traffic_class};
  if (datagram.stamp_ns != 0) {
    details.responder_delay_ns =
        static_cast<uint64_t>(std::max<int64_t>(RealtimeNs() - datagram.stamp_ns, 0));
  }
  const size_t size = BuildAnswer(question, datagram.destination, datagram.source, details, answer);
  const UdpSocket::Destination prober = {
      .address = datagram.source,
      .udp_port = question.payload.reply_udp_dst_port,
      .traffic_class = static_cast<uint8_t>(datagram.traffic_class & ~kEcnBits),
      .source = datagram.destination};
  if (size == 0 || from.socket().Send(prober, std::span(answer).first(size)) != 0) {
    ++counters_.not_sent;
  } else {
    ++counters_.answers;
  }
}

void Responder::OnControl(const Datagram& datagram, const ControlPacket& packet) {
  if (!IsForUs(packet.dest_qpn, packet.q_key)) return;
  const int64_t now = MonotonicNs();
  if (!rate_limit_.Take(datagram.source, now)) {
    ++counters_.rate_limited;
    return;
  }
  FlowSink::Outgoing reply = {.destination = datagram.source,
                              .dest_qpn = packet.source_qpn,
                              .q_key = packet.q_key,
                              .source = datagram.destination};
  if (const auto* offer = std::get_if<wire::TrafficOffer>(&packet.message.body)) {
    const size_t flows_before = sink_.flow_count();
    reply.message = sink_.OnOffer(datagram.source, packet.message.token, *offer, packet, now);
    sink_.SetLocalAddress(datagram.source, packet.message.token, datagram.destination);
    if (sink_.flow_count() > flows_before) ++counters_.flows_accepted;
    if (wire::TypeOf(reply.message) == wire::TrafficType::kRefuse) ++counters_.flows_refused;
    reply.udp_dst_port = offer->reply_udp_dst_port;
    SendControl(reply, offer->reply_udp_src_port);
  } else if (const auto* done = std::get_if<wire::TrafficDone>(&packet.message.body)) {
    const auto report = sink_.OnDone(datagram.source, packet.message.token, *done, now);
    if (!report) {
      ++counters_.unknown_flow;
      return;
    }
    reply.message = *report;
    reply.udp_dst_port = done->reply_udp_dst_port;
    SendControl(reply, done->reply_udp_src_port);
  } else {
    ++counters_.malformed;
  }
}

void Responder::SendControl(const FlowSink::Outgoing& to, uint16_t asked_src_port) {
  const AnswerFrom from = SocketFor(asked_src_port);
  std::array<std::byte, kMaxControlBytes> packet;
  const size_t size = BuildControl(
      {.source = to.source,
       .destination = to.destination,
       .udp_src_port = from.port,
       .udp_dst_port = to.udp_dst_port},
      to.dest_qpn, {.q_key = to.q_key, .source_qpn = options_.dest_qpn}, to.message, packet);
  const UdpSocket::Destination destination = {
      .address = to.destination, .udp_port = to.udp_dst_port, .source = to.source};
  if (size == 0 || from.socket().Send(destination, std::span(packet).first(size)) != 0) {
    ++counters_.not_sent;
  }
}

void Responder::SendHeartbeats() {
  const int64_t now = MonotonicNs();
  if (sink_.flow_count() == 0 || now < next_tick_ns_) return;
  next_tick_ns_ = now + kTickNs;
  heartbeats_.clear();
  sink_.Tick(now, heartbeats_);
  for (const FlowSink::Outgoing& heartbeat : heartbeats_) {
    for (int copy = 0; copy < kHeartbeatCopies; ++copy) {
      SendControl(heartbeat, heartbeat_ports_[next_heartbeat_port_++ % heartbeat_ports_.size()]);
    }
  }
}

}  // namespace weft::probe
