// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace weft::analyzer {

// The probability that some link carries at least `at_least` of `flows` when each flow is hashed on
// one of `links` independently and evenly: how surprising a collision is. nullopt: links is 0, or
// the sum would take more than 10^8 steps. Exact up to rounding: link after link takes a binomial
// share of what the links before it left.
std::optional<double> FullestLinkProbability(uint32_t flows, uint32_t links, uint32_t at_least);

}  // namespace weft::analyzer
