// SPDX-License-Identifier: Apache-2.0
#include "topology/import/import.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "programs/command/options.h"
#include "programs/command/output.h"
#include "programs/weft-topo/subcommands.h"
#include "topology/import/lldp.h"
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

// At most kMaxFindingsShown in all, then how many more there are.
class FindingPrinter {
 public:
  void Print(std::span<const topology::Finding> findings) {
    for (const topology::Finding& finding : findings) {
      if (++count_ <= kMaxFindingsShown) PrintOne(finding);
    }
  }
  void PrintRest() const {
    if (count_ > kMaxFindingsShown) {
      std::fprintf(stderr, "%zu findings more\n", count_ - kMaxFindingsShown);
    }
  }

 private:
  static void PrintOne(const topology::Finding& finding) {
    std::fprintf(stderr, "%s %s: %s\n", ToString(finding.severity), finding.code.c_str(),
                 finding.subject.c_str());
    for (const topology::Evidence& evidence : finding.evidence) {
      std::fprintf(stderr, "  %s", evidence.what.c_str());
      if (evidence.value) std::fprintf(stderr, " %g", *evidence.value);
      if (!evidence.unit.empty()) std::fprintf(stderr, " %s", evidence.unit.c_str());
      std::fprintf(stderr, " (%s)\n", evidence.origin.c_str());
    }
  }

  size_t count_ = 0;
};

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
  FindingPrinter printer;
  printer.Print(result.findings);
  for (const PathTable& table : result.tables) printer.Print(table.findings);
  printer.PrintRest();
}

void PrintSummary(const topology::LldpResult& result) {
  const topology::LldpCounts& counts = result.counts;
  std::fprintf(stderr, "neighbours: %llu; links told by both ends: %llu, by one: %llu%s",
               static_cast<unsigned long long>(counts.neighbours),
               static_cast<unsigned long long>(counts.both_sides),
               static_cast<unsigned long long>(counts.one_side),
               counts.one_side > 0 ? "; their far ends named by" : "");
  for (size_t kind = 0; kind < topology::kPortNameKinds; ++kind) {
    if (counts.named_by[kind] == 0) continue;
    std::fprintf(stderr, " %s %llu", ToString(static_cast<topology::PortNameKind>(kind)),
                 static_cast<unsigned long long>(counts.named_by[kind]));
  }
  std::fprintf(stderr, "\nNIC firmware: %llu; damaged: %llu\n",
               static_cast<unsigned long long>(counts.nic_firmware),
               static_cast<unsigned long long>(counts.damaged));
  FindingPrinter printer;
  printer.Print(result.findings);
  printer.PrintRest();
}

// "leaf1" of "lldp/leaf1.json"; dots inside the name stay.
std::string NodeOfFile(const std::string& path) {
  std::string name = path.substr(path.rfind('/') + 1);
  for (const char* end : {".json", ".json0", ".lldp"}) {
    if (name.ends_with(end)) return name.substr(0, name.size() - std::string(end).size());
  }
  return name;
}

command::ExitCode ImportNeighbours(const std::vector<std::string>& paths,
                                   const std::vector<std::string>& nodes,
                                   const std::string& output) {
  std::vector<std::string> texts;
  for (const std::string& path : paths) {
    absl::StatusOr<std::string> text = ReadText(path);
    if (!text.ok()) return command::PrintError(kName, text.status());
    texts.push_back(*std::move(text));
  }
  std::vector<topology::LldpFile> files;
  for (size_t i = 0; i < paths.size(); ++i) {
    files.push_back({paths[i] == "-" ? "stdin" : paths[i], texts[i],
                     nodes.empty() ? NodeOfFile(paths[i]) : nodes[i]});
  }
  const absl::StatusOr<topology::LldpResult> result = topology::ImportLldp(files);
  if (!result.ok()) return command::PrintError(kName, result.status());
  const absl::Status written =
      topology::WriteRecords<topology::FabricRecord>(output, result->records);
  if (!written.ok()) return command::PrintError(kName, written);
  PrintSummary(*result);
  return command::Worse(command::ExitCodeOf(result->findings), result->counts.damaged == 0
                                                                   ? command::ExitCode::kOk
                                                                   : command::ExitCode::kPartial);
}

}  // namespace

command::ExitCode Import(const std::vector<std::string>& arguments) {
  std::vector<std::string> paths;
  std::string from;
  std::string output = "-";
  std::vector<std::string> nodes;
  command::Options options(
      kName,
      "Path tables from what other tools traced, or fabric records from what neighbours told by "
      "LLDP (for `weft-analyze topology --known`), on stdout. A summary stands on stderr. Exit "
      "code "
      "1: something found is an error, as a routing loop; 4: a part was damaged and left out.");
  options.app()
      .add_option("FILE", paths, "Files that the tool wrote; - is stdin")
      ->required()
      ->type_name("");
  options.app()
      .add_option("--from", from,
                  "scamper: JSON of scamper or sc_warts2json (trace, tracelb); dublin-traceroute: "
                  "its JSON; lldp: lldpctl -f json or json0, a file a node")
      ->required()
      ->type_name("KIND");
  options.app()
      .add_option("--node", nodes,
                  "With lldp: the node of each file, in order (default: the file's name without "
                  ".json)")
      ->allow_extra_args(false)
      ->type_name("NAME");
  options.AddOutput(&output);
  if (const auto exit = options.Parse(arguments)) return *exit;
  if (from == "lldp") {
    const bool stdin_unnamed = nodes.empty() && std::ranges::count(paths, "-") > 0;
    if (stdin_unnamed || (!nodes.empty() && nodes.size() != paths.size())) {
      return command::UsageError(
          kName, absl::StrCat("--node was given ", nodes.size(), " times for ", paths.size(),
                              " files: expected one for each (stdin has no name of its own)"));
    }
    return ImportNeighbours(paths, nodes, output);
  }
  if (!nodes.empty()) return command::UsageError(kName, "--node goes with --from lldp");
  const std::optional<topology::TraceFormat> format = topology::ParseTraceFormat(from);
  if (!format) {
    return command::UsageError(kName,
                               "--from " + from + ": expected scamper, dublin-traceroute or lldp");
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
