// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/icmp_budget.h"

#include <algorithm>
#include <limits>

namespace weft::probe {
namespace {

constexpr double kMostBurst = 3;
// After so many answers by one switch, others there are news.
constexpr uint32_t kEnoughAnswers = 8;
// Where nothing paces the probes, this is what the first limit that is met halves.
constexpr double kUnpacedRate = 200;
// First tries that are missed: by how much one counts, and the share that is no chance loss.
constexpr double kShareStep = 0.05;
constexpr double kLimitedShare = 0.12;
constexpr double kSpeedUpPerAnswer = 0.25;  // probes a second
constexpr int64_t kSlowDownEveryNs = 200'000'000;
constexpr uint32_t kSlowTriesWhereLimited = 3;
constexpr int64_t kLookAgainNs = 50'000'000;  // whether slow tries are done

int64_t AfterSeconds(int64_t now_ns, double seconds) {
  return now_ns + static_cast<int64_t>(seconds * 1e9) + 1;
}

}  // namespace

void IcmpBudget::Bucket::Fill(double rate, double burst, int64_t now_ns) {
  if (filled_ns < 0) {
    tokens = burst;
  } else {
    tokens = std::min(burst, tokens + static_cast<double>(now_ns - filled_ns) * 1e-9 * rate);
  }
  filled_ns = now_ns;
}

int64_t IcmpBudget::Bucket::ReadyNs(double rate, int64_t now_ns, double wanted) const {
  if (filled_ns < 0 || tokens >= wanted) return now_ns;
  return AfterSeconds(now_ns, (wanted - tokens) / rate);
}

void IcmpBudget::Throttle::OnTry(bool missed) {
  missed_share += kShareStep * ((missed ? 1.0 : 0.0) - missed_share);
}

// At most once in a while, since all that was sent too fast is missed at the same time.
void IcmpBudget::Throttle::SlowDown(double first_rate, int64_t now_ns) {
  if (!limited) {
    limited = true;
    rate = slowest = first_rate;
    bucket = {.tokens = 0, .filled_ns = now_ns};
  }
  const int64_t pause = std::max(kSlowDownEveryNs, static_cast<int64_t>(2e9 / rate));
  if (now_ns - slowed_ns < pause) return;
  rate = std::max(kSlowestRate, rate / 2);
  slowest = std::min(slowest, rate);
  slowed_ns = now_ns;
}

void IcmpBudget::Throttle::SpeedUp(double most) {
  if (limited) rate = std::min(most, rate + kSpeedUpPerAnswer);
}

// Both halves together let through, in a second, two bursts and twice the rate: what is allowed.
IcmpBudget::IcmpBudget(IcmpBudgetOptions options) {
  const double allowed = options.per_second / std::max(1U, options.probers);
  burst_ = std::clamp(allowed / 20, 1.0, kMostBurst);
  rate_ = allowed > 0 ? std::max(allowed - 2 * burst_, allowed / 2) / 2 : 0;
  first_limit_ = allowed > 0 ? std::min(allowed, kUnpacedRate) : kUnpacedRate;
}

std::optional<IcmpBudget::Charge> IcmpBudget::Take(const HopPlace& place, bool slowly,
                                                   int64_t now_ns, uint32_t in_a_row) {
  if (ReadyNs(place, slowly, now_ns, in_a_row) > now_ns) return std::nullopt;
  Branch& branch = BranchOf(place);
  Group* group = ExpectedGroup(place);
  branch.sent_ns = now_ns;
  if (slowly) branch.slow.tokens -= 1;
  if (branch.throttle.limited) branch.throttle.bucket.tokens -= 1;
  if (group != nullptr && group->throttle.limited) group->throttle.bucket.tokens -= 1;
  if (rate_ <= 0) return Charge{kUncharged, 0};
  if (group != nullptr && group->placed && group->bucket.tokens >= 1) {
    group->bucket.tokens -= 1;
    return Charge{IndexOf(place.expected), 0};
  }
  if (group == nullptr && CandidatesReadyNs(branch, now_ns)) {
    for (const uint32_t candidate : branch.candidates) groups_[Root(candidate)].bucket.tokens -= 1;
    return Charge{kCandidates, static_cast<uint32_t>(branch.candidates.size())};
  }
  unplaced_.tokens -= 1;
  return Charge{kUnplaced, 0};
}

// Each of the switches that may answer can take one more.
std::optional<int64_t> IcmpBudget::CandidatesReadyNs(Branch& branch, int64_t now_ns,
                                                     double wanted) {
  if (branch.candidates.size() < 2 && branch.answered_count < kEnoughAnswers) return std::nullopt;
  if (branch.candidates.empty()) return std::nullopt;
  int64_t ready = now_ns;
  for (const uint32_t candidate : branch.candidates) {
    Group& group = groups_[Root(candidate)];
    if (!group.placed) return std::nullopt;
    group.bucket.Fill(rate_, burst_, now_ns);
    ready = std::max(ready, group.bucket.ReadyNs(rate_, now_ns, wanted));
  }
  return ready;
}

int64_t IcmpBudget::ReadyNs(const HopPlace& place, bool slowly, int64_t now_ns, uint32_t in_a_row) {
  int64_t ready = now_ns;
  const double wanted = std::min(burst_, static_cast<double>(in_a_row));
  const auto wait = [&](Bucket& bucket, double rate, double burst) {
    bucket.Fill(rate, burst, now_ns);
    ready = std::max(ready, bucket.ReadyNs(rate, now_ns));
  };
  Branch& branch = BranchOf(place);
  Group* group = ExpectedGroup(place);
  if (slowly) {
    wait(branch.slow, kSlowestRate, 1);
    if (!branch.seems_unlimited()) {
      ready = std::max(ready, AfterSeconds(branch.sent_ns, 1 / kSlowestRate) - 1);
    }
  } else if (branch.slow_pending > 0 && !branch.seems_unlimited()) {
    ready = std::max(ready, now_ns + kLookAgainNs);
  }
  if (branch.throttle.limited) wait(branch.throttle.bucket, branch.throttle.rate, 1);
  if (group != nullptr && group->throttle.limited) {
    wait(group->throttle.bucket, group->throttle.rate, 1);
  }
  if (rate_ <= 0) return ready;
  if (group != nullptr && group->placed) {
    group->bucket.Fill(rate_, burst_, now_ns);
    return std::max(ready, group->bucket.ReadyNs(rate_, now_ns, wanted));
  }
  if (group == nullptr) {
    if (const auto candidates = CandidatesReadyNs(branch, now_ns, wanted)) {
      return std::max(ready, *candidates);
    }
  }
  unplaced_.Fill(rate_, burst_, now_ns);
  return std::max(ready, unplaced_.ReadyNs(rate_, now_ns, wanted));
}

void IcmpBudget::OnAnswer(const HopPlace& place, Charge charge, const Answer& answer,
                          int64_t now_ns) {
  const uint32_t index = IndexOf(answer.address);
  const uint32_t root = Root(index);
  Branch& branch = BranchOf(place);
  Group& group = groups_[root];
  if (charge.where != kUncharged) {
    group.bucket.Fill(rate_, burst_, now_ns);
    // What is beyond the switch's own half stays in the half that is for all.
    const bool stays = charge.where == kUnplaced && (!group.placed || group.bucket.tokens < 1);
    if (!stays) {
      Refund(place, charge);
      group.bucket.tokens -= 1;
    }
  }
  if (answer.slowly) --branch.slow_pending;
  ++(answer.sent_count == 1 ? branch.answered_count : branch.recovered_count);
  const auto same = [&](uint32_t candidate) { return Root(candidate) == root; };
  if (std::ranges::none_of(branch.candidates, same)) branch.candidates.push_back(index);
  group.asked += answer.sent_count;
  ++group.answered;
  for (Throttle* throttle : {&group.throttle, &branch.throttle}) {
    throttle->OnTry(answer.sent_count > 1);
    if (answer.sent_count == 1) {
      throttle->SpeedUp(first_limit_);
    } else if (answer.on_time &&
               (throttle->limited || answer.slowly || throttle->missed_share > kLimitedShare)) {
      throttle->SlowDown(first_limit_, now_ns);
    }
  }
}

// First tries that are missed count when their answer tells whose they were.
void IcmpBudget::OnMissed(const HopPlace& place, bool slowly, int64_t now_ns) {
  Branch& branch = BranchOf(place);
  if (slowly) {
    ++branch.slow_missed;
    --branch.slow_pending;
  }
  if (branch.throttle.limited) branch.throttle.SlowDown(first_limit_, now_ns);
}

bool IcmpBudget::WantsSlowTry(const HopPlace& place, uint32_t slow_count) {
  Branch& branch = BranchOf(place);
  const Group* group = ExpectedGroup(place);
  const bool limited = branch.throttle.limited || (group != nullptr && group->throttle.limited);
  const bool wants = limited ? slow_count < kSlowTriesWhereLimited
                             : slow_count == 0 && branch.slow_asked < kConfirmations;
  if (!wants) return false;
  ++branch.slow_asked;
  ++branch.slow_pending;
  return true;
}

bool IcmpBudget::IsLimited(const HopPlace& place) const {
  const auto branch = branches_.find(BranchKey{place.before, place.ttl});
  return branch != branches_.end() && branch->second.throttle.limited;
}

uint32_t IcmpBudget::SlowMissCount(const HopPlace& place) const {
  const auto branch = branches_.find(BranchKey{place.before, place.ttl});
  return branch == branches_.end() ? 0 : branch->second.slow_missed;
}

void IcmpBudget::LearnLink(const wire::IpAddress& before, const wire::IpAddress& after) {
  if (before.empty() || after.empty() || before == after) return;
  if (!links_.emplace(before, after).second) return;
  own_.LearnLink(before, after);
  UniteWithMate(before, after);
  groups_[GroupOf(before)].placed = true;
  Settle();
}

void IcmpBudget::LearnLastHop(const wire::IpAddress& before, const wire::IpAddress& host) {
  if (before.empty() || !same_.emplace(before, host).second) return;
  Unite(before, host);
  // The host's own link: its other end is the switch's.
  if (links_.emplace(before, host).second) UniteWithMate(before, host);
  groups_[GroupOf(before)].placed = true;
}

void IcmpBudget::LearnFirstHop(const wire::IpAddress& host, const wire::IpAddress& first) {
  if (first.empty() || !same_.emplace(first, host).second) return;
  own_.LearnFirstHop(first);
  Unite(first, host);
  Settle();
}

void IcmpBudget::LearnMeeting(const wire::IpAddress& address, bool only) {
  own_.LearnMeeting(address, only);
  Settle();
}

// Parts what was taken for one switch and is not, by what has been learnt since the last time.
void IcmpBudget::Settle() {
  if (own_.count() == settled_count_) return;
  settled_count_ = own_.count();
  Rebuild();
}

std::optional<IcmpLimit> IcmpBudget::LimitOf(const wire::IpAddress& address) const {
  const auto found = index_.find(address);
  if (found == index_.end()) return std::nullopt;
  uint32_t root = found->second;
  while (groups_[root].parent != root) root = groups_[root].parent;
  const Group& group = groups_[root];
  if (!group.throttle.limited || group.answered == group.asked) return std::nullopt;
  return IcmpLimit{group.asked, group.answered, group.throttle.slowest};
}

uint32_t IcmpBudget::IndexOf(const wire::IpAddress& address) {
  const auto [found, added] = index_.try_emplace(address, static_cast<uint32_t>(groups_.size()));
  if (added) groups_.push_back({.parent = found->second, .bucket = {}, .throttle = {}});
  return found->second;
}

uint32_t IcmpBudget::Root(uint32_t group) {
  while (groups_[group].parent != group) {
    groups_[group].parent = groups_[groups_[group].parent].parent;
    group = groups_[group].parent;
  }
  return group;
}

void IcmpBudget::Unite(const wire::IpAddress& a, const wire::IpAddress& b) {
  const uint32_t root = GroupOf(a);
  const uint32_t other = GroupOf(b);
  if (root == other) return;
  Group& into = groups_[root];
  const Group& from = groups_[other];
  groups_[other].parent = root;
  into.placed = into.placed || from.placed;
  into.asked += from.asked;
  into.answered += from.answered;
  AddTaken(into.bucket, from.bucket);
  const bool slower =
      from.throttle.limited && (!into.throttle.limited || from.throttle.rate < into.throttle.rate);
  if (slower) into.throttle = from.throttle;
}

// What both have taken, it has taken.
void IcmpBudget::AddTaken(Bucket& into, const Bucket& from) const {
  if (from.filled_ns < 0) return;
  const double missing = into.filled_ns < 0 ? 0 : burst_ - into.tokens;
  into.tokens = from.tokens - missing;
  into.filled_ns = std::max(into.filled_ns, from.filled_ns);
}

void IcmpBudget::UniteWithMate(const wire::IpAddress& before, const wire::IpAddress& after) {
  if (!own_.Contains(after)) Unite(before, MateOf(after));
}

// Unites anew all that may be united. Limits that were found stay where they are.
void IcmpBudget::Rebuild() {
  std::vector<uint32_t> old_root(groups_.size());
  for (uint32_t i = 0; i < groups_.size(); ++i) old_root[i] = Root(i);
  const std::vector<Group> old = groups_;
  for (uint32_t i = 0; i < groups_.size(); ++i) {
    // Counts stay with the address whose group had them.
    const bool was_root = old_root[i] == i;
    groups_[i] = {.parent = i,
                  .bucket = {},
                  .throttle = old[old_root[i]].throttle,
                  .asked = was_root ? old[i].asked : 0,
                  .answered = was_root ? old[i].answered : 0};
  }
  for (const auto& [before, after] : links_) {
    UniteWithMate(before, after);
    groups_[GroupOf(before)].placed = true;
  }
  for (const auto& [address, host] : same_) Unite(address, host);
  // Each part may have taken all that the whole had, but no more.
  absl::flat_hash_set<std::pair<uint32_t, uint32_t>> seen;
  for (uint32_t i = 0; i < old.size(); ++i) {
    const uint32_t root = Root(i);
    if (seen.emplace(root, old_root[i]).second) {
      AddTaken(groups_[root].bucket, old[old_root[i]].bucket);
    }
  }
}

IcmpBudget::Group* IcmpBudget::ExpectedGroup(const HopPlace& place) {
  return place.expected.empty() ? nullptr : &groups_[GroupOf(place.expected)];
}

void IcmpBudget::Refund(const HopPlace& place, Charge charge) {
  if (charge.where == kUncharged) return;
  if (charge.where == kUnplaced) {
    unplaced_.tokens = std::min(burst_, unplaced_.tokens + 1);
  } else if (charge.where == kCandidates) {
    const Branch& branch = BranchOf(place);
    for (uint32_t i = 0; i < charge.count; ++i) GiveBack(branch.candidates[i]);
  } else {
    GiveBack(charge.where);
  }
}

void IcmpBudget::GiveBack(uint32_t group) {
  Bucket& bucket = groups_[Root(group)].bucket;
  bucket.tokens = std::min(burst_, bucket.tokens + 1);
}

}  // namespace weft::probe
