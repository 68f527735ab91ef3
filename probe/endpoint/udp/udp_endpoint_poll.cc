// SPDX-License-Identifier: Apache-2.0
// The receiving half of UdpEndpoint.
#include <netinet/icmp6.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "probe/endpoint/udp/host_clock.h"
#include "probe/endpoint/udp/udp_endpoint.h"
#include "wire/ip_error.h"
#include "wire/roce.h"

namespace weft::probe {
namespace {

constexpr int kReadyAtOnce = 64;

bool EndsAProbe(const Event& event) { return event.kind != EventKind::kSent; }

// What an ICMP error means for the probe that it is about; kLost: nothing.
EventKind MeaningOf(const QueuedError& error) {
  const bool v6 = error.destination.IsV6();
  const uint8_t expired = v6 ? ICMP6_TIME_EXCEEDED : ICMP_TIME_EXCEEDED;
  static_assert(ICMP6_TIME_EXCEED_TRANSIT == ICMP_EXC_TTL);
  if (error.icmp_type == expired && error.icmp_code == ICMP_EXC_TTL) return EventKind::kHop;
  const uint8_t unreachable = v6 ? ICMP6_DST_UNREACH : ICMP_DEST_UNREACH;
  return error.icmp_type == unreachable ? EventKind::kUnreachable : EventKind::kLost;
}

// The same of one that a raw socket shows, whose kinds are coarser than types and codes.
EventKind MeaningOf(const wire::IpError& error) {
  switch (error.kind) {
    case wire::IpErrorKind::kTimeExceeded:
      return EventKind::kHop;
    case wire::IpErrorKind::kUnreachable:
    case wire::IpErrorKind::kPortClosed:
      return EventKind::kUnreachable;
    case wire::IpErrorKind::kPacketTooBig:
      break;
  }
  // "Fragmentation needed" is a code of IPv4's "destination unreachable".
  return error.quoted_ip.source.IsV4() ? EventKind::kUnreachable : EventKind::kLost;
}

}  // namespace

absl::Status UdpEndpoint::Poll(int64_t deadline_ns, std::vector<Event>& events) {
  while (true) {
    realtime_ahead_ns_ = RealtimeNs() - MonotonicNs();
    ReadReady();
    ExpireProbes();
    const int64_t now = Now();
    if (std::any_of(pending_.begin(), pending_.end(), EndsAProbe) || now >= deadline_ns) break;
    const int64_t until = std::min(deadline_ns, in_flight_.NextDeadline().value_or(deadline_ns));
    if (!WaitReadable(epoll_fd_, until - now)) {
      return absl::InternalError(absl::StrCat("poll: ", strerror(errno)));
    }
  }
  std::stable_sort(pending_.begin(), pending_.end(),
                   [](const Event& a, const Event& b) { return a.time_ns < b.time_ns; });
  events.insert(events.end(), pending_.begin(), pending_.end());
  pending_.clear();
  return absl::OkStatus();
}

void UdpEndpoint::ReadReady() {
  std::array<epoll_event, kReadyAtOnce> ready;
  const int count = epoll_wait(epoll_fd_, ready.data(), kReadyAtOnce, 0);
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = ready[static_cast<size_t>(i)];
    if (event.data.ptr == &icmp_v4_ || event.data.ptr == &icmp_v6_) continue;
    auto* socket = static_cast<PortSockets::Socket*>(event.data.ptr);
    if ((event.events & EPOLLERR) != 0) ReadErrors(*socket);
  }
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = ready[static_cast<size_t>(i)];
    if (event.data.ptr == &icmp_v4_) ReadIcmp(icmp_v4_);
    if (event.data.ptr == &icmp_v6_) ReadIcmp(icmp_v6_);
  }
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = ready[static_cast<size_t>(i)];
    if ((event.events & EPOLLIN) == 0) continue;
    for (const AnswerSocket& answers : answers_) {
      if (&answers.socket == event.data.ptr) ReadAnswers(answers);
    }
  }
}

void UdpEndpoint::ReadIcmp(const IcmpSocket& socket) {
  size_t count = 0;
  do {
    count = icmp_batch_->Receive(socket.fd());
    for (size_t i = 0; i < count; ++i) OnIcmp(icmp_batch_->Get(i));
  } while (count == icmp_batch_->capacity() && pending_.size() < pending_.capacity() / 2);
}

void UdpEndpoint::ReadAnswers(const AnswerSocket& answers) {
  size_t count = 0;
  do {
    count = batch_.Receive(answers.socket.socket.fd());
    for (size_t i = 0; i < count; ++i) OnAnswer(answers, batch_.Get(i));
  } while (count == batch_.capacity() && pending_.size() < pending_.capacity() / 2);
}

void UdpEndpoint::OnAnswer(const AnswerSocket& answers, const Datagram& datagram) {
  ProbePacket packet;
  const PacketFault fault = ParseProbePacket({.source = datagram.source,
                                              .destination = answers.socket.address,
                                              .udp_src_port = datagram.udp_src_port,
                                              .udp_dst_port = answers.socket.port},
                                             datagram.bytes, packet);
  if (fault == PacketFault::kBadIcrc) {
    ++counters_.bad_icrc;
    return;
  }
  if (fault != PacketFault::kNone || packet.payload.type != wire::ProbeType::kAnswer) {
    ++counters_.malformed;
    return;
  }
  if (packet.payload.session != options_.session) {
    ++counters_.other_session;
    return;
  }
  InFlight::Entry* entry = in_flight_.FindAnswered(packet.payload.sequence);
  if (entry == nullptr) return;
  if (entry->probe.destination != datagram.source) {
    ++counters_.stray;
    return;
  }
  ReadSendStamp(*entry);
  entry = in_flight_.Find(packet.payload.sequence);
  if (entry == nullptr) return;
  Event event = {.kind = EventKind::kReply,
                 .time_ns = datagram.stamp_ns != 0 ? FromRealtime(datagram.stamp_ns) : Now(),
                 .rtt_ns = RttOf(*entry, datagram.stamp_ns),
                 .responder_delay_ns = static_cast<int64_t>(packet.payload.responder_delay_ns),
                 .reply_udp_src_port = datagram.udp_src_port};
  if (packet.payload.received_ttl != 0) {  // the responder knew its IP header
    event.received_ttl = packet.payload.received_ttl;
    event.received_traffic_class = packet.payload.received_traffic_class;
  }
  Finish(entry, event);
}

int64_t UdpEndpoint::RttOf(const InFlight::Entry& entry, int64_t received_stamp_ns) const {
  const int64_t sent_stamp_ns = sent_[entry.slot].stamp_ns;
  if (received_stamp_ns != 0) {
    const int64_t rtt = sent_stamp_ns != 0 ? received_stamp_ns - sent_stamp_ns
                                           : FromRealtime(received_stamp_ns) - entry.sent_ns;
    if (rtt >= 0) return rtt;  // otherwise somebody set the clock in between
  }
  return Now() - entry.sent_ns;
}

void UdpEndpoint::ReadErrors(PortSockets::Socket& socket) {
  QueuedError error;
  while (ReadErrorQueue(socket.socket.fd(), error_bytes_, error)) {
    if (error.kind == QueuedError::Kind::kSendStamp) {
      OnSendStamp(error);
    } else if (error.kind == QueuedError::Kind::kIcmp) {
      OnQueuedIcmp(socket, error);
    } else {
      ++counters_.other_errors;
    }
  }
}

// The stamp of its leaving was queued before the probe could be answered. What is read beside it
// may end the probe.
void UdpEndpoint::ReadSendStamp(const InFlight::Entry& entry) {
  const Sent& sent = sent_[entry.slot];
  if (options_.kernel_stamps && sent.stamp_ns == 0) ReadErrors(*sent.socket);
}

void UdpEndpoint::OnSendStamp(const QueuedError& error) {
  const std::optional<wire::ProbePayload> sent = ParseQuotedProbe(error.bytes);
  if (!sent || sent->session != options_.session || error.stamp_ns == 0) return;
  InFlight::Entry* entry = in_flight_.Find(sent->sequence);
  if (entry == nullptr || entry->sent_reported) return;
  sent_[entry->slot].stamp_ns = error.stamp_ns;
  // Not before we asked for it: the two clocks are compared only once in a while.
  entry->sent_ns = std::max(entry->sent_ns, FromRealtime(error.stamp_ns));
  ReportSent(*entry);
}

void UdpEndpoint::OnQueuedIcmp(const PortSockets::Socket& socket, const QueuedError& error) {
  if (IcmpSocketOf(socket.address).is_open()) return;  // it says the same, and more
  const EventKind kind = MeaningOf(error);
  if (kind == EventKind::kLost) {
    ++counters_.other_errors;
    return;
  }
  const std::optional<wire::ProbePayload> quoted = ParseQuotedProbe(error.bytes);
  if (quoted && quoted->session != options_.session) {
    ++counters_.other_session;
    return;
  }
  InFlight::Entry* entry =
      quoted ? in_flight_.FindAnswered(quoted->sequence)
             : in_flight_.FindQuoted(error.destination, socket.port, {}, socket.address);
  if (entry == nullptr) return;
  Finish(entry, {.kind = kind,
                 .time_ns = error.stamp_ns != 0 ? FromRealtime(error.stamp_ns) : Now(),
                 .rtt_ns = RttOf(*entry, error.stamp_ns),
                 .hop_address = error.offender,
                 .icmp_code = error.icmp_code,
                 .quoted_traffic_class = error.quoted_traffic_class,
                 .answer_ttl = error.carrier_ttl});
}

void UdpEndpoint::OnIcmp(const Datagram& datagram) {
  const std::optional<wire::IpError> error = ParseIcmpDatagram(datagram);
  const EventKind kind = error ? MeaningOf(*error) : EventKind::kLost;
  if (kind == EventKind::kLost) {
    ++counters_.other_errors;
    return;
  }
  InFlight::Entry* entry = FindQuoted(*error);
  if (entry == nullptr) return;
  const uint32_t sequence = entry->sequence;
  ReadSendStamp(*entry);
  entry = in_flight_.Find(sequence);
  if (entry == nullptr) return;
  Event event = {.kind = kind,
                 .time_ns = datagram.stamp_ns != 0 ? FromRealtime(datagram.stamp_ns) : Now(),
                 .rtt_ns = RttOf(*entry, datagram.stamp_ns),
                 .hop_address = error->carrier.source,
                 .icmp_code = error->code,
                 .quoted_traffic_class = error->quoted_ip.traffic_class,
                 .quoted_ttl = error->quoted_ip.ttl};
  if (error->carrier.source.IsV4()) event.answer_ip_id = error->carrier.identification;
  if (error->carrier.ttl != 0) event.answer_ttl = error->carrier.ttl;
  Finish(entry, event);
}

// The probe that an error quotes, by its session and sequence, or where the quote is too short for
// these by addresses, source port and length. nullptr: it is not, or no longer, ours; counted.
InFlight::Entry* UdpEndpoint::FindQuoted(const wire::IpError& error) {
  const wire::IpHeader& ip = error.quoted_ip;
  const std::optional<wire::UdpHeader>& udp = error.quoted_udp;
  if (!udp || udp->destination_port != wire::kRoceUdpPort ||
      !SendsFrom(ip.source, udp->source_port)) {
    ++counters_.foreign_errors;
    return nullptr;
  }
  const std::optional<wire::ProbePayload> quoted = ParseQuotedProbe(error.quoted_payload);
  if (quoted && quoted->session != options_.session) {
    ++counters_.other_session;
    return nullptr;
  }
  InFlight::Entry* entry = quoted ? in_flight_.FindAnswered(quoted->sequence)
                                  : in_flight_.FindQuoted(ip.destination, udp->source_port,
                                                          TtlFromUdpLength(udp->length), ip.source);
  if (entry == nullptr) return nullptr;
  const PortSockets::Socket& socket = *sent_[entry->slot].socket;
  if (socket.address == ip.source && socket.port == udp->source_port) return entry;
  ++counters_.stray;
  return nullptr;
}

void UdpEndpoint::ExpireProbes() {
  const int64_t now = Now();
  while (InFlight::Entry* entry = in_flight_.Expired(now)) {
    Finish(entry, {.kind = EventKind::kLost, .time_ns = entry->deadline_ns});
  }
}

void UdpEndpoint::ReportSent(InFlight::Entry& entry) {
  if (entry.sent_reported) return;
  entry.sent_reported = true;
  pending_.push_back(
      {.kind = EventKind::kSent, .probe_id = entry.probe.id, .time_ns = entry.sent_ns});
}

void UdpEndpoint::Finish(InFlight::Entry* entry, const Event& event) {
  ReportSent(*entry);
  Event ended = event;
  ended.probe_id = entry->probe.id;
  ended.time_ns = std::max(event.time_ns, entry->sent_ns);  // never before it left
  pending_.push_back(ended);
  --sent_[entry->slot].socket->users;
  in_flight_.Remove(entry);
}

}  // namespace weft::probe
