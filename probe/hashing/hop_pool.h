// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "probe/hashing/hop_asker.h"
#include "probe/hashing/hop_vertex.h"

namespace weft::probe {

// A flow, which of the hops of one TTL it passes, and where it goes after it.
struct PooledFlow {
  static constexpr size_t kNoVertex = SIZE_MAX;

  HopFlow flow;
  size_t vertex = kNoVertex;  // kNoVertex: not known, or another
  SeenPlace next;             // of a known vertex: never kNone
};

// Asks all flows at the TTL of `tier` (hops of one TTL) and at the one after it. Flows that were
// not answered at both have no vertex.
absl::StatusOr<std::vector<PooledFlow>> AskPool(HopAsker& asker, std::span<const HopVertex> tier,
                                                std::span<const HopFlow> flows);

}  // namespace weft::probe
