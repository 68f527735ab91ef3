// SPDX-License-Identifier: Apache-2.0
#include "probe/respond/rate_limit.h"

#include <algorithm>

namespace weft::probe {

TokenBucket::TokenBucket(double rate_per_second, int64_t now_ns)
    : rate_per_ns_(rate_per_second / 1e9),
      burst_(std::max(1.0, rate_per_second / 10)),
      tokens_(burst_),
      filled_ns_(now_ns) {}

bool TokenBucket::Take(int64_t now_ns) {
  tokens_ = std::min(burst_, tokens_ + rate_per_ns_ * static_cast<double>(now_ns - filled_ns_));
  filled_ns_ = now_ns;
  if (tokens_ < 1) return false;
  tokens_ -= 1;
  return true;
}

RateLimit::RateLimit(double total_per_second, double per_source_per_second, int64_t now_ns)
    : per_source_(per_source_per_second), total_(total_per_second, now_ns) {}

bool RateLimit::Take(const wire::IpAddress& source, int64_t now_ns) {
  auto found = sources_.find(source);
  if (found == sources_.end()) {
    if (sources_.size() >= kMaxSources) sources_.clear();
    found = sources_.emplace(source, TokenBucket(per_source_, now_ns)).first;
  }
  return found->second.Take(now_ns) && total_.Take(now_ns);
}

}  // namespace weft::probe
