// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/probe_runner.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace weft::probe {
namespace {

constexpr double kSlowestRate = 50;      // probes per second
constexpr double kSpeedUpPerAnswer = 1;  // probes per second
constexpr uint32_t kAnswersToKnowRtt = 8;
constexpr int64_t kRttFactor = 8;
constexpr int64_t kShortestTimeoutNs = 20'000'000;
constexpr int64_t kLongestWaitNs = 100'000'000;  // before the budget is asked again
constexpr int64_t kLongestRowWaitNs = 1'000'000'000;
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

}  // namespace

ProbeRunner::ProbeRunner(Endpoint* endpoint, ProbeRunnerOptions options)
    : endpoint_(endpoint),
      options_(options),
      lanes_(1),
      rate_(options.probes_per_second),
      tokens_(static_cast<double>(options.burst)),
      tokens_filled_ns_(endpoint->Now()),
      slowed_down_ns_(endpoint->Now()),
      ready_ns_(kNever) {}

int64_t ProbeRunner::QuickTimeoutNs() const {
  if (!options_.adaptive_timeout || rtt_count_ < kAnswersToKnowRtt) return options_.timeout_ns;
  return std::min(options_.timeout_ns, std::max(kShortestTimeoutNs, kRttFactor * largest_rtt_ns_));
}

void ProbeRunner::Enqueue(Asked asked) {
  const ProbeRequest& request = asked.request;
  size_t lane = 0;
  if (IsBudgeted(request)) {
    const LaneKey key = {request.place.before, request.place.expected, request.ttl, asked.slowly};
    const auto [found, added] = lane_of_.try_emplace(key, lanes_.size());
    lane = found->second;
    if (added) {
      lanes_.push_back({.place = {key.before, key.expected, key.ttl},
                        .budgeted = true,
                        .slowly = asked.slowly,
                        .waiting = {}});
    }
  }
  if (lanes_[lane].waiting.empty()) active_.push_back(lane);
  lanes_[lane].waiting.push_back(asked);
  ++waiting_count_;
}

absl::Status ProbeRunner::Step(int64_t deadline_ns, std::vector<ProbeOutcome>& outcomes) {
  const size_t before = outcomes.size();
  while (true) {
    absl::Status status = SendWaiting(outcomes);
    if (!status.ok()) return status;
    if (outcomes.size() > before || outstanding() == 0) return absl::OkStatus();
    events_.clear();
    status = endpoint_->Poll(std::min(deadline_ns, ready_ns_), events_);
    if (!status.ok()) return status;
    for (const Event& event : events_) OnEvent(event, outcomes);
    if (outcomes.size() > before || endpoint_->Now() >= deadline_ns) return absl::OkStatus();
  }
}

absl::Status ProbeRunner::SendWaiting(std::vector<ProbeOutcome>& outcomes) {
  FillTokens();
  endpoint_full_ = false;
  ready_ns_ = kNever;
  for (size_t i = 0; i < active_.size();) {
    Lane& lane = lanes_[active_[i]];
    const absl::Status status = SendFrom(lane, outcomes);
    if (!status.ok()) return status;
    if (endpoint_full_) break;
    if (lane.waiting.empty()) {
      active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  // The lanes take turns in being first.
  if (active_.size() > 1) std::rotate(active_.begin(), active_.begin() + 1, active_.end());
  if (endpoint_full_) {
    ready_ns_ = kNever;
    std::erase_if(active_, [this](size_t lane) { return lanes_[lane].waiting.empty(); });
  }
  return absl::OkStatus();
}

absl::Status ProbeRunner::SendFrom(Lane& lane, std::vector<ProbeOutcome>& outcomes) {
  while (!lane.waiting.empty()) {
    const int64_t now = endpoint_->Now();
    if (tokens_ < 1) {
      const double seconds = (1 - tokens_) / rate_;
      ready_ns_ = std::min(ready_ns_, now + static_cast<int64_t>(seconds * 1e9) + 1);
      return absl::OkStatus();
    }
    IcmpBudget::Charge charge;
    if (lane.budgeted) {
      if (now < lane.ready_ns) {
        ready_ns_ = std::min(ready_ns_, lane.ready_ns);
        return absl::OkStatus();
      }
      const uint32_t in_a_row = InARow(lane, now);
      const auto taken = options_.budget->Take(lane.place, lane.slowly, now, in_a_row);
      if (!taken) {
        lane.ready_ns = std::min(options_.budget->ReadyNs(lane.place, lane.slowly, now, in_a_row),
                                 now + kLongestWaitNs);
        ready_ns_ = std::min(ready_ns_, lane.ready_ns);
        return absl::OkStatus();
      }
      charge = *taken;
      lane.row_since_ns = -1;
    }
    const absl::Status status = SendNext(lane, charge, outcomes);
    if (!status.ok() || endpoint_full_) return status;
  }
  return absl::OkStatus();
}

// Where many want something of one switch, there may never be several left.
uint32_t ProbeRunner::InARow(Lane& lane, int64_t now_ns) {
  const uint32_t wanted = lane.waiting.front().request.in_a_row;
  if (wanted <= 1) return 1;
  if (lane.row_since_ns < 0) lane.row_since_ns = now_ns;
  return now_ns - lane.row_since_ns < kLongestRowWaitNs ? wanted : 1;
}

absl::Status ProbeRunner::SendNext(Lane& lane, IcmpBudget::Charge charge,
                                   std::vector<ProbeOutcome>& outcomes) {
  Asked& asked = lane.waiting.front();
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
      .timeout_ns =
          asked.slowly || request.ttl >= kUnlimitedTtl ? options_.timeout_ns : QuickTimeoutNs()};
  const absl::Status status = endpoint_->Send({&probe, 1});
  if (absl::IsResourceExhausted(status)) {
    endpoint_full_ = true;
    return in_flight_.empty() ? status : absl::OkStatus();
  }
  asked.charge = charge;
  asked.sent_ns = endpoint_->Now();
  if (!status.ok()) {
    if (lane.budgeted) options_.budget->Refund(lane.place, charge);
    if (asked.slowly) {
      --slow_count_;
      options_.budget->DropSlowTry(lane.place);
    }
    outcomes.push_back({.tag = request.tag, .hop_address = {}, .status = status});
  } else {
    ++next_id_;
    ++sent_count_;
    ++asked.sent_count;
    if (asked.slowly) ++asked.slow_count;
    tokens_ -= 1;
    in_flight_.emplace(probe.id, asked);
  }
  lane.waiting.pop_front();
  --waiting_count_;
  return absl::OkStatus();
}

void ProbeRunner::OnEvent(const Event& event, std::vector<ProbeOutcome>& outcomes) {
  const auto found = in_flight_.find(event.probe_id);
  if (event.kind == EventKind::kSent || found == in_flight_.end()) return;
  Asked asked = found->second;
  in_flight_.erase(found);
  if (asked.slowly) --slow_count_;
  // What is known now may let others go.
  for (const size_t lane : active_) lanes_[lane].ready_ns = 0;
  if (event.kind != EventKind::kLost) {
    OnAnswered(asked, event);
  } else if (AsksAgain(asked)) {
    Enqueue(asked);
    return;
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
                      .slow_count = asked.slow_count,
                      .status = absl::OkStatus()});
}

void ProbeRunner::OnAnswered(const Asked& asked, const Event& event) {
  const int64_t rtt_ns = event.time_ns - asked.sent_ns;
  const bool on_time = rtt_ns <= QuickTimeoutNs();
  if (event.kind == EventKind::kHop && IsBudgeted(asked.request)) {
    options_.budget->OnAnswer(asked.request.place, asked.charge,
                              {.address = event.hop_address,
                               .sent_count = asked.sent_count,
                               .slowly = asked.slowly,
                               .on_time = on_time},
                              endpoint_->Now());
  } else if (IsBudgeted(asked.request)) {
    options_.budget->Refund(asked.request.place, asked.charge);
    if (asked.slowly) options_.budget->DropSlowTry(asked.request.place);
  } else if (event.kind == EventKind::kHop && options_.budget == nullptr) {
    if (asked.sent_count > 1) SlowDown();
    rate_ = std::min(options_.probes_per_second, rate_ + kSpeedUpPerAnswer);
  }
  largest_rtt_ns_ = std::max(largest_rtt_ns_, rtt_ns);
  ++rtt_count_;
}

bool ProbeRunner::AsksAgain(Asked& asked) {
  const ProbeRequest& request = asked.request;
  const bool budgeted = IsBudgeted(request);
  if (budgeted) options_.budget->OnMissed(request.place, asked.slowly, endpoint_->Now());
  if (asked.sent_count < request.tries) return true;
  if (!budgeted || !request.confirm_slowly) return false;
  asked.slowly = options_.budget->WantsSlowTry(request.place, asked.slow_count);
  if (asked.slowly) ++slow_count_;
  return asked.slowly;
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
