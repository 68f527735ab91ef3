// SPDX-License-Identifier: Apache-2.0
// What the nodes of a SimulatedNetwork say: responders' answers and ICMP errors.
#include <algorithm>

#include "probe/endpoint/simulated/simulated_endpoint.h"
#include "probe/endpoint/simulated/simulated_network.h"
#include "wire/byte_reader.h"
#include "wire/byte_writer.h"
#include "wire/ipv4.h"
#include "wire/roce.h"

namespace weft::probe {
namespace {

constexpr uint8_t kFirstTtl = 64;
constexpr size_t kAsMuchAsFits = 1280;  // of IPv6, quoted

uint8_t IcmpOf(const wire::IpAddress& address) {
  return address.IsV4() ? wire::kIpProtocolIcmp : wire::kIpProtocolIcmpv6;
}

}  // namespace

void SimulatedNetwork::ArriveAtHost(topology::NodeIndex node, uint32_t index) {
  SimulatedPacket& packet = packets_[index];
  if (packet.destination != node || packet.outer) {  // somebody else's: hosts forward nothing
    packets_.Free(index);
    return;
  }
  packet.Sync();
  const bool for_responder = packet.ip.protocol == wire::kIpProtocolUdp &&
                             packet.routed.udp_dst_port == wire::kRoceUdpPort;
  if (for_responder) {
    wire::ByteReader reader(packet.span().subspan(packet.ip.header_bytes));
    wire::ReadUdp(reader);
    ProbePacket question;
    const PacketFault fault = ParseProbePacket({.source = packet.ip.source,
                                                .destination = packet.ip.destination,
                                                .udp_src_port = packet.routed.udp_src_port},
                                               reader.Rest(), question);
    if (fault == PacketFault::kNone && question.payload.type == wire::ProbeType::kQuestion) {
      AnswerProbe(node, question, index);
      return;
    }
  }
  const auto endpoint = endpoints_.find(packet.ip.destination);
  if (endpoint != endpoints_.end()) endpoint->second->Receive(packet);
  packets_.Free(index);
}

// The answer leaves with the class and the flow label of the question.
void SimulatedNetwork::AnswerProbe(topology::NodeIndex node, const ProbePacket& question,
                                   uint32_t index) {
  if (hosts_[node] == HostBehaviour::kSilent) {
    packets_.Free(index);
    return;
  }
  if (hosts_[node] == HostBehaviour::kUnreachable) {
    SendError(node, std::nullopt, wire::IpErrorKind::kPortClosed, index);
    return;
  }
  const uint32_t answer_index = packets_.New();
  const wire::IpHeader& ip = packets_[index].ip;
  SimulatedPacket& answer = packets_[answer_index];
  const AnswerDetails details = {
      .udp_src_port = question.payload.reply_udp_src_port,
      .received_ttl = ip.ttl,
      .received_traffic_class = ip.traffic_class,
      .responder_delay_ns = static_cast<uint64_t>(options_.responder_delay_ns)};
  const size_t data_offset = wire::IpHeaderBytes(ip.source) + wire::kUdpHeaderBytes;
  const size_t size = BuildAnswer(question, ip.destination, ip.source, details,
                                  std::span(answer.bytes).subspan(data_offset));
  answer.size = data_offset + size;
  wire::ByteWriter writer(answer.span());
  wire::WriteIp({.source = ip.destination,
                 .destination = ip.source,
                 .traffic_class = ip.traffic_class,
                 .flow_label = ip.flow_label,
                 .ttl = kFirstTtl,
                 .protocol = wire::kIpProtocolUdp,
                 .payload_bytes = wire::kUdpHeaderBytes + size},
                writer);
  wire::WriteUdp({.source_port = details.udp_src_port,
                  .destination_port = question.payload.reply_udp_dst_port,
                  .length = static_cast<uint16_t>(wire::kUdpHeaderBytes + size)},
                 writer);
  packets_.Free(index);
  Originate(node, answer_index, options_.responder_delay_ns);
}

void SimulatedNetwork::SendError(topology::NodeIndex node, std::optional<topology::Direction> from,
                                 wire::IpErrorKind kind, uint32_t original_index) {
  const SwitchFault& fault = switch_faults_[node];
  const bool is_error = packets_[original_index].ip.protocol != wire::kIpProtocolUdp;
  if (fault.silent || is_error || !TakeIcmpToken(node)) {
    packets_.Free(original_index);
    return;
  }
  const uint32_t error_index = packets_.New();
  SimulatedPacket& original = packets_[original_index];
  SimulatedPacket& error = packets_[error_index];
  original.Sync();
  std::optional<topology::Direction> way;
  if (fault.answers_from == AnswersFrom::kOutbound) {
    Refresh();
    way = chooser_->NextHop(node,
                            {.source = original.ip.destination,
                             .destination = original.ip.source,
                             .protocol = IcmpOf(original.ip.source),
                             .udp_src_port = 0,
                             .udp_dst_port = 0},
                            now_ns_);
  }
  const bool for_this_node = kind == wire::IpErrorKind::kPortClosed;
  const size_t usual_quote = original.ip.source.IsV4() ? options_.icmp_quote_bytes : kAsMuchAsFits;
  error.size = wire::BuildIpError(
      {.kind = kind,
       .router = for_this_node ? original.ip.destination : RouterAddress(node, from, original, way),
       .ttl = kFirstTtl,
       .identification = NextIpId(node),
       .quote_bytes = fault.quote_bytes.value_or(usual_quote)},
      original.span(), error.bytes);
  packets_.Free(original_index);
  if (error.size > 0) {
    Originate(node, error_index, 0, way);
  } else {
    packets_.Free(error_index);
  }
}

wire::IpAddress SimulatedNetwork::RouterAddress(topology::NodeIndex node,
                                                std::optional<topology::Direction> from,
                                                const SimulatedPacket& original,
                                                std::optional<topology::Direction> way) const {
  const wire::IpAddress loopback = Loopback(node, original.ip.source.family());
  if (switch_faults_[node].answers_from == AnswersFrom::kLoopback && !loopback.empty()) {
    return loopback;
  }
  wire::IpAddress address;
  if (way) {
    address = arrival_addresses_[way->index() ^ 1U];  // of the near end
  } else if (from) {
    address = arrival_addresses_[from->index()];
  }
  if (!address.empty()) return address;
  if (!loopback.empty()) return loopback;
  for (const topology::Adjacency& link : fabric_->adjacencies(node)) {
    if (original.destination != link.neighbour) continue;
    return arrival_addresses_[link.direction.index() ^ 1U];
  }
  return {};
}

wire::IpAddress SimulatedNetwork::Loopback(topology::NodeIndex node,
                                           wire::IpAddress::Family family) const {
  for (const wire::IpAddress& address : fabric_->node(node).addresses) {
    if (address.family() == family) return address;
  }
  return {};
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

uint16_t SimulatedNetwork::NextIpId(topology::NodeIndex node) {
  const SwitchFault& fault = switch_faults_[node];
  switch (fault.ip_id) {
    case IpIdMode::kZero:
      return 0;
    case IpIdMode::kRandom:
      return static_cast<uint16_t>(random_.Bits());
    case IpIdMode::kCounter:
      break;
  }
  const auto others = static_cast<uint64_t>(static_cast<double>(now_ns_) * 1e-9 *
                                            std::max(fault.ip_id_per_second, 0.0));
  return static_cast<uint16_t>(ip_ids_[node]++ + others);
}

}  // namespace weft::probe
