// SPDX-License-Identifier: Apache-2.0
#include "probe/traffic/flow_sink.h"

namespace weft::probe {
namespace {

constexpr int64_t kNsPerMs = 1'000'000;

}  // namespace

FlowSink::FlowSink(const FlowLimits& limits, uint64_t seed) : limits_(limits), random_(seed) {}

FlowSink::Flow* FlowSink::Find(const wire::IpAddress& source, uint64_t token) {
  const auto qpn = qpns_.find(Name(source, token));
  return qpn == qpns_.end() ? nullptr : flows_.at(qpn->second).get();
}

uint32_t FlowSink::UnusedQpn() {
  while (true) {
    const auto qpn = static_cast<uint32_t>(random_() & wire::kPsnMask);
    // QPNs 0 and 1 are reserved for management, the highest for multicast.
    if (qpn > 1 && qpn != wire::kPsnMask && !flows_.contains(qpn)) return qpn;
  }
}

std::optional<wire::TrafficRefuse> FlowSink::Refusal(const wire::TrafficOffer& offer) const {
  using wire::TrafficRefusal;
  if (offer.rate_bps > limits_.rate_bps) return {{TrafficRefusal::kRateTooHigh, limits_.rate_bps}};
  if (offer.duration_ms > limits_.duration_ms) {
    return {{TrafficRefusal::kTooLong, limits_.duration_ms}};
  }
  if (offer.packet_payload_bytes > limits_.packet_payload_bytes) {
    return {{TrafficRefusal::kPacketTooLarge, limits_.packet_payload_bytes}};
  }
  if (flows_.size() >= limits_.flows) return {{TrafficRefusal::kTooManyFlows, limits_.flows}};
  return std::nullopt;
}

wire::TrafficMessage FlowSink::OnOffer(const wire::IpAddress& source, uint64_t token,
                                       const wire::TrafficOffer& offer, const ControlPacket& packet,
                                       int64_t now_ns) {
  if (Flow* known = Find(source, token)) {
    known->heard_ns = now_ns;
    return {.token = token, .body = wire::TrafficAccept{.dest_qpn = known->qpn}};
  }
  if (const auto refusal = Refusal(offer)) return {.token = token, .body = *refusal};
  auto flow = std::make_unique<Flow>(offer);
  flow->source = source;
  flow->token = token;
  flow->qpn = UnusedQpn();
  flow->control_qpn = packet.source_qpn;
  flow->control_q_key = packet.q_key;
  flow->heard_ns = now_ns;
  flow->heartbeat_ns = now_ns + kHeartbeatNs;
  const uint32_t qpn = flow->qpn;
  qpns_[Name(source, token)] = qpn;
  flows_[qpn] = std::move(flow);
  return {.token = token, .body = wire::TrafficAccept{.dest_qpn = qpn}};
}

void FlowSink::SetLocalAddress(const wire::IpAddress& source, uint64_t token,
                               const wire::IpAddress& local) {
  if (Flow* flow = Find(source, token)) flow->local = local;
}

bool FlowSink::Expects(const wire::IpAddress& source, uint32_t dest_qpn) const {
  const auto found = flows_.find(dest_qpn);
  return found != flows_.end() && found->second->source == source;
}

bool FlowSink::OnData(const wire::IpAddress& source, const DataPacket& data, int64_t now_ns) {
  const auto found = flows_.find(data.dest_qpn);
  if (found == flows_.end()) return false;
  Flow& flow = *found->second;
  if (flow.source != source || flow.token != data.token) return false;
  flow.heard_ns = now_ns;
  flow.data_since_heartbeat = true;
  wire::TrafficReport& report = flow.report;
  ++report.received_packets;
  const PsnTracker::Arrival arrival = flow.psns.OnPacket(data.psn);
  if (arrival == PsnTracker::Arrival::kDuplicate || arrival == PsnTracker::Arrival::kTooOld) {
    return true;  // counted, but it brings no bytes that are new
  }
  report.received_bytes += data.payload_bytes;
  const uint64_t start_ns = uint64_t{flow.offer.window_start_ms} * kNsPerMs;
  const uint64_t end_ns = uint64_t{flow.offer.window_end_ms} * kNsPerMs;
  if (data.sent_ns >= start_ns && data.sent_ns < end_ns) {
    ++report.window_packets;
    report.window_bytes += data.payload_bytes;
  }
  return true;
}

std::optional<wire::TrafficMessage> FlowSink::OnDone(const wire::IpAddress& source, uint64_t token,
                                                     const wire::TrafficDone& done,
                                                     int64_t now_ns) {
  Flow* flow = Find(source, token);
  if (flow == nullptr) return std::nullopt;
  flow->heard_ns = now_ns;
  wire::TrafficReport report = flow->report;
  report.lost_packets = flow->psns.Lost(done.sent_packets);
  report.reordered_packets = flow->psns.reordered();
  report.duplicate_packets = flow->psns.duplicates();
  return wire::TrafficMessage{.token = token, .body = report};
}

void FlowSink::Tick(int64_t now_ns, std::vector<Outgoing>& heartbeats) {
  for (auto next = flows_.begin(); next != flows_.end();) {
    const auto current = next++;
    Flow& flow = *current->second;
    if (now_ns - flow.heard_ns > kForgetNs) {
      qpns_.erase(Name(flow.source, flow.token));
      flows_.erase(current);
      continue;
    }
    if (now_ns < flow.heartbeat_ns || !flow.data_since_heartbeat) continue;
    flow.heartbeat_ns = now_ns + kHeartbeatNs;
    flow.data_since_heartbeat = false;
    heartbeats.push_back(
        {.destination = flow.source,
         .udp_dst_port = flow.offer.reply_udp_dst_port,
         .dest_qpn = flow.control_qpn,
         .q_key = flow.control_q_key,
         .source = flow.local,
         .message = {.token = flow.token,
                     .body = wire::TrafficHeartbeat{flow.report.received_packets}}});
  }
}

}  // namespace weft::probe
