// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>

namespace weft::probe {

// When a flow's next packet is due. Packets are spaced by their size over the rate, each put off by
// a random part of its gap: flows of one rate and packet size would otherwise stay in step, and a
// full queue that they share would drop the same flow's packets every time. The rate stays as it
// is. A sender that comes late catches up on at most kMaxDebtNs of what it missed; the rest is
// dropped and counted, so that lateness does not turn into a burst that the fabric would be blamed
// for.
class Pacer {
 public:
  static constexpr int64_t kMaxDebtNs = 2'000'000;

  // `rate_bps`: of payload, above 0. The first packet is due at `start_ns`. `jitter`: the largest
  // part of a gap, 0 to 1, by which a packet is put off; at 0 packets are evenly spaced.
  Pacer(double rate_bps, int64_t start_ns, double jitter = 0, uint64_t seed = 0);

  int64_t NextSendNs() const { return start_ns_ + static_cast<int64_t>(due_ns_ + put_off_ns_); }
  bool IsDue(int64_t now_ns) const { return NextSendNs() <= now_ns; }

  // A packet is sent at `now_ns` (which is at or after NextSendNs()).
  void OnSend(uint32_t payload_bytes, int64_t now_ns);

  double dropped_debt_bytes() const { return dropped_debt_bytes_; }

 private:
  double ns_per_byte_;
  int64_t start_ns_;
  double jitter_;
  std::minstd_rand random_;
  double put_off_ns_ = 0;
  double due_ns_ =
      0;  // without jitter, since start_ns_, so that a double holds fractions of a nanosecond
  double dropped_debt_bytes_ = 0;
};

}  // namespace weft::probe
