// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/relief.h"

#include <algorithm>

namespace weft::lb {
namespace {

constexpr size_t kStepsPerRun = 20000;

}  // namespace

Relief::Relief(LoadState* state, size_t step_budget)
    : state_(state), steps_left_(step_budget), in_chain_(state->problem().flows.size(), false) {}

bool Relief::Run(uint32_t link, double limit) {
  limit_ = limit;
  for (uint32_t depth = 1; depth <= kMaxDepth; depth *= 2) {
    steps_this_run_ = 0;
    const bool found = Lighten(link, depth);
    if (!found) UndoTo(0);
    for (const auto& [flow, from] : journal_) in_chain_[flow] = false;
    journal_.clear();
    if (found) return true;
  }
  return false;
}

bool Relief::Lighten(uint32_t link, uint32_t depth) {
  if (depth == 0) return false;
  while (state_->Load(link) > limit_) {
    const std::vector<uint32_t> flows = state_->flows_on(link);  // a copy: moves change it
    const bool moved = std::any_of(flows.begin(), flows.end(), [&](uint32_t flow) {
      return !in_chain_[flow] && Rehouse(flow, link, depth);
    });
    if (!moved) return false;
  }
  return true;
}

bool Relief::Rehouse(uint32_t flow, uint32_t away_from, uint32_t depth) {
  const Problem& problem = state_->problem();
  std::vector<std::pair<double, uint32_t>> order;  // emptiest first
  for (uint32_t route : problem.flows[flow].routes) {
    const std::vector<uint32_t>& links = problem.routes[route].links;
    if (std::find(links.begin(), links.end(), away_from) != links.end()) continue;
    order.emplace_back(state_->FullestAfter(flow, route), route);
  }
  std::sort(order.begin(), order.end());
  for (const auto& [fullest, route] : order) {
    if (steps_left_ == 0 || steps_this_run_ == kStepsPerRun) return false;
    if (fullest > limit_ && depth == 1) return false;
    --steps_left_;
    ++steps_this_run_;
    const size_t mark = journal_.size();
    journal_.emplace_back(flow, state_->route(flow));
    in_chain_[flow] = true;
    state_->Move(flow, route);
    const std::vector<uint32_t>& links = problem.routes[route].links;
    const bool settled = std::all_of(links.begin(), links.end(), [&](uint32_t link) {
      return state_->Load(link) <= limit_ || Lighten(link, depth - 1);
    });
    if (settled) return true;
    UndoTo(mark);
  }
  return false;
}

void Relief::UndoTo(size_t mark) {
  while (journal_.size() > mark) {
    const auto [flow, from] = journal_.back();
    journal_.pop_back();
    state_->Move(flow, from);
    in_chain_[flow] = false;
  }
}

}  // namespace weft::lb
