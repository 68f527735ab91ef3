// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

namespace weft::analyzer {

// What is printed of many durations. Quantiles are right to 3 %; min, max and total are exact.
struct DurationSummary {
  uint64_t count = 0;
  int64_t min_ns = 0;
  int64_t median_ns = 0;
  int64_t p99_ns = 0;
  int64_t p999_ns = 0;
  int64_t max_ns = 0;
  int64_t total_ns = 0;
  bool operator==(const DurationSummary&) const = default;
};

// Many durations in bounded memory: nothing until the first, then about 4 KiB. Buckets grow
// geometrically, 32 a power of two.
class Durations {
 public:
  Durations();
  Durations(Durations&&) noexcept;
  Durations& operator=(Durations&&) noexcept;
  ~Durations();

  void Add(int64_t ns);  // below 0 counts as 0
  bool empty() const;
  DurationSummary Summary() const;

 private:
  struct Buckets;
  std::unique_ptr<Buckets> buckets_;
};

}  // namespace weft::analyzer
