// SPDX-License-Identifier: Apache-2.0
#include "programs/weft-analyze/capture_flows.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "programs/weft-analyze/printing.h"

namespace weft::analyze {
namespace {

using analyzer::FlowStats;

std::string NodeName(const wire::IpAddress& address, const topology::Fabric* fabric) {
  const auto node = fabric != nullptr ? fabric->FindAddress(address) : std::nullopt;
  return node ? fabric->node(*node).name : address.ToString();
}

std::optional<topology::Flow> Record(const FlowStats& stats, const topology::Fabric* fabric) {
  if (stats.payload_bytes == 0 || stats.carrier != wire::FrameClass::kRoceV2) return std::nullopt;
  const wire::IpAddress source = stats.key.source.ToIp();
  const wire::IpAddress destination = stats.key.destination.ToIp();
  if (stats.ports.empty()) return std::nullopt;
  const auto port = std::ranges::max_element(stats.ports, {}, &analyzer::PortUse::packets);
  topology::Flow flow;
  flow.source = NodeName(source, fabric);
  flow.source_address = source;
  flow.destination = NodeName(destination, fabric);
  flow.destination_address = destination;
  flow.id = absl::StrCat(flow.source, "-", flow.destination, "-qp", stats.key.dest_qpn);
  flow.rate_bps = GoodputBps(stats).value_or(0);
  flow.source_qpn = stats.source_qpn.value_or(0);
  flow.dest_qpn = stats.key.dest_qpn;
  flow.udp_src_port = port->udp_src_port;
  return flow;
}

}  // namespace

std::vector<topology::Flow> FlowRecords(std::span<const analyzer::Connection> connections,
                                        const topology::Fabric* fabric) {
  std::vector<topology::Flow> flows;
  const auto add = [&](const FlowStats& stats) {
    if (auto flow = Record(stats, fabric)) flows.push_back(*std::move(flow));
  };
  for (const analyzer::Connection& connection : connections) {
    add(connection.forward);
    if (connection.backward) add(*connection.backward);
  }
  return flows;
}

}  // namespace weft::analyze
