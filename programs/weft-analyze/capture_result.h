// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/capture/capture_source.h"
#include "analyzer/collisions/collisions.h"
#include "analyzer/flows/capture_analysis.h"
#include "topology/records/finding.h"

namespace weft::analyze {

// What `weft-analyze capture` found, ready to be printed in any format.
struct CaptureResult {
  std::vector<std::string> inputs;  // files, or the live interface
  std::vector<analyzer::CaptureInterface> interfaces;
  std::vector<analyzer::CaptureProblem> problems;
  bool was_interrupted = false;
  analyzer::CaptureAnalysis analysis;
  std::vector<topology::Finding> findings;
  // With --paths: what the flows put on every link.
  std::optional<analyzer::CollisionReport> links = {};
};

}  // namespace weft::analyze
