// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace weft {

// How often this program has called operator new so far. Linking allocation_counter.cc replaces the
// global operators. For programs of one thread.
size_t AllocationCount();

}  // namespace weft
