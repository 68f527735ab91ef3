// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analyzer/flows/capture_analysis.h"
#include "topology/records/finding.h"

namespace weft::analyzer {

// What is wrong by a capture alone, worst first. Every finding has numbers, and the numbers of
// packets to look at; where the evidence is too thin there is none. docs/capture.md lists the
// codes.
std::vector<topology::Finding> CaptureFindings(const CaptureAnalysis& analysis,
                                               std::span<const CaptureInterface> interfaces);

}  // namespace weft::analyzer
