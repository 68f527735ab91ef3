// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyzer/infer/infer.h"
#include "analyzer/infer/joining.h"
#include "analyzer/infer/observations.h"

namespace weft::analyzer {

// What stayed apart in the fabric of `out`, and why: adds findings, silent_ends and silent_gaps.
void TellApart(const Observations& observations, const Joining& joining, InferredFabric* out);

}  // namespace weft::analyzer
