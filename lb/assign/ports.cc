// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/ports.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "wire/flow_label.h"

namespace weft::lb {
namespace {

const PairRoute* RouteOf(const FlowPair& pair, uint32_t route) {
  const auto known =
      std::find_if(pair.routes.begin(), pair.routes.end(),
                   [route](const PairRoute& candidate) { return candidate.route == route; });
  return known == pair.routes.end() ? nullptr : &*known;
}

void SetPort(uint16_t port, topology::Flow* flow) {
  flow->udp_src_port = port;
  if (wire::UdpSourcePortOf(flow->flow_label) == port) return;
  // Ports below the range of labels have none.
  flow->flow_label = port >= wire::kFirstRoceSourcePort ? wire::FlowLabelFor(port) : 0;
}

// Each pair's ports, and how many flows have them.
class PortUsers {
 public:
  // false: another flow has it.
  bool TakeFree(uint32_t pair, uint16_t port) { return users_.emplace(Key(pair, port), 1).second; }

  // The first of the ports, measured ones before computed ones, that the fewest flows have.
  uint16_t TakeLeastUsed(uint32_t pair, const PairRoute& route) {
    uint16_t best = 0;
    uint32_t fewest = ~uint32_t{0};
    for (const auto* ports : {&route.udp_src_ports, &route.computed_udp_src_ports}) {
      for (uint16_t port : *ports) {
        const auto known = users_.find(Key(pair, port));
        const uint32_t count = known == users_.end() ? 0 : known->second;
        if (count >= fewest) continue;
        best = port;
        fewest = count;
        if (count == 0) break;
      }
      if (fewest == 0) break;
    }
    ++users_[Key(pair, best)];
    return best;
  }

 private:
  using Key = std::pair<uint32_t, uint16_t>;
  std::map<Key, uint32_t> users_;
};

bool Contains(const std::vector<uint16_t>& ports, uint16_t port) {
  return std::binary_search(ports.begin(), ports.end(), port);
}

}  // namespace

std::vector<uint32_t> ChoosePorts(const Placement& placement, Candidates* candidates) {
  PortUsers users;
  std::vector<uint32_t> movers;
  std::vector<uint32_t> steered;
  for (uint32_t index = 0; index < placement.size(); ++index) {
    topology::Flow& flow = candidates->flows[index];
    flow.path.clear();
    if (placement[index] == kNoRoute) continue;
    flow.path = candidates->switches_of_route[placement[index]];
    const uint32_t pair = candidates->pair_of_flow[index];
    const PairRoute* route = RouteOf(candidates->pairs[pair], placement[index]);
    if (candidates->pairs[pair].keeps_ports || route == nullptr) continue;
    steered.push_back(index);
    const bool leads_there = Contains(route->udp_src_ports, flow.udp_src_port) ||
                             Contains(route->computed_udp_src_ports, flow.udp_src_port);
    if (leads_there && users.TakeFree(pair, flow.udp_src_port)) {
      SetPort(flow.udp_src_port, &flow);
    } else {
      movers.push_back(index);
    }
  }
  const auto route_of = [&](uint32_t index) -> const PairRoute& {
    return *RouteOf(candidates->pairs[candidates->pair_of_flow[index]], placement[index]);
  };
  for (uint32_t index : movers) {
    SetPort(users.TakeLeastUsed(candidates->pair_of_flow[index], route_of(index)),
            &candidates->flows[index]);
  }
  std::erase_if(steered, [&](uint32_t index) {
    return Contains(route_of(index).udp_src_ports, candidates->flows[index].udp_src_port);
  });
  return steered;
}

}  // namespace weft::lb
