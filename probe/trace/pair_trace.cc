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

// What a flow crosses; nullopt: it cannot be said.
std::optional<Path> PathOf(const HopGraph& graph, uint32_t flow) {
  Path path;
  for (uint32_t hop = 1; hop < graph.hop_count(); ++hop) {
    const uint32_t vertex = graph.VertexAt(flow, hop);
    if (vertex == HopGraph::kUnknown) {
      if (hop > 1 && !graph.CanGoOn(flow, hop - 1)) break;
      return std::nullopt;
    }
    if (vertex == HopGraph::kBeyond) break;
    const TraceVertex& v = graph.vertices(hop)[vertex];
    path.reaches_destination = v.kind == VertexKind::kDestination;
    if (path.reaches_destination) break;
    // The switch of the hop before said so, of a packet that it had to pass on.
    const bool is_hop_before = v.kind == VertexKind::kRefusal && !path.hops.empty() &&
                               path.hops.back().address == v.address;
    if (is_hop_before) break;
    path.hops.push_back({.hop_index = hop, .address = v.address, .node = {}});
  }
  // Silence at the end is no hop: nothing says that there is a switch.
  while (!path.reaches_destination && !path.hops.empty() && path.hops.back().address.empty()) {
    path.hops.pop_back();
  }
  return path;
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
  std::vector<uint16_t> added;
  for (const uint16_t port : wanted_ports) {
    if (std::ranges::find(added, port) != added.end()) continue;
    graph_.AddFlow(port, true);
    added.push_back(port);
  }
}

std::vector<PlannedProbe> PairTrace::Plan(double alpha) {
  if (!failure_.empty()) return {};
  graph_.Resolve(alpha);
  return PlanProbes(graph_, options_.ports_per_path, [this] {
    const std::optional<uint16_t> port = ports_.Next();
    out_of_ports_ = out_of_ports_ || !port;
    return port;
  });
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
  if (end_to_end_.size() <= probe.flow) end_to_end_.resize(probe.flow + 1);
  EndToEnd& end_to_end = end_to_end_[probe.flow];
  switch (outcome.kind) {
    case EventKind::kHop:
      graph_.Record(probe.flow, probe.ttl, HopAnswer::kInterface, outcome.hop_address);
      break;
    case EventKind::kUnreachable:
      if (outcome.hop_address != target_.address) {
        graph_.Record(probe.flow, probe.ttl, HopAnswer::kRefusal, outcome.hop_address);
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
      graph_.Record(probe.flow, probe.ttl, HopAnswer::kDestination, {});
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

std::vector<Path> PairTrace::Paths() const {
  std::vector<Path> paths;
  for (uint32_t flow = 0; flow < graph_.flows().size(); ++flow) {
    if (graph_.flows()[flow].answers.size() < 2) continue;  // nothing was asked of it
    std::optional<Path> path = PathOf(graph_, flow);
    if (!path) continue;
    auto known = std::ranges::find_if(paths, [&](const Path& p) { return SameHops(p, *path); });
    if (known == paths.end()) known = paths.insert(paths.end(), *std::move(path));
    known->udp_src_ports.push_back(graph_.flows()[flow].udp_src_port);
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
    if (f.wanted && (f.answers.size() < 2 || !PathOf(graph_, flow))) {
      unplaced.push_back(f.udp_src_port);
    }
  }
  return unplaced;
}

}  // namespace weft::probe
