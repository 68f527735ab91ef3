// SPDX-License-Identifier: Apache-2.0
#include "probe/endpoint/simulated/simulated_network.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "probe/endpoint/probe_packet.h"
#include "probe/endpoint/simulated/simulated_endpoint.h"
#include "wire/byte_reader.h"
#include "wire/byte_writer.h"
#include "wire/roce.h"
#include "wire/udp.h"

namespace weft::probe {
namespace {

constexpr size_t kUdpOffset = wire::kIpv4HeaderBytes;  // of packets that we build: no options
constexpr size_t kDataOffset = kUdpOffset + wire::kUdpHeaderBytes;
constexpr uint8_t kFirstTtl = 64;

topology::HashedHeaders HashedHeadersOf(const wire::Ipv4Header& ip,
                                        std::span<const std::byte> packet) {
  topology::HashedHeaders headers{.source = ip.source,
                                  .destination = ip.destination,
                                  .protocol = ip.protocol,
                                  .udp_src_port = 0,
                                  .udp_dst_port = 0};
  if (ip.protocol == wire::kIpProtocolUdp) {
    const auto udp = wire::ParseUdp(packet.subspan(ip.header_bytes()));
    if (udp) {
      headers.udp_src_port = udp->source_port;
      headers.udp_dst_port = udp->destination_port;
    }
  }
  return headers;
}

}  // namespace

SimulatedNetwork::SimulatedNetwork(const topology::Fabric* fabric, SimulatedNetworkOptions options)
    : fabric_(fabric),
      options_(options),
      random_(options.seed),
      hashes_(fabric->nodes().size()),
      link_faults_(fabric->links().size() * 2),
      links_down_(fabric->links().size()),
      switch_faults_(fabric->nodes().size()),
      buckets_(fabric->nodes().size()),
      hosts_(fabric->nodes().size(), HostBehaviour::kResponds) {
  for (topology::HashModel& hash : hashes_) hash.seed = static_cast<uint32_t>(random_.Bits());
  SetLinksDown({});
}

SimulatedNetwork::~SimulatedNetwork() = default;

absl::StatusOr<std::unique_ptr<Endpoint>> SimulatedNetwork::OpenEndpoint(
    const wire::IpAddress& address) {
  const std::optional<topology::NodeIndex> node = fabric_->FindAddress(address);
  if (!node || fabric_->node(*node).kind != topology::NodeKind::kHost) {
    return absl::NotFoundError(
        absl::StrCat("address ", address.ToString(), ": expected a host's in the fabric"));
  }
  if (endpoints_.contains(address)) {
    return absl::AlreadyExistsError(
        absl::StrCat("address ", address.ToString(), ": it has an endpoint already"));
  }
  auto endpoint = std::make_unique<SimulatedEndpoint>(this, *node, address,
                                                      static_cast<uint32_t>(random_.Bits()));
  endpoints_[address] = endpoint.get();
  return endpoint;
}

void SimulatedNetwork::SetLinksDown(std::span<const topology::LinkIndex> links) {
  std::fill(links_down_.begin(), links_down_.end(), false);
  for (const topology::LinkIndex link : links) links_down_[link] = true;
  router_ = std::make_unique<topology::Router>(fabric_, hashes_, links);
}

uint32_t SimulatedNetwork::NewPacket() {
  if (free_packets_.empty()) {
    packets_.push_back(std::make_unique<Packet>());
    return static_cast<uint32_t>(packets_.size() - 1);
  }
  const uint32_t packet = free_packets_.back();
  free_packets_.pop_back();
  return packet;
}

void SimulatedNetwork::Originate(topology::NodeIndex node, uint32_t packet, int64_t delay_ns) {
  const std::span<const std::byte> bytes = packets_[packet]->span();
  const auto ip = wire::ParseIpv4(bytes);
  auto next = router_->NextHop(node, HashedHeadersOf(*ip, bytes));
  const std::span<const topology::Adjacency> links = fabric_->adjacencies(node);
  const bool is_host = fabric_->node(node).kind == topology::NodeKind::kHost;
  if (!next && is_host && !links.empty()) next = links[0].direction;  // its default route
  if (next) {
    Transmit(*next, packet, delay_ns);
  } else {
    free_packets_.push_back(packet);
  }
}

void SimulatedNetwork::Transmit(topology::Direction direction, uint32_t packet, int64_t delay_ns) {
  const LinkFault& link = link_faults_[direction.index()];
  const bool lost = link.loss_probability > 0 && random_.Unit() < link.loss_probability;
  if (lost || link.dead || links_down_[direction.link]) {
    free_packets_.push_back(packet);
    return;
  }
  int64_t delay = delay_ns + options_.link_delay_ns + link.extra_delay_ns;
  if (link.jitter_ns > 0) {
    delay += static_cast<int64_t>(random_.Below(static_cast<uint64_t>(link.jitter_ns) + 1));
  }
  arrivals_.push({now_ns_ + delay, order_++, direction, packet});
}

std::optional<int64_t> SimulatedNetwork::NextArrival() const {
  if (arrivals_.empty()) return std::nullopt;
  return arrivals_.top().time_ns;
}

void SimulatedNetwork::HandleNextArrival() {
  const Arrival arrival = arrivals_.top();
  arrivals_.pop();
  now_ns_ = std::max(now_ns_, arrival.time_ns);
  const topology::NodeIndex node = fabric_->To(arrival.direction);
  if (switch_faults_[node].dead) {
    free_packets_.push_back(arrival.packet);
  } else if (fabric_->node(node).kind == topology::NodeKind::kHost) {
    ArriveAtHost(node, arrival.packet);
  } else {
    ArriveAtSwitch(node, arrival.direction, arrival.packet);
  }
}

void SimulatedNetwork::ArriveAtSwitch(topology::NodeIndex node, topology::Direction from,
                                      uint32_t packet) {
  const std::span<std::byte> bytes = packets_[packet]->span();
  wire::Ipv4Header ip = *wire::ParseIpv4(bytes);
  const topology::Link& link = fabric_->link(from.link);
  const std::string& interface = (from.reversed ? link.a : link.b).interface;
  const auto port =
      std::ranges::find(fabric_->node(node).interfaces, interface, &topology::Interface::name);
  if (ip.ttl <= 1) {
    SendIcmp(node, port->address, wire::IcmpType::kTimeExceeded, wire::kIcmpCodeTtlExceeded,
             packet);
    return;
  }
  const auto next = router_->NextHop(node, HashedHeadersOf(ip, bytes));
  if (!next) {
    SendIcmp(node, port->address, wire::IcmpType::kDestinationUnreachable,
             wire::kIcmpCodeNetUnreachable, packet);
    return;
  }
  --ip.ttl;
  wire::ByteWriter writer(bytes);
  wire::WriteIpv4(ip, writer);
  Transmit(*next, packet, 0);
}

void SimulatedNetwork::ArriveAtHost(topology::NodeIndex node, uint32_t packet) {
  const std::span<const std::byte> bytes = packets_[packet]->span();
  const wire::Ipv4Header ip = *wire::ParseIpv4(bytes);
  const std::span<const std::byte> data = bytes.subspan(ip.header_bytes());
  const auto udp = wire::ParseUdp(data);
  if (ip.protocol == wire::kIpProtocolUdp && udp && udp->destination_port == wire::kRoceUdpPort) {
    ProbePacket probe;
    const bool question =
        ParseProbePacket(
            {.source = ip.source, .destination = ip.destination, .udp_src_port = udp->source_port},
            data.subspan(wire::kUdpHeaderBytes), probe) == PacketFault::kNone &&
        probe.payload.type == wire::ProbeType::kQuestion;
    if (question) {
      AnswerProbe(node, ip, probe, packet);
      return;
    }
  }
  const auto endpoint = endpoints_.find(ip.destination);
  if (endpoint != endpoints_.end()) endpoint->second->Receive(ip, bytes);
  free_packets_.push_back(packet);
}

void SimulatedNetwork::AnswerProbe(topology::NodeIndex node, const wire::Ipv4Header& ip,
                                   const ProbePacket& question, uint32_t packet) {
  if (hosts_[node] == HostBehaviour::kSilent) {
    free_packets_.push_back(packet);
    return;
  }
  if (hosts_[node] == HostBehaviour::kUnreachable) {
    SendIcmp(node, ip.destination, wire::IcmpType::kDestinationUnreachable,
             wire::kIcmpCodePortUnreachable, packet);
    return;
  }
  const uint32_t index = NewPacket();
  Packet& answer = *packets_[index];
  const AnswerDetails details = {
      .udp_src_port = question.payload.reply_udp_src_port,
      .received_ttl = ip.ttl,
      .received_traffic_class = ip.traffic_class,
      .responder_delay_ns = static_cast<uint64_t>(options_.responder_delay_ns)};
  const size_t size = BuildAnswer(question, ip.destination, ip.source, details,
                                  std::span(answer.bytes).subspan(kDataOffset));
  answer.size = kDataOffset + size;
  wire::ByteWriter writer(answer.span());
  wire::WriteIpv4({.traffic_class = ip.traffic_class,
                   .total_bytes = static_cast<uint16_t>(answer.size),
                   .dont_fragment = true,
                   .ttl = kFirstTtl,
                   .protocol = wire::kIpProtocolUdp,
                   .source = ip.destination,
                   .destination = ip.source},
                  writer);
  wire::WriteUdp({.source_port = details.udp_src_port,
                  .destination_port = question.payload.reply_udp_dst_port,
                  .length = static_cast<uint16_t>(wire::kUdpHeaderBytes + size)},
                 writer);
  free_packets_.push_back(packet);
  Originate(node, index, options_.responder_delay_ns);
}

void SimulatedNetwork::SendIcmp(topology::NodeIndex node, const wire::IpAddress& from,
                                wire::IcmpType type, uint8_t code, uint32_t original) {
  const uint32_t index = NewPacket();
  Packet& error = *packets_[index];
  error.size = 0;
  if (!switch_faults_[node].silent && TakeIcmpToken(node)) {
    error.size = wire::BuildIcmpError({.type = type,
                                       .code = code,
                                       .router = from,
                                       .ttl = kFirstTtl,
                                       .quote_bytes = options_.icmp_quote_bytes},
                                      packets_[original]->span(), error.bytes);
  }
  free_packets_.push_back(original);
  if (error.size > 0) {
    Originate(node, index, 0);
  } else {
    free_packets_.push_back(index);
  }
}

bool SimulatedNetwork::TakeIcmpToken(topology::NodeIndex node) {
  const SwitchFault& fault = switch_faults_[node];
  if (fault.icmp_per_second <= 0) return true;
  TokenBucket& bucket = buckets_[node];
  if (bucket.filled_ns < 0) {
    bucket.tokens = fault.icmp_burst;
  } else {
    const double seconds = static_cast<double>(now_ns_ - bucket.filled_ns) * 1e-9;
    bucket.tokens = std::min(fault.icmp_burst, bucket.tokens + seconds * fault.icmp_per_second);
  }
  bucket.filled_ns = now_ns_;
  if (bucket.tokens < 1) return false;
  bucket.tokens -= 1;
  return true;
}

}  // namespace weft::probe
