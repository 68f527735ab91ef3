// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "programs/command/exit_code.h"

namespace weft::lb {

command::ExitCode RunFlows(const std::vector<std::string>& arguments);
command::ExitCode RunPlan(const std::vector<std::string>& arguments);

}  // namespace weft::lb
