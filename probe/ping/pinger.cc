// SPDX-License-Identifier: Apache-2.0
#include "probe/ping/pinger.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace weft::probe {

Pinger::Pinger(Endpoint& endpoint, const PingOptions& options)
    : endpoint_(endpoint),
      options_(options),
      source_address_(options.source.empty() ? endpoint.LocalAddress(options.target.address)
                                             : options.source),
      next_send_ns_(endpoint.Now()) {
  assert(!options_.udp_src_ports.empty() && !options_.reply_udp_src_ports.empty());
  records_.reserve(options_.count);
}

absl::Status Pinger::SendOne(int64_t now_ns) {
  Probe probe;
  probe.id = sent_;
  probe.destination = options_.target.address;
  probe.dest_qpn = options_.target.dest_qpn;
  probe.q_key = options_.target.q_key;
  probe.udp_src_port = options_.udp_src_ports[sent_ % options_.udp_src_ports.size()];
  probe.reply_udp_src_port =
      options_.reply_udp_src_ports[sent_ % options_.reply_udp_src_ports.size()];
  probe.traffic_class = options_.traffic_class;
  probe.flow_label = options_.flow_label;
  probe.source = options_.source;
  probe.timeout_ns = options_.timeout_ns;
  absl::Status status = endpoint_.Send({&probe, 1});
  // A full endpoint: what is in flight ends by its timeout, then there is room.
  if (absl::IsResourceExhausted(status) && ended_ < sent_) return absl::OkStatus();
  if (!status.ok()) return status;

  topology::ProbeRecord record;
  record.source = options_.source_name;
  record.source_address = source_address_;
  record.destination = options_.target.name;
  record.destination_address = options_.target.address;
  record.sequence = sent_;
  record.udp_src_port = probe.udp_src_port;
  record.reply_udp_src_port = probe.reply_udp_src_port;
  record.ttl = probe.ttl;
  records_.push_back(std::move(record));
  ++sent_;
  // A pinger that comes late does not send a burst.
  next_send_ns_ = std::max(next_send_ns_, now_ns - options_.interval_ns) + options_.interval_ns;
  return absl::OkStatus();
}

absl::Status Pinger::Step(int64_t deadline_ns) {
  const int64_t now = endpoint_.Now();
  if (sent_ < options_.count && now >= next_send_ns_) {
    absl::Status status = SendOne(now);
    if (!status.ok()) return status;
  }
  const int64_t until = sent_ < options_.count ? std::min(deadline_ns, next_send_ns_) : deadline_ns;
  events_.clear();
  absl::Status status = endpoint_.Poll(until, events_);
  for (const Event& event : events_) OnEvent(event);
  return status;
}

void Pinger::OnEvent(const Event& event) {
  if (event.kind == EventKind::kSent || event.probe_id >= records_.size()) return;
  ++ended_;
  topology::ProbeRecord& record = records_[event.probe_id];
  switch (event.kind) {
    case EventKind::kReply:
      record.outcome = topology::ProbeOutcome::kReply;
      record.rtt_us = static_cast<double>(event.rtt_ns) / 1e3;
      record.responder_delay_us = static_cast<double>(event.responder_delay_ns) / 1e3;
      if (event.reply_udp_src_port != record.reply_udp_src_port) {
        reply_port_was_other_ = true;
        record.reply_udp_src_port = event.reply_udp_src_port;
      }
      break;
    case EventKind::kHop:
      record.outcome = topology::ProbeOutcome::kHop;
      record.hop_address = event.hop_address;
      refused_by_ = event.hop_address;
      break;
    case EventKind::kUnreachable:
      record.outcome = topology::ProbeOutcome::kLost;
      record.hop_address = event.hop_address;
      refused_by_ = event.hop_address;
      break;
    case EventKind::kLost:
    case EventKind::kSent:
      record.outcome = topology::ProbeOutcome::kLost;
      break;
  }
}

PingResult Pinger::Result() const {
  PingResult result;
  result.sent = sent_;
  result.refused_by = refused_by_;
  result.reply_port_was_other = reply_port_was_other_;
  std::vector<double> rtts;
  std::vector<double> delays;
  for (const topology::ProbeRecord& record : records_) {
    if (record.outcome != topology::ProbeOutcome::kReply) continue;
    // Two clocks measured the two; a delay above the round trip is their resolution.
    rtts.push_back(std::max(*record.rtt_us - *record.responder_delay_us, 0.0));
    delays.push_back(*record.responder_delay_us);
  }
  result.received = static_cast<uint32_t>(rtts.size());
  result.lost = ended_ - result.received;
  if (rtts.empty()) return result;
  std::sort(rtts.begin(), rtts.end());
  std::sort(delays.begin(), delays.end());
  result.rtt_us_min = rtts.front();
  result.rtt_us_median = Quantile(rtts, 0.5);
  result.rtt_us_p99 = Quantile(rtts, 0.99);
  result.responder_delay_us_median = Quantile(delays, 0.5);
  return result;
}

double Quantile(const std::vector<double>& sorted_values, double share) {
  const double rank = std::ceil(share * static_cast<double>(sorted_values.size()));
  const auto index = static_cast<size_t>(std::max(rank, 1.0)) - 1;
  return sorted_values[std::min(index, sorted_values.size() - 1)];
}

}  // namespace weft::probe
