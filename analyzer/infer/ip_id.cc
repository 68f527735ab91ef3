// SPDX-License-Identifier: Apache-2.0
#include "analyzer/infer/ip_id.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "absl/strings/str_cat.h"

namespace weft::analyzer {
namespace {

using wire::IpAddress;

constexpr double kRange = 65'536;
constexpr double kMostBetweenTwo = 0.3 * kRange;
constexpr double kMaxChance = 0.01;  // over all comparisons

struct Sample {
  double time_s = 0;
  uint16_t id = 0;
  auto operator<=>(const Sample&) const = default;
};
struct Counter {
  IpAddress address;
  std::vector<Sample> samples;  // by time
};

// How far a counter went up from one ID to another.
uint16_t Ahead(uint16_t from, uint16_t to) { return static_cast<uint16_t>(to - from); }

bool CountsUp(const std::vector<Sample>& samples) {
  if (samples.size() < kMinIpIdSamples) return false;
  bool moves = false;
  for (size_t i = 1; i < samples.size(); ++i) {
    const uint16_t step = Ahead(samples[i - 1].id, samples[i].id);
    if (step > kMostBetweenTwo) return false;
    moves |= step > 0;
  }
  return moves;
}

std::vector<Counter> CollectCounters(std::span<const topology::ProbeRecord> probes) {
  std::map<IpAddress, std::vector<Sample>> samples;
  for (const topology::ProbeRecord& probe : probes) {
    if (probe.hop_address.empty() || !probe.hop_ip_id || !std::isfinite(probe.time_s)) continue;
    samples[probe.hop_address].push_back({probe.time_s, *probe.hop_ip_id});
  }
  std::vector<Counter> counters;
  for (auto& [address, all] : samples) {
    std::sort(all.begin(), all.end());
    if (!CountsUp(all)) continue;
    counters.push_back({address, std::move(all)});
    if (counters.size() == kMaxIpIdAddresses) break;
  }
  return counters;
}

// The IDs of one that fall between two answers of the other.
struct Bounds {
  uint32_t inside = 0;
  uint32_t outside = 0;  // by more than the slack
  uint32_t narrowest = 0xFFFF;
};

void CheckBounds(const Counter& outer, const Counter& inner, Bounds* bounds) {
  size_t next = 0;
  for (const Sample& sample : inner.samples) {
    while (next < outer.samples.size() && outer.samples[next].time_s <= sample.time_s) ++next;
    if (next == 0) continue;
    if (next == outer.samples.size()) break;
    const uint16_t width = Ahead(outer.samples[next - 1].id, outer.samples[next].id);
    const uint16_t place = Ahead(outer.samples[next - 1].id, sample.id);
    if (place <= width) {
      ++bounds->inside;
      bounds->narrowest = std::min<uint32_t>(bounds->narrowest, width);
    } else if (Ahead(width, place) > kIpIdSlack && Ahead(place, 0) > kIpIdSlack) {
      ++bounds->outside;
    }
  }
}

}  // namespace

std::vector<IpIdVerdict> CompareIpIds(std::span<const topology::ProbeRecord> probes) {
  const std::vector<Counter> counters = CollectCounters(probes);
  const double comparisons =
      static_cast<double>(counters.size()) * (static_cast<double>(counters.size()) - 1) / 2;
  std::vector<IpIdVerdict> verdicts;
  for (size_t i = 0; i < counters.size(); ++i) {
    for (size_t j = i + 1; j < counters.size(); ++j) {
      Bounds bounds;
      CheckBounds(counters[i], counters[j], &bounds);
      CheckBounds(counters[j], counters[i], &bounds);
      const double chance = (bounds.narrowest + 1) / kRange;
      const std::string samples =
          absl::StrCat(counters[i].samples.size(), " and ", counters[j].samples.size(), " answers");
      if (bounds.outside >= 2) {
        verdicts.push_back({counters[i].address, counters[j].address, false,
                            absl::StrCat("the IP IDs of ", samples, " come from two counters: ",
                                         bounds.outside, " of ", bounds.inside + bounds.outside,
                                         " do not fit between the other's")});
      } else if (bounds.outside == 0 && bounds.inside >= kMinIpIdSamples &&
                 chance * comparisons < kMaxChance) {
        verdicts.push_back(
            {counters[i].address, counters[j].address, true,
             absl::StrCat("the IP IDs of ", samples, " go up as one counter: all ", bounds.inside,
                          " that came between two of the other fit, the closest "
                          "within ",
                          bounds.narrowest)});
      }
    }
  }
  return verdicts;
}

}  // namespace weft::analyzer
