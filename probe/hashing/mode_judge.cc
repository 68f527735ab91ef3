// SPDX-License-Identifier: Apache-2.0
#include "probe/hashing/mode_judge.h"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace weft::probe {
namespace {

using topology::HopMode;

// With two next hops, a hop that ignores flows shows no change in so many pairs with p = 0.0002.
constexpr uint32_t kPairsToJudge = 12;
constexpr uint32_t kChangesToJudge = 3;
// The gaps up to this many times a small one count as short.
constexpr int64_t kShortGapFactor = 4;
// Of the short pairs, the share that must change at a hop that spreads packets. A packet takes
// another of k equal ways than the last one with 1 - 1/k, at least a half; a route that flaps is
// far below.
constexpr double kPerPacketShare = 0.15;
// The same for pauses after which a flowlet is placed anew.
constexpr double kFlowletShare = 0.25;
constexpr uint32_t kFlowletChanges = 4;
// Pairs without a change after what is taken for one change of the network.
constexpr uint32_t kPairsAfterChange = 8;
constexpr uint32_t kLongPairsAfterChange = 3;

struct Pair {
  uint32_t flow = 0;
  int64_t gap_ns = 0;     // the longest between two packets of the flow since the last sighting
  int64_t before_ns = 0;  // the first was sent
  int64_t after_ns = 0;   // the second was known
  bool changed = false;
  bool loaded = false;
  bool is_short = false;
};

struct FlowState {
  bool was_seen = false;
  uint32_t next_hop = 0;
  int64_t seen_sent_ns = 0;
  int64_t last_sent_ns = 0;
  int64_t gap_ns = 0;
  bool loaded = false;
};

std::vector<Pair> PairsOf(std::span<const Sighting> sightings, uint32_t& answered_count) {
  std::vector<Pair> pairs;
  std::map<uint32_t, FlowState> flows;
  for (const Sighting& sighting : sightings) {
    FlowState& flow = flows[sighting.flow];
    if (flow.was_seen) {
      flow.gap_ns = std::max(flow.gap_ns, sighting.sent_ns - flow.last_sent_ns);
    }
    flow.last_sent_ns = sighting.sent_ns;
    flow.loaded = flow.loaded || sighting.after_load;
    if (sighting.next_hop == Sighting::kNowhere) continue;
    ++answered_count;
    if (flow.was_seen) {
      const bool changed = flow.next_hop != sighting.next_hop;
      pairs.push_back({.flow = sighting.flow,
                       .gap_ns = flow.gap_ns,
                       .before_ns = flow.seen_sent_ns,
                       .after_ns = sighting.known_ns,
                       .changed = changed,
                       .loaded = flow.loaded});
    }
    flow.was_seen = true;
    flow.next_hop = sighting.next_hop;
    flow.seen_sent_ns = sighting.sent_ns;
    flow.gap_ns = 0;
    flow.loaded = false;
  }
  return pairs;
}

int64_t ShortGap(const std::vector<Pair>& pairs) {
  std::vector<int64_t> gaps;
  for (const Pair& pair : pairs) {
    if (!pair.loaded) gaps.push_back(pair.gap_ns);
  }
  if (gaps.empty()) return 0;
  const auto small = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 10);
  std::nth_element(gaps.begin(), small, gaps.end());
  return *small * kShortGapFactor;
}

void Count(std::vector<Pair>& pairs, ModeVerdict& verdict) {
  const int64_t short_gap = ShortGap(pairs);
  for (Pair& pair : pairs) {
    pair.is_short = !pair.loaded && pair.gap_ns <= short_gap;
    const uint32_t change = pair.changed ? 1 : 0;
    if (pair.loaded) {
      ++verdict.loaded_pairs;
      verdict.loaded_changes += change;
    } else if (pair.is_short) {
      ++verdict.short_pairs;
      verdict.short_changes += change;
      verdict.longest_short_gap_ns = std::max(verdict.longest_short_gap_ns, pair.gap_ns);
    } else {
      ++verdict.long_pairs;
      verdict.long_changes += change;
    }
  }
}

std::string GapText(int64_t gap_ns) {
  if (gap_ns < 1'000'000) return absl::StrFormat("%.3g us", static_cast<double>(gap_ns) * 1e-3);
  if (gap_ns < 1'000'000'000) return absl::StrFormat("%.3g ms", static_cast<double>(gap_ns) * 1e-6);
  return absl::StrFormat("%.3g s", static_cast<double>(gap_ns) * 1e-9);
}

// All changes fit one moment, and every flow that moved did so once.
std::optional<ModeVerdict::Change> OneChange(const std::vector<Pair>& pairs) {
  ModeVerdict::Change change = {.from_ns = std::numeric_limits<int64_t>::min(),
                                .to_ns = std::numeric_limits<int64_t>::max(),
                                .flow_count = 0};
  std::vector<uint32_t> moved;
  for (const Pair& pair : pairs) {
    if (!pair.changed) continue;
    if (std::ranges::find(moved, pair.flow) != moved.end()) return std::nullopt;
    moved.push_back(pair.flow);
    change.from_ns = std::max(change.from_ns, pair.before_ns);
    change.to_ns = std::min(change.to_ns, pair.after_ns);
  }
  change.flow_count = static_cast<uint32_t>(moved.size());
  if (moved.empty() || change.from_ns >= change.to_ns) return std::nullopt;
  return change;
}

// Whether flows stay where one change has put them: with gaps of every length, and under load if
// it was a load that went before.
bool StaysAfter(const std::vector<Pair>& pairs, const ModeVerdict::Change& change) {
  uint32_t all = 0;
  uint32_t long_ones = 0;
  uint32_t loaded = 0;
  bool is_change_loaded = false;
  for (const Pair& pair : pairs) {
    if (pair.changed && pair.loaded) is_change_loaded = true;
    if (pair.changed || pair.before_ns < change.to_ns) continue;
    ++all;
    if (pair.loaded) ++loaded;
    if (!pair.loaded && !pair.is_short) ++long_ones;
  }
  return all >= kPairsAfterChange && long_ones >= kLongPairsAfterChange &&
         (!is_change_loaded || loaded >= kLongPairsAfterChange);
}

bool IsPerPacket(const std::vector<Pair>& pairs, const ModeVerdict& verdict) {
  if (verdict.short_changes < kChangesToJudge ||
      verdict.short_changes < kPerPacketShare * verdict.short_pairs) {
    return false;
  }
  // One flow, more than once: several flows that each move once are the network's doing.
  std::map<uint32_t, uint32_t> changes;
  for (const Pair& pair : pairs) {
    if (pair.is_short && pair.changed && ++changes[pair.flow] > 1) return true;
  }
  return false;
}

// Flows stay after every pause below some length and are placed anew after longer ones.
bool IsFlowlet(const std::vector<Pair>& pairs, ModeVerdict& verdict) {
  if (verdict.short_changes > 0 || verdict.short_pairs < kPairsAfterChange) return false;
  int64_t moves = std::numeric_limits<int64_t>::max();
  for (const Pair& pair : pairs) {
    if (pair.changed && !pair.loaded) moves = std::min(moves, pair.gap_ns);
  }
  int64_t stays = 0;
  uint32_t above = 0;
  for (const Pair& pair : pairs) {
    if (pair.loaded) continue;
    if (pair.gap_ns >= moves) ++above;
    if (pair.gap_ns < moves) stays = std::max(stays, pair.gap_ns);
  }
  if (verdict.long_changes < kFlowletChanges || verdict.long_changes < kFlowletShare * above) {
    return false;
  }
  verdict.pause_stays_ns = stays;
  verdict.pause_moves_ns = moves;
  return true;
}

std::string CountsText(const ModeVerdict& v) {
  return absl::StrCat(
      v.short_changes, " of ", v.short_pairs, " repeats within ", GapText(v.longest_short_gap_ns),
      " changed, ", v.long_changes, " of ", v.long_pairs, " after longer pauses",
      v.loaded_pairs > 0
          ? absl::StrCat(", ", v.loaded_changes, " of ", v.loaded_pairs, " after a load")
          : "");
}

}  // namespace

ModeVerdict JudgeMode(std::span<const Sighting> sightings) {
  ModeVerdict verdict;
  verdict.probe_count = static_cast<uint32_t>(sightings.size());
  std::vector<Pair> pairs = PairsOf(sightings, verdict.answered_count);
  Count(pairs, verdict);
  const std::string counts = CountsText(verdict);
  if (pairs.size() < kPairsToJudge) {
    verdict.undecided = true;
    verdict.reason = absl::StrCat("only ", verdict.answered_count, " of ", verdict.probe_count,
                                  " repeats were answered");
    return verdict;
  }
  const uint32_t changes = verdict.short_changes + verdict.long_changes + verdict.loaded_changes;
  if (changes == 0) {
    verdict.mode = HopMode::kHashed;
    verdict.reason = absl::StrCat("a flow always goes one way: ", counts);
    return verdict;
  }
  const std::optional<ModeVerdict::Change> one = OneChange(pairs);
  if (one && StaysAfter(pairs, *one)) {
    verdict.mode = HopMode::kHashed;
    verdict.change = one;
    verdict.reason =
        absl::StrCat("a flow goes one way, but for one change of the network: ", counts);
  } else if (one) {
    verdict.undecided = true;
    verdict.reason = absl::StrCat("one change, and too little after it to tell why: ", counts);
  } else if (IsPerPacket(pairs, verdict)) {
    verdict.mode = HopMode::kPerPacket;
    verdict.reason = absl::StrCat("one flow takes several ways at once: ", counts);
  } else if (IsFlowlet(pairs, verdict)) {
    verdict.mode = HopMode::kFlowlet;
    verdict.reason =
        absl::StrCat("a flow stays after pauses up to ", GapText(verdict.pause_stays_ns),
                     " and moves after ", GapText(verdict.pause_moves_ns), ": ", counts);
  } else if (verdict.short_changes == 0 &&
             verdict.long_changes + verdict.loaded_changes >= kChangesToJudge) {
    verdict.mode = HopMode::kAdaptive;
    verdict.reason =
        absl::StrCat(verdict.long_changes == 0 ? "a flow stays while idle and moves under load: "
                                               : "a flow moves over time, whatever the pause: ",
                     counts);
  } else {
    verdict.undecided = true;
    verdict.reason = absl::StrCat("changes that fit no way of choosing: ", counts);
  }
  return verdict;
}

}  // namespace weft::probe
