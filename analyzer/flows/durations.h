// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
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

// Many durations in bounded memory: nothing until the first, then 128 bytes for each power of two
// between the shortest and the longest (8 KiB at most). 32 buckets a power of two; a bucket stops
// counting at 2^32 - 1.
class Durations {
 public:
  Durations();
  Durations(Durations&&) noexcept;
  Durations& operator=(Durations&&) noexcept;
  ~Durations();

  void Add(int64_t ns);  // below 0 counts as 0
  bool empty() const;
  DurationSummary Summary() const;
  size_t memory_bytes() const;

 private:
  struct Buckets;
  std::unique_ptr<Buckets> buckets_;
};

}  // namespace weft::analyzer
