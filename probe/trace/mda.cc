// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/mda.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <vector>

namespace weft::probe {
namespace {

// Miss probabilities for one number of next hops, longer as they are asked for.
class CouponChain {
 public:
  explicit CouponChain(uint32_t next_hop_count)
      : coupon_count_(next_hop_count + 1), seen_(coupon_count_ + 1, 0.0), misses_{1.0} {
    seen_[0] = 1.0;
  }

  double Miss(uint32_t flow_count) {
    while (misses_.size() <= flow_count) Step();
    return misses_[flow_count];
  }

  uint32_t StoppingPoint(double alpha) {
    while (misses_.back() > alpha) Step();
    const auto first =
        std::partition_point(misses_.begin(), misses_.end(), [&](double p) { return p > alpha; });
    return static_cast<uint32_t>(first - misses_.begin());
  }

 private:
  // One flow more. seen_[i] is the probability that i different next hops were seen; the last one
  // is left out, since what is wanted is the chance of not being there yet.
  void Step() {
    const double count = static_cast<double>(coupon_count_);
    double miss = 0;
    for (uint32_t i = coupon_count_; i-- > 0;) {
      const double from_below =
          i == 0 ? 0.0 : seen_[i - 1] * static_cast<double>(coupon_count_ - i + 1) / count;
      seen_[i] = seen_[i] * static_cast<double>(i) / count + from_below;
      miss += seen_[i];
    }
    misses_.push_back(std::min(miss, misses_.back()));
  }

  uint32_t coupon_count_;
  std::vector<double> seen_;
  std::vector<double> misses_;  // by number of flows
};

CouponChain& ChainOf(uint32_t next_hop_count) {
  thread_local std::map<uint32_t, CouponChain> chains;
  const uint32_t count = std::min(next_hop_count, kMaxNextHops);
  return chains.try_emplace(count, count).first->second;
}

}  // namespace

double MissProbability(uint32_t next_hop_count, uint32_t flow_count) {
  return ChainOf(next_hop_count).Miss(flow_count);
}

uint32_t StoppingPoint(uint32_t next_hop_count, double alpha) {
  assert(alpha > 0 && alpha < 1);
  return ChainOf(next_hop_count).StoppingPoint(alpha);
}

}  // namespace weft::probe
