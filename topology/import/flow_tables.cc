// SPDX-License-Identifier: Apache-2.0
#include "topology/import/flow_tables.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace weft::topology {
namespace {

constexpr size_t kMaxEvidence = 8;     // of one finding
constexpr size_t kMaxResponders = 64;  // that are told apart at one hop

std::string SubjectOf(const TracedFlow& flow) {
  const std::string pair = PairText(flow.source, flow.destination);
  return flow.flow.empty() ? pair : absl::StrCat(pair, ", ", flow.flow);
}

// What answered at each TTL, in order, each address once; the destination's answers apart.
struct Answers {
  std::map<uint32_t, std::vector<wire::IpAddress>> at;
  std::optional<uint32_t> destination_ttl;
  uint32_t last_ttl = 0;
};

Answers Sorted(const TracedFlow& flow) {
  Answers answers{.at = {}, .destination_ttl = std::nullopt, .last_ttl = flow.last_ttl};
  for (const TracedReply& reply : flow.replies) {
    if (reply.from_destination) {
      answers.destination_ttl = std::min(answers.destination_ttl.value_or(reply.ttl), reply.ttl);
      continue;
    }
    std::vector<wire::IpAddress>& addresses = answers.at[reply.ttl];
    if (addresses.size() < kMaxResponders &&
        std::ranges::find(addresses, reply.address) == addresses.end()) {
      addresses.push_back(reply.address);
    }
    answers.last_ttl = std::max(answers.last_ttl, reply.ttl);
  }
  return answers;
}

Path PathOf(const Answers& answers) {
  Path path;
  const uint32_t end =
      answers.destination_ttl.has_value() ? *answers.destination_ttl - 1 : answers.last_ttl;
  for (uint32_t ttl = 1; ttl <= std::min(end, kMaxTtl); ++ttl) {
    const auto found = answers.at.find(ttl);
    path.hops.push_back(
        {.hop_index = ttl,
         .address = found == answers.at.end() ? wire::IpAddress() : found->second.front(),
         .node = ""});
  }
  path.reaches_destination = answers.destination_ttl.has_value();
  if (path.reaches_destination) {
    path.state = PathState::kAlive;
    path.probes_sent = 1;
    path.probes_answered = 1;
  }
  return path;
}

void AppendResponders(const TracedFlow& flow, const Answers& answers, const std::string& origin,
                      std::vector<Finding>& findings) {
  std::vector<Evidence> evidence;
  for (const auto& [ttl, addresses] : answers.at) {
    const bool is_destination_too = answers.destination_ttl == ttl;
    if (addresses.size() + (is_destination_too ? 1 : 0) < 2) continue;
    std::vector<wire::IpAddress> responders = addresses;
    if (is_destination_too) responders.push_back(flow.destination);
    if (evidence.size() == kMaxEvidence) break;
    evidence.push_back(RespondersAt(absl::StrCat("hop ", ttl), responders, origin));
  }
  if (evidence.empty()) return;
  if (!flow.flow.empty()) {
    findings.push_back(PerPacketOrChanged(SubjectOf(flow), std::move(evidence)));
    return;
  }
  findings.push_back(
      {.code = "ports-varied",
       .severity = Severity::kWarning,
       .subject = SubjectOf(flow),
       .evidence = std::move(evidence),
       .explanation = "The probes did not keep the headers that switches hash, so each hop may be "
                      "of another path. The first answer of each hop was taken.",
       .what_to_do = "Trace with a method that keeps the flow (udp-paris, icmp-paris, tracelb)."});
}

void AppendBehindDestination(const TracedFlow& flow, const Answers& answers,
                             const std::string& origin, std::vector<Finding>& findings) {
  if (!answers.destination_ttl.has_value()) return;
  std::vector<Evidence> evidence = {{.what = "first hop at which the destination answered",
                                     .value = *answers.destination_ttl,
                                     .unit = "hops",
                                     .origin = origin}};
  for (auto at = answers.at.upper_bound(*answers.destination_ttl); at != answers.at.end(); ++at) {
    if (evidence.size() == kMaxEvidence) break;
    evidence.push_back(RespondersAt(absl::StrCat("hop ", at->first), at->second, origin));
  }
  if (evidence.size() == 1) return;
  findings.push_back(DestinationInsidePath(SubjectOf(flow), std::move(evidence)));
}

bool AnswersBehind(const Path& path, size_t hop_count) {
  return std::any_of(
      path.hops.begin() + static_cast<ptrdiff_t>(std::min(hop_count, path.hops.size())),
      path.hops.end(), [](const Hop& hop) { return !hop.address.empty(); });
}

// Whether both may be of one path: nowhere two different answers, and none behind the other's
// destination. Silence contradicts nothing.
bool AreCompatible(const Path& a, const Path& b) {
  if (a.reaches_destination && AnswersBehind(b, a.hops.size())) return false;
  if (b.reaches_destination && AnswersBehind(a, b.hops.size())) return false;
  if (a.reaches_destination && b.reaches_destination && a.hops.size() != b.hops.size()) {
    return false;
  }
  for (size_t i = 0; i < std::min(a.hops.size(), b.hops.size()); ++i) {
    const wire::IpAddress& x = a.hops[i].address;
    const wire::IpAddress& y = b.hops[i].address;
    if (!x.empty() && !y.empty() && x != y) return false;
  }
  return true;
}

// Puts what `from` saw beyond `to` into it. Both are compatible.
void FillSilent(const Path& from, Path& to) {
  if (from.reaches_destination && !to.reaches_destination) {
    to.hops.resize(from.hops.size());
    to.reaches_destination = true;
    to.state = from.state;
  } else if (!to.reaches_destination && from.hops.size() > to.hops.size()) {
    to.hops.resize(from.hops.size());
  }
  for (size_t i = 0; i < std::min(to.hops.size(), from.hops.size()); ++i) {
    to.hops[i].hop_index = from.hops[i].hop_index;
    if (to.hops[i].address.empty()) to.hops[i].address = from.hops[i].address;
  }
}

Evidence DifferenceOf(const Path& a, const Path& b, const std::string& origin) {
  for (size_t i = 0; i < std::min(a.hops.size(), b.hops.size()); ++i) {
    if (a.hops[i].address.empty() || b.hops[i].address.empty()) continue;
    if (a.hops[i].address == b.hops[i].address) continue;
    return RespondersAt(absl::StrCat("hop ", i + 1), {a.hops[i].address, b.hops[i].address},
                        origin);
  }
  return {.what = absl::StrCat("hops before the end, against ", a.hops.size(), " in another trace"),
          .value = static_cast<double>(b.hops.size()),
          .unit = "hops",
          .origin = origin};
}

// Alive where any of them was; the ports of both, in order.
void Join(const Path& from, Path& to) {
  to.probes_sent += from.probes_sent;
  to.probes_answered += from.probes_answered;
  std::set<uint16_t> ports(to.udp_src_ports.begin(), to.udp_src_ports.end());
  ports.insert(from.udp_src_ports.begin(), from.udp_src_ports.end());
  to.udp_src_ports.assign(ports.begin(), ports.end());
}

}  // namespace

std::string PairText(const wire::IpAddress& source, const wire::IpAddress& destination) {
  return absl::StrCat(source.empty() ? "?" : source.ToString(), " to ",
                      destination.empty() ? "?" : destination.ToString());
}

Evidence RespondersAt(const std::string& where, const std::vector<wire::IpAddress>& addresses,
                      const std::string& origin) {
  std::vector<std::string> names;
  for (const wire::IpAddress& address : addresses) {
    if (names.size() == kMaxEvidence) {
      names.push_back("...");
      break;
    }
    names.push_back(address.ToString());
  }
  return {.what = absl::StrCat(where, " (", absl::StrJoin(names, ", "), ")"),
          .value = static_cast<double>(addresses.size()),
          .unit = "responders",
          .origin = origin};
}

Finding PerPacketOrChanged(const std::string& subject, std::vector<Evidence> evidence) {
  return {.code = "per-packet-or-changed",
          .severity = Severity::kWarning,
          .subject = subject,
          .evidence = std::move(evidence),
          .explanation =
              "One flow's probes had answers from several at one hop: a switch spreads "
              "packets and not flows, or the path changed while it was traced.",
          .what_to_do =
              "Trace it again: the same responders again mean that packets are spread, "
              "and then no source port chooses a path there."};
}

Finding DestinationInsidePath(const std::string& subject, std::vector<Evidence> evidence) {
  return {.code = "destination-inside-path",
          .severity = Severity::kWarning,
          .subject = subject,
          .evidence = std::move(evidence),
          .explanation = "Others answered behind the destination. The path was ended at it.",
          .what_to_do =
              "Look whether the destination's address is an interface of a switch, or the "
              "path changed while it was traced."};
}

void AppendAddressFindings(const std::vector<Hop>& hops, const std::string& subject,
                           const std::string& origin, std::vector<Finding>& findings) {
  std::vector<Evidence> repeated;
  std::vector<Evidence> loops;
  std::map<wire::IpAddress, uint32_t> last_seen;
  for (const Hop& hop : hops) {
    if (hop.address.empty()) continue;
    const auto [seen, is_new] = last_seen.try_emplace(hop.address, hop.hop_index);
    const uint32_t before = std::exchange(seen->second, hop.hop_index);
    if (is_new) continue;
    std::vector<Evidence>& evidence = before + 1 == hop.hop_index ? repeated : loops;
    if (evidence.size() == kMaxEvidence) continue;
    evidence.push_back({.what = absl::StrCat(hop.address.ToString(), " answered at hop ", before,
                                             ", and again at hop"),
                        .value = hop.hop_index,
                        .unit = "",
                        .origin = origin});
  }
  if (!repeated.empty()) {
    findings.push_back({.code = "repeated-address",
                        .severity = Severity::kWarning,
                        .subject = subject,
                        .evidence = std::move(repeated),
                        .explanation =
                            "One address answered at two hops in a row. It is kept twice: a switch "
                            "there may forward packets whose TTL ran out, or not count itself.",
                        .what_to_do = "Take no link between the two hops for real."});
  }
  if (!loops.empty()) {
    findings.push_back({.code = "routing-loop",
                        .severity = Severity::kError,
                        .subject = subject,
                        .evidence = std::move(loops),
                        .explanation = "A packet came to the same switch twice.",
                        .what_to_do = "Look at the routes of the switches between."});
  }
}

FlowTables::Key FlowTables::KeyOf(const TracedFlow& flow) {
  return {flow.source, flow.destination, flow.headers.udp_dst_port, flow.headers.traffic_class};
}

FlowTables::PathKey FlowTables::SamePathKey(const Key& key, const Path& path) {
  std::vector<wire::IpAddress> addresses;
  for (const Hop& hop : path.hops) addresses.push_back(hop.address);
  return {key, path.reaches_destination, std::move(addresses)};
}

PathTable& FlowTables::TableFor(const TracedFlow& flow) {
  const auto [found, is_new] = by_key_.try_emplace(KeyOf(flow), tables_.size());
  if (is_new) {
    PathTable table;
    table.source_address = flow.source;
    table.destination_address = flow.destination;
    table.headers = flow.headers;
    table.measured_at = flow.measured_at;
    tables_.push_back(std::move(table));
  }
  return tables_[found->second];
}

void FlowTables::AddPath(const TracedFlow& flow, Path path, const std::string& origin,
                         PathTable& table) {
  const Key key = KeyOf(flow);
  size_t* path_of_flow = nullptr;
  if (!flow.flow.empty()) {
    const auto [found, is_new] = path_of_flow_.try_emplace({key, flow.flow}, table.paths.size());
    path_of_flow = &found->second;
    if (!is_new) {
      Path& known = table.paths[*path_of_flow];
      if (AreCompatible(known, path)) {
        Join(path, known);
        // What is of several flows stays as all of them saw it.
        if (flows_of_path_[{key, *path_of_flow}] > 1) return;
        same_path_.erase(SamePathKey(key, known));
        FillSilent(path, known);
        same_path_.try_emplace(SamePathKey(key, known), *path_of_flow);
        return;
      }
      table.findings.push_back(
          PerPacketOrChanged(SubjectOf(flow), {DifferenceOf(known, path, origin)}));
    }
  }
  const auto [same, is_new] = same_path_.try_emplace(SamePathKey(key, path), table.paths.size());
  if (is_new) {
    table.paths.push_back(std::move(path));
  } else {
    Join(path, table.paths[same->second]);
  }
  if (path_of_flow != nullptr) *path_of_flow = same->second;
  ++flows_of_path_[{key, same->second}];
}

void FlowTables::Add(const TracedFlow& flow, const std::string& origin) {
  PathTable& table = TableFor(flow);
  table.probes_sent += flow.probes_sent;
  // The oldest of its traces: a table is no fresher than that.
  if (table.measured_at.empty() ||
      (!flow.measured_at.empty() && flow.measured_at < table.measured_at)) {
    table.measured_at = flow.measured_at;
  }
  const Answers answers = Sorted(flow);
  Path path = PathOf(answers);
  if (flow.udp_src_port.has_value()) path.udp_src_ports.push_back(*flow.udp_src_port);
  AppendResponders(flow, answers, origin, table.findings);
  AppendBehindDestination(flow, answers, origin, table.findings);
  AppendAddressFindings(path.hops, SubjectOf(flow), origin, table.findings);
  table.findings.insert(table.findings.end(), flow.findings.begin(), flow.findings.end());
  AddPath(flow, std::move(path), origin, table);
}

}  // namespace weft::topology
