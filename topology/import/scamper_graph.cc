// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "topology/import/scamper.h"

namespace weft::topology {
namespace {

constexpr uint64_t kMaxPort = 0xffff;
constexpr uint64_t kMaxSeconds = 253402300799;  // the end of year 9999
constexpr size_t kMaxEvidence = 8;              // of one finding
constexpr size_t kMaxAlternatives = 256;        // at one position
// Of the search for paths: enough for the most paths, each of 64 hops that no other has.
constexpr size_t kMaxVisits = kMaxPathsOfGraph * 64;

// One answer (or silence) at a position of a node's links, and the flows whose probes had it.
struct Alternative {
  wire::IpAddress address;  // none: silence
  std::set<uint64_t> flows;
};
using Position = std::vector<Alternative>;

// What answered where, as a graph: an address is one vertex, silence a new one each time.
class Graph {
 public:
  size_t size() const { return vertices_.size(); }
  const wire::IpAddress& address(size_t vertex) const { return vertices_[vertex].address; }
  const std::vector<size_t>& next(size_t vertex) const { return vertices_[vertex].next; }

  size_t VertexOf(const wire::IpAddress& address) {
    if (address.empty()) return Add(address);
    const auto [found, is_new] = by_address_.try_emplace(address, vertices_.size());
    return is_new ? Add(address) : found->second;
  }
  void Link(size_t from, size_t to) {
    if (links_.emplace(from, to).second) vertices_[from].next.push_back(to);
  }
  // Where the graph is entered, so that all of it is seen: what nothing leads to, and of a loop
  // that nothing leads into, what was told of it first.
  std::vector<size_t> Roots() const {
    std::vector<bool> is_root(size(), true);
    for (const auto& [from, to] : links_) {
      if (from != to) is_root[to] = false;
    }
    std::vector<size_t> roots;
    std::vector<bool> seen(size(), false);
    for (const bool in_loops : {false, true}) {
      for (size_t i = 0; i < size(); ++i) {
        if (seen[i] || (!in_loops && !is_root[i])) continue;
        roots.push_back(i);
        MarkReachable(i, seen);
      }
    }
    return roots;
  }

 private:
  struct Vertex {
    wire::IpAddress address;
    std::vector<size_t> next;
  };
  size_t Add(const wire::IpAddress& address) {
    vertices_.push_back({.address = address, .next = {}});
    return vertices_.size() - 1;
  }

  void MarkReachable(size_t from, std::vector<bool>& seen) const {
    std::vector<size_t> open = {from};
    seen[from] = true;
    while (!open.empty()) {
      const size_t vertex = open.back();
      open.pop_back();
      for (const size_t to : next(vertex)) {
        if (!seen[to]) open.push_back(to);
        seen[to] = true;
      }
    }
  }

  std::vector<Vertex> vertices_;
  std::set<std::pair<size_t, size_t>> links_;
  std::map<wire::IpAddress, size_t> by_address_;
};

// An address, or "*" for silence; nullopt: neither.
std::optional<wire::IpAddress> AddressOrStar(const Json& object) {
  if (TextField(object, "addr") == "*") return wire::IpAddress();
  return AddressField(object, "addr");
}

// All paths from the roots to the destination or to where nothing more is known.
class PathsOf {
 public:
  PathsOf(const Graph& graph, const std::vector<size_t>& roots, const wire::IpAddress& destination,
          uint32_t first_ttl)
      : graph_(graph), destination_(destination) {
    for (uint32_t ttl = 1; ttl < first_ttl; ++ttl) {
      hops_.push_back({.hop_index = ttl, .address = {}, .node = ""});
    }
    for (const size_t root : roots) Visit(root);
  }

  std::vector<Path> paths;
  bool cut = false;
  std::vector<Hop> loop;      // the first path that came back to an address
  std::vector<Hop> repeated;  // the first path with an address twice in a row

 private:
  bool IsOnPath(size_t vertex) const {
    return std::ranges::find(on_path_, vertex) != on_path_.end();
  }

  void End(bool reaches_destination) {
    Path path;
    path.hops = hops_;
    path.reaches_destination = reaches_destination;
    std::vector<wire::IpAddress> addresses;
    for (const Hop& hop : hops_) addresses.push_back(hop.address);
    if (known_.contains({reaches_destination, addresses})) return;
    if (paths.size() == kMaxPathsOfGraph) {
      cut = true;
      return;
    }
    known_.emplace(reaches_destination, std::move(addresses));
    paths.push_back(std::move(path));
  }

  // At most kMaxTtl deep.
  void Visit(size_t vertex) {
    if (++visits_ > kMaxVisits) cut = true;
    if (cut) return;
    const wire::IpAddress& address = graph_.address(vertex);
    if (address == destination_) return End(true);
    if (hops_.size() == kMaxTtl) return End(false);
    const bool again = IsOnPath(vertex);
    const bool in_a_row = again && on_path_.back() == vertex;
    hops_.push_back(
        {.hop_index = static_cast<uint32_t>(hops_.size() + 1), .address = address, .node = ""});
    on_path_.push_back(vertex);
    if (again && !in_a_row) {
      if (loop.empty()) loop = hops_;
      End(false);
    } else {
      if (in_a_row && repeated.empty()) repeated = hops_;
      VisitNext(vertex, in_a_row);
    }
    on_path_.pop_back();
    hops_.pop_back();
  }

  void VisitNext(size_t vertex, bool in_a_row) {
    bool any = false;
    for (const size_t next : graph_.next(vertex)) {
      if (next == vertex && in_a_row) continue;  // twice in a row is enough
      any = true;
      Visit(next);
    }
    if (!any) End(false);
  }

  const Graph& graph_;
  const wire::IpAddress& destination_;
  size_t visits_ = 0;
  std::set<std::pair<bool, std::vector<wire::IpAddress>>> known_;
  std::vector<Hop> hops_;
  std::vector<size_t> on_path_;
};

// Which addresses answered a flow's probes of one TTL.
using Responders = std::map<std::pair<uint64_t, uint64_t>, std::set<wire::IpAddress>>;

class GraphReader {
 public:
  GraphReader(const std::string& origin, ImportCounts& counts) : origin_(origin), counts_(counts) {}

  Graph graph;
  Responders responders;
  std::vector<Finding> findings;

  // With a damaged part what stands behind it has lost its place: only the part that the first node
  // leads to is used.
  std::vector<size_t> Roots() const {
    if (findings.empty()) return graph.Roots();
    return graph.size() == 0 ? std::vector<size_t>{} : std::vector<size_t>{0};
  }

  void ReadNodes(const Json& nodes) {
    for (size_t i = 0; i < nodes.size(); ++i) {
      const std::string where = absl::StrCat(origin_, ", node ", i + 1);
      const std::optional<wire::IpAddress> address = AddressOrStar(nodes[i]);
      if (!address.has_value()) {
        Damaged(where, "no address and no \"*\" in addr");
        continue;
      }
      const size_t vertex = graph.VertexOf(*address);
      const Json* links = Field(nodes[i], "links");
      if (links == nullptr) continue;
      if (!links->is_array()) {
        Damaged(where, "links is no array");
        continue;
      }
      ReadLinks(*links, where, vertex);
    }
  }

 private:
  void Damaged(const std::string& where, const std::string& problem) {
    ++counts_.damaged;
    findings.push_back(DamagedTrace(where, problem));
  }

  // A damaged position ends what can be known behind this node: what stands behind it is left out.
  void ReadLinks(const Json& links, const std::string& where, size_t node) {
    std::vector<size_t> before = {node};
    Position position_before = {{.address = graph.address(node), .flows = {}}};
    for (size_t i = 0; i < links.size(); ++i) {
      std::optional<Position> position =
          ReadPosition(links[i], absl::StrCat(where, ", link ", i + 1));
      if (!position.has_value()) return;
      std::vector<size_t> vertices;
      for (const Alternative& alternative : *position) {
        vertices.push_back(graph.VertexOf(alternative.address));
      }
      Join(before, position_before, vertices, *position);
      before = std::move(vertices);
      position_before = *std::move(position);
    }
  }

  // Those that share a flow, and all where one of them has none to say; whoever is left over then
  // came from any.
  void Join(const std::vector<size_t>& from, const Position& from_position,
            const std::vector<size_t>& to, const Position& to_position) {
    for (size_t t = 0; t < to.size(); ++t) {
      bool joined = false;
      for (size_t f = 0; f < from.size(); ++f) {
        const std::set<uint64_t>& a = from_position[f].flows;
        const std::set<uint64_t>& b = to_position[t].flows;
        const bool share = std::ranges::any_of(a, [&](uint64_t flow) { return b.contains(flow); });
        if (!a.empty() && !b.empty() && !share) continue;
        graph.Link(from[f], to[t]);
        joined = true;
      }
      if (joined) continue;
      for (const size_t f : from) graph.Link(f, to[t]);
    }
  }

  std::optional<Position> ReadPosition(const Json& json, const std::string& where) {
    if (!json.is_array() || json.empty()) {
      Damaged(where, "no array of what answered there");
      return std::nullopt;
    }
    Position position;
    if (json.size() > kMaxAlternatives) {
      Damaged(where, absl::StrCat(json.size(), " answers at one place, expected at most ",
                                  kMaxAlternatives));
      return std::nullopt;
    }
    for (const Json& entry : json) {
      const std::optional<wire::IpAddress> address = AddressOrStar(entry);
      if (!address.has_value()) {
        Damaged(where, "no address and no \"*\" in addr");
        continue;
      }
      position.push_back({.address = *address, .flows = ReadFlows(entry, *address)});
    }
    if (position.empty()) return std::nullopt;
    return position;
  }

  std::set<uint64_t> ReadFlows(const Json& entry, const wire::IpAddress& address) {
    std::set<uint64_t> flows;
    const Json* probes = ArrayField(entry, "probes");
    if (probes == nullptr || address.empty()) return flows;
    for (const Json& probe : *probes) {
      const std::optional<uint64_t> flow = NumberField(probe, "flowid", UINT32_MAX);
      const std::optional<uint64_t> ttl = NumberField(probe, "ttl", kMaxTtl);
      // A probe may be listed under an address that did not answer it.
      if (!flow.has_value() || NumberField(probe, "replyc", UINT32_MAX) == 0U) continue;
      flows.insert(*flow);
      if (!ttl.has_value()) continue;
      responders[{*ttl, *flow}].insert(address);
    }
    return flows;
  }

  const std::string& origin_;
  ImportCounts& counts_;
};

void AppendResponders(const Responders& responders, const std::string& subject,
                      const std::string& origin, std::vector<Finding>& findings) {
  std::vector<Evidence> evidence;
  for (const auto& [at, addresses] : responders) {
    if (addresses.size() < 2) continue;
    if (evidence.size() == kMaxEvidence) break;
    evidence.push_back(RespondersAt(absl::StrCat("hop ", at.first, ", flow ", at.second),
                                    {addresses.begin(), addresses.end()}, origin));
  }
  if (!evidence.empty()) findings.push_back(PerPacketOrChanged(subject, std::move(evidence)));
}

void AppendBehindDestination(Graph& graph, const wire::IpAddress& destination,
                             const std::string& subject, const std::string& origin,
                             std::vector<Finding>& findings) {
  std::vector<wire::IpAddress> behind;
  for (const size_t next : graph.next(graph.VertexOf(destination))) {
    if (!graph.address(next).empty()) behind.push_back(graph.address(next));
  }
  if (behind.empty()) return;
  findings.push_back(
      DestinationInsidePath(subject, {RespondersAt("behind the destination", behind, origin)}));
}

Finding PathsCut(const std::string& subject, const std::string& origin) {
  return {.code = "paths-cut",
          .severity = Severity::kWarning,
          .subject = subject,
          .evidence = {{.what = "paths that were taken, and there are more",
                        .value = kMaxPathsOfGraph,
                        .unit = "paths",
                        .origin = origin}},
          .explanation = "The graph allows more paths than are read from one.",
          .what_to_do = "Take the links of the table for real, and not that its paths are all."};
}

}  // namespace

absl::Status ReadScamperGraph(const Json& object, const std::string& origin, FlowTables& tables,
                              ImportCounts& counts) {
  const std::optional<wire::IpAddress> destination = AddressField(object, "dst");
  if (!destination.has_value()) {
    return absl::InvalidArgumentError("tracelb without an address in dst");
  }
  const Json* nodes = Field(object, "nodes");
  if (nodes != nullptr && !nodes->is_array()) {
    return absl::InvalidArgumentError("tracelb whose nodes are no array");
  }
  if (nodes != nullptr && !nodes->empty() && !AddressOrStar(nodes->front()).has_value()) {
    return absl::InvalidArgumentError(
        "tracelb whose first node has no address and no \"*\" in addr");
  }
  GraphReader reader(origin, counts);
  if (nodes != nullptr) reader.ReadNodes(*nodes);
  const uint64_t first_ttl = NumberField(object, "firsthop", kMaxTtl).value_or(1);
  PathsOf found(reader.graph, reader.Roots(), *destination, static_cast<uint32_t>(first_ttl));

  PathTable table;
  table.source_address = AddressField(object, "src").value_or(wire::IpAddress());
  table.destination_address = *destination;
  if (TextField(object, "method").value_or("").starts_with("udp")) {
    table.headers.udp_dst_port =
        static_cast<uint16_t>(NumberField(object, "dport", kMaxPort).value_or(0));
  }
  table.headers.traffic_class = static_cast<uint8_t>(NumberField(object, "tos", 0xff).value_or(0));
  const Json* start = ObjectField(object, "start");
  if (start != nullptr) table.measured_at = TimeText(NumberField(*start, "sec", kMaxSeconds));
  table.probes_sent = static_cast<uint32_t>(NumberField(object, "probec", UINT32_MAX).value_or(0));
  table.paths = std::move(found.paths);
  table.findings = std::move(reader.findings);
  const std::string subject = PairText(table.source_address, table.destination_address);
  AppendResponders(reader.responders, subject, origin, table.findings);
  AppendAddressFindings(found.repeated, subject, origin, table.findings);
  AppendAddressFindings(found.loop, subject, origin, table.findings);
  AppendBehindDestination(reader.graph, *destination, subject, origin, table.findings);
  if (found.cut) table.findings.push_back(PathsCut(subject, origin));
  tables.Add(std::move(table));
  ++counts.traces;
  return absl::OkStatus();
}

}  // namespace weft::topology
