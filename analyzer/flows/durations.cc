// SPDX-License-Identifier: Apache-2.0
#include "analyzer/flows/durations.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>
#include <vector>

namespace weft::analyzer {
namespace {

// Octave 0 holds 0 to 31 ns, a bucket each; octave n > 0 holds 32 x 2^(n-1) up to twice that.
constexpr uint32_t kBuckets = 32;
constexpr uint32_t kBucketBits = 5;

struct Place {
  uint32_t octave = 0;
  uint32_t bucket = 0;
};

Place PlaceOf(uint64_t ns) {
  if (ns < kBuckets) return {0, static_cast<uint32_t>(ns)};
  const auto octave = static_cast<uint32_t>(std::bit_width(ns)) - kBucketBits;
  return {octave, static_cast<uint32_t>(ns >> (octave - 1)) - kBuckets};
}

// The middle of a bucket, at most half its width (1/64 of its start) from every value in it.
int64_t MiddleOf(Place place) {
  if (place.octave == 0) return place.bucket;
  const uint64_t start = uint64_t{kBuckets + place.bucket} << (place.octave - 1);
  return static_cast<int64_t>(start + (uint64_t{1} << (place.octave - 1)) / 2);
}

}  // namespace

struct Durations::Buckets {
  uint64_t count = 0;
  int64_t min_ns = std::numeric_limits<int64_t>::max();
  int64_t max_ns = 0;
  int64_t total_ns = 0;
  uint32_t first_octave = 0;
  std::vector<uint32_t> counts;  // kBuckets for each octave from first_octave on

  uint32_t& At(Place place);
  int64_t Quantile(double share) const;
};

uint32_t& Durations::Buckets::At(Place place) {
  if (counts.empty()) first_octave = place.octave;
  if (place.octave < first_octave) {
    counts.insert(counts.begin(), size_t{kBuckets} * (first_octave - place.octave), 0);
    first_octave = place.octave;
  }
  const size_t index = size_t{kBuckets} * (place.octave - first_octave) + place.bucket;
  const size_t needed = size_t{kBuckets} * (place.octave - first_octave + 1);
  if (needed > counts.size()) {
    counts.reserve(needed);
    counts.resize(needed);
  }
  return counts[index];
}

int64_t Durations::Buckets::Quantile(double share) const {
  const auto rank = static_cast<uint64_t>(std::ceil(share * static_cast<double>(count)));
  uint64_t seen = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    seen += counts[i];
    if (seen < rank || counts[i] == 0) continue;
    const Place place{first_octave + static_cast<uint32_t>(i / kBuckets),
                      static_cast<uint32_t>(i % kBuckets)};
    return std::clamp(MiddleOf(place), min_ns, max_ns);
  }
  return max_ns;
}

Durations::Durations() = default;
Durations::Durations(Durations&&) noexcept = default;
Durations& Durations::operator=(Durations&&) noexcept = default;
Durations::~Durations() = default;

void Durations::Add(int64_t ns) {
  if (!buckets_) buckets_ = std::make_unique<Buckets>();
  ns = std::max<int64_t>(ns, 0);
  Buckets& buckets = *buckets_;
  ++buckets.count;
  buckets.min_ns = std::min(buckets.min_ns, ns);
  buckets.max_ns = std::max(buckets.max_ns, ns);
  const int64_t room = std::numeric_limits<int64_t>::max() - buckets.total_ns;
  buckets.total_ns += std::min(ns, room);
  uint32_t& bucket = buckets.At(PlaceOf(static_cast<uint64_t>(ns)));
  if (bucket != std::numeric_limits<uint32_t>::max()) ++bucket;
}

bool Durations::empty() const { return buckets_ == nullptr; }

DurationSummary Durations::Summary() const {
  if (!buckets_) return {};
  const Buckets& buckets = *buckets_;
  return {.count = buckets.count,
          .min_ns = buckets.min_ns,
          .median_ns = buckets.Quantile(0.5),
          .p99_ns = buckets.Quantile(0.99),
          .p999_ns = buckets.Quantile(0.999),
          .max_ns = buckets.max_ns,
          .total_ns = buckets.total_ns};
}

size_t Durations::memory_bytes() const {
  return buckets_ ? sizeof(Buckets) + buckets_->counts.capacity() * sizeof(uint32_t) : 0;
}

}  // namespace weft::analyzer
