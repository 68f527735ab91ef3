// SPDX-License-Identifier: Apache-2.0
#include "analyzer/flows/flow_report.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/flows/path_use.h"
#include "analyzer/flows/psn_stream.h"
#include "analyzer/flows/vantage.h"

namespace weft::analyzer {
namespace {

constexpr size_t kMostCompared = 1024;  // flows of a host pair, when counting those that fit

void CopyOddities(const Oddities& odd, FlowStats& stats) {
  stats.retransmitted = odd.retransmitted;
  stats.go_back_n = odd.go_back_n;
  stats.selective = odd.selective;
  stats.spurious = odd.spurious;
  stats.timeouts = odd.timeouts;
  stats.reordered = odd.reordered;
  stats.duplicates = odd.duplicates;
  stats.gaps = odd.gaps;
  stats.capture_lost = odd.capture_lost;
  stats.retransmission_interval = odd.retransmission_interval.Summary();
  stats.naks = odd.naks;
  stats.rnr_naks = odd.rnr_naks;
  stats.rnr_timer_ns = odd.rnr_timer_ns;
  stats.rnr_stall_ns = odd.rnr_stall_ns;
  stats.cnps = odd.cnps;
  stats.vendor = odd.vendor;
  stats.reserved = odd.reserved;
  stats.ce = odd.ce;
  stats.ttl_changes = odd.ttl_changes;
  stats.bad_icrc = odd.bad_icrc;
  stats.sender_idle = odd.sender_idle.Summary();
  stats.unanswered = odd.unanswered.Summary();
}

void CopyPath(Flow& flow, FlowStats& stats) {
  SettlePath(flow);
  stats.classes = std::move(flow.classes);
  std::stable_sort(stats.classes.begin(), stats.classes.end(),
                   [](const ClassUse& a, const ClassUse& b) { return a.packets > b.packets; });
  for (uint8_t priority = 0; priority < 8; ++priority) {
    if ((flow.priorities >> priority & 1) != 0) stats.priorities.push_back(priority);
  }
  stats.ports = std::move(flow.ports);
  stats.port_changes = flow.port_changes;
  stats.min_ttl = std::min(flow.min_ttl, flow.max_ttl);
  stats.max_ttl = flow.max_ttl;
}

FlowStats StatsOfFlow(Flow& flow, FlowObserver* observer) {
  const bool unreliable = flow.transport == wire::Transport::kUc;
  const Role role = unreliable ? Role::kUnreliable : Role::kRequests;
  FlowStats stats;
  stats.missing_psns = EndStream(flow, flow.requests, role, flow.is_paired, observer) +
                       EndStream(flow, flow.responses, Role::kResponses, false, observer);
  stats.key = flow.key;
  stats.carrier = flow.carrier;
  stats.transport = flow.transport;
  if (flow.has_source_qpn) stats.source_qpn = flow.source_qpn;
  stats.has_times = flow.has_times;
  stats.first_ns = flow.first_ns;
  stats.last_ns = flow.last_ns;
  stats.first_packet = flow.first_packet;
  stats.last_packet = flow.last_packet;
  stats.packets = flow.packets;
  stats.wire_bytes = flow.wire_bytes;
  stats.payload_bytes = flow.payload_bytes;
  stats.goodput_bytes = flow.goodput_bytes;
  stats.send = flow.send;
  stats.write = flow.write;
  stats.read_request = flow.read_request;
  stats.read_response = flow.read_response;
  stats.atomic = flow.atomic;
  stats.acks = flow.acks;
  stats.zero_credit_acks = flow.zero_credit_acks;
  stats.ecn = flow.ecn;
  stats.path_mtu = flow.path_mtu;
  stats.unchecked_icrc = flow.unchecked_icrc;
  stats.ack_rtt = flow.ack_rtt.Summary();
  stats.completion = flow.completion.Summary();
  CopyPath(flow, stats);
  if (flow.odd) CopyOddities(*flow.odd, stats);
  return stats;
}

bool IsDatagram(const Flow& flow) {
  return flow.transport == wire::Transport::kUd || flow.transport == wire::Transport::kRd;
}

// Few answers are enough where nothing speaks against them.
void SettlePair(Flow& flow) {
  if (flow.peer == nullptr || flow.is_paired) return;
  const PeerEvidence& one = flow.evidence;
  const PeerEvidence& other = flow.peer->evidence;
  const uint32_t hits = one.hits + other.hits;
  const uint32_t against = one.other + other.other + one.ambiguous + other.ambiguous;
  if (hits > 0 && hits >= 4 * against) {
    MakePair(flow, *flow.peer);
  } else {
    TakeApart(flow);
  }
}

bool Fits(const Flow& asking, const Flow& answering) {
  if (!asking.requests.is_started || &asking == &answering) return false;
  const auto is_asked = [&asking](uint32_t psn) {
    return PsnsFrom(asking.requests.first_psn, psn) >= 0 &&
           PsnsFrom(asking.requests.expected, psn) < 0;
  };
  return is_asked(answering.first_answer_psn) && is_asked(answering.last_answer_psn);
}

// How many flows fit each of those whose answers pointed to several; and, the other way round,
// that those are ambiguous too.
class Ambiguities {
 public:
  explicit Ambiguities(std::deque<Flow>& flows) {
    std::map<std::pair<wire::NetworkAddress, wire::NetworkAddress>, std::vector<Flow*>> ways;
    std::vector<Flow*> unclear;
    for (Flow& flow : flows) {
      if (flow.peer != nullptr || IsDatagram(flow)) continue;
      ways[{flow.key.source, flow.key.destination}].push_back(&flow);
      if (flow.evidence.ambiguous > 0) unclear.push_back(&flow);
    }
    for (Flow* flow : unclear) {
      const auto back = ways.find({flow->key.destination, flow->key.source});
      if (back == ways.end()) continue;
      const size_t compared = std::min(back->second.size(), kMostCompared);
      for (size_t i = 0; i < compared; ++i) {
        Flow* other = back->second[i];
        if (!Fits(*other, *flow)) continue;
        ++fitting_[flow];
        ++fitting_[other];
      }
    }
  }
  uint32_t Of(const Flow& flow) const {
    const auto found = fitting_.find(&flow);
    return found == fitting_.end() ? 0 : found->second;
  }

 private:
  absl::flat_hash_map<const Flow*, uint32_t> fitting_;
};

void DescribeSingle(const Flow& flow, uint32_t fitting, Connection& connection) {
  connection.vantage_reason = "one direction only";
  if (IsDatagram(flow)) {
    connection.pairing = Pairing::kDatagram;
    connection.pairing_reason = "datagrams: every message is for itself";
    connection.vantage_reason = "datagrams are not acknowledged";
    return;
  }
  if (fitting > 1) {
    connection.pairing = Pairing::kAmbiguous;
    connection.candidates = fitting;
    connection.pairing_reason =
        absl::StrCat(fitting, " flows the other way fit equally well: they use the same PSNs");
    connection.vantage_reason = "which flow is the other direction is not known";
    return;
  }
  connection.pairing = Pairing::kOneWay;
  connection.vantage = Vantage::kOneWay;
  connection.pairing_reason =
      "no flow the other way names PSNs of this one, or has PSNs that it names";
}

Connection Describe(Flow& flow, const CmBook& cm, const Ambiguities& ambiguities,
                    FlowObserver* observer) {
  Connection connection;
  if (flow.cm != 0) connection.cm = cm.agreement(flow.cm).parameters;
  if (flow.peer == nullptr) {
    DescribeSingle(flow, ambiguities.Of(flow), connection);
    connection.forward = StatsOfFlow(flow, observer);
    return connection;
  }
  Flow* asks = &flow;
  Flow* answers = flow.peer;
  const bool is_reversed = answers->request_packets > asks->request_packets;
  if (is_reversed) std::swap(asks, answers);
  connection.forward = StatsOfFlow(*asks, observer);
  connection.backward = StatsOfFlow(*answers, observer);
  const VantageVerdict verdict = JudgeVantage(*asks);
  connection.vantage = verdict.vantage;
  connection.vantage_reason = verdict.reason;
  if (flow.cm != 0) {
    connection.pairing = Pairing::kCm;
    connection.pairing_reason =
        absl::StrCat("CM REQ (packet ", connection.cm->request_packet, ") and REP (packet ",
                     cm.agreement(flow.cm).reply_packet, ") name both QPNs");
    return connection;
  }
  connection.pairing = Pairing::kEvidence;
  const uint32_t hits = asks->evidence.hits + answers->evidence.hits;
  connection.pairing_reason =
      absl::StrCat(hits, hits == 1 ? " answer" : " answers",
                   " of the other flow named a PSN that only this one had just asked for");
  return connection;
}

}  // namespace

std::vector<Connection> ReportFlows(std::deque<Flow>& flows, const CmBook& cm,
                                    FlowObserver* observer) {
  for (Flow& flow : flows) SettlePair(flow);
  const Ambiguities ambiguities(flows);
  // A pair is told with the direction that was seen first; flows stand in that order.
  const auto is_told = [](const Flow& flow) {
    return flow.peer == nullptr || flow.peer->first_packet >= flow.first_packet;
  };
  std::vector<Connection> connections;
  connections.reserve(static_cast<size_t>(std::ranges::count_if(flows, is_told)));
  for (Flow& flow : flows) {
    if (is_told(flow)) connections.push_back(Describe(flow, cm, ambiguities, observer));
  }
  return connections;
}

size_t MemoryOf(const Flow& flow) {
  size_t bytes = sizeof(Flow) + flow.awaited.memory_bytes() + flow.ack_rtt.memory_bytes() +
                 flow.completion.memory_bytes() + flow.classes.capacity() * sizeof(ClassUse) +
                 flow.ports.capacity() * sizeof(PortUse);
  for (const Stream* stream : {&flow.requests, &flow.responses}) {
    if (!stream->trouble) continue;
    bytes += sizeof(StreamTrouble) + stream->trouble->holes.capacity() * sizeof(Hole) +
             stream->trouble->segments.capacity() * sizeof(Segment);
  }
  if (flow.odd) {
    bytes += sizeof(Oddities) + flow.odd->sender_idle.memory_bytes() +
             flow.odd->unanswered.memory_bytes() + flow.odd->retransmission_interval.memory_bytes();
  }
  return bytes;
}

}  // namespace weft::analyzer
