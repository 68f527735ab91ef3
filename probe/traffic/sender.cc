// SPDX-License-Identifier: Apache-2.0
#include "probe/traffic/sender.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "probe/endpoint/udp/host_clock.h"
#include "probe/endpoint/udp/local_interface.h"
#include "probe/traffic/traffic_packet.h"
#include "wire/flow_label.h"
#include "wire/roce.h"

namespace weft::probe {
namespace {

constexpr int64_t kNsPerMs = 1'000'000;
constexpr int64_t kAskAgainNs = 100 * kNsPerMs;
constexpr int64_t kOfferNs = 5'000 * kNsPerMs;
constexpr int64_t kDrainNs = 500 * kNsPerMs;  // for what still stands in queues
constexpr int64_t kReportNs = 3'000 * kNsPerMs;
constexpr int64_t kNoRoomNs = 200'000;
constexpr double kJitter = 0.5;     // of the gap between packets
constexpr int kPacketsAtOnce = 32;  // of one flow, before the next one has its turn
constexpr size_t kMaxPacketBytes = 4096 + 64;
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

using State = OutgoingFlow::State;

std::string RefusalText(const wire::TrafficRefuse& refusal) {
  switch (refusal.reason) {
    case wire::TrafficRefusal::kTooManyFlows:
      return absl::StrCat("refused: the responder has its ", refusal.limit, " flows");
    case wire::TrafficRefusal::kRateTooHigh:
      return absl::StrCat("refused: the responder takes at most ", refusal.limit, " bit/s");
    case wire::TrafficRefusal::kTooLong:
      return absl::StrCat("refused: the responder takes at most ", refusal.limit, " ms");
    case wire::TrafficRefusal::kPacketTooLarge:
      return absl::StrCat("refused: the responder takes packets of at most ", refusal.limit,
                          " bytes");
  }
  return "refused";
}

void End(OutgoingFlow& flow) {
  flow.state = State::kEnded;
  if (flow.socket != nullptr) --flow.socket->users;
  flow.socket = nullptr;
}

// Data is over, for this reason; what came of it is asked after what is under way had time to come.
void StopData(OutgoingFlow& flow, const std::string& reason, int64_t now_ns) {
  flow.stopped_because = reason;
  flow.end_ns = now_ns;
  flow.state = State::kDraining;
  flow.state_end_ns = now_ns + kDrainNs;
}

}  // namespace

Sender::Sender(const SenderOptions& options)
    : options_(options),
      random_(options.seed),
      ports_({.sharing = PortSharing::kWithAnswers}, RaiseFileLimit()),
      batch_(64, 512),
      payload_(kMaxPacketBytes),
      packet_(kMaxPacketBytes) {}

Sender::~Sender() {
  if (epoll_fd_ >= 0) close(epoll_fd_);
}

absl::StatusOr<std::unique_ptr<Sender>> Sender::Create(const SenderOptions& options,
                                                       std::vector<FlowToSend> flows) {
  auto sender = std::unique_ptr<Sender>(new Sender(options));
  sender->epoll_fd_ = epoll_create1(EPOLL_CLOEXEC);
  if (sender->epoll_fd_ < 0) return absl::InternalError(absl::StrCat("epoll: ", strerror(errno)));
  for (FlowToSend& flow : flows) {
    std::string cannot_send = flow.cannot_send;
    if (cannot_send.empty()) {
      absl::Status status = sender->Add(flow);
      if (absl::IsInvalidArgument(status)) return status;
      if (status.ok()) continue;
      cannot_send = std::string(status.message());
    }
    OutgoingFlow not_sent;
    not_sent.flow = std::move(flow.flow);
    not_sent.stopped_because = cannot_send;
    not_sent.state = State::kEnded;
    sender->flows_.push_back(std::move(not_sent));
    ++sender->ended_count_;
  }
  return sender;
}

// InvalidArgument: nothing can be sent like this. Others: only this flow cannot.
absl::Status Sender::Add(const FlowToSend& to_send) {
  OutgoingFlow flow;
  flow.flow = to_send.flow;
  flow.target = to_send.target;
  const auto error = [&flow](const std::string& what) {
    return absl::InvalidArgumentError(absl::StrCat("flow ", flow.flow.id, ": ", what));
  };
  if (!(flow.flow.rate_bps > 0)) {
    return error(absl::StrCat("rate ", flow.flow.rate_bps, " bit/s: expected more than 0"));
  }
  if (flow.flow.udp_src_port == 0) {
    if (flow.flow.source_qpn == 0 || flow.flow.dest_qpn == 0) {
      return error("no source port, nor the two QPNs that RoCEv2 would make one from");
    }
    flow.flow.udp_src_port =
        wire::UdpSourcePortOf(wire::DefaultFlowLabel(flow.flow.source_qpn, flow.flow.dest_qpn));
  }
  if (flow.flow.source_address.empty()) {
    flow.flow.source_address = RouteSource(flow.target.address, "");
  }
  flow.packet_payload_bytes =
      options_.packet_payload_bytes != 0 ? options_.packet_payload_bytes : flow.target.path_mtu;
  absl::Status status = Validate(options_, flow.packet_payload_bytes);
  if (!status.ok()) return error(std::string(status.message()));
  flow.first_psn = static_cast<uint32_t>(random_() & wire::kPsnMask);
  // Not from the seed: a responder still knows the tokens of the last run.
  std::random_device device;
  do {
    flow.token = uint64_t{device()} << 32 | device();
  } while (by_token_.contains(flow.token));

  absl::StatusOr<uint16_t> control_port = ControlPortOn(flow.flow.source_address);
  if (!control_port.ok()) return control_port.status();
  flow.control_port = *control_port;
  int open_error = 0;
  flow.socket = ports_.Get(flow.flow.source_address, flow.flow.udp_src_port, &open_error);
  if (flow.socket == nullptr) {
    const UdpSocketOptions wanted = {.address = flow.flow.source_address,
                                     .port = flow.flow.udp_src_port};
    return OpenError(wanted, open_error);
  }
  ++flow.socket->users;
  flow.next_control_ns = MonotonicNs();
  flow.state_end_ns = flow.next_control_ns + kOfferNs;
  by_token_[flow.token] = flows_.size();
  flows_.push_back(std::move(flow));
  return absl::OkStatus();
}

absl::StatusOr<uint16_t> Sender::ControlPortOn(const wire::IpAddress& address) {
  for (const ControlSocket& known : control_sockets_) {
    if (known.address == address) return known.socket.port();
  }
  const UdpSocketOptions options = {.address = address, .receives = true};
  ControlSocket opened = {.socket = {}, .address = address};
  if (const int error = opened.socket.Open(options); error != 0) return OpenError(options, error);
  epoll_event event = {};
  event.events = EPOLLIN;
  if (epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, opened.socket.fd(), &event) != 0) {
    return absl::InternalError(absl::StrCat("epoll_ctl: ", strerror(errno)));
  }
  control_sockets_.push_back(std::move(opened));
  return control_sockets_.back().socket.port();
}

uint16_t Sender::RandomRocePort() {
  constexpr uint64_t kPorts = wire::kLastRoceSourcePort - wire::kFirstRoceSourcePort + 1;
  return static_cast<uint16_t>(wire::kFirstRoceSourcePort + random_() % kPorts);
}

void Sender::Step(int64_t deadline_ns) {
  while (true) {
    ReadControl();
    int64_t wake_ns = deadline_ns;
    for (OutgoingFlow& flow : flows_) {
      if (flow.state == State::kEnded) continue;
      const int64_t flow_wake_ns = Advance(flow, MonotonicNs());
      if (flow.state == State::kEnded) ++ended_count_;
      wake_ns = std::min(wake_ns, flow_wake_ns);
    }
    const int64_t now = MonotonicNs();
    if (done() || now >= deadline_ns) return;
    if (wake_ns > now) WaitReadable(epoll_fd_, wake_ns - now);
  }
}

// Does what is due for the flow. Returns when it has to be looked at again.
int64_t Sender::Advance(OutgoingFlow& flow, int64_t now_ns) {
  switch (flow.state) {
    case State::kOffering:
    case State::kAsking:
      return AdvanceAsking(flow, now_ns);
    case State::kSending:
      return AdvanceSending(flow, now_ns);
    case State::kDraining:
      if (now_ns < flow.state_end_ns) return flow.state_end_ns;
      flow.state = State::kAsking;
      flow.next_control_ns = now_ns;
      flow.state_end_ns = now_ns + kReportNs;
      return now_ns;
    case State::kEnded:
      break;
  }
  return kNever;
}

int64_t Sender::AdvanceAsking(OutgoingFlow& flow, int64_t now_ns) {
  const bool offering = flow.state == State::kOffering;
  if (now_ns >= flow.state_end_ns) {
    if (offering) {
      flow.stopped_because =
          absl::StrCat("no answer to the offer from ", flow.target.address.ToString());
    }
    End(flow);
    return kNever;
  }
  if (now_ns < flow.next_control_ns) return flow.next_control_ns;
  flow.next_control_ns = now_ns + kAskAgainNs;
  wire::TrafficMessage message = {.token = flow.token, .body = {}};
  if (offering) {
    message.body = wire::TrafficOffer{
        .rate_bps = static_cast<uint64_t>(flow.flow.rate_bps),
        .duration_ms = static_cast<uint32_t>(options_.duration_ns / kNsPerMs),
        .packet_payload_bytes = flow.packet_payload_bytes,
        .window_start_ms = static_cast<uint32_t>(options_.warmup_ns / kNsPerMs),
        .window_end_ms = static_cast<uint32_t>((options_.duration_ns - kWindowTailNs) / kNsPerMs),
        .first_psn = flow.first_psn,
        .reply_udp_dst_port = flow.control_port,
        .reply_udp_src_port = RandomRocePort()};
  } else {
    message.body = wire::TrafficDone{.sent_packets = flow.sent_packets,
                                     .reply_udp_dst_port = flow.control_port,
                                     .reply_udp_src_port = RandomRocePort()};
  }
  SendControl(flow, message);
  return flow.next_control_ns;
}

int64_t Sender::AdvanceSending(OutgoingFlow& flow, int64_t now_ns) {
  if (now_ns - flow.start_ns >= options_.duration_ns) {
    StopData(flow, "done", now_ns);
    return flow.state_end_ns;
  }
  if (now_ns >= flow.SilentAt()) {
    StopData(flow, "responder silent", now_ns);
    return flow.state_end_ns;
  }
  if (now_ns < flow.retry_ns) return flow.retry_ns;
  for (int i = 0; i < kPacketsAtOnce && flow.pacer->IsDue(now_ns); ++i) {
    if (!SendData(flow, now_ns)) break;
    now_ns = MonotonicNs();
  }
  if (flow.state != State::kSending) return flow.state_end_ns;
  return std::min({std::max(flow.pacer->NextSendNs(), flow.retry_ns), flow.SilentAt(),
                   flow.start_ns + options_.duration_ns});
}

// false: not now.
bool Sender::SendData(OutgoingFlow& flow, int64_t now_ns) {
  const MessagePacket next =
      PacketAt(flow.message_offset, options_.message_bytes, flow.packet_payload_bytes);
  const int64_t sent_ns = now_ns - flow.start_ns;
  const std::span<std::byte> payload = std::span(payload_).first(next.payload_bytes);
  wire::WriteTrafficMessage(
      {.token = flow.token, .body = wire::TrafficData{static_cast<uint64_t>(sent_ns)}}, payload);
  wire::Bth bth;
  bth.opcode = static_cast<uint8_t>(next.opcode);
  bth.dest_qpn = flow.dest_qpn;
  bth.psn = static_cast<uint32_t>((flow.first_psn + flow.sent_packets) & wire::kPsnMask);
  const size_t size = wire::BuildRoceDatagram({.source = flow.flow.source_address,
                                               .destination = flow.target.address,
                                               .udp_src_port = flow.flow.udp_src_port},
                                              bth, std::nullopt, payload, packet_);
  const int error =
      flow.socket->socket.Send({.address = flow.target.address, .udp_port = wire::kRoceUdpPort},
                               std::span(packet_).first(size));
  if (error == EAGAIN || error == ENOBUFS) {
    flow.retry_ns = now_ns + kNoRoomNs;
    return false;
  }
  if (error != 0) {
    StopData(flow,
             error == EMSGSIZE ? absl::StrCat("packets of ", flow.packet_payload_bytes,
                                              " bytes do not fit the interface's MTU")
                               : absl::StrCat("cannot send: ", strerror(error)),
             now_ns);
    return false;
  }
  flow.pacer->OnSend(next.payload_bytes, now_ns);
  ++flow.sent_packets;
  flow.message_offset = (flow.message_offset + next.payload_bytes) % options_.message_bytes;
  if (sent_ns >= options_.warmup_ns && sent_ns < options_.duration_ns - kWindowTailNs) {
    flow.window_bytes += next.payload_bytes;
  }
  return true;
}

void Sender::SendControl(const OutgoingFlow& flow, const wire::TrafficMessage& message) {
  constexpr int kTries = 4;  // ports that others hold are passed over
  UdpSocket from;
  for (int tries = 0; tries < kTries && !from.is_open(); ++tries) {
    from.Open({.address = flow.flow.source_address,
               .port = RandomRocePort(),
               .sharing = PortSharing::kForOneAnswer});
  }
  if (!from.is_open()) return;  // it is asked again anyway
  std::array<std::byte, kMaxControlBytes> packet;
  const size_t size = BuildControl({.source = flow.flow.source_address,
                                    .destination = flow.target.address,
                                    .udp_src_port = from.port()},
                                   flow.target.dest_qpn,
                                   {.q_key = flow.target.q_key, .source_qpn = flow.flow.source_qpn},
                                   message, packet);
  from.Send({.address = flow.target.address, .udp_port = wire::kRoceUdpPort},
            std::span(packet).first(size));
}

void Sender::ReadControl() {
  for (const ControlSocket& socket : control_sockets_) {
    const size_t count = batch_.Receive(socket.socket.fd());
    for (size_t i = 0; i < count; ++i) OnControl(socket, batch_.Get(i));
  }
}

void Sender::OnControl(const ControlSocket& socket, const Datagram& datagram) {
  const auto roce = wire::ParseRoceDatagram(datagram.bytes);
  if (!roce || !wire::IcrcMatches({.source = datagram.source,
                                   .destination = socket.address,
                                   .udp_src_port = datagram.udp_src_port,
                                   .udp_dst_port = socket.socket.port()},
                                  datagram.bytes)) {
    return;
  }
  const std::optional<ControlPacket> packet = ParseControl(*roce);
  if (!packet) return;
  const auto found = by_token_.find(packet->message.token);
  if (found == by_token_.end()) return;
  OutgoingFlow& flow = flows_[found->second];
  if (flow.target.address != datagram.source) return;
  const int64_t now = MonotonicNs();
  flow.last_heard_ns = now;
  if (flow.state == State::kOffering) {
    if (const auto* accept = std::get_if<wire::TrafficAccept>(&packet->message.body)) {
      flow.dest_qpn = accept->dest_qpn;
      flow.start_ns = now;
      flow.pacer.emplace(flow.flow.rate_bps, now, kJitter, random_());
      flow.started_at = absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::Now(), absl::UTCTimeZone());
      flow.state = State::kSending;
    } else if (const auto* refuse = std::get_if<wire::TrafficRefuse>(&packet->message.body)) {
      flow.stopped_because = RefusalText(*refuse);
      End(flow);
      ++ended_count_;
    }
  } else if (flow.state == State::kAsking) {
    if (const auto* report = std::get_if<wire::TrafficReport>(&packet->message.body)) {
      flow.report = *report;
      End(flow);
      ++ended_count_;
    }
  }
}

void Sender::Stop(const std::string& reason) {
  const int64_t now = MonotonicNs();
  for (OutgoingFlow& flow : flows_) {
    if (flow.state == State::kSending) StopData(flow, reason, now);
    if (flow.state == State::kOffering) {
      flow.stopped_because = reason;
      End(flow);
      ++ended_count_;
    }
  }
}

std::vector<topology::FlowReport> Sender::Reports() const {
  std::vector<topology::FlowReport> reports;
  reports.reserve(flows_.size());
  for (const OutgoingFlow& flow : flows_) reports.push_back(flow.Report(options_));
  return reports;
}

}  // namespace weft::probe
