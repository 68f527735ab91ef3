// SPDX-License-Identifier: Apache-2.0
#include "programs/command/options.h"
#include "programs/command/output.h"
#include "programs/weft-topo/subcommands.h"
#include "topology/generate/leaf_spine.h"

namespace weft::topo {
namespace {

constexpr const char* kName = "weft-topo generate";

}  // namespace

command::ExitCode Generate(const std::vector<std::string>& arguments) {
  std::string kind;
  std::string output = "-";
  double rate_bps = 20e6;
  double host_rate_bps = 0;
  topology::LeafSpineOptions fabric_options;
  command::Options options(kName, "Make the records of a fabric: names, addresses, links.");
  options.app()
      .add_option("KIND", kind, "leaf-spine: every leaf linked to every spine")
      ->required()
      ->check(CLI::IsMember({"leaf-spine"}))
      ->type_name("");
  options.app().add_option("--leaves", fabric_options.leaves, "Leaves")->capture_default_str();
  options.app().add_option("--spines", fabric_options.spines, "Spines")->capture_default_str();
  options.app()
      .add_option("--hosts", fabric_options.hosts_per_leaf, "Hosts a leaf")
      ->capture_default_str();
  options.AddRate("--rate", &rate_bps, "Capacity of a leaf-spine link, one way");
  options.AddRate("--host-rate", &host_rate_bps,
                  "Capacity of a host's link, one way (default: not known)");
  options.AddOutput(&output);
  if (const auto exit = options.Parse(arguments)) return *exit;

  fabric_options.uplink_bps = rate_bps;
  if (options.app().count("--host-rate") > 0) fabric_options.host_bps = host_rate_bps;
  const absl::StatusOr<topology::Fabric> fabric = topology::GenerateLeafSpine(fabric_options);
  if (!fabric.ok()) return command::UsageError(kName, std::string(fabric.status().message()));

  const std::vector<topology::FabricRecord> records = fabric->ToRecords();
  const absl::Status written = topology::WriteRecords<topology::FabricRecord>(output, records);
  if (!written.ok()) return command::PrintError(kName, written);
  return command::ExitCode::kOk;
}

}  // namespace weft::topo
