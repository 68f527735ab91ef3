// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "lb/assign/load_state.h"

namespace weft::lb {

// Brings one link's load down to a limit by moving flows off it, and where they come to stand too
// close, others out of their way, and so on: moves, swaps and Kempe chains in one search. No other
// link ends above the limit unless it was there before. Deterministic.
class Relief {
 public:
  // `state` must outlive this. `step_budget` bounds the moves tried over the object's life.
  Relief(LoadState* state, size_t step_budget);

  // Chains of up to 1, 2, 4 .. kMaxDepth flows, shortest first. false: not found, nothing changed.
  bool Run(uint32_t link, double limit);
  bool budget_left() const { return steps_left_ > 0; }

  static constexpr uint32_t kMaxDepth = 16;

 private:
  bool Lighten(uint32_t link, uint32_t depth);
  bool Rehouse(uint32_t flow, uint32_t away_from, uint32_t depth);
  void UndoTo(size_t mark);

  LoadState* state_;
  size_t steps_left_;
  size_t steps_this_run_ = 0;
  double limit_ = 0;
  std::vector<bool> in_chain_;                          // a flow moves once in a chain
  std::vector<std::pair<uint32_t, uint32_t>> journal_;  // flow, the route it came from
};

}  // namespace weft::lb
