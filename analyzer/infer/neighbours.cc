// SPDX-License-Identifier: Apache-2.0
#include "analyzer/infer/neighbours.h"

#include <algorithm>
#include <tuple>

namespace weft::analyzer {

using wire::IpAddress;

Neighbours::Neighbours(const Observations& observations) {
  absl::flat_hash_map<std::pair<IpAddress, IpAddress>, uint32_t> counts;
  for (const ObservedPath& path : observations.paths) {
    for (size_t i = 0; i < path.hops.size(); ++i) {
      const bool last = i + 1 == path.hops.size();
      if (last && !path.reaches_destination) break;
      const IpAddress& next = last ? path.destination : path.hops[i + 1];
      if (path.hops[i].empty() || next.empty()) continue;
      ++counts[{path.hops[i], next}];
    }
  }
  for (const auto& [ends, count] : counts) {
    before_[ends.second].push_back({ends.first, count});
    follows_.insert(ends);
  }
  for (auto& [address, all] : before_) {
    std::sort(all.begin(), all.end(), [](const HopBefore& x, const HopBefore& y) {
      return std::tie(y.path_count, x.address) < std::tie(x.path_count, y.address);
    });
  }
}

const std::vector<HopBefore>& Neighbours::Before(const IpAddress& address) const {
  static const std::vector<HopBefore> kNone;
  const auto found = before_.find(address);
  return found == before_.end() ? kNone : found->second;
}

}  // namespace weft::analyzer
