// SPDX-License-Identifier: Apache-2.0
#include "lb/assign/plan.h"

#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lb/assign/port_map.h"
#include "programs/command/options.h"
#include "programs/command/output.h"
#include "programs/weft-lb/fabric_input.h"
#include "programs/weft-lb/plan_text.h"
#include "programs/weft-lb/subcommands.h"
#include "topology/records/record_file.h"

namespace weft::lb {
namespace {

constexpr const char* kName = "weft-lb plan";

struct PlanOptions {
  std::string flows;
  std::vector<std::string> paths;
  std::string fabric;
  std::string output;
  std::string port_map;
  command::Format format = command::Format::kAuto;

  // Something else than the summary goes to stdout.
  bool StdoutIsTaken() const { return output == "-" || port_map == "-"; }
};

std::optional<command::ExitCode> Parse(const std::vector<std::string>& arguments,
                                       PlanOptions* options) {
  command::Options cli(
      kName,
      "Plan flows onto measured, living paths: the fullest link as little full as "
      "possible, then as much carried as possible, then few flows moved. Exit code "
      "4: some flows could not be planned.");
  cli.app()
      .add_option("FLOWS", options->flows, "Flow records, as `weft-lb flows` writes them")
      ->required()
      ->type_name("");
  cli.AddPaths(&options->paths);
  cli.AddFabric(&options->fabric);
  cli.app().get_option("--paths")->required();
  cli.app().get_option("--fabric")->required();
  cli.AddOutput(&options->output);
  cli.app()
      .add_option("--port-map", options->port_map,
                  "Write lines \"srcIP,dstIP=port,port\" to FILE (- is stdout)")
      ->type_name("FILE");
  cli.AddFormat(&options->format);
  if (const auto exit = cli.Parse(arguments)) return exit;

  if (options->output == "-" && options->port_map == "-") {
    return command::UsageError(kName, "-o - and --port-map -: both want stdout; expected one");
  }
  if (options->StdoutIsTaken() && options->format != command::Format::kAuto) {
    const std::string what = options->output == "-" ? "-o -" : "--port-map -";
    return command::UsageError(
        kName, what + " and --format: records and summary both want stdout; expected one");
  }
  if (options->format == command::Format::kCsv) {
    return command::UsageError(kName, "--format csv: expected text or json");
  }
  return std::nullopt;
}

absl::StatusOr<Plan> MakePlan(const PlanOptions& options, bool* partial) {
  command::Progress progress;
  progress.Update("reading records");
  const auto fabric = ReadPlanningFabric(kName, options.fabric, partial);
  if (!fabric.ok()) return fabric.status();
  const auto flows = command::ReadRecordFiles<topology::Flow>(kName, {options.flows}, partial);
  if (!flows.ok()) return flows.status();
  const auto tables = command::ReadRecordFiles<topology::PathTable>(kName, options.paths, partial);
  if (!tables.ok()) return tables.status();
  progress.Update("planning " + std::to_string(flows->size()) + " flows");
  return PlanFlows(*fabric, *flows, *tables);
}

absl::Status Print(const Plan& plan, const PlanOptions& options) {
  if (options.StdoutIsTaken()) {
    for (const topology::Finding& finding : plan.assignment.findings) {
      const std::string text = finding.code + ": " + finding.subject;
      if (finding.severity == topology::Severity::kInfo) {
        std::fprintf(stderr, "%s: info: %s\n", kName, text.c_str());
      } else {
        command::PrintWarning(kName, text);
      }
    }
    return absl::OkStatus();
  }
  if (command::Resolve(options.format) == command::Format::kJson) {
    return topology::WriteRecords<topology::Assignment>("-", std::span(&plan.assignment, 1));
  }
  std::fputs(PlanText(plan).c_str(), stdout);
  if (!plan.assignment.findings.empty()) std::fputs("\n", stdout);
  command::PrintFindings(plan.assignment.findings);
  return absl::OkStatus();
}

}  // namespace

command::ExitCode RunPlan(const std::vector<std::string>& arguments) {
  PlanOptions options;
  if (const auto exit = Parse(arguments, &options)) return *exit;
  bool partial = false;
  const absl::StatusOr<Plan> plan = MakePlan(options, &partial);
  if (!plan.ok()) return command::PrintError(kName, plan.status());

  if (!options.output.empty()) {
    const absl::Status written =
        topology::WriteRecords<topology::Flow>(options.output, plan->assignment.flows);
    if (!written.ok()) return command::PrintError(kName, written);
  }
  if (!options.port_map.empty()) {
    const absl::Status written =
        command::WriteText(options.port_map, PortMapText(plan->assignment.flows));
    if (!written.ok()) return command::PrintError(kName, written);
  }
  const absl::Status printed = Print(*plan, options);
  if (!printed.ok()) return command::PrintError(kName, printed);
  return partial || plan->unplanned > 0 ? command::ExitCode::kPartial : command::ExitCode::kOk;
}

}  // namespace weft::lb
