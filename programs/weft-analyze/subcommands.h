// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "programs/command/exit_code.h"

// Each in the file of its name.
namespace weft::analyze {

command::ExitCode Topology(const std::vector<std::string>& arguments);
command::ExitCode Collisions(const std::vector<std::string>& arguments);
command::ExitCode Hashing(const std::vector<std::string>& arguments);
command::ExitCode Paths(const std::vector<std::string>& arguments);
command::ExitCode Capture(const std::vector<std::string>& arguments);
command::ExitCode Connection(const std::vector<std::string>& arguments);
command::ExitCode Compare(const std::vector<std::string>& arguments);

}  // namespace weft::analyze
