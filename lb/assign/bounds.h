// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lb/assign/problem.h"

namespace weft::lb {

// What no assignment can beat, from counting alone: a leaf's flows must leave by its uplinks and
// arrive by the downlinks of their destination's leaf, and a pair of leaves has only its own
// routes. On three tiers the same holds of a pod, of a pair of pods, and of a spine for the flows
// that cannot but cross it. Flows that a switch spreads over several links count as split.
struct Bounds {
  // Least load (offered over capacity) of the fullest link, when flows can be split: the demand of
  // a leaf over the capacity of the links it can use, and the largest flow on its best link.
  double fluid = 0;
  // The same for whole flows. Equal rates: exact for each leaf, ceil(flows / links) x rate /
  // capacity where capacities are equal too. Unequal: what the pigeonhole principle says of the
  // largest flows.
  double integral = 0;
  // Largest share of the offered rate that whole flows can carry between the leaves; flows that
  // have no route carry nothing. Equal rates: exact for each leaf and side.
  double fits_share = 1;
};

Bounds ComputeBounds(const Problem& problem);

}  // namespace weft::lb
