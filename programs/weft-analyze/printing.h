// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace weft::analyze {

// "12.3 %"; "unknown" where absent.
std::string Percent(const std::optional<double>& share);
// "1 link", "2 links"; the plural is given where it is not the noun with an s.
std::string Count(size_t count, const std::string& noun, const std::string& plural = "");

}  // namespace weft::analyze
