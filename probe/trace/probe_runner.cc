// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/probe_runner.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace weft::probe {
namespace {

constexpr double kSlowestRate = 50;      // probes per second
constexpr double kSpeedUpPerAnswer = 1;  // probes per second

}  // namespace

ProbeRunner::ProbeRunner(Endpoint* endpoint, ProbeRunnerOptions options)
    : endpoint_(endpoint),
      options_(options),
      rate_(options.probes_per_second),
      tokens_(static_cast<double>(options.burst)),
      tokens_filled_ns_(endpoint->Now()),
      slowed_down_ns_(endpoint->Now()) {}

absl::Status ProbeRunner::Step(int64_t deadline_ns, std::vector<ProbeOutcome>& outcomes) {
  const size_t before = outcomes.size();
  while (true) {
    absl::Status status = SendWaiting(outcomes);
    if (!status.ok()) return status;
    if (outcomes.size() > before || outstanding() == 0) return absl::OkStatus();
    int64_t until = deadline_ns;
    if (!waiting_.empty() && !endpoint_full_) {
      const double seconds = std::max(0.0, 1 - tokens_) / rate_;
      until = std::min(until, endpoint_->Now() + static_cast<int64_t>(seconds * 1e9) + 1);
    }
    events_.clear();
    status = endpoint_->Poll(until, events_);
    if (!status.ok()) return status;
    for (const Event& event : events_) OnEvent(event, outcomes);
    if (outcomes.size() > before || endpoint_->Now() >= deadline_ns) return absl::OkStatus();
  }
}

absl::Status ProbeRunner::SendWaiting(std::vector<ProbeOutcome>& outcomes) {
  FillTokens();
  endpoint_full_ = false;
  while (!waiting_.empty() && tokens_ >= 1 && !endpoint_full_) {
    absl::Status status = SendNext(outcomes);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status ProbeRunner::SendNext(std::vector<ProbeOutcome>& outcomes) {
  Asked asked = waiting_.front();
  const ProbeRequest& request = asked.request;
  assert(!request.reply_ports.empty());
  const Probe probe = {
      .id = next_id_,
      .destination = request.target.address,
      .source = request.source,
      .dest_qpn = request.target.dest_qpn,
      .q_key = request.target.q_key,
      .udp_src_port = request.udp_src_port,
      .reply_udp_src_port = request.reply_ports[asked.sent_count % request.reply_ports.size()],
      .ttl = request.ttl,
      .traffic_class = request.traffic_class,
      .flow_label = request.flow_label,
      .bth_opcode = request.bth_opcode,
      .wears_live_header = request.wears_live_header,
      .timeout_ns = options_.timeout_ns};
  const absl::Status status = endpoint_->Send({&probe, 1});
  if (absl::IsResourceExhausted(status)) {
    endpoint_full_ = true;
    return in_flight_.empty() ? status : absl::OkStatus();
  }
  waiting_.pop_front();
  if (!status.ok()) {
    outcomes.push_back({.tag = request.tag, .hop_address = {}, .status = status});
    return absl::OkStatus();
  }
  ++next_id_;
  ++sent_count_;
  ++asked.sent_count;
  tokens_ -= 1;
  in_flight_.emplace(probe.id, std::move(asked));
  return absl::OkStatus();
}

void ProbeRunner::OnEvent(const Event& event, std::vector<ProbeOutcome>& outcomes) {
  const auto found = in_flight_.find(event.probe_id);
  if (event.kind == EventKind::kSent || found == in_flight_.end()) return;
  const Asked asked = found->second;
  in_flight_.erase(found);
  if (event.kind == EventKind::kHop) {
    if (asked.sent_count > 1) SlowDown();
    rate_ = std::min(options_.probes_per_second, rate_ + kSpeedUpPerAnswer);
  }
  if (event.kind == EventKind::kLost) {
    if (asked.sent_count < asked.request.tries) {
      waiting_.push_back(asked);
      return;
    }
  }
  outcomes.push_back({.tag = asked.request.tag,
                      .kind = event.kind,
                      .hop_address = event.hop_address,
                      .icmp_code = event.icmp_code,
                      .reply_udp_src_port = event.reply_udp_src_port,
                      .time_ns = event.time_ns,
                      .rtt_ns = event.rtt_ns,
                      .received_ttl = event.received_ttl,
                      .received_traffic_class = event.received_traffic_class,
                      .quoted_traffic_class = event.quoted_traffic_class,
                      .quoted_ttl = event.quoted_ttl,
                      .answer_ip_id = event.answer_ip_id,
                      .answer_ttl = event.answer_ttl,
                      .sent_count = asked.sent_count,
                      .status = absl::OkStatus()});
}

void ProbeRunner::FillTokens() {
  const int64_t now = endpoint_->Now();
  tokens_ = std::min(static_cast<double>(options_.burst),
                     tokens_ + static_cast<double>(now - tokens_filled_ns_) * 1e-9 * rate_);
  tokens_filled_ns_ = now;
}

// At most once per timeout, since all that was sent too fast is missed at the same time.
void ProbeRunner::SlowDown() {
  const int64_t now = endpoint_->Now();
  if (now - slowed_down_ns_ < options_.timeout_ns) return;
  rate_ = std::max(kSlowestRate, rate_ / 2);
  slowed_down_ns_ = now;
}

}  // namespace weft::probe
