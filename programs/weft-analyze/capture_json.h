// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "analyzer/flows/capture_analysis.h"
#include "programs/command/json.h"
#include "programs/weft-analyze/capture_result.h"

namespace weft::analyze {

// The whole result as one object, numbers in nanoseconds and bytes, a connection at a time.
void PrintCaptureJson(const CaptureResult& result);

command::Json ConnectionJson(const analyzer::Connection& connection);

// One line for each flow of each connection, and one for each second.
void PrintConnectionsCsv(const CaptureResult& result);
void PrintSecondsCsv(const CaptureResult& result);

}  // namespace weft::analyze
