// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace weft::analyzer {

// The distribution of how many of `members` are used when each of `flows` picks one independently
// and evenly (coupon collector): element u is the probability of exactly u, for u from 0 to
// min(flows, members). Empty: members is 0, or the sum would take more than 10^8 steps.
std::vector<double> UsedMembersDistribution(uint32_t flows, uint32_t members);

// P(X >= x) of a chi-square distribution with `degrees` degrees of freedom (at least 1).
double ChiSquareTail(double x, double degrees);

// Fisher's method: the p value of independent p values taken together. Conservative where these
// come from counts. 1 for none.
double CombinedPValue(double sum_of_log_p, uint32_t count);

}  // namespace weft::analyzer
