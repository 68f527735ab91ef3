// SPDX-License-Identifier: Apache-2.0
#include "probe/hashing/hop_asker.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "probe/trace/liveness_run.h"

namespace weft::probe {
namespace {

constexpr size_t kReplyPortCount = 16;
constexpr int64_t kLongestStepNs = 100'000'000;  // between two looks at `stop`

HopPlace PlaceOf(const HopQuestion& question) {
  return {.before = question.before, .expected = question.expected, .ttl = question.ttl};
}

void Enter(const ProbeOutcome& outcome, const HopFlow& flow, SeenPlace& answer) {
  const bool is_from_destination =
      outcome.kind == EventKind::kReply ||
      (outcome.kind == EventKind::kUnreachable && outcome.hop_address == flow.target.address);
  if (outcome.kind == EventKind::kHop && outcome.status.ok()) {
    answer.kind = SeenPlace::Kind::kSwitch;
    answer.address = outcome.hop_address;
  } else if (is_from_destination && outcome.status.ok()) {
    answer.kind = SeenPlace::Kind::kDestination;
  }
}

}  // namespace

HopAsker::HopAsker(Endpoint* endpoint, IcmpBudget* budget, HopAskerOptions options)
    : endpoint_(endpoint),
      budget_(budget),
      options_(std::move(options)),
      reply_ports_(AnswerPorts(options_.seed, kReplyPortCount)),
      runner_(endpoint, {.timeout_ns = options_.timeout_ns,
                         .probes_per_second = options_.probes_per_second,
                         .budget = budget}) {}

bool HopAsker::stopped() {
  stopped_ = stopped_ || (options_.stop && options_.stop());
  return stopped_;
}

absl::Status HopAsker::AskAll(std::span<const HopQuestion> questions,
                              std::vector<SeenPlace>& answers) {
  return AskSome(questions, options_.tries, answers);
}

absl::Status HopAsker::AskOnce(const HopQuestion& question, SeenPlace& answer) {
  absl::Status status = WaitForBudget(question);
  const int64_t sent_ns = Now();
  std::vector<SeenPlace> answers;
  if (status.ok()) status = AskSome({&question, 1}, 1, answers);
  if (!status.ok()) return status;
  answer = answers[0];
  answer.sent_ns = sent_ns;
  return absl::OkStatus();
}

// So that the time at which the question is handed over is the time at which it is sent.
absl::Status HopAsker::WaitForBudget(const HopQuestion& question) {
  while (!stopped()) {
    const int64_t wait_ns = budget_->ReadyNs(PlaceOf(question), false, Now()) - Now();
    if (wait_ns <= 0) break;
    const absl::Status status = Pause(wait_ns);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

ProbeRequest HopAsker::RequestFor(const HopQuestion& question, uint32_t tries) const {
  const HopFlow& flow = question.flow;
  return {.tag = 0,
          .target = flow.target,
          .udp_src_port = flow.udp_src_port,
          .ttl = question.ttl,
          .source = flow.source,
          .traffic_class = flow.traffic_class,
          .flow_label = flow.flow_label,
          .bth_opcode = flow.bth_opcode,
          .wears_live_header = flow.wears_live_header,
          .reply_ports = reply_ports_,
          .tries = tries,
          .place = PlaceOf(question),
          .confirm_slowly = tries > 1};
}

absl::Status HopAsker::AskSome(std::span<const HopQuestion> questions, uint32_t tries,
                               std::vector<SeenPlace>& answers) {
  answers.assign(questions.size(), {});
  // One flow's questions one after the other: at most one of them may be in flight.
  absl::flat_hash_map<FlowKey, std::deque<size_t>> by_flow;
  for (size_t i = 0; i < questions.size(); ++i) by_flow[KeyOf(questions[i].flow)].push_back(i);
  const auto ask_next = [&](std::deque<size_t>& left) {
    if (left.empty() || stopped()) return;
    ProbeRequest request = RequestFor(questions[left.front()], tries);
    request.tag = left.front();
    answers[left.front()].sent_ns = Now();
    left.pop_front();
    runner_.Add(request);
  };
  absl::flat_hash_set<FlowKey> begun;
  for (const HopQuestion& question : questions) {
    const FlowKey key = KeyOf(question.flow);
    if (begun.insert(key).second) ask_next(by_flow[key]);
  }
  std::vector<ProbeOutcome> outcomes;
  while (runner_.outstanding() > 0 && !stopped()) {
    outcomes.clear();
    const absl::Status status = runner_.Step(Now() + kLongestStepNs, outcomes);
    if (!status.ok()) return status;
    for (const ProbeOutcome& outcome : outcomes) {
      SeenPlace& answer = answers[outcome.tag];
      answer.known_ns = Now();
      sent_count_ += outcome.sent_count;
      const HopFlow& flow = questions[outcome.tag].flow;
      Enter(outcome, flow, answer);
      ask_next(by_flow[KeyOf(flow)]);
    }
  }
  return absl::OkStatus();
}

absl::Status HopAsker::PassTime(int64_t until_ns) {
  unasked_events_.clear();
  return endpoint_->Poll(until_ns, unasked_events_);
}

absl::Status HopAsker::Pause(int64_t duration_ns) {
  const int64_t until = Now() + duration_ns;
  while (Now() < until && !stopped()) {
    const absl::Status status = PassTime(std::min(until, Now() + kLongestStepNs));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status HopAsker::Load(const HopFlow& flow, uint32_t packet_count) {
  ProbeRunner runner(endpoint_, {.timeout_ns = options_.timeout_ns,
                                 .probes_per_second = options_.probes_per_second,
                                 .burst = packet_count});
  for (uint32_t i = 0; i < packet_count; ++i) {
    runner.Add(RequestFor({.flow = flow, .ttl = kUnlimitedTtl}, 1));
  }
  std::vector<ProbeOutcome> outcomes;
  while (runner.outstanding() > 0 && !stopped()) {
    const absl::Status status = runner.Step(Now() + kLongestStepNs, outcomes);
    if (!status.ok()) return status;
  }
  sent_count_ += runner.sent_count();
  return absl::OkStatus();
}

}  // namespace weft::probe
