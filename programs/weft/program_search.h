// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace weft::front {

// Path of the executable weft-NAME beside the running program, else in PATH; empty: there is none.
std::string FindProgram(const std::string& name);

// Names of all that FindProgram finds, sorted, none twice.
std::vector<std::string> ListPrograms();

}  // namespace weft::front
