// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "lb/assign/problem.h"

namespace weft::lb {

// A placement with what it puts on every switch-to-switch link, kept up as flows move.
class LoadState {
 public:
  // `problem` must outlive the state. Flows may be without a route (kNoRoute).
  LoadState(const Problem* problem, Placement placement);

  const Problem& problem() const { return *problem_; }
  const Placement& placement() const { return placement_; }
  uint32_t route(uint32_t flow) const { return placement_[flow]; }
  const std::vector<uint32_t>& flows_on(uint32_t link) const { return flows_on_[link]; }

  double Load(uint32_t link) const {
    return offered_bps_[link] / problem_->links[link].capacity_bps;
  }
  double FullestLink() const;
  // The fullest link of `route` after `flow` has moved there.
  double FullestAfter(uint32_t flow, uint32_t route) const;
  void Move(uint32_t flow, uint32_t route);  // kNoRoute takes it off

  // Flows with a route that is not their present one.
  uint32_t MovedCount() const;

 private:
  const Problem* problem_;
  Placement placement_;
  std::vector<double> offered_bps_;
  std::vector<std::vector<uint32_t>> flows_on_;
};

}  // namespace weft::lb
