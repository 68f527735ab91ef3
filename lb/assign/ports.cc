// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/ports.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "wire/flow_label.h"

namespace weft::lb {
namespace {

const std::vector<uint16_t>& PortsOf(const FlowPair& pair, uint32_t route) {
  static const std::vector<uint16_t> kNone;
  for (const PairRoute& known : pair.routes) {
    if (known.route == route) return known.udp_src_ports;
  }
  return kNone;
}

void SetPort(uint16_t port, topology::Flow* flow) {
  flow->udp_src_port = port;
  if (wire::UdpSourcePortOf(flow->flow_label) == port) return;
  // Ports below the range of labels have none.
  flow->flow_label = port >= wire::kFirstRoceSourcePort ? wire::FlowLabelFor(port) : 0;
}

}  // namespace

void ChoosePorts(const Placement& placement, Candidates* candidates) {
  std::map<std::pair<uint32_t, uint16_t>, uint32_t> users;  // of each pair's port
  std::vector<uint32_t> movers;
  for (uint32_t index = 0; index < placement.size(); ++index) {
    topology::Flow& flow = candidates->flows[index];
    flow.path.clear();
    if (placement[index] == kNoRoute) continue;
    flow.path = candidates->switches_of_route[placement[index]];
    const uint32_t pair = candidates->pair_of_flow[index];
    if (candidates->pairs[pair].under_one_leaf) continue;
    const std::vector<uint16_t>& ports = PortsOf(candidates->pairs[pair], placement[index]);
    const bool leads_there = std::binary_search(ports.begin(), ports.end(), flow.udp_src_port);
    if (leads_there && users.emplace(std::pair(pair, flow.udp_src_port), 1).second) {
      SetPort(flow.udp_src_port, &flow);
    } else {
      movers.push_back(index);
    }
  }
  for (uint32_t index : movers) {
    const uint32_t pair = candidates->pair_of_flow[index];
    uint16_t best = 0;
    uint32_t fewest = kNoRoute;
    for (uint16_t port : PortsOf(candidates->pairs[pair], placement[index])) {
      const uint32_t count = users[{pair, port}];
      if (count < fewest) {
        best = port;
        fewest = count;
      }
    }
    ++users[{pair, best}];
    SetPort(best, &candidates->flows[index]);
  }
}

}  // namespace weft::lb
