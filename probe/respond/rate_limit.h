// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "wire/ip_address.h"

namespace weft::probe {

// So many events a second, and as many at once as come in a tenth of one. Time is a parameter.
class TokenBucket {
 public:
  TokenBucket(double rate_per_second, int64_t now_ns);
  bool Take(int64_t now_ns);

 private:
  double rate_per_ns_;
  double burst_;
  double tokens_;
  int64_t filled_ns_;
};

// A bound in all and one for each source address. Sources beyond kMaxSources start afresh together,
// so the memory is bounded, and the bound in all holds whatever the sources are.
class RateLimit {
 public:
  static constexpr size_t kMaxSources = 65536;

  RateLimit(double total_per_second, double per_source_per_second, int64_t now_ns);
  bool Take(const wire::IpAddress& source, int64_t now_ns);

 private:
  double per_source_;
  TokenBucket total_;
  absl::flat_hash_map<wire::IpAddress, TokenBucket> sources_;
};

}  // namespace weft::probe
