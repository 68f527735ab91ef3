// SPDX-License-Identifier: Apache-2.0
// `weft NAME ...` runs weft-NAME, found beside this program or else in PATH.
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "programs/command/exit_code.h"
#include "programs/weft/program_search.h"

namespace {

using weft::command::ExitCode;

void PrintHelp(std::FILE* out) {
  std::fprintf(out,
               "weft: measure and steer RDMA fabrics\n"
               "Usage: weft PROGRAM [ARGUMENTS], which runs weft-PROGRAM\n\n");
  for (const std::string& name : weft::front::ListPrograms()) {
    std::fprintf(out, "  %s\n", name.c_str());
  }
  std::fprintf(out, "\n'weft PROGRAM --help' says what a program does; --version the version.\n");
}

// Comes back only where the program could not be started.
ExitCode Run(const std::string& name, char** argv) {
  const std::string path = weft::front::FindProgram(name);
  if (path.empty()) {
    std::fprintf(stderr, "weft: \"%s\": there is no program weft-%s; 'weft --help' lists them\n",
                 name.c_str(), name.c_str());
    return ExitCode::kUsage;
  }
  std::string program = "weft-" + name;
  argv[1] = program.data();
  execv(path.c_str(), argv + 1);
  std::fprintf(stderr, "weft: %s: cannot run: %s\n", path.c_str(), std::strerror(errno));
  return ExitCode::kInput;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  ExitCode exit = ExitCode::kOk;
  if (first == "--help" || first == "-h" || first == "help") {
    PrintHelp(stdout);
  } else if (first == "--version") {
    std::printf("weft %s\n", WEFT_VERSION);
  } else if (first.empty()) {
    PrintHelp(stderr);
    exit = ExitCode::kUsage;
  } else {
    exit = Run(first, argv);
  }
  return static_cast<int>(exit);
}
