// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "programs/command/options.h"
#include "programs/command/output.h"
#include "programs/weft-topo/subcommands.h"
#include "topology/generate/leaf_spine.h"
#include "topology/generate/three_tier.h"

namespace weft::topo {
namespace {

constexpr const char* kName = "weft-topo generate";

// What was asked for; counts that were not given have a default for each kind of fabric.
struct GenerateOptions {
  std::string kind;
  std::string output = "-";
  std::optional<uint32_t> pods, leaves, spines, cores, hosts;
  double rate_bps = 20e6;
  double core_rate_bps = 0;
  double host_rate_bps = 0;
  bool has_core_rate = false;
  bool has_host_rate = false;
  uint32_t ip_version = 4;
  bool unnumbered = false;
  uint32_t parallel = 1;

  topology::Addressing addressing() const { return {ip_version == 6, unnumbered}; }
  std::optional<double> host_bps() const {
    return has_host_rate ? std::optional(host_rate_bps) : std::nullopt;
  }
};

std::optional<command::ExitCode> ParseOptions(const std::vector<std::string>& arguments,
                                              GenerateOptions* out) {
  command::Options options(kName, "Make the records of a fabric: names, addresses, links.");
  CLI::App& app = options.app();
  app.add_option("KIND", out->kind,
                 "leaf-spine: every leaf linked to every spine; three-tier: pods of these, "
                 "and cores that join the pods")
      ->required()
      ->check(CLI::IsMember({"leaf-spine", "three-tier"}))
      ->type_name("");
  app.add_option("--pods", out->pods, "Pods (three-tier; default 2)");
  app.add_option("--leaves", out->leaves, "Leaves, three-tier: of a pod (default 4, three-tier 2)");
  app.add_option("--spines", out->spines, "Spines, three-tier: of a pod (default 4, three-tier 2)");
  app.add_option("--cores", out->cores,
                 "Cores in all, a multiple of --spines: each spine of a pod has a plane of cores "
                 "(three-tier; default 4)");
  app.add_option("--hosts", out->hosts, "Hosts a leaf (default 4, three-tier 2)");
  app.add_option("--parallel", out->parallel, "Cables of each link between switches")
      ->capture_default_str();
  app.add_option("--ip", out->ip_version, "IP version of all addresses")
      ->check(CLI::IsMember({4, 6}))
      ->capture_default_str();
  app.add_flag("--unnumbered", out->unnumbered,
               "Links between switches have no addresses: each switch answers from a loopback");
  options.AddRate("--rate", &out->rate_bps, "Capacity of a leaf-spine link, one way");
  options.AddRate("--core-rate", &out->core_rate_bps,
                  "Capacity of a spine-core link, one way (default: as --rate)");
  options.AddRate("--host-rate", &out->host_rate_bps,
                  "Capacity of a host's link, one way (default: not known)");
  options.AddOutput(&out->output);
  if (const auto exit = options.Parse(arguments)) return exit;
  out->has_core_rate = app.count("--core-rate") > 0;
  out->has_host_rate = app.count("--host-rate") > 0;
  if (out->kind == "leaf-spine") {
    for (const char* option : {"--pods", "--cores", "--core-rate"}) {
      if (app.count(option) == 0) continue;
      return command::UsageError(kName, std::string(option) + ": only a three-tier fabric has it");
    }
  }
  return std::nullopt;
}

absl::StatusOr<topology::Fabric> LeafSpine(const GenerateOptions& options) {
  topology::LeafSpineOptions fabric;
  fabric.leaves = options.leaves.value_or(fabric.leaves);
  fabric.spines = options.spines.value_or(fabric.spines);
  fabric.hosts_per_leaf = options.hosts.value_or(fabric.hosts_per_leaf);
  fabric.uplink_bps = options.rate_bps;
  fabric.host_bps = options.host_bps();
  fabric.addressing = options.addressing();
  fabric.parallel = options.parallel;
  return topology::GenerateLeafSpine(fabric);
}

absl::StatusOr<topology::Fabric> ThreeTier(const GenerateOptions& options) {
  topology::ThreeTierOptions fabric;
  fabric.pods = options.pods.value_or(fabric.pods);
  fabric.leaves_per_pod = options.leaves.value_or(fabric.leaves_per_pod);
  fabric.spines_per_pod = options.spines.value_or(fabric.spines_per_pod);
  fabric.cores = options.cores.value_or(fabric.cores);
  fabric.hosts_per_leaf = options.hosts.value_or(fabric.hosts_per_leaf);
  fabric.uplink_bps = options.rate_bps;
  fabric.core_bps = options.has_core_rate ? options.core_rate_bps : options.rate_bps;
  fabric.host_bps = options.host_bps();
  fabric.addressing = options.addressing();
  fabric.parallel = options.parallel;
  return topology::GenerateThreeTier(fabric);
}

}  // namespace

command::ExitCode Generate(const std::vector<std::string>& arguments) {
  GenerateOptions options;
  if (const auto exit = ParseOptions(arguments, &options)) return *exit;
  const absl::StatusOr<topology::Fabric> fabric =
      options.kind == "three-tier" ? ThreeTier(options) : LeafSpine(options);
  if (!fabric.ok()) return command::UsageError(kName, std::string(fabric.status().message()));

  const std::vector<topology::FabricRecord> records = fabric->ToRecords();
  const absl::Status written =
      topology::WriteRecords<topology::FabricRecord>(options.output, records);
  if (!written.ok()) return command::PrintError(kName, written);
  return command::ExitCode::kOk;
}

}  // namespace weft::topo
