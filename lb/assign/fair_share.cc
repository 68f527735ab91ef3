// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/fair_share.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace weft::lb {
namespace {

// All growing flows have the same rate, the level. A link is full at the level at which what it has
// left is shared out.
class Filling {
 public:
  Filling(const Problem& problem, const Placement& placement)
      : problem_(problem),
        placement_(placement),
        rates_(problem.flows.size(), 0.0),
        left_bps_(problem.links.size()),
        growing_on_(problem.links.size(), 0),
        weight_on_(problem.links.size(), 0.0) {
    for (size_t link = 0; link < problem.links.size(); ++link) {
      left_bps_[link] = problem.links[link].capacity_bps;
    }
    for (uint32_t flow = 0; flow < problem.flows.size(); ++flow) {
      if (placement[flow] == kNoRoute) continue;
      growing_.push_back(flow);
      ForEachLink(flow, [this](uint32_t link, double share) {
        ++growing_on_[link];
        weight_on_[link] += share;
      });
    }
  }

  std::vector<double> Run() {
    while (!growing_.empty()) {
      Raise(NextLevel());
      Freeze();
    }
    return std::move(rates_);
  }

 private:
  template <typename F>
  void ForEachLink(uint32_t flow, F visit) const {
    for (uint32_t link : problem_.flows[flow].access_links) visit(link, 1.0);
    const Route& route = problem_.routes[placement_[flow]];
    for (size_t i = 0; i < route.links.size(); ++i) visit(route.links[i], route.Share(i));
  }

  double NextLevel() const {
    double level = std::numeric_limits<double>::infinity();
    for (uint32_t flow : growing_) level = std::min(level, problem_.flows[flow].rate_bps);
    for (size_t link = 0; link < left_bps_.size(); ++link) {
      if (growing_on_[link] == 0) continue;
      level = std::min(level, level_ + std::max(left_bps_[link], 0.0) / weight_on_[link]);
    }
    return level;
  }

  void Raise(double level) {
    for (size_t link = 0; link < left_bps_.size(); ++link) {
      if (growing_on_[link] > 0) left_bps_[link] -= (level - level_) * weight_on_[link];
    }
    level_ = level;
  }

  bool IsFull(uint32_t link) const {
    const double capacity_bps = problem_.links[link].capacity_bps;
    return std::isfinite(capacity_bps) && left_bps_[link] <= capacity_bps * kTolerance;
  }

  // The link that set the level, or the flow that did, freezes at least one flow a round.
  void Freeze() {
    std::vector<uint32_t> growing;
    std::vector<uint32_t> frozen;
    for (uint32_t flow : growing_) {
      bool full = problem_.flows[flow].rate_bps <= level_ * (1 + kTolerance);
      ForEachLink(flow, [&](uint32_t link, double) { full = full || IsFull(link); });
      (full ? frozen : growing).push_back(flow);
    }
    for (uint32_t flow : frozen) {
      rates_[flow] = level_;
      ForEachLink(flow, [this](uint32_t link, double share) {
        --growing_on_[link];
        weight_on_[link] -= share;
      });
    }
    growing_ = std::move(growing);
  }

  const Problem& problem_;
  const Placement& placement_;
  std::vector<double> rates_;
  std::vector<double> left_bps_;
  std::vector<uint32_t> growing_on_;  // growing flows per link
  std::vector<double> weight_on_;     // the sum of their shares there
  std::vector<uint32_t> growing_;
  double level_ = 0;
};

}  // namespace

std::vector<double> FairRates(const Problem& problem, const Placement& placement) {
  return Filling(problem, placement).Run();
}

double CarriedShare(const Problem& problem, const Placement& placement) {
  const std::vector<double> rates = FairRates(problem, placement);
  double carried = 0;
  double offered = 0;
  for (size_t flow = 0; flow < rates.size(); ++flow) {
    carried += rates[flow];
    offered += problem.flows[flow].rate_bps;
  }
  return offered > 0 ? carried / offered : 1.0;
}

}  // namespace weft::lb
