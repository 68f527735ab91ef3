// SPDX-License-Identifier: Apache-2.0
#include "probe/endpoint/simulated/simulated_endpoint.h"

#include <algorithm>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "probe/endpoint/probe_packet.h"
#include "wire/byte_reader.h"
#include "wire/byte_writer.h"
#include "wire/roce.h"
#include "wire/udp.h"

namespace weft::probe {
namespace {

constexpr uint32_t kSourceQpn = 0x11;

}  // namespace

SimulatedEndpoint::SimulatedEndpoint(SimulatedNetwork* network, topology::NodeIndex node,
                                     wire::IpAddress address, uint32_t session)
    : network_(network),
      node_(node),
      address_(address),
      session_(session),
      in_flight_(network->options().endpoint_capacity) {}

SimulatedEndpoint::~SimulatedEndpoint() { network_->endpoints_.erase(address_); }

absl::Status SimulatedEndpoint::Send(std::span<const Probe> probes) {
  if (probes.size() > in_flight_.capacity() - in_flight_.size()) {
    return absl::ResourceExhaustedError(
        absl::StrCat(in_flight_.size(), " probes in flight, ", probes.size(),
                     " more to send: expected at most ", in_flight_.capacity()));
  }
  for (const Probe& probe : probes) SendOne(probe);
  return absl::OkStatus();
}

void SimulatedEndpoint::SendOne(const Probe& probe) {
  InFlight::Entry* entry = in_flight_.Add(probe, Now());
  events_.push_back(
      {.kind = EventKind::kSent, .probe_id = probe.id, .time_ns = Now(), .hop_address = {}});

  const uint32_t index = network_->NewPacket();
  SimulatedNetwork::Packet& packet = *network_->packets_[index];
  constexpr size_t kHeaders = wire::kIpv4HeaderBytes + wire::kUdpHeaderBytes;
  const size_t bytes = BuildProbe(probe, address_, session_, entry->sequence, kSourceQpn,
                                  wire::kRoceUdpPort, std::span(packet.bytes).subspan(kHeaders));
  packet.size = kHeaders + bytes;
  wire::ByteWriter writer(packet.span());
  wire::WriteIpv4({.traffic_class = probe.traffic_class,
                   .total_bytes = static_cast<uint16_t>(packet.size),
                   .dont_fragment = true,
                   .ttl = probe.ttl,
                   .protocol = wire::kIpProtocolUdp,
                   .source = address_,
                   .destination = probe.destination},
                  writer);
  wire::WriteUdp({.source_port = probe.udp_src_port,
                  .destination_port = wire::kRoceUdpPort,
                  .length = static_cast<uint16_t>(wire::kUdpHeaderBytes + bytes)},
                 writer);
  network_->Originate(node_, index, 0);
}

absl::Status SimulatedEndpoint::Poll(int64_t deadline_ns, std::vector<Event>& events) {
  while (true) {
    Expire(Now());
    if (has_outcome_ || Now() >= deadline_ns) break;
    const int64_t until = std::min(deadline_ns, in_flight_.NextDeadline().value_or(deadline_ns));
    const std::optional<int64_t> arrival = network_->NextArrival();
    if (arrival && *arrival <= until) {
      network_->HandleNextArrival();
    } else {
      network_->now_ns_ = std::max(network_->now_ns_, until);
    }
  }
  std::stable_sort(events_.begin(), events_.end(),
                   [](const Event& a, const Event& b) { return a.time_ns < b.time_ns; });
  events.insert(events.end(), events_.begin(), events_.end());
  events_.clear();
  has_outcome_ = false;
  return absl::OkStatus();
}

void SimulatedEndpoint::Expire(int64_t until_ns) {
  while (InFlight::Entry* entry = in_flight_.Expired(until_ns)) {
    events_.push_back({.kind = EventKind::kLost,
                       .probe_id = entry->probe.id,
                       .time_ns = entry->deadline_ns,
                       .hop_address = {}});
    has_outcome_ = true;
    in_flight_.Remove(entry);
  }
}

void SimulatedEndpoint::Receive(const wire::Ipv4Header& ip, std::span<const std::byte> packet) {
  Expire(Now() - 1);  // an answer at the very moment of the deadline is still in time
  if (ip.protocol == wire::kIpProtocolIcmp) {
    ReceiveIcmp(packet);
  } else if (ip.protocol == wire::kIpProtocolUdp) {
    ReceiveAnswer(ip, packet.subspan(ip.header_bytes()));
  }
}

void SimulatedEndpoint::ReceiveAnswer(const wire::Ipv4Header& ip, std::span<const std::byte> data) {
  wire::ByteReader reader(data);
  const wire::UdpHeader udp = wire::ReadUdp(reader);
  ProbePacket answer;
  if (!reader.ok() || ParseProbePacket({.source = ip.source,
                                        .destination = ip.destination,
                                        .udp_src_port = udp.source_port,
                                        .udp_dst_port = udp.destination_port},
                                       reader.Rest(), answer) != PacketFault::kNone) {
    return;
  }
  if (answer.payload.session != session_) return;
  InFlight::Entry* entry = in_flight_.FindAnswered(answer.payload.sequence);
  if (entry == nullptr) return;
  events_.push_back({.kind = EventKind::kReply,
                     .probe_id = entry->probe.id,
                     .time_ns = Now(),
                     .rtt_ns = Now() - entry->sent_ns,
                     .responder_delay_ns = static_cast<int64_t>(answer.payload.responder_delay_ns),
                     .reply_udp_src_port = udp.source_port,
                     .hop_address = {}});
  has_outcome_ = true;
  in_flight_.Remove(entry);
}

void SimulatedEndpoint::ReceiveIcmp(std::span<const std::byte> packet) {
  const std::optional<wire::IcmpError> error = wire::ParseIcmpError(packet);
  if (!error || !error->quoted_udp) return;
  const auto quoted = ParseQuotedProbe(error->quoted_payload);
  if (quoted && quoted->session != session_) return;
  InFlight::Entry* entry =
      quoted ? in_flight_.FindAnswered(quoted->sequence)
             : in_flight_.FindQuoted(error->quoted_ip.destination, error->quoted_udp->source_port,
                                     TtlFromUdpLength(error->quoted_udp->length));
  if (entry == nullptr) return;
  events_.push_back({.kind = error->type == wire::IcmpType::kTimeExceeded ? EventKind::kHop
                                                                          : EventKind::kUnreachable,
                     .probe_id = entry->probe.id,
                     .time_ns = Now(),
                     .hop_address = error->router,
                     .icmp_code = error->code});
  has_outcome_ = true;
  in_flight_.Remove(entry);
}

}  // namespace weft::probe
