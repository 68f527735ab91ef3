// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lb/assign/load_state.h"

// The last two steps of a search. Neither fills any link more than the fullest is. Bounded work:
// where a problem is so large that the bound is met, the placement is as good as was found by then.
namespace weft::lb {

// Moves of one flow, and exchanges of two, as long as they raise the carried share, up to
// `fits_share`, which nothing can exceed.
void RaiseCarried(LoadState* state, double fits_share);

// Takes flows back to their present routes, alone or by moving another flow that is not on its own
// either out of the way, where no less is carried afterwards.
void ReturnToPresent(LoadState* state);

}  // namespace weft::lb
