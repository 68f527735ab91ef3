// SPDX-License-Identifier: Apache-2.0
#include "programs/command/program.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace weft::command {
namespace {

void PrintHelp(std::FILE* out, const char* name, const char* summary,
               std::span<const Subcommand> subcommands) {
  std::fprintf(out, "%s: %s\nUsage: %s SUBCOMMAND [OPTIONS]\n\n", name, summary, name);
  for (const Subcommand& subcommand : subcommands) {
    std::fprintf(out, "  %-12s %s\n", subcommand.name, subcommand.summary);
  }
  std::fprintf(
      out, "\n'%s SUBCOMMAND --help' lists a subcommand's options; --version the version.\n", name);
}

}  // namespace

int RunProgram(const char* name, const char* summary, std::span<const Subcommand> subcommands,
               int argc, char** argv) {
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  const std::string_view first = arguments.empty() ? "" : std::string_view(arguments.front());
  if (first == "--help" || first == "-h" || first == "help") {
    PrintHelp(stdout, name, summary, subcommands);
    return static_cast<int>(ExitCode::kOk);
  }
  if (first == "--version") {
    std::printf("%s %s\n", name, WEFT_VERSION);
    return static_cast<int>(ExitCode::kOk);
  }
  for (const Subcommand& subcommand : subcommands) {
    if (first != subcommand.name) continue;
    return static_cast<int>(subcommand.run({arguments.begin() + 1, arguments.end()}));
  }
  if (!first.empty()) {
    std::fprintf(stderr, "%s: \"%s\": no such subcommand\n", name, arguments.front().c_str());
  }
  PrintHelp(stderr, name, summary, subcommands);
  return static_cast<int>(ExitCode::kUsage);
}

}  // namespace weft::command
