// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyzer/infer/interface_sets.h"
#include "analyzer/infer/observations.h"

// Internal to analyzer/infer: the signs that do not come from the order of hops.
namespace weft::analyzer {

// Tells `sets` which addresses have names, and which have counters of their own, then returns the
// joins that names, the given fabric and IP IDs ask for (not yet made), in the order of the
// addresses. Only addresses that answered.
std::vector<InterfaceJoin> ApplySigns(const Observations& observations, const JoinSigns& signs,
                                      InterfaceSets* sets);

}  // namespace weft::analyzer
