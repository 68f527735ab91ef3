// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/polish.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "lb/assign/fair_share.h"

namespace weft::lb {
namespace {

constexpr size_t kCarriedWork = 20'000'000;  // flows and links visited to find what is carried
constexpr size_t kSteps = 400'000;           // moves tried

size_t CarriedTries(const Problem& problem) {
  return kCarriedWork / (1 + problem.flows.size() * 4 + problem.links.size());
}

bool Within(const LoadState& state, uint32_t route, double limit) {
  const std::vector<uint32_t>& links = state.problem().routes[route].links;
  return std::all_of(links.begin(), links.end(),
                     [&](uint32_t link) { return state.Load(link) <= limit; });
}

// Moves of one flow, and exchanges of two, that raise the carried rate and fill no link more than
// the fullest is.
class CarriedSearch {
 public:
  CarriedSearch(LoadState* state, double fits_share)
      : state_(state),
        fits_share_(fits_share),
        limit_(state->FullestLink() * (1 + kTolerance)),
        tries_left_(CarriedTries(state->problem())),
        best_(CarriedShare(state->problem(), state->placement())) {}

  void Run() {
    while (Less(best_, fits_share_) && tries_left_ > 0 && OneStep()) {
    }
  }

 private:
  bool OneStep() {
    for (uint32_t flow = 0; flow < state_->problem().flows.size(); ++flow) {
      if (!CrossesOverload(flow)) continue;
      for (uint32_t route : state_->problem().flows[flow].routes) {
        if (route == state_->route(flow)) continue;
        if (TryMove(flow, route) || TryExchange(flow, route)) return true;
      }
    }
    return false;
  }

  bool CrossesOverload(uint32_t flow) const {
    if (state_->route(flow) == kNoRoute) return false;
    const std::vector<uint32_t>& links = state_->problem().routes[state_->route(flow)].links;
    return std::any_of(links.begin(), links.end(),
                       [this](uint32_t link) { return state_->Load(link) > 1 + kTolerance; });
  }

  bool Accept() {
    if (tries_left_ == 0) return false;
    --tries_left_;
    const double carried = CarriedShare(state_->problem(), state_->placement());
    if (!Less(best_, carried)) return false;
    best_ = carried;
    return true;
  }

  bool TryMove(uint32_t flow, uint32_t route) {
    const uint32_t from = state_->route(flow);
    if (state_->FullestAfter(flow, route) > limit_) return false;
    state_->Move(flow, route);
    if (Accept()) return true;
    state_->Move(flow, from);
    return false;
  }

  // Takes a flow that stands on a link of `route` to a route through a link that `flow` leaves.
  bool TryExchange(uint32_t flow, uint32_t route) {
    const Problem& problem = state_->problem();
    const uint32_t from = state_->route(flow);
    const std::vector<uint32_t>& left = problem.routes[from].links;
    for (uint32_t link : problem.routes[route].links) {
      const std::vector<uint32_t> others = state_->flows_on(link);
      for (uint32_t other : others) {
        const uint32_t other_from = state_->route(other);
        if (other == flow) continue;
        for (uint32_t other_route : problem.flows[other].routes) {
          const std::vector<uint32_t>& links = problem.routes[other_route].links;
          if (other_route == other_from ||
              std::find_first_of(links.begin(), links.end(), left.begin(), left.end()) ==
                  links.end()) {
            continue;
          }
          if (steps_left_ == 0) return false;
          --steps_left_;
          state_->Move(flow, route);
          state_->Move(other, other_route);
          const bool within =
              Within(*state_, route, limit_) && Within(*state_, other_route, limit_);
          if (within && Accept()) return true;
          state_->Move(other, other_from);
          state_->Move(flow, from);
          if (tries_left_ == 0) return false;
        }
      }
    }
    return false;
  }

  LoadState* state_;
  double fits_share_;
  double limit_;
  size_t tries_left_;
  size_t steps_left_ = kSteps;
  double best_;
};

class Return {
 public:
  explicit Return(LoadState* state)
      : state_(state),
        limit_(state->FullestLink() * (1 + kTolerance)),
        overloaded_(limit_ > 1 + 2 * kTolerance),
        tries_left_(CarriedTries(state->problem())) {
    if (overloaded_) carried_ = CarriedShare(state->problem(), state->placement());
  }

  void Run() {
    for (int pass = 0; pass < kPasses; ++pass) {
      bool any = false;
      for (uint32_t flow = 0; flow < state_->problem().flows.size(); ++flow) {
        const FlowChoices& choices = state_->problem().flows[flow];
        if (state_->route(flow) == choices.present || !CanTake(choices, choices.present)) continue;
        any = TryReturn(flow) || any;
      }
      if (!any) return;
    }
  }

 private:
  static constexpr int kPasses = 4;

  bool CarriesAsMuch() {
    if (!overloaded_) return true;
    if (tries_left_ == 0) return false;
    --tries_left_;
    return !Less(CarriedShare(state_->problem(), state_->placement()), carried_);
  }

  bool TryReturn(uint32_t flow) {
    const Problem& problem = state_->problem();
    const uint32_t from = state_->route(flow);
    const uint32_t home = problem.flows[flow].present;
    state_->Move(flow, home);
    if (Within(*state_, home, limit_) && CarriesAsMuch()) return true;
    for (uint32_t link : problem.routes[home].links) {
      const std::vector<uint32_t> others = state_->flows_on(link);
      for (uint32_t other : others) {
        const uint32_t other_from = state_->route(other);
        if (other == flow || other_from == problem.flows[other].present || steps_left_ == 0) {
          continue;
        }
        --steps_left_;
        for (uint32_t route : problem.flows[other].routes) {
          if (route == other_from || state_->FullestAfter(other, route) > limit_) continue;
          state_->Move(other, route);
          if (Within(*state_, home, limit_) && CarriesAsMuch()) return true;
          state_->Move(other, other_from);
        }
      }
    }
    state_->Move(flow, from);
    return false;
  }

  LoadState* state_;
  double limit_;
  bool overloaded_;
  size_t tries_left_;
  size_t steps_left_ = kSteps;
  double carried_ = 0;
};

}  // namespace

void RaiseCarried(LoadState* state, double fits_share) { CarriedSearch(state, fits_share).Run(); }

void ReturnToPresent(LoadState* state) { Return(state).Run(); }

}  // namespace weft::lb
