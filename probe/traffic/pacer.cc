// SPDX-License-Identifier: Apache-2.0
#include "probe/traffic/pacer.h"

#include <cassert>

namespace weft::probe {

Pacer::Pacer(double rate_bps, int64_t start_ns, double jitter, uint64_t seed)
    : ns_per_byte_(8e9 / rate_bps),
      start_ns_(start_ns),
      jitter_(jitter),
      random_(static_cast<std::minstd_rand::result_type>(seed % std::minstd_rand::modulus)) {
  assert(rate_bps > 0);
  assert(jitter >= 0 && jitter <= 1);
}

void Pacer::OnSend(uint32_t payload_bytes, int64_t now_ns) {
  const double late_ns = static_cast<double>(now_ns - start_ns_) - (due_ns_ + put_off_ns_);
  const double dropped_ns = late_ns - static_cast<double>(kMaxDebtNs);
  if (dropped_ns > 0) {
    dropped_debt_bytes_ += dropped_ns / ns_per_byte_;
    due_ns_ += dropped_ns;
  }
  const double gap_ns = payload_bytes * ns_per_byte_;
  due_ns_ += gap_ns;
  if (jitter_ > 0) put_off_ns_ = gap_ns * std::uniform_real_distribution<>(0, jitter_)(random_);
}

}  // namespace weft::probe
