// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "programs/command/exit_code.h"
#include "programs/command/output.h"

namespace weft::command {

// The options of one subcommand: CLI11 with our exit codes, and the spellings that all programs
// share.
class Options {
 public:
  // `name` as a person types it: "weft-probe ping".
  Options(const std::string& name, const std::string& description);

  CLI::App& app() { return app_; }

  void AddFormat(Format* format);                  // --format text|json|csv
  void AddOutput(std::string* path);               // -o FILE
  void AddSeed(uint64_t* seed);                    // --seed
  void AddFabric(std::string* path);               // --fabric FILE
  void AddPaths(std::vector<std::string>* paths);  // --paths FILE...
  // A rate with a unit ("16M", "2.5G", plain bit/s), a time with a unit ("5s", "200ms").
  void AddRate(const std::string& name, double* bps, const std::string& help);
  void AddDuration(const std::string& name, double* seconds, const std::string& help);

  // Parses; nullopt: go on. Otherwise what to return: kOk after --help, kUsage after printing what
  // was wrong.
  std::optional<ExitCode> Parse(const std::vector<std::string>& arguments);

 private:
  CLI::App app_;
};

// For checks that CLI11 cannot make: prints "NAME: problem" and returns kUsage.
ExitCode UsageError(const std::string& name, const std::string& problem);

}  // namespace weft::command
