// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "programs/command/exit_code.h"

namespace weft::command {

// One thing a program can do. `arguments` is what stands after the subcommand's name.
struct Subcommand {
  const char* name;
  const char* summary;
  ExitCode (*run)(const std::vector<std::string>& arguments);
};

// A program is a table of subcommands. Looks up argv[1], answers --help and --version, and returns
// the process's exit code.
int RunProgram(const char* name, const char* summary, std::span<const Subcommand> subcommands,
               int argc, char** argv);

}  // namespace weft::command
