// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analyzer/flows/capture_analysis.h"
#include "topology/records/finding.h"

namespace weft::analyzer {

struct CaptureFindingOptions {
  uint64_t line_rate_bps = 0;  // of the hosts' links; 0: what the capture says of its interfaces
};

// What is wrong by a capture alone, worst first. Every finding has numbers, and the numbers of
// packets to look at; where the evidence is too thin there is none. docs/capture-findings.md lists
// the codes.
std::vector<topology::Finding> CaptureFindings(const CaptureAnalysis& analysis,
                                               std::span<const CaptureInterface> interfaces,
                                               const CaptureFindingOptions& options = {});

}  // namespace weft::analyzer
