// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>
#include <vector>

#include "lb/demand/demand.h"
#include "programs/command/options.h"
#include "programs/command/output.h"
#include "programs/weft-lb/fabric_input.h"
#include "programs/weft-lb/subcommands.h"
#include "topology/records/record_file.h"

namespace weft::lb {
namespace {

constexpr const char* kName = "weft-lb flows";

struct FlowsOptions {
  std::string fabric;
  std::string pattern = "permutation";
  PermutationOptions permutation;
  std::string output = "-";
};

}  // namespace

command::ExitCode RunFlows(const std::vector<std::string>& arguments) {
  FlowsOptions options;
  command::Options cli(
      kName,
      "Make the flows of a traffic pattern. Their ports follow from random QPNs, as "
      "RoCEv2's default has it, so ECMP places them as it would an application's.");
  cli.app()
      .add_option("FABRIC", options.fabric, "Fabric records (nodes and links)")
      ->required()
      ->type_name("");
  cli.app()
      .add_option("--pattern", options.pattern,
                  "permutation: every host sends to one host under another leaf")
      ->check(CLI::IsMember({"permutation"}))
      ->type_name("PATTERN")
      ->capture_default_str();
  cli.AddRate("--rate", &options.permutation.rate_bps, "Payload rate of each flow");
  cli.app()
      .add_option("--flows-per-host", options.permutation.flows_per_host,
                  "Flows (QPs) from each host, all to the same other host")
      ->check(CLI::Range(uint32_t{1}, kMaxFlowsPerHost))
      ->type_name("COUNT")
      ->capture_default_str();
  cli.AddSeed(&options.permutation.seed);
  cli.AddOutput(&options.output);
  if (const auto exit = cli.Parse(arguments)) return *exit;
  if (!(options.permutation.rate_bps > 0)) {
    return command::UsageError(kName, "--rate 0: expected more than 0");
  }

  bool partial = false;
  const auto fabric = ReadPlanningFabric(kName, options.fabric, &partial);
  if (!fabric.ok()) return command::PrintError(kName, fabric.status());
  const auto flows = PermutationFlows(*fabric, options.permutation);
  if (!flows.ok()) {
    return command::PrintError(
        kName, absl::Status(flows.status().code(),
                            options.fabric + ": " + std::string(flows.status().message())));
  }
  const absl::Status written = topology::WriteRecords<topology::Flow>(options.output, *flows);
  if (!written.ok()) return command::PrintError(kName, written);
  return partial ? command::ExitCode::kPartial : command::ExitCode::kOk;
}

}  // namespace weft::lb
