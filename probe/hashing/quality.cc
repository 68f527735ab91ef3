// SPDX-License-Identifier: Apache-2.0
#include "probe/hashing/quality.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

namespace weft::probe {
namespace {

// lgamma() is not for several threads: it sets a global sign.
std::vector<double> LogFactorials(uint32_t up_to) {
  std::vector<double> logs(up_to + 1);
  for (uint32_t i = 1; i <= up_to; ++i) logs[i] = logs[i - 1] + std::log(i);
  return logs;
}

// The probability that every member gets from `least` to `most` flows. Member after member, each
// takes of what the ones before have left by the binomial distribution.
double AllWithin(uint32_t flow_count, uint32_t member_count, uint32_t least, uint32_t most) {
  const std::vector<double> logs = LogFactorials(flow_count);
  std::vector<double> left(flow_count + 1);  // probability that so many flows are left
  left[flow_count] = 1;
  for (uint32_t member = 0; member + 1 < member_count; ++member) {
    const double share = 1.0 / (member_count - member);
    const double log_share = std::log(share);
    const double log_rest = std::log1p(-share);
    std::vector<double> next(flow_count + 1);
    for (uint32_t n = least; n <= flow_count; ++n) {
      if (left[n] == 0) continue;
      for (uint32_t taken = least; taken <= std::min(n, most); ++taken) {
        const double log_probability =
            logs[n] - logs[taken] - logs[n - taken] + taken * log_share + (n - taken) * log_rest;
        next[n - taken] += left[n] * std::exp(log_probability);
      }
    }
    left = std::move(next);
  }
  double sum = 0;
  for (uint32_t n = least; n <= std::min(flow_count, most); ++n) sum += left[n];
  return std::min(1.0, sum);
}

}  // namespace

// Computed as one minus the rest: exact to about 1e-13, far below what is asked of it.
double FullestProbability(uint32_t flow_count, uint32_t member_count, uint32_t at_least) {
  assert(member_count >= 1);
  if (at_least == 0) return 1;
  return std::max(0.0, 1 - AllWithin(flow_count, member_count, 0, at_least - 1));
}

double EmptiestProbability(uint32_t flow_count, uint32_t member_count, uint32_t at_most) {
  assert(member_count >= 1);
  return std::max(0.0, 1 - AllWithin(flow_count, member_count, at_most + 1, flow_count));
}

const char* ToString(Evenness evenness) {
  switch (evenness) {
    case Evenness::kCollision:
      return "too few flows";
    case Evenness::kEven:
      return "even";
    case Evenness::kUneven:
      return "uneven";
    case Evenness::kUnknown:
      break;
  }
  return "unknown";
}

HashQuality JudgeQuality(std::span<const uint32_t> flows_by_member) {
  HashQuality quality;
  quality.member_count = static_cast<uint32_t>(flows_by_member.size());
  for (const uint32_t flows : flows_by_member) quality.flow_count += flows;
  if (quality.member_count < 2 || quality.flow_count == 0) return quality;
  quality.fullest = std::ranges::max(flows_by_member);
  quality.emptiest = std::ranges::min(flows_by_member);
  const double full = FullestProbability(quality.flow_count, quality.member_count, quality.fullest);
  const double empty =
      EmptiestProbability(quality.flow_count, quality.member_count, quality.emptiest);
  quality.probability = std::min(1.0, 2 * std::min(full, empty));
  if (quality.flow_count < kFlowsPerMemberToJudge * quality.member_count) {
    quality.evenness = Evenness::kCollision;
  } else {
    quality.evenness =
        quality.probability < kUnevenProbability ? Evenness::kUneven : Evenness::kEven;
  }
  return quality;
}

}  // namespace weft::probe
