// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analyzer/report/capture_rules.h"

namespace weft::analyzer {
namespace {

using topology::Severity;

constexpr uint16_t kFirstEntropyPort = 0xc000;  // the convention: 0xc000-0xffff

// N flows that choose among 16,384 ports at random have almost N different ones: with two flows one
// port by chance has probability 1/16,384.
constexpr uint32_t kFlowsForOnePort = 2;
// Fewer ports than half of the flows is no chance from eight flows on; from sixteen ports on the
// paths of a usual fabric are reached all the same.
constexpr uint32_t kFlowsForFewPorts = 8;
constexpr uint32_t kEnoughPorts = 16;

std::string NameOf(const HostPair& pair) {
  return absl::StrCat(pair.source.ToString(), " -> ", pair.destination.ToString());
}

void OnePort(const HostPair& pair, uint64_t pairs_with_port, Drafts& drafts) {
  const bool fixed = pair.commonest_port == kFirstEntropyPort || pairs_with_port > 1;
  FindingDraft draft("one-source-port", Severity::kWarning, NameOf(pair),
                     static_cast<double>(pair.flows));
  draft.Count("QPs with data", pair.flows, "QPs")
      .Count("different source ports", 1, "ports")
      .Fact(absl::StrCat("source port ", PortText(pair.commonest_port)))
      .Count("sent", pair.bytes, "bytes");
  if (fixed) {
    draft.Count("host pairs with this one port", pairs_with_port, "host pairs");
    draft.Fact(pair.commonest_port == kFirstEntropyPort
                   ? "fixed by software: 0xc000 is the bare base of the entropy ports"
                   : "fixed by software: the same constant between other hosts too");
  }
  draft.Explain(
      "All QPs of the pair leave with one source port. To a hash of the 5-tuple they are "
      "one flow, which cannot be spread over links of a bond or paths of a fabric.",
      "Give every QP its own flow label or source port, or let switches hash the "
      "destination QP as well. With a single path between the hosts it changes nothing.");
  drafts.push_back(std::move(draft));
}

void FewPorts(const HostPair& pair, Drafts& drafts) {
  drafts.push_back(
      FindingDraft("few-source-ports", Severity::kWarning, NameOf(pair),
                   static_cast<double>(pair.flows))
          .Count("QPs with data", pair.flows, "QPs")
          .Count("different source ports", pair.udp_src_ports, "ports")
          .Count(absl::StrCat("QPs on source port ", PortText(pair.commonest_port)),
                 pair.flows_on_commonest, "QPs")
          .Explain("QPs share source ports more than chance explains, so that they also share "
                   "paths.",
                   "Give every QP its own flow label or source port."));
}

void OddPorts(const CaptureAnalysis& analysis, Drafts& drafts) {
  std::set<uint16_t> ports;
  uint64_t flows = 0;
  uint64_t packets = 0;
  bool is_qpn = true;
  const FlowStats* first = nullptr;
  const auto look = [&](const FlowStats& flow) {
    bool odd = false;
    for (const PortUse& use : flow.ports) {
      if (use.udp_src_port >= kFirstEntropyPort) continue;
      if (use.udp_src_port == 0 && use.packets <= flow.cnps.count) continue;  // CNPs may use 0
      odd = true;
      packets += use.packets;
      ports.insert(use.udp_src_port);
      is_qpn = is_qpn && flow.source_qpn && (*flow.source_qpn & 0xffff) == use.udp_src_port;
    }
    if (!odd) return;
    ++flows;
    if (first == nullptr) first = &flow;
  };
  for (const Connection& connection : analysis.connections) {
    look(connection.forward);
    if (connection.backward) look(*connection.backward);
  }
  if (first == nullptr) return;
  std::vector<std::string> texts;
  for (const uint16_t port : ports) {
    if (texts.size() < 8) texts.push_back(PortText(port));
  }
  FindingDraft draft("nonstandard-source-port", Severity::kInfo, NameOf(first->key),
                     static_cast<double>(packets));
  draft.Count("flows with such a port", flows, "flows").Count("their packets", packets);
  draft.Fact(absl::StrCat("source ports ", absl::StrJoin(texts, ", "),
                          ports.size() > texts.size() ? ", ..." : ""));
  if (is_qpn) draft.Fact("each is the number of the sending QP, as old rxe has it");
  draft.Explain(
      "Source ports outside 49152-65535 (0xc000-0xffff) are no standard entropy ports. "
      "Tools that go by the source port may take the packets for another protocol.",
      "Nothing, unless spreading over paths is expected of them.");
  drafts.push_back(std::move(draft));
}

void PathChange(const Direction& direction, Drafts& drafts) {
  const FlowStats& data = direction.data;
  // CNPs of a NIC may have port 0 whatever its other packets have.
  const auto own_ports = std::ranges::count_if(data.ports, [&](const PortUse& use) {
    return use.udp_src_port != 0 || use.packets > data.cnps.count;
  });
  const bool moved = own_ports > 1 && data.transport != wire::Transport::kUd;
  if (!moved && data.ttl_changes.count == 0) return;
  if (data.transport == wire::Transport::kUd) return;  // a UD flow may have many senders' QPs
  FindingDraft draft("path-change", Severity::kInfo, NameOf(data.key),
                     static_cast<double>(data.port_changes + data.ttl_changes.count));
  if (moved) {
    draft.Count("changes of the source port", data.port_changes, "changes");
    for (size_t i = 0; i < std::min<size_t>(3, data.ports.size()); ++i) {
      draft.Count(absl::StrCat("source port ", PortText(data.ports[i].udp_src_port),
                               " from packet ", data.ports[i].first_packet),
                  data.ports[i].packets);
    }
  }
  if (data.ttl_changes.count > 0) {
    draft.Packets("changes of the TTL", data.ttl_changes)
        .Number("lowest TTL", data.min_ttl, "hops")
        .Number("highest TTL", data.max_ttl, "hops");
  }
  draft.Explain(
      "The flow was moved to another path, by its sender (source port) or by the network "
      "(TTL: paths of different length, or two capture points in one file).",
      "Nothing by itself. Compare with the times of loss or reordering.");
  drafts.push_back(std::move(draft));
}

// A class counts where it is more than a few stray packets.
constexpr uint64_t kClassPackets = 20;
constexpr double kClassShare = 5;  // percent

std::set<uint8_t> ClassesOf(const FlowStats& flow) {
  std::set<uint8_t> classes;
  for (const ClassUse& use : flow.classes) {
    if (flow.classes.size() > 1 && use.packets == flow.cnps.count) continue;  // CNPs' own class
    if (use.packets >= kClassPackets && Share(use.packets, flow.packets) >= kClassShare) {
      classes.insert(use.dscp);
    }
  }
  return classes;
}

std::string DscpText(const std::set<uint8_t>& classes) { return absl::StrJoin(classes, ", "); }

void AsymmetricClass(const Connection& connection, Drafts& drafts) {
  if (!connection.backward) return;
  const std::set<uint8_t> there = ClassesOf(connection.forward);
  const std::set<uint8_t> back = ClassesOf(*connection.backward);
  if (there.empty() || back.empty()) return;
  // One class in common is enough: control and data may have their own.
  if (std::ranges::any_of(there, [&](uint8_t dscp) { return back.contains(dscp); })) return;
  drafts.push_back(
      FindingDraft("asymmetric-class", Severity::kWarning, NameOf(connection.forward.key),
                   static_cast<double>(connection.forward.packets + connection.backward->packets))
          .Count(absl::StrCat("there, with DSCP ", DscpText(there)), connection.forward.packets)
          .Count(absl::StrCat("back, with DSCP ", DscpText(back)), connection.backward->packets)
          .Explain("The two directions of the connection travel in different traffic classes. The "
                   "class is a local setting of each end, which is not exchanged: one end lacks "
                   "it, so that its packets meet other queues, without PFC or ECN perhaps.",
                   "Set the same traffic class at both ends."));
}

void PathMtu(const Connection& connection, Drafts& drafts) {
  const uint32_t there = connection.forward.path_mtu;
  const uint32_t back = connection.backward ? connection.backward->path_mtu : 0;
  if (there == 0) return;
  if (back != 0 && back != there) {
    drafts.push_back(FindingDraft("asymmetric-mtu", Severity::kWarning,
                                  NameOf(connection.forward.key),
                                  static_cast<double>(connection.forward.packets))
                         .Count("path MTU there", there, "bytes")
                         .Count("path MTU back", back, "bytes")
                         .Explain("The two ends split messages by different path MTUs. Both QPs "
                                  "of a connection must have the same.",
                                  "Set the same MTU on both interfaces and QPs."));
  } else if (connection.cm && connection.cm->path_mtu_bytes > there) {
    drafts.push_back(
        FindingDraft("mtu-below-agreed", Severity::kInfo, NameOf(connection.forward.key),
                     static_cast<double>(connection.forward.packets))
            .Count("path MTU in use", there, "bytes")
            .Count(absl::StrCat("path MTU agreed by CM, packet ", connection.cm->request_packet),
                   connection.cm->path_mtu_bytes, "bytes")
            .Explain("Packets are smaller than what the ends agreed on.",
                     "Check the MTU of both interfaces."));
  }
}

void Rejected(const Connection& connection, Drafts& drafts) {
  if (!connection.cm || !connection.cm->rejected) return;
  drafts.push_back(
      FindingDraft("connection-rejected", Severity::kWarning, NameOf(connection.forward.key), 1)
          .Fact(absl::StrCat("REJ: ", *connection.cm->rejected))
          .Fact(absl::StrCat("REQ: packet ", connection.cm->request_packet))
          .Explain("The connection manager of the other end refused the connection.",
                   "See the reason; a wrong service, GID or MTU is usual."));
}

}  // namespace

void PortRules(const CaptureAnalysis& analysis, Drafts& drafts) {
  std::map<uint16_t, uint64_t> pairs_by_port;
  for (const HostPair& pair : analysis.host_pairs) {
    if (pair.udp_src_ports == 1 && pair.flows >= kFlowsForOnePort) {
      ++pairs_by_port[pair.commonest_port];
    }
  }
  for (const HostPair& pair : analysis.host_pairs) {
    if (pair.udp_src_ports == 1 && pair.flows >= kFlowsForOnePort) {
      OnePort(pair, pairs_by_port[pair.commonest_port], drafts);
    } else if (pair.flows >= kFlowsForFewPorts && pair.udp_src_ports > 1 &&
               pair.udp_src_ports < kEnoughPorts && pair.udp_src_ports * 2 < pair.flows) {
      FewPorts(pair, drafts);
    }
  }
  OddPorts(analysis, drafts);
}

void PathRules(const Direction& direction, Drafts& drafts) { PathChange(direction, drafts); }

void ConnectionRules(const Connection& connection, Drafts& drafts) {
  AsymmetricClass(connection, drafts);
  PathMtu(connection, drafts);
  Rejected(connection, drafts);
}

}  // namespace weft::analyzer
