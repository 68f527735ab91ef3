// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/tracer.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "probe/trace/liveness_run.h"
#include "probe/trace/pair_trace.h"
#include "probe/trace/trace_results.h"

namespace weft::probe {
namespace {

// Each probe's tries ask for answers on different ports, and so on different ways back.
constexpr size_t kAnswerPortCount = 16;
constexpr int64_t kLongestStepNs = 100'000'000;  // between two looks at `stop`
// With several sources time passes in steps of this, so that each is looked at now and then.
constexpr int64_t kSharedStepNs = 2'000'000;
// Planning alone can change the number of vertices, by what it concludes with another alpha.
constexpr int kMaxPlanRounds = 8;
constexpr uint64_t kAnswerPortSeed = 0x9e3779b97f4a7c15;  // apart from that of the probes' ports
// Up to so many vertices alpha follows each of them; then it follows in steps of a quarter.
constexpr size_t kExactVertexCount = 64;

class Tracer {
 public:
  Tracer(std::span<const TraceJob> jobs, const TraceOptions& options)
      : jobs_(jobs),
        options_(options),
        answer_ports_(AnswerPorts(options.seed ^ kAnswerPortSeed, kAnswerPortCount)),
        budget_({.per_second = options.icmp_per_second, .probers = options.probers}) {
    // Twice, so that a request can begin anywhere and still have them all.
    answer_ports_.insert(answer_ports_.end(), answer_ports_.begin(),
                         answer_ports_.begin() + kAnswerPortCount);
    for (size_t job = 0; job < jobs.size(); ++job) AddJob(job);
    outstanding_.resize(pairs_.size());
    done_.resize(pairs_.size());
  }

  absl::StatusOr<std::vector<std::vector<TraceResult>>> Run() {
    if (jobs_.empty()) return std::vector<std::vector<TraceResult>>();
    begin_ns_ = runners_[0].Now();
    absl::Status status = FindPaths();
    if (!status.ok()) return status;
    ShareModes();
    std::vector<std::vector<TraceResult>> results(jobs_.size());
    bool tell_quotes = !options_.quotes_unseen_reason.empty();
    for (size_t i = 0; i < pairs_.size(); ++i) {
      const bool tells_quotes = tell_quotes && pairs_[i].target().address.IsV4();
      if (tells_quotes) tell_quotes = false;
      const ResultInput input = {.options = &options_,
                                 .destination = destinations_[i],
                                 .source_name = jobs_[job_of_[i]].source_name,
                                 .stopped = stopped_,
                                 .tells_unseen_quotes = tells_quotes,
                                 .begin_ns = begin_ns_};
      results[job_of_[i]].push_back(ResultOf(pairs_[i], budget_, input));
    }
    for (size_t job = 0; job < jobs_.size() && !stopped_; ++job) {
      status = TellLivenessOf(job, results[job]);
      if (!status.ok()) return status;
    }
    return results;
  }

 private:
  struct Asked {
    size_t pair = 0;
    PlannedProbe probe;
    HopPlace place;
  };

  void AddJob(size_t job) {
    runners_.emplace_back(jobs_[job].endpoint,
                          ProbeRunnerOptions{.timeout_ns = options_.timeout_ns,
                                             .probes_per_second = options_.probes_per_second,
                                             .budget = &budget_,
                                             .adaptive_timeout = true});
    for (const TraceDestination& destination : jobs_[job].destinations) {
      const wire::IpAddress& address = destination.target.address;
      pairs_.emplace_back(destination.target, destination.wanted_ports, options_.avoid_ports,
                          options_.seed + pairs_.size(),
                          PairTraceOptions{.max_ttl = options_.max_ttl,
                                           .silent_hop_limit = options_.silent_hop_limit,
                                           .ports_per_path = options_.ports_per_path,
                                           .source = jobs_[job].endpoint->LocalAddress(address),
                                           .traffic_class = options_.traffic_class});
      destinations_.push_back(&destination);
      job_of_.push_back(job);
    }
  }

  absl::Status FindPaths() {
    while (!Stopped()) {
      PlanAll();
      if (outstanding_count_ == 0) break;
      const absl::Status status = StepAll();
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  // Lets time pass until something is known, or for a while. With several sources the first of them
  // that waits for something lets it pass for all.
  absl::Status StepAll() {
    const int64_t now = runners_[0].Now();
    const bool alone = runners_.size() == 1;
    bool any = false;
    int64_t until = now + (alone ? kLongestStepNs : kSharedStepNs);
    for (ProbeRunner& runner : runners_) {
      if (runner.outstanding() == 0) continue;
      const auto known = StepOne(runner, alone ? until : now);
      if (!known.ok()) return known.status();
      any = any || *known;
    }
    if (any || alone) return absl::OkStatus();
    for (ProbeRunner& runner : runners_) {
      if (runner.outstanding() == 0) continue;
      return StepOne(runner, until).status();
    }
    return absl::OkStatus();
  }

  // True: at least one outcome.
  absl::StatusOr<bool> StepOne(ProbeRunner& runner, int64_t until_ns) {
    outcomes_.clear();
    const absl::Status status = runner.Step(until_ns, outcomes_);
    if (!status.ok()) return status;
    for (const ProbeOutcome& outcome : outcomes_) OnOutcome(outcome);
    return !outcomes_.empty();
  }

  // Pairs that lack nothing are asked again when the number of vertices has grown.
  void PlanAll() {
    for (int round = 0; round < kMaxPlanRounds; ++round) {
      PlanOnce();
      if (outstanding_count_ > 0) return;
      const size_t count = VertexCountForAlpha();
      if (count == planned_vertices_) return;
      planned_vertices_ = count;
      done_.assign(pairs_.size(), false);
    }
  }

  void PlanOnce() {
    if (pairs_.size() == 1 || planned_vertices_ == 0) {
      // One pair's plans follow its own vertices at once.
      const size_t count = VertexCountForAlpha();
      if (count != planned_vertices_) done_.assign(pairs_.size(), false);
      planned_vertices_ = count;
    }
    for (size_t i = 0; i < pairs_.size(); ++i) {
      if (outstanding_[i] > 0 || done_[i]) continue;
      const std::vector<PlannedProbe> plan = pairs_[i].Plan(Alpha());
      pairs_[i].TeachLinks(budget_);
      done_[i] = plan.empty();
      for (const PlannedProbe& probe : plan) Ask(i, probe);
    }
  }

  void Ask(size_t pair, const PlannedProbe& probe) {
    const std::span<const uint16_t> ports = answer_ports_;
    // A flow's next TTLs ask for others than the last one did.
    const size_t first_port = (probe.flow + probe.ttl * options_.tries) % kAnswerPortCount;
    const uint64_t tag = next_tag_++;
    const HopPlace place = pairs_[pair].PlaceOf(probe);
    const uint32_t tries = pairs_[pair].TriesFor(probe, options_.tries);
    asked_.emplace(tag, Asked{pair, probe, place});
    ++outstanding_[pair];
    ++outstanding_count_;
    runners_[job_of_[pair]].Add({.tag = tag,
                                 .target = pairs_[pair].target(),
                                 .udp_src_port = pairs_[pair].PortOf(probe.flow),
                                 .ttl = static_cast<uint8_t>(probe.ttl),
                                 .traffic_class = options_.traffic_class,
                                 .flow_label = options_.flow_label,
                                 .reply_ports = ports.subspan(first_port, kAnswerPortCount),
                                 .tries = tries,
                                 .place = place,
                                 .confirm_slowly = !probe.repeats && tries > 1,
                                 .in_a_row = probe.in_a_row});
  }

  void OnOutcome(const ProbeOutcome& outcome) {
    const auto found = asked_.find(outcome.tag);
    const Asked asked = found->second;
    asked_.erase(found);
    if (options_.on_probe) options_.on_probe(RecordOf(asked, outcome));
    pairs_[asked.pair].OnOutcome(asked.probe, outcome);
    --outstanding_[asked.pair];
    --outstanding_count_;
    // It did answer when it was asked slowly: what was missed of it before is to be asked again.
    if (outcome.slow_count > 0 && outcome.kind == EventKind::kHop) ForgetSilence(asked.place);
  }

  topology::ProbeRecord RecordOf(const Asked& asked, const ProbeOutcome& outcome) const {
    const PairTrace& pair = pairs_[asked.pair];
    return ProbeRecordOf(outcome, {.source = jobs_[job_of_[asked.pair]].source_name,
                                   .source_address = pair.source(),
                                   .destination = destinations_[asked.pair]->name,
                                   .destination_address = pair.target().address,
                                   .udp_src_port = pair.PortOf(asked.probe.flow),
                                   .ttl = static_cast<uint8_t>(asked.probe.ttl),
                                   .begin_ns = begin_ns_});
  }

  void ForgetSilence(const HopPlace& place) {
    for (size_t i = 0; i < pairs_.size(); ++i) {
      if (pairs_[i].ForgetSilence(place)) done_[i] = false;
    }
  }

  // A switch that spreads per packet does so for all pairs, though not each has seen two answers in
  // quick succession.
  void ShareModes() {
    std::vector<wire::IpAddress> per_packet;
    for (const PairTrace& pair : pairs_) {
      const std::optional<RepeatVerdict> first = pair.FirstChanging();
      const bool tells = first && first->stability == FlowStability::kPerPacket;
      if (tells && !first->address.empty()) per_packet.push_back(first->address);
    }
    if (per_packet.empty()) return;
    for (PairTrace& pair : pairs_) pair.LearnPerPacket(per_packet);
  }

  size_t VertexCountForAlpha() const {
    size_t count = 0;
    for (const PairTrace& pair : pairs_) count += pair.graph().OpenVertexCount();
    count = std::max(count, pairs_.size());
    if (count <= kExactVertexCount) return count;
    size_t step = kExactVertexCount;
    while (step < count) step += step / 4;
    return step;
  }
  double Alpha() const {
    return (1 - options_.confidence) / static_cast<double>(planned_vertices_);
  }

  bool Stopped() {
    if (options_.progress) {
      TraceProgress progress;
      for (const ProbeRunner& runner : runners_) {
        progress.probes_sent += runner.sent_count();
        progress.waiting += runner.outstanding() - runner.in_flight_count();
        progress.slow += runner.slow_count();
      }
      progress.destinations_done = static_cast<size_t>(std::ranges::count(done_, true));
      options_.progress(progress);
    }
    stopped_ = stopped_ || (options_.stop && options_.stop());
    return stopped_;
  }

  absl::Status TellLivenessOf(size_t job, std::vector<TraceResult>& results) {
    std::vector<const PairTrace*> pairs;
    std::vector<TraceResult*> of_job;
    for (size_t i = 0; i < pairs_.size(); ++i) {
      if (job_of_[i] == job) pairs.push_back(&pairs_[i]);
    }
    for (TraceResult& result : results) of_job.push_back(&result);
    return TellLiveness(runners_[job], pairs, std::span(answer_ports_).first(kAnswerPortCount),
                        options_, of_job);
  }

  std::span<const TraceJob> jobs_;
  const TraceOptions& options_;
  std::vector<uint16_t> answer_ports_;
  IcmpBudget budget_;
  std::vector<ProbeRunner> runners_;                   // by job
  std::vector<PairTrace> pairs_;                       // of all jobs, one job's after the other
  std::vector<const TraceDestination*> destinations_;  // by pair
  std::vector<size_t> job_of_;                         // by pair
  std::vector<size_t> outstanding_;                    // probes, by pair
  size_t outstanding_count_ = 0;
  std::vector<bool> done_;  // by pair: its last plan was empty
  absl::flat_hash_map<uint64_t, Asked> asked_;
  std::vector<ProbeOutcome> outcomes_;
  uint64_t next_tag_ = 0;
  size_t planned_vertices_ = 0;
  int64_t begin_ns_ = 0;
  bool stopped_ = false;
};

}  // namespace

absl::StatusOr<std::vector<std::vector<TraceResult>>> TraceAll(std::span<const TraceJob> jobs,
                                                               const TraceOptions& options) {
  return Tracer(jobs, options).Run();
}

absl::StatusOr<std::vector<TraceResult>> Trace(Endpoint& endpoint,
                                               std::span<const TraceDestination> destinations,
                                               const TraceOptions& options) {
  const TraceJob job = {.endpoint = &endpoint,
                        .destinations = {destinations.begin(), destinations.end()},
                        .source_name = options.source_name};
  auto results = TraceAll({&job, 1}, options);
  if (!results.ok()) return results.status();
  return std::move((*results)[0]);
}

}  // namespace weft::probe
