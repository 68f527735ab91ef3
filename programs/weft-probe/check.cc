// SPDX-License-Identifier: Apache-2.0
#include "probe/trace/check.h"

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "probe/endpoint/udp/udp_endpoint.h"
#include "programs/command/json.h"
#include "programs/command/options.h"
#include "programs/command/output.h"
#include "programs/weft-probe/subcommands.h"
#include "programs/weft-probe/targets.h"
#include "programs/weft-probe/trace_output.h"
#include "topology/records/record_file.h"

namespace weft::command {
namespace {

using topology::PathState;

constexpr const char* kName = "weft-probe check";

struct CheckCommand {
  std::vector<std::string> path_files;
  std::vector<std::string> target_files;
  std::string name;
  uint16_t tcp_port = 4791;
  std::string interface;
  double timeout_seconds = 0.5;
  std::string output;
  Format format = Format::kAuto;
  probe::CheckOptions check;
};

struct CheckCounts {
  uint32_t paths = 0;
  uint32_t alive = 0;
  uint32_t lossy = 0;
  uint32_t dead = 0;
  uint32_t unknown = 0;
  uint32_t void_tables = 0;
};

std::optional<ExitCode> ParseOptions(const std::vector<std::string>& arguments,
                                     CheckCommand& command) {
  Options parser(kName,
                 "Measures known paths again: alive, lossy, dead, or void because ports lead "
                 "elsewhere now. Exit code 1: some are dead or void.");
  CLI::App& app = parser.app();
  parser.AddPaths(&command.path_files);
  app.get_option("--paths")->required();
  app.add_option("--name", command.name, "This host's name: only tables from it are checked")
      ->required();
  app.add_option("--target,--targets", command.target_files,
                 "Target records (default: the responders are asked)")
      ->type_name("FILE");
  app.add_option("--ports", command.check.ports_per_path, "Source ports tried per path")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_option("--rounds", command.check.rounds, "End-to-end probes per path and answer port")
      ->check(CLI::Range(2, 1000))
      ->capture_default_str();
  parser.AddDuration("--timeout", &command.timeout_seconds, "A probe is lost after this long");
  app.add_option("--tries", command.check.tries, "Probes before a hop is called silent for a port")
      ->check(CLI::Range(1, 20))
      ->capture_default_str();
  app.add_option("--probe-rate", command.check.probes_per_second, "Probes a second, at most")
      ->check(CLI::Range(1.0, 1e6))
      ->capture_default_str();
  app.add_option("--icmp-rate", command.check.icmp_per_second,
                 "Probes a second that may end in one switch, from all probers; 0: any number")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  app.add_option("--probers", command.check.probers,
                 "So many hosts check at the same time: each takes its part of --icmp-rate")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--interface", command.interface, "Send from this interface")->type_name("IF");
  app.add_option("--tcp-port", command.tcp_port, "Where responders serve their records")
      ->capture_default_str();
  parser.AddSeed(&command.check.seed);
  parser.AddFormat(&command.format);
  parser.AddOutput(&command.output);
  if (const auto code = parser.Parse(arguments)) return code;
  command.check.timeout_ns = static_cast<int64_t>(command.timeout_seconds * 1e9);
  return std::nullopt;
}

absl::StatusOr<std::vector<probe::CheckInput>> ReadInputs(const CheckCommand& command,
                                                          bool* partial) {
  auto tables = ReadRecordFiles<topology::PathTable>(kName, command.path_files, partial);
  if (!tables.ok()) return tables.status();
  absl::StatusOr<Targets> targets = Targets::Read(kName, command.target_files, partial);
  if (!targets.ok()) return targets.status();
  std::vector<probe::CheckInput> inputs;
  for (topology::PathTable& table : *tables) {
    if (table.source != command.name) continue;
    const absl::StatusOr<topology::Target> target =
        targets->Find(table.destination, table.destination_address, command.tcp_port);
    if (!target.ok() && table.destination_address.empty()) return target.status();
    probe::ProbeTarget probe_target = {.address = table.destination_address,
                                       .dest_qpn = table.headers.dest_qpn};
    if (target.ok()) {
      probe_target = {
          .address = target->address, .dest_qpn = target->dest_qpn, .q_key = target->q_key};
    } else {
      PrintWarning(kName, std::string(target.status().message()));
    }
    inputs.push_back({std::move(table), probe_target});
  }
  if (inputs.empty()) {
    return absl::NotFoundError(
        absl::StrCat("--name ", command.name, ": no table of --paths has this source"));
  }
  return inputs;
}

CheckCounts Count(std::span<const probe::CheckResult> results) {
  CheckCounts counts;
  for (const probe::CheckResult& result : results) {
    if (!result.table.void_reason.empty()) ++counts.void_tables;
    for (const topology::Path& path : result.table.paths) {
      ++counts.paths;
      counts.alive += path.state == PathState::kAlive ? 1 : 0;
      counts.lossy += path.state == PathState::kLossy ? 1 : 0;
      counts.dead += path.state == PathState::kDead ? 1 : 0;
      counts.unknown += path.state == PathState::kUnknown ? 1 : 0;
    }
  }
  return counts;
}

void PrintText(std::span<const probe::CheckResult> results, const CheckCounts& counts) {
  std::vector<std::vector<std::string>> rows = {{"to", "path", "ports", "state", "answered"}};
  for (const probe::CheckResult& result : results) {
    const topology::PathTable& table = result.table;
    const bool is_void = !table.void_reason.empty();
    for (const topology::Path& path : table.paths) {
      rows.push_back({NameAndAddress(table.destination, table.destination_address),
                      absl::StrCat("via ", HopsText(path)), absl::StrCat(path.udp_src_ports.size()),
                      is_void ? "void" : topology::ToString(path.state),
                      absl::StrCat(path.probes_answered, "/", path.probes_sent)});
    }
  }
  std::printf("%s", FormatTable(rows).c_str());
  for (const probe::CheckResult& result : results) {
    const std::string to =
        NameAndAddress(result.table.destination, result.table.destination_address);
    if (!result.table.void_reason.empty()) {
      std::printf("%s: void: %s; trace it again\n", to.c_str(), result.table.void_reason.c_str());
    }
    if (!result.problem.empty()) std::printf("%s: %s\n", to.c_str(), result.problem.c_str());
  }
  std::printf("%u paths: %u alive, %u lossy, %u dead, %u unknown; %u of %zu tables void\n",
              counts.paths, counts.alive, counts.lossy, counts.dead, counts.unknown,
              counts.void_tables, results.size());
}

void PrintJson(const CheckCounts& counts) {
  const command::Json json = {{"paths", counts.paths},     {"alive", counts.alive},
                              {"lossy", counts.lossy},     {"dead", counts.dead},
                              {"unknown", counts.unknown}, {"void_tables", counts.void_tables}};
  command::PrintJson(json);
}

void PrintCsv(std::span<const probe::CheckResult> results) {
  std::printf("destination_address,hops,state,probes_sent,probes_answered,void\n");
  for (const probe::CheckResult& result : results) {
    for (const topology::Path& path : result.table.paths) {
      std::printf("%s,%s,%s,%u,%u,%d\n", result.table.destination_address.ToString().c_str(),
                  HopsText(path).c_str(), topology::ToString(path.state), path.probes_sent,
                  path.probes_answered, result.table.void_reason.empty() ? 0 : 1);
    }
  }
}

void Print(std::span<const probe::CheckResult> results, const CheckCounts& counts, Format format) {
  switch (format) {
    case Format::kJson:
      return PrintJson(counts);
    case Format::kCsv:
      return PrintCsv(results);
    default:
      return PrintText(results, counts);
  }
}

}  // namespace

ExitCode RunCheck(const std::vector<std::string>& arguments) {
  CheckCommand command;
  if (const auto code = ParseOptions(arguments, command)) return *code;
  CatchInterrupts();
  bool partial = false;
  const auto inputs = ReadInputs(command, &partial);
  if (!inputs.ok()) return PrintError(kName, inputs.status());
  auto endpoint = probe::UdpEndpoint::Create({.interface = command.interface});
  if (!endpoint.ok()) return PrintError(kName, endpoint.status());

  Progress progress;
  progress.Update(absl::StrCat("checking ", inputs->size(), " path tables"));
  command.check.stop = [] { return Interrupted(); };
  const auto results = probe::CheckPaths(**endpoint, *inputs, command.check);
  progress.Done();
  if (!results.ok()) return PrintError(kName, results.status());

  const CheckCounts counts = Count(*results);
  if (command.output != "-") Print(*results, counts, Resolve(command.format));
  if (!command.output.empty()) {
    std::vector<topology::PathTable> tables;
    for (const probe::CheckResult& result : *results) tables.push_back(result.table);
    const absl::Status status = topology::WriteRecords<topology::PathTable>(command.output, tables);
    if (!status.ok()) return PrintError(kName, status);
  }
  if (counts.dead > 0 || counts.void_tables > 0) return ExitCode::kFindings;
  return partial || Interrupted() ? ExitCode::kPartial : ExitCode::kOk;
}

}  // namespace weft::command
