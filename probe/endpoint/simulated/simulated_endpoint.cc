// SPDX-License-Identifier: Apache-2.0
#include "probe/endpoint/simulated/simulated_endpoint.h"

#include <algorithm>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "probe/endpoint/probe_packet.h"
#include "wire/byte_writer.h"
#include "wire/ip_error.h"
#include "wire/ipv4.h"
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

SimulatedEndpoint::~SimulatedEndpoint() {
  absl::erase_if(network_->endpoints_, [this](const auto& entry) { return entry.second == this; });
}

wire::IpAddress SimulatedEndpoint::LocalAddress(const wire::IpAddress& destination) const {
  if (address_.family() == destination.family()) return address_;
  const topology::Node& node = network_->fabric().node(node_);
  for (const topology::Interface& interface : node.interfaces) {
    if (interface.address.family() == destination.family()) return interface.address;
  }
  for (const wire::IpAddress& address : node.addresses) {
    if (address.family() == destination.family()) return address;
  }
  return {};
}

absl::Status SimulatedEndpoint::Send(std::span<const Probe> probes) {
  if (probes.size() > in_flight_.capacity() - in_flight_.size()) {
    return absl::ResourceExhaustedError(
        absl::StrCat(in_flight_.size(), " probes in flight, ", probes.size(),
                     " more to send: expected at most ", in_flight_.capacity()));
  }
  for (const Probe& probe : probes) {
    if (absl::Status status = CheckProbe(probe); !status.ok()) return status;
    if (absl::Status status = CheckSource(probe); !status.ok()) return status;
  }
  for (const Probe& probe : probes) SendOne(probe);
  return absl::OkStatus();
}

// An address that this endpoint sends from is its own from then on: answers come to it.
absl::Status SimulatedEndpoint::CheckSource(const Probe& probe) {
  const wire::IpAddress source =
      probe.source.empty() ? LocalAddress(probe.destination) : probe.source;
  if (source == address_) return absl::OkStatus();
  const std::string& name = network_->fabric().node(node_).name;
  if (source.empty() || network_->fabric().FindAddress(source) != node_) {
    return absl::InvalidArgumentError(
        absl::StrCat("probe to ", probe.destination.ToString(), ": source \"", source.ToString(),
                     "\": expected an address of ", name, " of the destination's family"));
  }
  const auto [owner, added] = network_->endpoints_.try_emplace(source, this);
  if (owner->second == this) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("probe to ", probe.destination.ToString(),
                                                 ": source ", source.ToString(),
                                                 ": expected one without an endpoint of its own"));
}

std::optional<topology::Direction> SimulatedEndpoint::WayOf(const wire::IpAddress& source) const {
  const topology::Fabric& fabric = network_->fabric();
  const std::optional<topology::InterfaceIndex> found = fabric.FindAddressInterface(source);
  if (!found) return std::nullopt;
  const auto plugged = fabric.FindPort(node_, fabric.node(node_).interfaces[found->interface].name);
  if (!plugged) return std::nullopt;
  return plugged->direction;
}

void SimulatedEndpoint::SendOne(const Probe& probe) {
  InFlight::Entry* entry = in_flight_.Add(probe, Now());
  events_.push_back({.kind = EventKind::kSent, .probe_id = probe.id, .time_ns = Now()});

  const uint32_t index = network_->packets_.New();
  SimulatedPacket& packet = network_->packets_[index];
  const wire::IpAddress source =
      probe.source.empty() ? LocalAddress(probe.destination) : probe.source;
  const size_t data_offset = wire::IpHeaderBytes(source) + wire::kUdpHeaderBytes;
  const size_t bytes = BuildProbe(probe, source, session_, entry->sequence, kSourceQpn,
                                  wire::kRoceUdpPort, std::span(packet.bytes).subspan(data_offset));
  packet.size = data_offset + bytes;
  wire::ByteWriter writer(packet.span());
  wire::WriteIp({.source = source,
                 .destination = probe.destination,
                 .traffic_class = probe.traffic_class,
                 .flow_label = source.IsV6() ? probe.flow_label : 0,
                 .ttl = probe.ttl,
                 .protocol = wire::kIpProtocolUdp,
                 .payload_bytes = wire::kUdpHeaderBytes + bytes},
                writer);
  wire::WriteUdp({.source_port = probe.udp_src_port,
                  .destination_port = wire::kRoceUdpPort,
                  .length = static_cast<uint16_t>(wire::kUdpHeaderBytes + bytes)},
                 writer);
  const auto way = probe.source.empty() ? std::nullopt : WayOf(probe.source);
  network_->Originate(node_, index, 0, way);
}

absl::Status SimulatedEndpoint::Poll(int64_t deadline_ns, std::vector<Event>& events) {
  while (true) {
    Expire(Now());
    if (has_outcome_ || Now() >= deadline_ns) break;
    const int64_t until = std::min(deadline_ns, in_flight_.NextDeadline().value_or(deadline_ns));
    const std::optional<int64_t> happening = network_->NextHappening();
    if (happening && *happening <= until) {
      network_->HandleNextHappening();
    } else {
      network_->now_ns_ = std::max(network_->now_ns_, until);
    }
  }
  const auto earlier = [](const Event& a, const Event& b) { return a.time_ns < b.time_ns; };
  if (!std::is_sorted(events_.begin(), events_.end(), earlier)) {
    std::stable_sort(events_.begin(), events_.end(), earlier);
  }
  events.insert(events.end(), events_.begin(), events_.end());
  events_.clear();
  has_outcome_ = false;
  return absl::OkStatus();
}

void SimulatedEndpoint::Expire(int64_t until_ns) {
  while (InFlight::Entry* entry = in_flight_.Expired(until_ns)) {
    events_.push_back(
        {.kind = EventKind::kLost, .probe_id = entry->probe.id, .time_ns = entry->deadline_ns});
    has_outcome_ = true;
    in_flight_.Remove(entry);
  }
}

void SimulatedEndpoint::Receive(SimulatedPacket& packet) {
  Expire(Now() - 1);  // an answer at the very moment of the deadline is still in time
  if (packet.ip.protocol == wire::kIpProtocolUdp) {
    ReceiveAnswer(packet);
  } else {
    ReceiveError(packet);
  }
}

void SimulatedEndpoint::ReceiveAnswer(SimulatedPacket& packet) {
  wire::ByteReader reader(packet.span().subspan(packet.ip.header_bytes));
  const wire::UdpHeader udp = wire::ReadUdp(reader);
  ProbePacket answer;
  if (!reader.ok() || ParseProbePacket({.source = packet.ip.source,
                                        .destination = packet.ip.destination,
                                        .udp_src_port = udp.source_port,
                                        .udp_dst_port = udp.destination_port},
                                       reader.Rest(), answer) != PacketFault::kNone) {
    return;
  }
  const wire::ProbePayload& payload = answer.payload;
  if (payload.type != wire::ProbeType::kAnswer || payload.session != session_) return;
  InFlight::Entry* entry = in_flight_.FindAnswered(payload.sequence);
  if (entry == nullptr) return;
  Event event = {.kind = EventKind::kReply,
                 .probe_id = entry->probe.id,
                 .time_ns = Now(),
                 .rtt_ns = Now() - entry->sent_ns,
                 .responder_delay_ns = static_cast<int64_t>(payload.responder_delay_ns),
                 .reply_udp_src_port = udp.source_port};
  if (payload.received_ttl > 0) {
    event.received_ttl = payload.received_ttl;
    event.received_traffic_class = payload.received_traffic_class;
  }
  events_.push_back(event);
  has_outcome_ = true;
  in_flight_.Remove(entry);
}

void SimulatedEndpoint::ReceiveError(SimulatedPacket& packet) {
  const std::optional<wire::IpError> error = wire::ParseIpError(packet.span());
  if (!error || !error->quoted_udp) return;
  const auto quoted = ParseQuotedProbe(error->quoted_payload);
  if (quoted && quoted->session != session_) return;
  InFlight::Entry* entry =
      quoted ? in_flight_.FindAnswered(quoted->sequence)
             : in_flight_.FindQuoted(error->quoted_ip.destination, error->quoted_udp->source_port,
                                     TtlFromUdpLength(error->quoted_udp->length),
                                     error->quoted_ip.source);
  if (entry == nullptr) return;
  const bool expired = error->kind == wire::IpErrorKind::kTimeExceeded;
  Event event = {.kind = expired ? EventKind::kHop : EventKind::kUnreachable,
                 .probe_id = entry->probe.id,
                 .time_ns = Now(),
                 .hop_address = error->carrier.source,
                 .icmp_code = error->code,
                 .quoted_traffic_class = error->quoted_ip.traffic_class,
                 .quoted_ttl = error->quoted_ip.ttl,
                 .answer_ttl = error->carrier.ttl};
  if (error->carrier.source.IsV4()) event.answer_ip_id = error->carrier.identification;
  events_.push_back(event);
  has_outcome_ = true;
  in_flight_.Remove(entry);
}

}  // namespace weft::probe
