// SPDX-License-Identifier: Apache-2.0
#include "analyzer/polarisation/distributions.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace weft::analyzer {
namespace {

constexpr int kMaxTerms = 100'000;
constexpr double kSmall = std::numeric_limits<double>::epsilon();

// The regularised upper incomplete gamma function Q(a, x), by its series below a + 1 and its
// continued fraction (modified Lentz) above. Abramowitz and Stegun, 6.5.29 and 6.5.31.
double UpperGamma(double a, double x) {
  if (x <= 0) return 1;
  const double scale = a * std::log(x) - x - std::lgamma(a);
  if (x < a + 1) {
    double term = 1 / a;
    double sum = term;
    for (int n = 1; n < kMaxTerms && term > sum * kSmall; ++n) {
      term *= x / (a + n);
      sum += term;
    }
    return std::clamp(1 - sum * std::exp(scale), 0.0, 1.0);
  }
  constexpr double kTiny = 1e-300;
  double b = x + 1 - a;
  double c = 1 / kTiny;
  double d = 1 / b;
  double product = d;
  for (int n = 1; n < kMaxTerms; ++n) {
    const double an = -n * (n - a);
    b += 2;
    d = an * d + b;
    if (std::abs(d) < kTiny) d = kTiny;
    c = b + an / c;
    if (std::abs(c) < kTiny) c = kTiny;
    d = 1 / d;
    const double factor = d * c;
    product *= factor;
    if (std::abs(factor - 1) < kSmall) break;
  }
  return std::clamp(product * std::exp(scale), 0.0, 1.0);
}

}  // namespace

std::vector<double> UsedMembersDistribution(uint32_t flows, uint32_t members) {
  constexpr double kMaxSteps = 1e8;
  const uint32_t most = std::min(flows, members);
  if (members == 0 || static_cast<double>(flows) * most > kMaxSteps) return {};
  std::vector<double> used(most + 1, 0);
  used[0] = 1;
  for (uint32_t flow = 0; flow < flows; ++flow) {
    for (uint32_t u = std::min(most, flow + 1); u > 0; --u) {
      used[u] = used[u] * u / members + used[u - 1] * (members - u + 1) / members;
    }
    used[0] = 0;
  }
  return used;
}

double ChiSquareTail(double x, double degrees) {
  assert(degrees >= 1);
  return UpperGamma(degrees / 2, x / 2);
}

double CombinedPValue(double sum_of_log_p, uint32_t count) {
  if (count == 0) return 1;
  return ChiSquareTail(-2 * sum_of_log_p, 2.0 * count);
}

}  // namespace weft::analyzer
