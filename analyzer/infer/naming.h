// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/infer/infer.h"
#include "topology/check/check.h"
#include "topology/fabric/fabric.h"
#include "topology/records/path_table.h"

namespace weft::analyzer {

// The inferred fabric with the blueprint's names for the nodes and interfaces that were matched,
// and its capacities for the links that have both ends in common. Nothing that was not seen is
// added. A link of one or more cables is the blueprint's cable where that has just one between the
// two; where it has several, which of them were crossed is not known, so the link stays as it is
// and without a capacity. A blueprint node that was seen as several keeps the inferred names of its
// pieces. InvalidArgument: a name of the blueprint is also that of a node it was not matched with.
absl::StatusOr<topology::Fabric> NameByBlueprint(const topology::Fabric& inferred,
                                                 const topology::Fabric& blueprint,
                                                 std::span<const topology::NodeMatch> matches);

// A switch that forwards but does not answer is not missing: takes the blueprint's nodes that have
// an address among the inferred `silent_ends`, or stand between the two switches of one of its
// `silent_gaps`, and their links, out of what `check` calls missing into what it calls not
// measured, with a finding node-silent (warning) each.
void SetSilentApart(const InferredFabric& inferred, const topology::Fabric& blueprint,
                    topology::CheckResult* check);

// Links between neighbouring tiers that may exist though no trace shows them: "spine1 - leaf3",
// where no pair was traced whose packets could have crossed it on a path as short as the pair's. At
// most kMaxNotMeasured, then "and 12 more".
inline constexpr size_t kMaxNotMeasured = 1000;
std::vector<std::string> NotMeasured(const topology::Fabric& inferred,
                                     std::span<const topology::PathTable> tables);

}  // namespace weft::analyzer
