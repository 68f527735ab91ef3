// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "lb/assign/plan.h"

namespace weft::lb {

// A plan for a person: what it gains; on three tiers how full each tier is, and its fullest links;
// then a row per flow.
std::string PlanText(const Plan& plan);

}  // namespace weft::lb
