// SPDX-License-Identifier: Apache-2.0
#include "analyzer/collisions/hashing.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace weft::analyzer {

std::optional<double> FullestLinkProbability(uint32_t flows, uint32_t links, uint32_t at_least) {
  constexpr double kMaxSteps = 1e8;
  if (links == 0) return std::nullopt;
  if (at_least == 0) return 1.0;
  if (at_least > flows) return 0.0;
  if (static_cast<double>(links) * flows * at_least > kMaxSteps) return std::nullopt;
  std::vector<double> log_factorial(flows + 1, 0);
  for (uint32_t i = 1; i <= flows; ++i) log_factorial[i] = log_factorial[i - 1] + std::log(i);

  // left[r]: the links so far have fewer than at_least each, and r flows are left for the others.
  std::vector<double> left(flows + 1, 0);
  left[flows] = 1;
  for (uint32_t link = 0; link + 1 < links; ++link) {
    const double log_share = -std::log(links - link);
    const double log_rest = std::log1p(-1.0 / (links - link));
    std::vector<double> next(flows + 1, 0);
    for (uint32_t r = 0; r <= flows; ++r) {
      if (left[r] == 0) continue;
      for (uint32_t k = 0; k <= std::min(r, at_least - 1); ++k) {
        next[r - k] +=
            left[r] * std::exp(log_factorial[r] - log_factorial[k] - log_factorial[r - k] +
                               k * log_share + (r - k) * log_rest);
      }
    }
    left = std::move(next);
  }
  double none = 0;  // the last link takes what is left
  for (uint32_t r = 0; r < at_least; ++r) none += left[r];
  return std::clamp(1 - none, 0.0, 1.0);
}

}  // namespace weft::analyzer
