// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/load_state.h"

#include <algorithm>
#include <utility>

namespace weft::lb {

LoadState::LoadState(const Problem* problem, Placement placement)
    : problem_(problem),
      placement_(problem->flows.size(), kNoRoute),
      offered_bps_(problem->links.size(), 0.0),
      flows_on_(problem->links.size()) {
  for (uint32_t flow = 0; flow < placement.size(); ++flow) Move(flow, placement[flow]);
}

double LoadState::FullestLink() const {
  double fullest = 0;
  for (uint32_t link = 0; link < offered_bps_.size(); ++link) {
    fullest = std::max(fullest, Load(link));
  }
  return fullest;
}

double LoadState::FullestAfter(uint32_t flow, uint32_t route) const {
  const double rate_bps = problem_->flows[flow].rate_bps;
  const uint32_t from = placement_[flow];
  double fullest = 0;
  for (uint32_t link : problem_->routes[route].links) {
    const bool crossed = from != kNoRoute && std::find(problem_->routes[from].links.begin(),
                                                       problem_->routes[from].links.end(),
                                                       link) != problem_->routes[from].links.end();
    const double extra_bps = crossed ? 0 : rate_bps;
    fullest =
        std::max(fullest, (offered_bps_[link] + extra_bps) / problem_->links[link].capacity_bps);
  }
  return fullest;
}

void LoadState::Move(uint32_t flow, uint32_t route) {
  const double rate_bps = problem_->flows[flow].rate_bps;
  const uint32_t from = std::exchange(placement_[flow], route);
  if (from != kNoRoute) {
    for (uint32_t link : problem_->routes[from].links) {
      std::erase(flows_on_[link], flow);
      // An empty link has no load, whatever rounding left there.
      offered_bps_[link] = flows_on_[link].empty() ? 0 : offered_bps_[link] - rate_bps;
    }
  }
  if (route == kNoRoute) return;
  for (uint32_t link : problem_->routes[route].links) {
    flows_on_[link].push_back(flow);
    offered_bps_[link] += rate_bps;
  }
}

uint32_t LoadState::MovedCount() const {
  uint32_t moved = 0;
  for (uint32_t flow = 0; flow < placement_.size(); ++flow) {
    if (placement_[flow] != kNoRoute && placement_[flow] != problem_->flows[flow].present) ++moved;
  }
  return moved;
}

}  // namespace weft::lb
