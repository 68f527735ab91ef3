// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "probe/endpoint/endpoint.h"
#include "probe/trace/icmp_budget.h"
#include "wire/ip_address.h"

namespace weft::probe {

// Whom to probe.
struct ProbeTarget {
  wire::IpAddress address;
  uint32_t dest_qpn = 0;
  uint32_t q_key = 0;
};

// One question, asked until it is answered or its tries are used up.
struct ProbeRequest {
  uint64_t tag = 0;  // the caller's
  ProbeTarget target;
  uint16_t udp_src_port = 0;
  uint8_t ttl = 64;
  // As in Probe.
  wire::IpAddress source{};
  uint8_t traffic_class = 0;
  uint32_t flow_label = 0;
  uint8_t bth_opcode = 0x64;
  bool wears_live_header = false;
  // The source ports asked of the answers: try n has the n-th, over and over. At least one; the
  // caller keeps them until the outcome.
  std::span<const uint16_t> reply_ports;
  uint32_t tries = 1;
  // With a budget and a limited TTL: where it ends, as far as known, and whether silence after all
  // tries shall be told from a limit by asking slowly (as IcmpBudget::WantsSlowTry says).
  HopPlace place{};
  bool confirm_slowly = false;
  // It goes when the budget would let so many go at once (as far as it ever does), for those that
  // are asked right after it. A second is the longest that it waits for this.
  uint32_t in_a_row = 1;
};

struct ProbeOutcome {
  uint64_t tag = 0;
  EventKind kind = EventKind::kLost;  // kReply, kHop, kUnreachable or kLost
  wire::IpAddress hop_address;
  uint8_t icmp_code = 0;
  uint16_t reply_udp_src_port = 0;  // kReply: that the answer really had
  int64_t time_ns = 0;              // when it was known, on the endpoint's clock
  int64_t rtt_ns = 0;               // kReply
  // As in Event.
  std::optional<uint8_t> received_ttl{};
  std::optional<uint8_t> received_traffic_class{};
  std::optional<uint8_t> quoted_traffic_class{};
  std::optional<uint8_t> quoted_ttl{};
  std::optional<uint16_t> answer_ip_id{};
  std::optional<uint8_t> answer_ttl{};
  uint32_t sent_count = 0;  // all but the last of them were lost; with kLost that too
  uint32_t slow_count = 0;  // of them, those that were sent slowly
  absl::Status status;      // not ok: it could not be sent (its source port is taken, no route)
};

struct ProbeRunnerOptions {
  int64_t timeout_ns = 500'000'000;  // of each try
  double probes_per_second = 2000;   // at most; less where switches limit their ICMP answers
  size_t burst = 32;
  // Paces probes with a limited TTL (below kUnlimitedTtl, not expected to reach the target) per
  // switch; none: the runner itself slows down where hops answer only in part. Must outlive it.
  IcmpBudget* budget = nullptr;
  // Quick tries of a limited TTL are lost after 8 times the largest round trip seen, at least 20
  // ms, at most timeout_ns, once eight answers are known. Slow ones always have timeout_ns.
  bool adaptive_timeout = false;
};

inline constexpr uint8_t kUnlimitedTtl = 64;

// Sends requests through an endpoint: paced, repeated, never more than fit.
class ProbeRunner {
 public:
  ProbeRunner(Endpoint* endpoint, ProbeRunnerOptions options);

  // Callers see to it that one (target, udp_src_port) has at most one request of limited TTL here.
  void Add(const ProbeRequest& request) { Enqueue({.request = request}); }

  int64_t Now() const { return endpoint_->Now(); }
  size_t outstanding() const { return waiting_count_ + in_flight_.size(); }
  uint64_t sent_count() const { return sent_count_; }
  size_t in_flight_count() const { return in_flight_.size(); }
  size_t slow_count() const { return slow_count_; }  // outstanding ones that are asked slowly now

  // Lets time pass until at least one request has its outcome, or until `deadline_ns`; appends
  // outcomes. Fails only when the endpoint as a whole does.
  absl::Status Step(int64_t deadline_ns, std::vector<ProbeOutcome>& outcomes);
  // When something that waits may be sent, as of the last Step; INT64_MAX: nothing waits for time.
  int64_t ReadyNs() const { return ready_ns_; }
  // The time after which a quick try is lost now.
  int64_t QuickTimeoutNs() const;

 private:
  struct Asked {
    ProbeRequest request;
    uint32_t sent_count = 0;
    uint32_t slow_count = 0;
    bool slowly = false;  // the next try, or the one in flight
    int64_t sent_ns = 0;
    IcmpBudget::Charge charge{};
  };
  // Requests that the budget treats alike, in order.
  struct Lane {
    HopPlace place;
    bool budgeted = false;
    bool slowly = false;
    int64_t ready_ns = 0;       // the budget need not be asked again before
    int64_t row_since_ns = -1;  // the first waits for several in a row since then
    std::deque<Asked> waiting;
  };
  struct LaneKey {
    wire::IpAddress before;
    wire::IpAddress expected;
    uint8_t ttl = 0;
    bool slowly = false;
    auto operator<=>(const LaneKey&) const = default;
    template <typename H>
    friend H AbslHashValue(H h, const LaneKey& k) {
      return H::combine(std::move(h), k.before, k.expected, k.ttl, k.slowly);
    }
  };

  bool IsBudgeted(const ProbeRequest& request) const {
    return options_.budget != nullptr && request.ttl < kUnlimitedTtl &&
           request.place.expected != request.target.address;
  }
  void Enqueue(Asked asked);
  absl::Status SendWaiting(std::vector<ProbeOutcome>& outcomes);
  absl::Status SendFrom(Lane& lane, std::vector<ProbeOutcome>& outcomes);
  absl::Status SendNext(Lane& lane, IcmpBudget::Charge charge, std::vector<ProbeOutcome>& outcomes);
  void OnEvent(const Event& event, std::vector<ProbeOutcome>& outcomes);
  void OnAnswered(const Asked& asked, const Event& event);
  bool AsksAgain(Asked& asked);
  static uint32_t InARow(Lane& lane, int64_t now_ns);
  void FillTokens();
  void SlowDown();

  Endpoint* endpoint_;
  ProbeRunnerOptions options_;
  std::vector<Lane> lanes_;  // [0] is for what is not budgeted
  absl::flat_hash_map<LaneKey, size_t> lane_of_;
  std::vector<size_t> active_;  // lanes in which something waits
  size_t waiting_count_ = 0;
  size_t slow_count_ = 0;
  absl::flat_hash_map<uint64_t, Asked> in_flight_;  // by probe id
  std::vector<Event> events_;
  uint64_t next_id_ = 1;
  uint64_t sent_count_ = 0;
  double rate_;
  double tokens_;
  int64_t tokens_filled_ns_;
  int64_t slowed_down_ns_;
  int64_t ready_ns_;
  int64_t largest_rtt_ns_ = 0;
  uint32_t rtt_count_ = 0;
  bool endpoint_full_ = false;
};

}  // namespace weft::probe
