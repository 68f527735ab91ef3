// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "lb/assign/problem.h"

namespace weft::lb {

// The rate (bit/s) that each flow gets when all links are shared max-min fairly and no flow takes
// more than it offers: progressive filling (Bertsekas and Gallager, Data Networks, 6.5.2). Every
// link of a flow counts, its hosts' too, by the flow's share there. A flow without a route gets 0.
// O(rounds x (flows + links)); one round where nothing is overloaded.
std::vector<double> FairRates(const Problem& problem, const Placement& placement);

// The sum of FairRates over the sum of the flows' offered rates (of all flows, also those without a
// route); 1 where nothing is offered.
double CarriedShare(const Problem& problem, const Placement& placement);

}  // namespace weft::lb
