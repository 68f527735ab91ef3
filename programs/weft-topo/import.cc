// SPDX-License-Identifier: Apache-2.0
#include "topology/import/import.h"

#include <cstdio>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "programs/command/options.h"
#include "programs/command/output.h"
#include "programs/weft-topo/subcommands.h"
#include "topology/records/record_file.h"

namespace weft::topo {
namespace {

using topology::ImportResult;
using topology::PathTable;

constexpr const char* kName = "weft-topo import";
constexpr size_t kMaxFileBytes = size_t{256} << 20;
constexpr size_t kMaxFindingsShown = 20;  // all of a table stand in its record

struct FileCloser {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};

// A whole file, or stdin for "-".
absl::StatusOr<std::string> ReadText(const std::string& path) {
  const std::unique_ptr<std::FILE, FileCloser> file(path == "-" ? stdin
                                                                : std::fopen(path.c_str(), "rb"));
  if (file == nullptr) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  std::string text;
  std::string piece(size_t{1} << 16, '\0');
  while (const size_t read = std::fread(piece.data(), 1, piece.size(), file.get())) {
    if (text.size() + read > kMaxFileBytes) {
      return absl::InvalidArgumentError(absl::StrCat(path, ": longer than ", kMaxFileBytes >> 20,
                                                     " MiB; split it (a part is read whole)"));
    }
    text.append(piece, 0, read);
  }
  if (std::ferror(file.get()) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot read ", path));
  }
  return text;
}

// Puts what was read of one file to the rest.
void Append(ImportResult from, ImportResult& to) {
  for (PathTable& table : from.tables) to.tables.push_back(std::move(table));
  for (topology::Finding& finding : from.findings) to.findings.push_back(std::move(finding));
  to.counts.traces += from.counts.traces;
  to.counts.other_objects += from.counts.other_objects;
  to.counts.damaged += from.counts.damaged;
}

void PrintSummary(const ImportResult& result) {
  size_t paths = 0;
  size_t reached = 0;
  for (const PathTable& table : result.tables) {
    paths += table.paths.size();
    for (const topology::Path& path : table.paths) reached += path.reaches_destination ? 1 : 0;
  }
  std::fprintf(
      stderr, "traces: %llu; tables: %zu; paths: %zu, of which %zu reach the destination\n",
      static_cast<unsigned long long>(result.counts.traces), result.tables.size(), paths, reached);
  std::fprintf(stderr, "other objects: %llu; damaged: %llu\n",
               static_cast<unsigned long long>(result.counts.other_objects),
               static_cast<unsigned long long>(result.counts.damaged));
  size_t findings = 0;
  const auto print = [&](const topology::Finding& finding) {
    if (++findings > kMaxFindingsShown) return;
    std::fprintf(stderr, "%s %s: %s\n", ToString(finding.severity), finding.code.c_str(),
                 finding.subject.c_str());
    for (const topology::Evidence& evidence : finding.evidence) {
      std::fprintf(stderr, "  %s", evidence.what.c_str());
      if (evidence.value) std::fprintf(stderr, " %g", *evidence.value);
      if (!evidence.unit.empty()) std::fprintf(stderr, " %s", evidence.unit.c_str());
      std::fprintf(stderr, " (%s)\n", evidence.origin.c_str());
    }
  };
  for (const topology::Finding& finding : result.findings) print(finding);
  for (const PathTable& table : result.tables) {
    for (const topology::Finding& finding : table.findings) print(finding);
  }
  if (findings > kMaxFindingsShown) {
    std::fprintf(stderr, "%zu findings more\n", findings - kMaxFindingsShown);
  }
}

}  // namespace

command::ExitCode Import(const std::vector<std::string>& arguments) {
  std::vector<std::string> paths;
  std::string from;
  std::string output = "-";
  command::Options options(
      kName,
      "Path tables from what other tools traced, on stdout. A summary stands "
      "on stderr. Exit code 1: "
      "something found is an error, as a routing loop; 4: a part was damaged and left out.");
  options.app()
      .add_option("FILE", paths, "Files that the tool wrote; - is stdin")
      ->required()
      ->type_name("");
  options.app()
      .add_option("--from", from,
                  "scamper: JSON of scamper or sc_warts2json (trace, tracelb); dublin-traceroute: "
                  "its JSON")
      ->required()
      ->type_name("KIND");
  options.AddOutput(&output);
  if (const auto exit = options.Parse(arguments)) return *exit;
  const std::optional<topology::TraceFormat> format = topology::ParseTraceFormat(from);
  if (!format) {
    return command::UsageError(kName, "--from " + from + ": expected scamper or dublin-traceroute");
  }

  ImportResult all;
  for (const std::string& path : paths) {
    const absl::StatusOr<std::string> text = ReadText(path);
    if (!text.ok()) return command::PrintError(kName, text.status());
    absl::StatusOr<ImportResult> result =
        topology::ImportTraces(*format, *text, path == "-" ? "stdin" : path);
    if (!result.ok()) return command::PrintError(kName, result.status());
    Append(*std::move(result), all);
  }
  const absl::Status written = topology::WriteRecords<PathTable>(output, all.tables);
  if (!written.ok()) return command::PrintError(kName, written);
  PrintSummary(all);
  command::ExitCode code = command::ExitCodeOf(all.findings);
  for (const PathTable& table : all.tables) {
    code = command::Worse(code, command::ExitCodeOf(table.findings));
  }
  return command::Worse(
      code, all.counts.damaged == 0 ? command::ExitCode::kOk : command::ExitCode::kPartial);
}

}  // namespace weft::topo
