// SPDX-License-Identifier: Apache-2.0
#include "analyzer/flows/vantage.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace weft::analyzer {
namespace {

constexpr uint64_t kEnoughSamples = 8;
constexpr uint64_t kEnoughLosses = 2;
constexpr int64_t kMuchFaster = 5;   // times
constexpr int64_t kQuickNs = 4'000;  // what an end itself takes to answer, at most
constexpr uint64_t kEnoughHoles = 32;
constexpr uint64_t kLongestMeanHole = 8;
constexpr double kPathShare = 0.2;

double Us(int64_t ns) { return static_cast<double>(ns) / 1000; }

std::string Losses(const Oddities& odd) {
  return absl::StrCat(odd.lost_before, " lost before the capture, ", odd.lost_behind, " behind it");
}

VantageVerdict FromTimes(const Flow& flow) {
  const uint64_t rtts = flow.ack_rtt.Summary().count;
  if (rtts < kEnoughSamples || flow.reactions < kEnoughSamples || flow.min_reaction_ns < 0) {
    return {Vantage::kUnknown, absl::StrCat("too little to tell: ", rtts, " round trips, ",
                                            flow.reactions, " reactions to an ACK")};
  }
  const int64_t rtt = flow.min_rtt_ns;
  const int64_t reaction = flow.min_reaction_ns;
  const std::string times =
      absl::StrFormat("ACKs come %.1f us after requests, requests %.1f us after ACKs, at the least",
                      Us(rtt), Us(reaction));
  if (reaction <= kQuickNs && rtt >= kMuchFaster * reaction) {
    return {Vantage::kAtRequester, times};
  }
  if (rtt <= kQuickNs && reaction >= kMuchFaster * rtt) return {Vantage::kAtResponder, times};
  if (rtt > kQuickNs && reaction > kQuickNs && rtt < kMuchFaster * reaction &&
      reaction < kMuchFaster * rtt) {
    return {Vantage::kUnknown, absl::StrCat(times, ": between, or an end that takes its time")};
  }
  return {Vantage::kUnknown, absl::StrCat(times, ": neither end is clearly nearer")};
}

// Where times leave it open: one end's packets come fresh, the other's have crossed routers.
VantageVerdict FromTtls(const Flow& flow, const VantageVerdict& times) {
  const Flow* peer = flow.peer;
  if (peer == nullptr || flow.packets < kEnoughSamples || peer->packets < kEnoughSamples) {
    return times;
  }
  const std::string ttls = absl::StrFormat("requests come with TTL %d, answers with TTL %d",
                                           flow.max_ttl, peer->max_ttl);
  if (IsNearer(flow, *peer)) return {Vantage::kAtRequester, ttls};
  if (IsNearer(*peer, flow)) return {Vantage::kAtResponder, ttls};
  return times;
}

}  // namespace

VantageVerdict JudgeVantage(const Flow& flow) {
  static const Oddities kNone;
  const Oddities& odd = flow.odd ? *flow.odd : kNone;
  const uint64_t lost = odd.capture_lost.count;
  const auto all = static_cast<double>(flow.request_packets + lost);
  if (odd.gaps.count >= kEnoughHoles && static_cast<double>(lost) >= kPathShare * all &&
      lost <= kLongestMeanHole * odd.gaps.count) {
    return {Vantage::kSomePaths,
            absl::StrFormat("%d of %.0f PSNs were acknowledged and never seen, in %d holes", lost,
                            all, odd.gaps.count)};
  }
  if (odd.lost_before >= kEnoughLosses && odd.lost_behind >= kEnoughLosses) {
    return {Vantage::kBetween, Losses(odd)};
  }
  VantageVerdict verdict = FromTimes(flow);
  if (verdict.vantage == Vantage::kUnknown) verdict = FromTtls(flow, verdict);
  const bool contradicts =
      (verdict.vantage == Vantage::kAtRequester && odd.lost_before >= kEnoughLosses) ||
      (verdict.vantage == Vantage::kAtResponder && odd.lost_behind >= kEnoughLosses);
  if (contradicts) {
    return {Vantage::kUnknown, absl::StrCat(verdict.reason, ", but ", Losses(odd))};
  }
  return verdict;
}

}  // namespace weft::analyzer
