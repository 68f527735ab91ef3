// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analyzer/infer/observations.h"

// Internal to analyzer/infer: which address came right behind which.
namespace weft::analyzer {

struct HopBefore {
  wire::IpAddress address;
  uint32_t path_count = 0;
};

// Two addresses are next to each other where one answered at a TTL and the other at the next one,
// or is the destination behind the last hop. Silence is between others.
class Neighbours {
 public:
  explicit Neighbours(const Observations& observations);

  // What came right before: that of most paths first, then by address. Empty: nothing did.
  const std::vector<HopBefore>& Before(const wire::IpAddress& address) const;
  // `second` came right behind `first` on some path.
  bool Follows(const wire::IpAddress& first, const wire::IpAddress& second) const {
    return follows_.contains({first, second});
  }

 private:
  absl::flat_hash_map<wire::IpAddress, std::vector<HopBefore>> before_;
  absl::flat_hash_set<std::pair<wire::IpAddress, wire::IpAddress>> follows_;
};

}  // namespace weft::analyzer
