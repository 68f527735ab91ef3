// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "probe/trace/tracer.h"
#include "programs/command/output.h"

namespace weft::command {

// What a trace run found, and how long it took.
struct TraceRun {
  std::span<const probe::TraceResult> results;
  double confidence = 0;
  double seconds = 0;
};

// On stdout, in a format as Resolve() gives it.
void PrintTrace(const TraceRun& run, Format format);

// "host1-1 (10.0.0.1)", or whichever of the two is known.
std::string NameAndAddress(const std::string& name, const wire::IpAddress& address);
// "10.0.0.0 > 10.128.0.1 > 10.128.0.8"; a silent hop is "*".
std::string HopsText(const topology::Path& path);

}  // namespace weft::command
