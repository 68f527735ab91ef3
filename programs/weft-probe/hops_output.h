// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

#include "probe/hashing/hop_experiment.h"
#include "probe/hashing/linear_ports.h"
#include "programs/command/output.h"

namespace weft::command {

// What was found of the hops towards one destination.
struct HopsOfPair {
  probe::HopsResult hops;
  std::optional<probe::LinearPortsResult> linear;  // where it was asked for
  std::string problem;                             // of the trace; empty: none
};

// On stdout, in a format as Resolve() gives it.
void PrintHops(std::span<const HopsOfPair> pairs, Format format);

}  // namespace weft::command
