// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// The stopping rule of the Multipath Detection Algorithm (Augustin, Friedman and Teixeira,
// "Multipath tracing with Paris traceroute", 2007; Veitch et al., "Failure control in multipath
// route tracing", 2009): how many flows must be seen to leave a vertex before one believes that it
// has no more next hops than those seen. Assumes that a vertex spreads flows evenly.
namespace weft::probe {

// The most next hops of one vertex that the rule is asked about; beyond it the answers are those
// for this number.
inline constexpr uint32_t kMaxNextHops = 512;

// The probability that `flow_count` flows over `next_hop_count` + 1 equally likely next hops leave
// at least one of them unseen. By the Markov chain of the coupon collector: the alternating sum
// loses its precision for many next hops.
double MissProbability(uint32_t next_hop_count, uint32_t flow_count);

// The smallest number of flows whose MissProbability is at most `alpha`, 0 < alpha < 1. Cached per
// thread, so that asking again is cheap.
uint32_t StoppingPoint(uint32_t next_hop_count, double alpha);

}  // namespace weft::probe
