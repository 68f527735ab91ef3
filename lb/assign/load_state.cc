// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/load_state.h"

#include <algorithm>
#include <utility>

namespace weft::lb {
namespace {

double ShareOn(const Route& route, uint32_t link) {
  const auto found = std::find(route.links.begin(), route.links.end(), link);
  if (found == route.links.end()) return 0;
  return route.Share(static_cast<size_t>(found - route.links.begin()));
}

}  // namespace

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
  const Route& to = problem_->routes[route];
  const uint32_t from = placement_[flow];
  double fullest = 0;
  for (size_t i = 0; i < to.links.size(); ++i) {
    const uint32_t link = to.links[i];
    const double crossed = from == kNoRoute ? 0 : ShareOn(problem_->routes[from], link);
    const double after_bps = offered_bps_[link] + rate_bps * (to.Share(i) - crossed);
    fullest = std::max(fullest, after_bps / problem_->links[link].capacity_bps);
  }
  return fullest;
}

void LoadState::Move(uint32_t flow, uint32_t route) {
  const double rate_bps = problem_->flows[flow].rate_bps;
  const uint32_t from = std::exchange(placement_[flow], route);
  if (from != kNoRoute) {
    const Route& left = problem_->routes[from];
    for (size_t i = 0; i < left.links.size(); ++i) {
      const uint32_t link = left.links[i];
      std::erase(flows_on_[link], flow);
      // An empty link has no load, whatever rounding left there.
      offered_bps_[link] =
          flows_on_[link].empty() ? 0 : offered_bps_[link] - rate_bps * left.Share(i);
    }
  }
  if (route == kNoRoute) return;
  const Route& taken = problem_->routes[route];
  for (size_t i = 0; i < taken.links.size(); ++i) {
    flows_on_[taken.links[i]].push_back(flow);
    offered_bps_[taken.links[i]] += rate_bps * taken.Share(i);
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
