// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>

#include "analyzer/locate/locate.h"
#include "programs/command/json.h"
#include "programs/command/options.h"
#include "programs/command/output.h"
#include "programs/weft-analyze/inputs.h"
#include "programs/weft-analyze/printing.h"
#include "programs/weft-analyze/subcommands.h"

namespace weft::analyze {
namespace {

using analyzer::DeadPath;
using analyzer::LocateResult;

constexpr const char* kName = "weft-analyze paths";

void PrintJson(const LocateResult& result) {
  command::Json json = {{"paths", result.paths},
                        {"alive", result.alive},
                        {"lossy", result.lossy},
                        {"dead", result.dead},
                        {"unknown", result.unknown},
                        {"void_tables", result.void_tables},
                        {"by_switch", command::Json::array()},
                        {"dead_paths", command::Json::array()},
                        {"suspects", command::Json::array()},
                        {"findings", command::FindingsJson(result.findings)}};
  for (const analyzer::SwitchTally& tally : result.by_switch) {
    json["by_switch"].push_back(
        {{"switch", tally.name}, {"paths", tally.paths}, {"dead", tally.dead}});
  }
  for (const DeadPath& path : result.dead_paths) {
    json["dead_paths"].push_back(
        {{"source", path.source},
         {"destination", path.destination},
         {"hops", path.hops},
         {"udp_src_ports", path.udp_src_ports},
         {"suspect", path.suspect.empty() ? command::Json(nullptr) : command::Json(path.suspect)}});
  }
  for (const analyzer::Suspect& suspect : result.suspects) json["suspects"].push_back(suspect.name);
  command::PrintJson(json);
}

std::string Hops(const DeadPath& path, const char* between) {
  std::string text;
  for (const std::string& hop : path.hops) text += (text.empty() ? "" : between) + hop;
  return text;
}

void PrintText(const LocateResult& result) {
  std::printf("%s: %u alive, %u lossy, %u dead, %u unknown\n", Count(result.paths, "path").c_str(),
              result.alive, result.lossy, result.dead, result.unknown);
  if (result.void_tables > 0) {
    std::printf("%s void and not used\n", Count(result.void_tables, "table").c_str());
  }
  command::PrintFindings(result.findings);
  std::vector<std::vector<std::string>> rows = {{"switch", "paths", "dead"}};
  for (const analyzer::SwitchTally& tally : result.by_switch) {
    rows.push_back({tally.name, std::to_string(tally.paths), std::to_string(tally.dead)});
  }
  if (rows.size() > 1) std::printf("\n%s", command::FormatTable(rows).c_str());
  if (result.dead_paths.empty()) return;

  constexpr size_t kMaxShown = 40;
  rows = {{"dead from", "to", "through"}};
  for (size_t i = 0; i < std::min(result.dead_paths.size(), kMaxShown); ++i) {
    const DeadPath& path = result.dead_paths[i];
    rows.push_back({path.source, path.destination, Hops(path, ", ")});
  }
  std::printf("\n%s", command::FormatTable(rows).c_str());
  if (result.dead_paths.size() > kMaxShown) {
    std::printf("and %zu more\n", result.dead_paths.size() - kMaxShown);
  }
}

void PrintCsv(const LocateResult& result) {
  std::printf("source,destination,hops,suspect\n");
  for (const DeadPath& path : result.dead_paths) {
    std::printf("%s,%s,%s,%s\n", command::CsvField(path.source).c_str(),
                command::CsvField(path.destination).c_str(),
                command::CsvField(Hops(path, " ")).c_str(),
                command::CsvField(path.suspect).c_str());
  }
}

}  // namespace

command::ExitCode Paths(const std::vector<std::string>& arguments) {
  std::vector<std::string> paths;
  std::string fabric_path;
  command::Format format = command::Format::kAuto;
  command::Options options(kName,
                           "Which measured paths are dead, per direction, and the switch or link "
                           "that they have in common. Exit code 1: a path is dead.");
  options.app()
      .add_option("PATHS", paths, "Path tables, as `weft-probe trace` or `check` writes them")
      ->required()
      ->type_name("");
  options.AddFabric(&fabric_path);
  options.AddFormat(&format);
  if (const auto exit = options.Parse(arguments)) return *exit;

  bool partial = false;
  const auto tables = ReadTables(kName, paths, &partial);
  if (!tables.ok()) return command::PrintError(kName, tables.status());
  const auto fabric = ReadOrInferFabric(kName, fabric_path, *tables, &partial);
  if (!fabric.ok()) return command::PrintError(kName, fabric.status());
  const LocateResult result = analyzer::LocateDeadPaths(*fabric, *tables);
  switch (command::Resolve(format)) {
    case command::Format::kText:
      PrintText(result);
      break;
    case command::Format::kCsv:
      PrintCsv(result);
      break;
    default:
      PrintJson(result);
  }
  return command::Worse(command::ExitCodeOf(result.findings),
                        partial ? command::ExitCode::kPartial : command::ExitCode::kOk);
}

}  // namespace weft::analyze
