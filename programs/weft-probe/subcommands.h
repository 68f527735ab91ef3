// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "programs/command/exit_code.h"

namespace weft::command {

ExitCode RunRespond(const std::vector<std::string>& arguments);
ExitCode RunPing(const std::vector<std::string>& arguments);
ExitCode RunTrace(const std::vector<std::string>& arguments);
ExitCode RunHops(const std::vector<std::string>& arguments);
ExitCode RunCheck(const std::vector<std::string>& arguments);
ExitCode RunSend(const std::vector<std::string>& arguments);

}  // namespace weft::command
