// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/pair_trace.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"

namespace weft::probe {
namespace {

using topology::Path;
using topology::PathState;

// A hop that was silent for so many flows, each asked several times, is silent.
constexpr uint32_t kSilentFlowsToKnow = 3;

std::vector<uint16_t> Joined(std::span<const uint16_t> a, std::span<const uint16_t> b) {
  std::vector<uint16_t> all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

bool SameHops(const Path& a, const Path& b) {
  return a.hops == b.hops && a.reaches_destination == b.reaches_destination;
}

bool HopsBefore(const Path& a, const Path& b) {
  return std::ranges::lexicographical_compare(a.hops, b.hops, {}, &topology::Hop::address,
                                              &topology::Hop::address);
}

}  // namespace

PairTrace::PairTrace(ProbeTarget target, std::span<const uint16_t> wanted_ports,
                     std::span<const uint16_t> avoid_ports, uint64_t seed, PairTraceOptions options)
    : target_(target),
      options_(options),
      ports_(seed, Joined(wanted_ports, avoid_ports)),
      graph_(options.max_ttl, options.silent_hop_limit) {
  for (const uint16_t port : wanted_ports) {
    if (std::ranges::find(wanted_ports_, port) == wanted_ports_.end()) {
      wanted_ports_.push_back(port);
    }
  }
  AddWantedFlows();
}

void PairTrace::AddWantedFlows() {
  for (const uint16_t port : wanted_ports_) graph_.AddFlow(port, true);
}

std::vector<PlannedProbe> PairTrace::Plan(double alpha) {
  if (!failure_.empty()) return {};
  graph_.Resolve(alpha);
  std::vector<PlannedProbe> plan = PlanProbes(graph_, options_.ports_per_path, [this] {
    const std::optional<uint16_t> port = ports_.Next();
    out_of_ports_ = out_of_ports_ || !port;
    return port;
  });
  return plan.empty() && !judged_ ? PlanRepeats(alpha) : plan;
}

// Everything else is known by then. A route that has changed is traced again, once.
std::vector<PlannedProbe> PairTrace::PlanRepeats(double alpha) {
  std::vector<PlannedProbe> plan = repeats_.Plan(graph_);
  if (!plan.empty()) return plan;
  judged_ = true;
  for (const RepeatVerdict& verdict : repeats_.Verdicts()) {
    if (verdict.stability <= FlowStability::kStable) continue;
    if (verdict.stability == FlowStability::kChangedOnce) {
      route_changes_.push_back(verdict);
      if (route_changes_.size() > 1) break;
      Restart();
      return Plan(alpha);
    }
    // What lies behind it only seems to change.
    if (changing_.empty() || verdict.hop == changing_[0].hop) changing_.push_back(verdict);
  }
  return {};
}

void PairTrace::Restart() {
  graph_ = HopGraph(options_.max_ttl, options_.silent_hop_limit);
  AddWantedFlows();
  end_to_end_.clear();
  repeats_ = HopRepeats();
  judged_ = false;
  reached_ = false;
  refusal_.clear();
}

uint32_t PairTrace::TriesFor(const PlannedProbe& probe, uint32_t tries) const {
  const bool is_known_silent = graph_.SilentFlowCount(probe.ttl) >= kSilentFlowsToKnow;
  const bool was_silent_before =
      probe.ttl > 1 && graph_.Answer(probe.flow, probe.ttl - 1) == HopAnswer::kSilent;
  return is_known_silent || was_silent_before || has_no_responder() ? 1 : tries;
}

void PairTrace::OnOutcome(const PlannedProbe& probe, const ProbeOutcome& outcome) {
  probes_sent_ += outcome.sent_count;
  if (absl::IsAlreadyExists(outcome.status)) {
    graph_.SetUnusable(probe.flow);
    if (taken_port_.empty()) taken_port_ = std::string(outcome.status.message());
    return;
  }
  if (!outcome.status.ok()) {
    failure_ = std::string(outcome.status.message());
    return;
  }
  WatchClass(probe, outcome);
  if (probe.repeats) {
    repeats_.OnOutcome(probe,
                       outcome.kind == EventKind::kHop ? outcome.hop_address : wire::IpAddress(),
                       outcome.time_ns);
    return;
  }
  if (end_to_end_.size() <= probe.flow) end_to_end_.resize(probe.flow + 1);
  EndToEnd& end_to_end = end_to_end_[probe.flow];
  switch (outcome.kind) {
    case EventKind::kHop:
      graph_.Record(probe.flow, probe.ttl, HopAnswer::kInterface, outcome.hop_address,
                    outcome.time_ns);
      break;
    case EventKind::kUnreachable:
      if (outcome.hop_address != target_.address) {
        graph_.Record(probe.flow, probe.ttl, HopAnswer::kRefusal, outcome.hop_address,
                      outcome.time_ns);
        refusal_ = absl::StrCat(target_.address.ToString(), ": ", outcome.hop_address.ToString(),
                                " says that it is unreachable (ICMP code ",
                                uint32_t{outcome.icmp_code}, ")");
        break;
      }
      no_responder_ = absl::StrCat(target_.address.ToString(),
                                   ": no responder listens there (ICMP unreachable, code ",
                                   uint32_t{outcome.icmp_code}, ")");
      [[fallthrough]];
    case EventKind::kReply:
      graph_.Record(probe.flow, probe.ttl, HopAnswer::kDestination, {}, outcome.time_ns);
      end_to_end.sent += outcome.sent_count;
      ++end_to_end.answered;
      reached_ = true;
      break;
    case EventKind::kLost:
    case EventKind::kSent:
      graph_.Record(probe.flow, probe.ttl, HopAnswer::kSilent, {});
      break;
  }
}

bool PairTrace::Settled() const {
  for (uint32_t hop = 0; hop < graph_.hop_count(); ++hop) {
    for (const TraceVertex& vertex : graph_.vertices(hop)) {
      if (!vertex.settled()) return false;
    }
  }
  return failure_.empty();
}

std::string PairTrace::Problem() const {
  if (!failure_.empty()) return failure_;
  if (!no_responder_.empty()) return no_responder_;
  if (!refusal_.empty()) return refusal_;
  if (!reached_) {
    topology::Hop last;
    for (const Path& path : Paths()) {
      if (!path.hops.empty() && path.hops.back().hop_index > last.hop_index) {
        last = path.hops.back();
      }
    }
    const std::string who = target_.address.ToString();
    if (last.address.empty()) return absl::StrCat(who, ": no answer, nor from any hop before it");
    return absl::StrCat(who, ": no answer; the last hop that answered is ", last.address.ToString(),
                        " at TTL ", last.hop_index);
  }
  if (!taken_port_.empty() && !UnplacedPorts().empty()) return taken_port_;
  if (out_of_ports_) return "all source ports were tried; the stopping rule asks for more";
  if (!Settled()) {
    return "some next hops get so few source ports that the stopping rule was not met";
  }
  return "";
}

const RepeatVerdict* PairTrace::ChangingVertexOf(uint32_t flow) const {
  for (const RepeatVerdict& verdict : changing_) {
    const uint32_t vertex = graph_.VertexAt(flow, verdict.hop);
    if (vertex >= HopGraph::kBeyond) continue;
    if (graph_.vertices(verdict.hop)[vertex].address == verdict.address) return &verdict;
  }
  return nullptr;
}

// What a flow crosses; nullopt: it cannot be said. One address at two TTLs in a row is one switch;
// a loop ends where it closes. Behind a hop that does not hash a probe's answer says nothing of
// where another one goes, unless all go there.
std::optional<Path> PairTrace::PathOf(uint32_t flow) const {
  Path path;
  const RepeatVerdict* changing = ChangingVertexOf(flow);
  for (uint32_t hop = 1; hop < graph_.hop_count(); ++hop) {
    const uint32_t vertex = graph_.VertexAt(flow, hop);
    if (vertex == HopGraph::kUnknown) {
      if (hop > 1 && !graph_.CanGoOn(flow, hop - 1)) break;
      return std::nullopt;
    }
    if (vertex == HopGraph::kBeyond || graph_.Loops(flow, hop)) break;
    const TraceVertex& v = graph_.vertices(hop)[vertex];
    path.reaches_destination = v.kind == VertexKind::kDestination;
    if (path.reaches_destination) break;
    const bool is_same_switch =
        !v.address.empty() && !path.hops.empty() && path.hops.back().address == v.address;
    // The switch of the hop before said so, of a packet that it had to pass on.
    if (is_same_switch && v.kind == VertexKind::kRefusal) break;
    if (is_same_switch) continue;
    const bool any_of_several =
        changing != nullptr && hop > changing->hop + 1 && graph_.vertices(hop).size() > 1;
    path.hops.push_back(
        {.hop_index = hop, .address = any_of_several ? wire::IpAddress() : v.address, .node = {}});
  }
  // Silence at the end is no hop: nothing says that there is a switch.
  while (!path.reaches_destination && !path.hops.empty() && path.hops.back().address.empty()) {
    path.hops.pop_back();
  }
  return path;
}

std::vector<Path> PairTrace::Paths() const {
  std::vector<Path> paths;
  for (uint32_t flow = 0; flow < graph_.flows().size(); ++flow) {
    if (graph_.flows()[flow].answers.size() < 2) continue;  // nothing was asked of it
    std::optional<Path> path = PathOf(flow);
    if (!path) continue;
    auto known = std::ranges::find_if(paths, [&](const Path& p) { return SameHops(p, *path); });
    if (known == paths.end()) known = paths.insert(paths.end(), *std::move(path));
    // Where a hop does not hash, no port chooses.
    if (ChangingVertexOf(flow) == nullptr) {
      known->udp_src_ports.push_back(graph_.flows()[flow].udp_src_port);
    }
    if (flow < end_to_end_.size()) {
      known->probes_sent += end_to_end_[flow].sent;
      known->probes_answered += end_to_end_[flow].answered;
    }
  }
  for (Path& path : paths) {
    std::ranges::sort(path.udp_src_ports);
    const bool alive = path.probes_answered > 0 && path.probes_answered == path.probes_sent;
    if (alive) path.state = PathState::kAlive;
  }
  std::ranges::sort(paths, HopsBefore);
  return paths;
}

std::vector<uint16_t> PairTrace::UnplacedPorts() const {
  std::vector<uint16_t> unplaced;
  for (uint32_t flow = 0; flow < graph_.flows().size(); ++flow) {
    const HopGraph::Flow& f = graph_.flows()[flow];
    if (f.wanted && (f.answers.size() < 2 || !PathOf(flow))) {
      unplaced.push_back(f.udp_src_port);
    }
  }
  return unplaced;
}

}  // namespace weft::probe
