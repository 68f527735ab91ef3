// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/trace_results.h"

#include <algorithm>
#include <utility>

#include "probe/trace/liveness_run.h"
#include "probe/trace/oddities.h"
#include "wire/bth.h"
#include "wire/roce.h"

namespace weft::probe {
namespace {

// Source ports by which a path's liveness is asked.
constexpr size_t kPortsPerLivenessPath = 2;

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

void Enter(const LivenessRun& run, TraceResult& result) {
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

}  // namespace

TraceResult ResultOf(const PairTrace& pair, const IcmpBudget& budget, const ResultInput& input) {
  std::vector<topology::Path> paths = pair.Paths();
  if (pair.has_no_responder()) {
    // Hosts limit how often they say so; what came as far as others has reached it too.
    std::vector<bool> unseen;
    for (const topology::Path& path : paths) unseen.push_back(!path.reaches_destination);
    JoinPaths(paths, std::move(unseen));
  }
  TraceResult result;
  result.problem = input.stopped ? "interrupted before the trace was complete" : pair.Problem();
  result.reached = pair.reached();
  result.unplaced_ports = pair.UnplacedPorts();
  result.table = {.source = input.source_name,
                  .source_address = pair.source(),
                  .destination = input.destination->name,
                  .destination_address = pair.target().address,
                  .headers = {.udp_dst_port = wire::kRoceUdpPort,
                              .bth_opcode = static_cast<uint8_t>(wire::BthOpcode::kUdSendOnly),
                              .dest_qpn = pair.target().dest_qpn,
                              .traffic_class = input.options->traffic_class,
                              .flow_label = input.options->flow_label},
                  .measured_at = input.options->measured_at,
                  .confidence = !input.stopped && pair.Settled() && pair.reached()
                                    ? input.options->confidence
                                    : 0,
                  .probes_sent = pair.probes_sent(),
                  .probes_asked = pair.graph().NeededProbeCount(),
                  .paths = std::move(paths),
                  .void_reason = {},
                  .hop_behaviours = pair.HopBehaviours()};
  TellOddities(pair, budget,
               {.options = input.options,
                .own_tunnel = input.destination->own_tunnel,
                .tells_unseen_quotes = input.tells_unseen_quotes,
                .begin_ns = input.begin_ns},
               result.table);
  return result;
}

topology::ProbeRecord ProbeRecordOf(const ProbeOutcome& outcome, const ProbeQuestion& question) {
  topology::ProbeRecord record;
  record.source = question.source;
  record.source_address = question.source_address;
  record.destination = question.destination;
  record.destination_address = question.destination_address;
  record.sequence = static_cast<uint32_t>(outcome.tag);
  record.udp_src_port = question.udp_src_port;
  record.reply_udp_src_port = outcome.reply_udp_src_port;
  record.ttl = question.ttl;
  record.time_s = static_cast<double>(outcome.time_ns - question.begin_ns) * 1e-9;
  record.outcome = topology::ProbeOutcome::kLost;
  if (outcome.kind == EventKind::kReply) {
    record.outcome = topology::ProbeOutcome::kReply;
    record.rtt_us = static_cast<double>(outcome.rtt_ns) / 1e3;
  } else if (outcome.kind == EventKind::kHop) {
    record.outcome = topology::ProbeOutcome::kHop;
    record.hop_ip_id = outcome.answer_ip_id;
  }
  record.hop_address = outcome.hop_address;
  return record;
}

absl::Status TellLiveness(ProbeRunner& runner, std::span<const PairTrace* const> pairs,
                          std::span<const uint16_t> answer_ports, const TraceOptions& options,
                          std::span<TraceResult* const> results) {
  std::vector<LivenessRun> runs;
  std::vector<size_t> of_result;
  for (size_t i = 0; i < results.size(); ++i) {
    const std::vector<topology::Path>& paths = results[i]->table.paths;
    const bool all_alive = std::ranges::all_of(
        paths, [](const topology::Path& p) { return p.state == topology::PathState::kAlive; });
    // Where no port chooses a path, none can be asked apart from the others.
    const bool all_have_ports = std::ranges::none_of(
        paths, [](const topology::Path& p) { return p.udp_src_ports.empty(); });
    if (all_alive || pairs[i]->has_no_responder() || !all_have_ports) continue;
    std::vector<std::vector<uint16_t>> ports;
    for (const topology::Path& path : paths) {
      const size_t count = std::min(kPortsPerLivenessPath, path.udp_src_ports.size());
      ports.emplace_back(path.udp_src_ports.begin(),
                         path.udp_src_ports.begin() + static_cast<std::ptrdiff_t>(count));
    }
    of_result.push_back(i);
    runs.push_back(
        {.target = pairs[i]->target(),
         .session = LivenessSession(std::move(ports), {answer_ports.begin(), answer_ports.end()}),
         .traffic_class = options.traffic_class,
         .flow_label = options.flow_label});
  }
  const absl::Status status = RunLiveness(runner, runs, options.stop);
  if (!status.ok()) return status;
  for (size_t i = 0; i < runs.size(); ++i) Enter(runs[i], *results[of_result[i]]);
  return absl::OkStatus();
}

}  // namespace weft::probe
