// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "programs/command/exit_code.h"

// Each in the file of its name.
namespace weft::topo {

command::ExitCode Generate(const std::vector<std::string>& arguments);
command::ExitCode Show(const std::vector<std::string>& arguments);
command::ExitCode Path(const std::vector<std::string>& arguments);
command::ExitCode Ports(const std::vector<std::string>& arguments);
command::ExitCode NextHops(const std::vector<std::string>& arguments);
command::ExitCode Import(const std::vector<std::string>& arguments);
command::ExitCode Export(const std::vector<std::string>& arguments);
command::ExitCode Check(const std::vector<std::string>& arguments);

}  // namespace weft::topo
