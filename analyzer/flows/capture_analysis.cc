// SPDX-License-Identifier: Apache-2.0
#include "analyzer/flows/capture_analysis.h"

#include <algorithm>
#include <map>
#include <utility>

namespace weft::analyzer {
namespace {

bool OneOf(const std::vector<uint32_t>& sorted, uint32_t value) {
  return std::ranges::binary_search(sorted, value);
}

AnalysisOptions Sorted(AnalysisOptions options) {
  std::ranges::sort(options.qpns);
  std::ranges::sort(options.hosts);
  return options;
}

template <typename Each>
void ForEachFlow(const std::vector<Connection>& connections, Each each) {
  for (const Connection& connection : connections) {
    each(connection.forward);
    if (connection.backward) each(*connection.backward);
  }
}

bool CarriesData(const FlowStats& flow) {
  return flow.payload_bytes > 0 &&
         (flow.transport == wire::Transport::kRc || flow.transport == wire::Transport::kUc ||
          flow.transport == wire::Transport::kXrc);
}

bool HasQp(const FlowStats& flow, const std::vector<uint32_t>& qpns) {
  return OneOf(qpns, flow.key.dest_qpn) || (flow.source_qpn && OneOf(qpns, *flow.source_qpn));
}

struct PairUse {
  HostPair pair;
  std::map<uint16_t, uint32_t> ports;  // to flows whose packets use it most; 0 where none does
};

std::vector<HostPair> HostPairs(const std::vector<Connection>& connections) {
  std::map<std::pair<wire::NetworkAddress, wire::NetworkAddress>, PairUse> uses;
  ForEachFlow(connections, [&](const FlowStats& flow) {
    if (!CarriesData(flow)) return;
    PairUse& use = uses[{flow.key.source, flow.key.destination}];
    ++use.pair.flows;
    use.pair.bytes += flow.wire_bytes;
    if (flow.carrier != wire::FrameClass::kRoceV2 || flow.ports.empty()) return;
    for (const PortUse& port : flow.ports) use.ports[port.udp_src_port];
    ++use.ports[std::ranges::max_element(flow.ports, {}, &PortUse::packets)->udp_src_port];
  });
  std::vector<HostPair> pairs;
  pairs.reserve(uses.size());
  for (auto& [hosts, use] : uses) {
    use.pair.source = hosts.first;
    use.pair.destination = hosts.second;
    use.pair.udp_src_ports = static_cast<uint32_t>(use.ports.size());
    for (const auto& [port, flows] : use.ports) {
      if (flows <= use.pair.flows_on_commonest) continue;
      use.pair.commonest_port = port;
      use.pair.flows_on_commonest = flows;
    }
    pairs.push_back(use.pair);
  }
  std::ranges::stable_sort(pairs, std::ranges::greater{}, &HostPair::bytes);
  return pairs;
}

CaptureTotals TotalsOf(const Traffic& traffic) {
  CaptureTotals totals{.packets = traffic.packets,
                       .naks = traffic.naks,
                       .rnr_naks = traffic.rnr_naks,
                       .cnps = traffic.cnps,
                       .ecn_ce = traffic.ecn_ce,
                       .bad_icrc = traffic.bad_icrc,
                       .unchecked_icrc = traffic.unchecked_icrc};
  for (size_t i = 0; wire::IsRdma(static_cast<wire::FrameClass>(i)); ++i) {
    totals.roce_packets += traffic.by_class[i];
  }
  return totals;
}

CaptureTotals TotalsOf(const std::vector<Connection>& connections) {
  CaptureTotals totals;
  ForEachFlow(connections, [&](const FlowStats& flow) {
    totals.packets += flow.packets;
    totals.roce_packets += flow.packets;
    for (const Tally& naks : flow.naks) totals.naks += naks.count;
    totals.rnr_naks += flow.rnr_naks.count;
    totals.cnps += flow.cnps.count;
    totals.ecn_ce += flow.ce.count;
    totals.bad_icrc += flow.bad_icrc.count;
    totals.unchecked_icrc += flow.unchecked_icrc;
  });
  return totals;
}

}  // namespace

CaptureAnalyzer::CaptureAnalyzer(const AnalysisOptions& options)
    : options_(Sorted(options)),
      flows_({.observer = options.observer}),
      meter_({.bin_ns = options.bin_ns}),
      steady_(meter_, options.observer) {}

bool CaptureAnalyzer::LetsIn(const wire::FrameView& view) const {
  if (options_.rdma_only && !wire::IsRdma(view.frame_class)) return false;
  if (options_.hosts.empty()) return true;
  return std::ranges::binary_search(options_.hosts, view.source) ||
         std::ranges::binary_search(options_.hosts, view.destination);
}

bool CaptureAnalyzer::NamesQp(const wire::FrameView& view) const {
  if (options_.qpns.empty()) return true;
  if (!wire::IsRdma(view.frame_class)) return false;
  return OneOf(options_.qpns, view.rdma.bth.dest_qpn) ||
         (view.rdma.Has(wire::header::kDeth) && OneOf(options_.qpns, view.rdma.deth.source_qpn));
}

bool CaptureAnalyzer::Add(const CapturedPacket& packet) {
  if (!IsInTime(options_, packet)) return false;
  bool names_qp = false;
  if (options_.uses_steady_path && steady_.Take(packet, names_qp)) {
    ++steady_packets_;
    return names_qp;
  }
  if (packet.link_is_known) {
    wire::DissectFrame(packet.link_type, packet.bytes, packet.wire_bytes,
                       {.check_icrc = options_.check_icrc}, view_);
  } else {
    view_ = {};
    view_.frame_class = wire::FrameClass::kUnknownLink;
  }
  if (!LetsIn(view_)) return false;
  Flow* flow = wire::IsRdma(view_.frame_class) ? flows_.Add(view_, packet) : nullptr;
  meter_.Add(view_, packet, flow != nullptr ? &flow->hosts : nullptr);
  names_qp = NamesQp(view_);
  if (flow != nullptr) steady_.Learn(view_, packet, *flow, names_qp);
  return names_qp;
}

CaptureAnalysis CaptureAnalyzer::Finish() {
  CaptureAnalysis analysis;
  analysis.traffic = meter_.Finish();
  analysis.overflowed_packets = flows_.overflowed_packets();
  analysis.connections = flows_.Finish();
  analysis.totals = TotalsOf(analysis.traffic);
  if (!options_.qpns.empty()) {
    std::erase_if(analysis.connections, [&](const Connection& connection) {
      return !HasQp(connection.forward, options_.qpns) &&
             !(connection.backward && HasQp(*connection.backward, options_.qpns));
    });
    analysis.totals = TotalsOf(analysis.connections);
  }
  ForEachFlow(analysis.connections, [&](const FlowStats& flow) {
    analysis.totals.retransmitted_packets += flow.retransmitted.count;
  });
  analysis.totals.connections = analysis.connections.size();
  analysis.host_pairs = HostPairs(analysis.connections);
  return analysis;
}

}  // namespace weft::analyzer
