// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "analyzer/flows/flow_stats.h"

namespace weft::analyze {

// "12.3 %"; "unknown" where absent.
std::string Percent(const std::optional<double>& share);
// "8,000,000".
std::string Grouped(uint64_t number);
// "64 bytes", "1.15 GB": powers of 1000.
std::string FormatBytes(uint64_t bytes);
// New payload over the time between the first packet and the last; nullopt where that says nothing.
std::optional<double> GoodputBps(const analyzer::FlowStats& flow);
// "1 link", "2 links"; the plural is given where it is not the noun with an s.
std::string Count(size_t count, const std::string& noun, const std::string& plural = "");

}  // namespace weft::analyze
