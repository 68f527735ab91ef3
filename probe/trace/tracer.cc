// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/tracer.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "probe/trace/liveness_run.h"
#include "probe/trace/pair_trace.h"
#include "wire/bth.h"
#include "wire/roce.h"

namespace weft::probe {
namespace {

// Each probe's tries ask for answers on different ports, and so on different ways back.
constexpr size_t kAnswerPortCount = 16;
// Source ports by which a path's liveness is asked.
constexpr size_t kPortsPerLivenessPath = 2;
constexpr int64_t kLongestStepNs = 100'000'000;  // between two looks at `stop`
// Planning alone can change the number of vertices, by what it concludes with another alpha.
constexpr int kMaxPlanRounds = 8;
constexpr uint64_t kAnswerPortSeed = 0x9e3779b97f4a7c15;  // apart from that of the probes' ports

bool IsBeginningOf(const topology::Path& path, const topology::Path& longer) {
  return path.hops.size() <= longer.hops.size() &&
         std::equal(path.hops.begin(), path.hops.end(), longer.hops.begin());
}

// A path that reaches the destination although its end was not seen is the one that begins like it,
// where there is just one: its limited-TTL probes were lost by chance. `unseen`: which ones, by
// path.
void JoinPaths(std::vector<topology::Path>& paths, std::vector<bool> unseen) {
  for (size_t i = 0; i < paths.size();) {
    size_t longer = paths.size();
    size_t longer_count = 0;
    for (size_t j = 0; j < paths.size(); ++j) {
      if (unseen[j] || !paths[j].reaches_destination) continue;
      if (!IsBeginningOf(paths[i], paths[j])) continue;
      longer = j;
      ++longer_count;
    }
    if (!unseen[i] || longer_count != 1) {
      ++i;
      continue;
    }
    topology::Path& into = paths[longer];
    into.udp_src_ports.insert(into.udp_src_ports.end(), paths[i].udp_src_ports.begin(),
                              paths[i].udp_src_ports.end());
    std::ranges::sort(into.udp_src_ports);
    into.probes_sent += paths[i].probes_sent;
    into.probes_answered += paths[i].probes_answered;
    paths.erase(paths.begin() + static_cast<std::ptrdiff_t>(i));
    unseen.erase(unseen.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

class Tracer {
 public:
  Tracer(Endpoint& endpoint, std::span<const TraceDestination> destinations,
         const TraceOptions& options)
      : endpoint_(endpoint),
        destinations_(destinations),
        options_(options),
        answer_ports_(AnswerPorts(options.seed ^ kAnswerPortSeed, kAnswerPortCount)),
        runner_(&endpoint, {.timeout_ns = options.timeout_ns,
                            .probes_per_second = options.probes_per_second}) {
    // Twice, so that a request can begin anywhere and still have them all.
    answer_ports_.insert(answer_ports_.end(), answer_ports_.begin(),
                         answer_ports_.begin() + kAnswerPortCount);
    for (const TraceDestination& destination : destinations) {
      pairs_.emplace_back(destination.target, destination.wanted_ports, options.avoid_ports,
                          options.seed + pairs_.size(),
                          PairTraceOptions{.max_ttl = options.max_ttl,
                                           .silent_hop_limit = options.silent_hop_limit,
                                           .ports_per_path = options.ports_per_path});
    }
    outstanding_.resize(pairs_.size());
    done_.resize(pairs_.size());
  }

  absl::StatusOr<std::vector<TraceResult>> Run() {
    absl::Status status = FindPaths();
    if (!status.ok()) return status;
    std::vector<TraceResult> results;
    for (size_t i = 0; i < pairs_.size(); ++i) results.push_back(ResultOf(i));
    if (!stopped_) status = TellLiveness(results);
    if (!status.ok()) return status;
    return results;
  }

 private:
  struct Asked {
    size_t pair = 0;
    PlannedProbe probe;
  };

  absl::Status FindPaths() {
    std::vector<ProbeOutcome> outcomes;
    while (!Stopped()) {
      PlanAll();
      if (runner_.outstanding() == 0) break;
      outcomes.clear();
      const absl::Status status = runner_.Step(endpoint_.Now() + kLongestStepNs, outcomes);
      if (!status.ok()) return status;
      for (const ProbeOutcome& outcome : outcomes) OnOutcome(outcome);
    }
    return absl::OkStatus();
  }

  // Pairs that lack nothing are asked again when the number of vertices has grown.
  void PlanAll() {
    for (int round = 0; round < kMaxPlanRounds; ++round) {
      PlanOnce();
      if (runner_.outstanding() > 0 || VertexCount() == planned_vertices_) return;
    }
  }

  void PlanOnce() {
    const size_t vertices = VertexCount();
    if (vertices != planned_vertices_) done_.assign(pairs_.size(), false);
    planned_vertices_ = vertices;
    for (size_t i = 0; i < pairs_.size(); ++i) {
      if (outstanding_[i] > 0 || done_[i]) continue;
      const std::vector<PlannedProbe> plan = pairs_[i].Plan(Alpha());
      done_[i] = plan.empty();
      for (const PlannedProbe& probe : plan) Ask(i, probe);
    }
  }

  void Ask(size_t pair, const PlannedProbe& probe) {
    const std::span<const uint16_t> ports = answer_ports_;
    // A flow's next TTLs ask for others than the last one did.
    const size_t first_port = (probe.flow + probe.ttl * options_.tries) % kAnswerPortCount;
    const uint64_t tag = next_tag_++;
    asked_.emplace(tag, Asked{pair, probe});
    ++outstanding_[pair];
    runner_.Add({.tag = tag,
                 .target = pairs_[pair].target(),
                 .udp_src_port = pairs_[pair].PortOf(probe.flow),
                 .ttl = static_cast<uint8_t>(probe.ttl),
                 .reply_ports = ports.subspan(first_port, kAnswerPortCount),
                 .tries = pairs_[pair].TriesFor(probe, options_.tries)});
  }

  void OnOutcome(const ProbeOutcome& outcome) {
    const auto asked = asked_.find(outcome.tag);
    pairs_[asked->second.pair].OnOutcome(asked->second.probe, outcome);
    --outstanding_[asked->second.pair];
    asked_.erase(asked);
  }

  size_t VertexCount() const {
    size_t count = 0;
    for (const PairTrace& pair : pairs_) count += pair.graph().OpenVertexCount();
    return std::max(count, pairs_.size());
  }
  double Alpha() const {
    return (1 - options_.confidence) / static_cast<double>(planned_vertices_);
  }

  bool Stopped() {
    if (options_.progress) {
      options_.progress(runner_.sent_count(), static_cast<size_t>(std::ranges::count(done_, true)));
    }
    stopped_ = stopped_ || (options_.stop && options_.stop());
    return stopped_;
  }

  TraceResult ResultOf(size_t i) {
    PairTrace& pair = pairs_[i];
    std::vector<topology::Path> paths = pair.Paths();
    if (pair.has_no_responder()) {
      // Hosts limit how often they say so; what came as far as others has reached it too.
      std::vector<bool> unseen;
      for (const topology::Path& path : paths) unseen.push_back(!path.reaches_destination);
      JoinPaths(paths, std::move(unseen));
    }
    TraceResult result;
    result.problem = stopped_ ? "interrupted before the trace was complete" : pair.Problem();
    result.reached = pair.reached();
    result.unplaced_ports = pair.UnplacedPorts();
    result.table = {
        .source = options_.source_name,
        .source_address = endpoint_.LocalAddress(pair.target().address),
        .destination = destinations_[i].name,
        .destination_address = pair.target().address,
        .headers = {.udp_dst_port = wire::kRoceUdpPort,
                    .bth_opcode = static_cast<uint8_t>(wire::BthOpcode::kUdSendOnly),
                    .dest_qpn = pair.target().dest_qpn},
        .measured_at = options_.measured_at,
        .confidence = !stopped_ && pair.Settled() && pair.reached() ? options_.confidence : 0,
        .probes_sent = pair.probes_sent(),
        .probes_asked = pair.graph().NeededProbeCount(),
        .paths = std::move(paths),
        .void_reason = {}};
    return result;
  }

  // Paths on which something was lost, or nothing came back, are asked end to end with several
  // answer ports, together with the pair's other paths. It takes a responder.
  absl::Status TellLiveness(std::vector<TraceResult>& results) {
    std::vector<LivenessRun> runs;
    std::vector<size_t> of_result;
    for (size_t i = 0; i < results.size(); ++i) {
      const std::vector<topology::Path>& paths = results[i].table.paths;
      const bool all_alive = std::ranges::all_of(
          paths, [](const topology::Path& p) { return p.state == topology::PathState::kAlive; });
      if (all_alive || pairs_[i].has_no_responder()) continue;
      std::vector<std::vector<uint16_t>> ports;
      for (const topology::Path& path : paths) {
        const size_t count = std::min(kPortsPerLivenessPath, path.udp_src_ports.size());
        ports.emplace_back(path.udp_src_ports.begin(),
                           path.udp_src_ports.begin() + static_cast<std::ptrdiff_t>(count));
      }
      of_result.push_back(i);
      runs.push_back({.target = pairs_[i].target(),
                      .session = LivenessSession(
                          std::move(ports),
                          {answer_ports_.begin(), answer_ports_.begin() + kAnswerPortCount})});
    }
    const absl::Status status = RunLiveness(runner_, runs, options_.stop);
    if (!status.ok()) return status;
    for (size_t i = 0; i < runs.size(); ++i) Enter(runs[i], results[of_result[i]]);
    return absl::OkStatus();
  }

  static void Enter(const LivenessRun& run, TraceResult& result) {
    const LivenessVerdicts verdicts = run.session.Verdicts();
    result.table.probes_sent += run.probes_sent;
    std::vector<bool> unseen;
    for (size_t i = 0; i < result.table.paths.size(); ++i) {
      topology::Path& path = result.table.paths[i];
      path.state = verdicts.paths[i].state;
      path.probes_sent = verdicts.paths[i].sent;
      path.probes_answered = verdicts.paths[i].answered;
      unseen.push_back(!path.reaches_destination && path.probes_answered > 0);
      path.reaches_destination = path.reaches_destination || path.probes_answered > 0;
      result.reached = result.reached || path.probes_answered > 0;
    }
    JoinPaths(result.table.paths, std::move(unseen));
  }

  Endpoint& endpoint_;
  std::span<const TraceDestination> destinations_;
  const TraceOptions& options_;
  std::vector<uint16_t> answer_ports_;
  ProbeRunner runner_;
  std::vector<PairTrace> pairs_;
  std::vector<size_t> outstanding_;  // probes, by pair
  std::vector<bool> done_;           // by pair: its last plan was empty
  absl::flat_hash_map<uint64_t, Asked> asked_;
  uint64_t next_tag_ = 0;
  size_t planned_vertices_ = 0;
  bool stopped_ = false;
};

}  // namespace

absl::StatusOr<std::vector<TraceResult>> Trace(Endpoint& endpoint,
                                               std::span<const TraceDestination> destinations,
                                               const TraceOptions& options) {
  return Tracer(endpoint, destinations, options).Run();
}

}  // namespace weft::probe
