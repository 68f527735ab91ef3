// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "topology/check/check.h"
#include "topology/fabric/fabric.h"
#include "topology/records/path_table.h"

namespace weft::analyzer {

// The inferred fabric with the blueprint's names for the nodes and interfaces that were matched,
// and its capacities for the links that have both ends in common. Nothing that was not seen is
// added. A blueprint node that was seen as several keeps the inferred names of its pieces.
// InvalidArgument: a name of the blueprint is also that of a node it was not matched with.
absl::StatusOr<topology::Fabric> NameByBlueprint(const topology::Fabric& inferred,
                                                 const topology::Fabric& blueprint,
                                                 std::span<const topology::NodeMatch> matches);

// A switch that forwards but does not answer is not missing: takes the blueprint's nodes that have
// an address among `silent_ends`, and their links, out of what `check` calls missing into what it
// calls not measured, with a finding node-silent (warning) each.
void SetSilentApart(std::span<const wire::IpAddress> silent_ends, const topology::Fabric& blueprint,
                    topology::CheckResult* check);

// Links that may exist though no trace shows them: "spine1 - leaf3", where no pair was traced whose
// packets could have crossed it. For two tiers; at most kMaxNotMeasured, then "and 12 more".
inline constexpr size_t kMaxNotMeasured = 1000;
std::vector<std::string> NotMeasured(const topology::Fabric& inferred,
                                     std::span<const topology::PathTable> tables);

}  // namespace weft::analyzer
