// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "probe/trace/own_addresses.h"
#include "wire/ip_address.h"

// How often switches are made to answer. A probe whose TTL ends in a switch costs its CPU, and
// switches police these packets: so each may get only so many a second, from all probers together.
//
// Which switch a probe will end in is often not known before its answer. So a switch's allowance
// has two halves: one for probes that are known to end there, or in one of a few switches that are
// known (each of them is charged until the answer tells which it was), and one that all other
// probes of the run share, wherever they end.
// Addresses are one switch's for this purpose where they may be: the /31 (IPv6: /127) mate of the
// address that follows (unless that is a switch's own, see OwnAddresses), what precedes one host,
// and what a host's packets meet first. A wrong join here only makes a trace slower.
namespace weft::probe {

struct IcmpBudgetOptions {
  // Probes a second that may end in one switch, of all probers together; 0: not paced.
  double per_second = 50;
  uint32_t probers = 1;  // processes that share it, each of which takes its part
};

// What is known of where a probe's TTL ends, before it is sent.
struct HopPlace {
  wire::IpAddress before{};  // of the hop before, or the source's own; the destination's: not known
  wire::IpAddress expected{};  // who should answer; none: not known
  uint8_t ttl = 0;
};

// How a switch answered that does not answer all it is asked.
struct IcmpLimit {
  uint64_t asked = 0;     // probes that ended there, as far as known
  uint64_t answered = 0;  // of them
  double per_second = 0;  // the slowest rate at which it was asked
};

// One for all endpoints of a run. Not for several threads. Memory grows with the addresses that
// answered.
class IcmpBudget {
 public:
  // Where a probe was charged; opaque.
  struct Charge {
    uint32_t where = 0;
    uint32_t count = 0;
  };
  static constexpr double kSlowestRate = 0.8;    // probes a second
  static constexpr uint32_t kConfirmations = 3;  // slow tries before a branch's silence is believed

  explicit IcmpBudget(IcmpBudgetOptions options = {});

  // Takes what a probe costs; nullopt: it has to wait. `slowly`: it also keeps a second's distance
  // from other slow ones of its branch. `in_a_row`: it goes only when so many could, or as many as
  // ever can at once. Times are of the endpoints' common clock.
  std::optional<Charge> Take(const HopPlace& place, bool slowly, int64_t now_ns,
                             uint32_t in_a_row = 1);
  // When Take may succeed, if nobody else takes anything.
  int64_t ReadyNs(const HopPlace& place, bool slowly, int64_t now_ns, uint32_t in_a_row = 1);

  struct Answer {
    wire::IpAddress address;
    uint32_t sent_count = 1;  // so many probes were needed
    bool slowly = false;      // this one was asked slowly
    // It came within the time after which the ones before were given up: they were not just late.
    bool on_time = true;
  };
  void OnAnswer(const HopPlace& place, Charge charge, const Answer& answer, int64_t now_ns);
  void OnMissed(const HopPlace& place, bool slowly, int64_t now_ns);
  // The probe ended in no switch.
  void Refund(const HopPlace& place, Charge charge);

  // Whether a probe that was missed shall be asked again slowly, `slow_count` slow tries having
  // been missed: some of a branch's, to know silence from a limit; all of them where there is a
  // limit. True: it is expected, and others of its branch wait for it meanwhile unless the branch
  // has shown no limit so far; every one ends in OnAnswer, OnMissed or DropSlowTry.
  bool WantsSlowTry(const HopPlace& place, uint32_t slow_count);
  void DropSlowTry(const HopPlace& place) { --BranchOf(place).slow_pending; }
  // Whether answers after `place.before` were seen to be limited.
  bool IsLimited(const HopPlace& place) const;
  // Slow tries after `place.before` that were missed.
  uint32_t SlowMissCount(const HopPlace& place) const;

  // `after` is the next hop's answer on the way past `before`.
  void LearnLink(const wire::IpAddress& before, const wire::IpAddress& after);
  // `before` is the last that answered on the way to `host`; or `first` the first on its way out.
  void LearnLastHop(const wire::IpAddress& before, const wire::IpAddress& host);
  void LearnFirstHop(const wire::IpAddress& host, const wire::IpAddress& first);
  // Several hops of one pair lead to `address`. `only`: each of them to no other, for certain.
  void LearnMeeting(const wire::IpAddress& address, bool only);

  // nullopt: it answers all it is asked, or never answered.
  std::optional<IcmpLimit> LimitOf(const wire::IpAddress& address) const;
  bool paced() const { return rate_ > 0; }

 private:
  // Charge::where; otherwise an index in groups_.
  static constexpr uint32_t kUncharged = UINT32_MAX;
  static constexpr uint32_t kUnplaced = UINT32_MAX - 1;
  static constexpr uint32_t kCandidates = UINT32_MAX - 2;  // the branch's first Charge::count

  // So many answers, with no miss that turned out to be one, and a branch has no limit so far.
  static constexpr uint32_t kAnswersToTrust = 20;

  struct Bucket {
    double tokens = 0;
    int64_t filled_ns = -1;  // never: it is full

    void Fill(double rate, double burst, int64_t now_ns);
    int64_t ReadyNs(double rate, int64_t now_ns, double wanted = 1) const;
  };
  struct Throttle {
    bool limited = false;
    double rate = 0;  // probes a second, where limited
    double slowest = 0;
    double missed_share = 0;  // moving average over first tries
    Bucket bucket;
    int64_t slowed_ns = 0;

    void OnTry(bool missed);
    void SlowDown(double first_rate, int64_t now_ns);
    void SpeedUp(double most);
  };
  // Addresses of what is taken for one switch; at its root.
  struct Group {
    uint32_t parent = 0;
    bool placed = false;  // what follows one of its addresses is known
    Bucket bucket;
    Throttle throttle;
    uint64_t asked = 0;
    uint64_t answered = 0;
  };
  // What is asked after one address at one TTL.
  struct Branch {
    Throttle throttle;
    Bucket slow;
    uint32_t slow_asked = 0;
    uint32_t slow_missed = 0;
    uint32_t slow_pending = 0;
    int64_t sent_ns = 0;           // the last probe
    uint32_t answered_count = 0;   // at the first try
    uint32_t recovered_count = 0;  // only at a later one
    bool seems_unlimited() const {
      return answered_count >= kAnswersToTrust && recovered_count == 0;
    }
    std::vector<uint32_t> candidates;  // what answered here, one address of each group
  };
  using BranchKey = std::pair<wire::IpAddress, uint8_t>;

  // In groups_; it stays the address's own, whatever it is united with or parted from.
  uint32_t IndexOf(const wire::IpAddress& address);
  uint32_t GroupOf(const wire::IpAddress& address) { return Root(IndexOf(address)); }
  uint32_t Root(uint32_t group);
  void Unite(const wire::IpAddress& a, const wire::IpAddress& b);
  void UniteWithMate(const wire::IpAddress& before, const wire::IpAddress& after);
  void Settle();
  void Rebuild();
  void AddTaken(Bucket& into, const Bucket& from) const;
  Branch& BranchOf(const HopPlace& place) { return branches_[{place.before, place.ttl}]; }
  Group* ExpectedGroup(const HopPlace& place);
  std::optional<int64_t> CandidatesReadyNs(Branch& branch, int64_t now_ns, double wanted = 1);
  void GiveBack(uint32_t group);

  double rate_;   // of one half; 0: not paced
  double burst_;  // of one half
  double first_limit_;
  Bucket unplaced_;
  std::vector<Group> groups_;
  absl::flat_hash_map<wire::IpAddress, uint32_t> index_;
  absl::flat_hash_map<BranchKey, Branch> branches_;
  absl::flat_hash_set<std::pair<wire::IpAddress, wire::IpAddress>> links_;
  absl::flat_hash_set<std::pair<wire::IpAddress, wire::IpAddress>> same_;
  OwnAddresses own_;
  size_t settled_count_ = 0;  // of own_, when the groups were last made
};

}  // namespace weft::probe
