// SPDX-License-Identifier: Apache-2.0
#include "programs/command/options.h"

#include <algorithm>
#include <map>

namespace weft::command {

Options::Options(const std::string& name, const std::string& description)
    : app_(description, name) {
  app_.get_formatter()->column_width(34);
}

void Options::AddFormat(Format* format) {
  static const std::map<std::string, Format> kFormats = {
      {"text", Format::kText}, {"json", Format::kJson}, {"csv", Format::kCsv}};
  app_.add_option_function<std::string>(
          "--format", [format](const std::string& text) { *format = kFormats.at(text); },
          "text, json or csv (default: text on a terminal, json in a pipe)")
      ->check(CLI::IsMember({"text", "json", "csv"}))
      ->type_name("FORMAT");
}

void Options::AddOutput(std::string* path) {
  app_.add_option("-o,--output", *path, "Write records to FILE (- is stdout, *.binpb is binary)")
      ->type_name("FILE");
}

void Options::AddSeed(uint64_t* seed) {
  app_.add_option("--seed", *seed, "Seed of every random choice")->capture_default_str();
}

void Options::AddFabric(std::string* path) {
  app_.add_option("--fabric", *path, "Fabric records (nodes and links)")->type_name("FILE");
}

void Options::AddPaths(std::vector<std::string>* paths) {
  app_.add_option("--paths", *paths, "Path tables, as `weft-probe trace` writes them")
      ->type_name("FILE");
}

void Options::AddRate(const std::string& name, double* bps, const std::string& help) {
  app_.add_option_function<std::string>(
          name,
          [bps, name](const std::string& text) {
            const std::optional<double> rate = ParseRate(text);
            if (!rate) {
              throw CLI::ValidationError(
                  name, "\"" + text + "\" is not a rate: expected a number and k, M or G (bit/s)");
            }
            *bps = *rate;
          },
          help)
      ->type_name("RATE")
      ->default_str(*bps > 0 ? FormatRate(*bps) : "");
}

void Options::AddDuration(const std::string& name, double* seconds, const std::string& help) {
  app_.add_option_function<std::string>(
          name,
          [seconds, name](const std::string& text) {
            const std::optional<double> duration = ParseDuration(text);
            if (!duration) {
              throw CLI::ValidationError(
                  name, "\"" + text + "\" is not a time: expected a number and us, ms, s or m");
            }
            *seconds = *duration;
          },
          help)
      ->type_name("TIME")
      ->default_str(*seconds > 0 ? FormatSeconds(*seconds) : "");
}

std::optional<ExitCode> Options::Parse(const std::vector<std::string>& arguments) {
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // as CLI11 wants them
  try {
    app_.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app_.help().c_str(), stdout);
    return ExitCode::kOk;
  } catch (const CLI::ParseError& error) {
    return UsageError(app_.get_name(), error.what());
  }
  return std::nullopt;
}

ExitCode UsageError(const std::string& name, const std::string& problem) {
  std::fprintf(stderr, "%s: %s\nTry '%s --help'.\n", name.c_str(), problem.c_str(), name.c_str());
  return ExitCode::kUsage;
}

}  // namespace weft::command
