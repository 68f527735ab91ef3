// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "analyzer/flows/connection.h"
#include "programs/weft-analyze/capture_result.h"

namespace weft::analyze {

struct CaptureTextOptions {
  bool all_connections = false;   // otherwise those that fit a screen
  bool verbose_findings = false;  // otherwise the first few in full
};

// The answer on the first screen: what the capture is, what is wrong, who talked to whom.
void PrintCaptureText(const CaptureResult& result, const CaptureTextOptions& options);

// "10.0.0.1 -> 10.0.0.2 QP 17": where a source QPN is known, "10.0.0.1 QP 18 -> ...".
std::string FlowName(const analyzer::FlowStats& flow);
// "2026-11-30 12:00:01.123456789 UTC".
std::string TimeText(int64_t ns);

}  // namespace weft::analyze
