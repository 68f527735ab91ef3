// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "programs/command/options.h"
#include "programs/command/output.h"
#include "programs/weft-topo/subcommands.h"
#include "topology/generate/dual_plane.h"
#include "topology/generate/infiniband_fat_tree.h"
#include "topology/generate/leaf_spine.h"
#include "topology/generate/presets.h"
#include "topology/generate/rail_optimised.h"
#include "topology/generate/three_tier.h"

namespace weft::topo {
namespace {

constexpr const char* kName = "weft-topo generate";

// What was asked for; counts that were not given have a default for each kind of fabric.
struct GenerateOptions {
  std::string kind;
  std::string preset;
  std::string output = "-";
  std::optional<uint32_t> pods, blocks, planes, leaves, spines, cores, hosts, nics, core_parallel;
  double rate_bps = 20e6;
  double core_rate_bps = 0;
  double host_rate_bps = 0;
  bool has_core_rate = false;
  bool has_host_rate = false;
  uint32_t ip_version = 4;
  bool unnumbered = false;
  bool separate_nics = false;
  uint32_t parallel = 1;
  topology::InfiniBandFatTreeOptions infiniband;  // its radix, tiers, lmc, speed and width

  topology::Addressing addressing() const { return {ip_version == 6, unnumbered}; }
  std::optional<double> host_bps() const {
    return has_host_rate ? std::optional(host_rate_bps) : std::nullopt;
  }
  // What the generators of Ethernet fabrics have in common.
  template <typename T>
  void SetLinks(T* fabric) const {
    fabric->uplink_bps = rate_bps;
    fabric->host_bps = host_bps();
    fabric->addressing = addressing();
    fabric->parallel = parallel;
  }
};

absl::StatusOr<topology::Fabric> LeafSpine(const GenerateOptions& options) {
  topology::LeafSpineOptions fabric;
  fabric.leaves = options.leaves.value_or(fabric.leaves);
  fabric.spines = options.spines.value_or(fabric.spines);
  fabric.hosts_per_leaf = options.hosts.value_or(fabric.hosts_per_leaf);
  fabric.nics_per_host = options.nics.value_or(0);
  options.SetLinks(&fabric);
  return topology::GenerateLeafSpine(fabric);
}

absl::StatusOr<topology::Fabric> ThreeTier(const GenerateOptions& options) {
  topology::ThreeTierOptions fabric;
  fabric.pods = options.pods.value_or(fabric.pods);
  fabric.leaves_per_pod = options.leaves.value_or(fabric.leaves_per_pod);
  fabric.spines_per_pod = options.spines.value_or(fabric.spines_per_pod);
  fabric.cores = options.cores.value_or(fabric.cores);
  fabric.hosts_per_leaf = options.hosts.value_or(fabric.hosts_per_leaf);
  fabric.nics_per_host = options.nics.value_or(0);
  fabric.core_bps = options.has_core_rate ? options.core_rate_bps : options.rate_bps;
  fabric.core_parallel = options.core_parallel;
  options.SetLinks(&fabric);
  return topology::GenerateThreeTier(fabric);
}

absl::StatusOr<topology::Fabric> RailOptimised(const GenerateOptions& options) {
  topology::RailOptimisedOptions fabric;
  fabric.blocks = options.blocks.value_or(fabric.blocks);
  fabric.machines_per_block = options.hosts.value_or(fabric.machines_per_block);
  fabric.rails = options.nics.value_or(fabric.rails);
  fabric.spines = options.spines.value_or(fabric.spines);
  options.SetLinks(&fabric);
  return topology::GenerateRailOptimised(fabric);
}

absl::StatusOr<topology::Fabric> DualPlane(const GenerateOptions& options) {
  topology::DualPlaneOptions fabric;
  fabric.planes = options.planes.value_or(fabric.planes);
  fabric.leaves_per_plane = options.leaves.value_or(fabric.leaves_per_plane);
  fabric.spines_per_plane = options.spines.value_or(fabric.spines_per_plane);
  fabric.hosts_per_leaf = options.hosts.value_or(fabric.hosts_per_leaf);
  fabric.separate_nics = options.separate_nics;
  options.SetLinks(&fabric);
  return topology::GenerateDualPlane(fabric);
}

absl::StatusOr<topology::Fabric> FatTree(const GenerateOptions& options) {
  topology::InfiniBandFatTreeOptions fabric = options.infiniband;
  fabric.pods = options.pods;
  fabric.leaves = options.leaves;
  fabric.nics_per_leaf = options.hosts;
  fabric.nics_per_machine = options.nics.value_or(1);
  if (fabric.tiers == 2 && fabric.pods) {
    return absl::InvalidArgumentError("--pods: expected --tiers 3");
  }
  if (fabric.tiers == 3 && fabric.leaves) {
    return absl::InvalidArgumentError(
        "--leaves: expected --tiers 2; with three tiers a pod has radix / 2 leaves");
  }
  return topology::GenerateInfiniBandFatTree(fabric);
}

absl::StatusOr<topology::Fabric> Preset(const GenerateOptions& options) {
  std::vector<std::string> names;
  for (const topology::FabricPreset& preset : topology::FabricPresets()) {
    if (options.preset == preset.name) return preset.generate();
    names.emplace_back(preset.name);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("preset \"", options.preset, "\": expected ", absl::StrJoin(names, " or ")));
}

struct Kind {
  const char* name;
  const char* what;
  absl::StatusOr<topology::Fabric> (*generate)(const GenerateOptions& options);
  std::vector<const char*> options;  // that it has besides -o
};

const std::vector<Kind>& Kinds() {
  static const std::vector<Kind> kinds = {
      {"leaf-spine",
       "every leaf linked to every spine",
       LeafSpine,
       {"--leaves", "--spines", "--hosts", "--nics", "--parallel", "--ip", "--unnumbered", "--rate",
        "--host-rate"}},
      {"three-tier",
       "pods of these, and cores that join the pods",
       ThreeTier,
       {"--pods", "--leaves", "--spines", "--cores", "--hosts", "--nics", "--parallel",
        "--core-parallel", "--ip", "--unnumbered", "--rate", "--core-rate", "--host-rate"}},
      {"rail-optimised",
       "NIC r of every machine of a block on leaf r of the block",
       RailOptimised,
       {"--blocks", "--spines", "--hosts", "--nics", "--parallel", "--ip", "--unnumbered", "--rate",
        "--host-rate"}},
      {"dual-plane",
       "leaf-spine fabrics that meet only in the hosts",
       DualPlane,
       {"--planes", "--leaves", "--spines", "--hosts", "--separate-nics", "--parallel", "--ip",
        "--unnumbered", "--rate", "--host-rate"}},
      {"fat-tree",
       "InfiniBand switches, half of their ports up",
       FatTree,
       {"--pods", "--leaves", "--hosts", "--nics", "--radix", "--tiers", "--lmc", "--speed",
        "--width"}},
      {"preset", "a known fabric by its name", Preset, {}}};
  return kinds;
}

bool Has(const Kind& kind, std::string_view option) {
  return std::find(kind.options.begin(), kind.options.end(), option) != kind.options.end();
}

// Every option that some kind has and this one lacks must not be given.
std::optional<command::ExitCode> CheckOptions(const CLI::App& app, const Kind& kind) {
  for (const Kind& other : Kinds()) {
    for (const char* option : other.options) {
      if (app.count(option) == 0 || Has(kind, option)) continue;
      std::vector<std::string> having;
      for (const Kind& candidate : Kinds()) {
        if (Has(candidate, option)) having.emplace_back(candidate.name);
      }
      return command::UsageError(kName,
                                 absl::StrCat(option, ": ", kind.name, " has no such option, only ",
                                              absl::StrJoin(having, ", ")));
    }
  }
  return std::nullopt;
}

void AddCounts(CLI::App& app, GenerateOptions* out) {
  app.add_option("--pods", out->pods, "Pods (three-tier; default 2; fat-tree: the radix)");
  app.add_option("--blocks", out->blocks, "Blocks of machines (rail-optimised; default 2)");
  app.add_option("--planes", out->planes, "Planes (dual-plane; default 2)");
  app.add_option("--leaves", out->leaves,
                 "Leaves, of a pod or plane where there are such (default 4, three-tier 2; "
                 "fat-tree of two tiers: the radix)");
  app.add_option("--spines", out->spines,
                 "Spines, of a pod or plane where there are such (default 4, three-tier 2)");
  app.add_option("--cores", out->cores,
                 "Cores in all, a multiple of --spines: each spine of a pod has a plane of cores "
                 "(three-tier; default 4)");
  app.add_option("--hosts", out->hosts,
                 "Hosts a leaf; rail-optimised: machines a block (default 4, three-tier 2; "
                 "fat-tree: half the radix)");
  app.add_option("--nics", out->nics,
                 "NICs of a machine, each a node of its own (rail-optimised: and leaves of a "
                 "block; default 8; fat-tree: each on another leaf; others: all on one leaf)");
  app.add_flag("--separate-nics", out->separate_nics,
               "A NIC a plane, each a node, not one with a port into each (dual-plane)");
  app.add_option("--parallel", out->parallel, "Cables of each link between switches")
      ->capture_default_str();
  app.add_option("--core-parallel", out->core_parallel,
                 "Cables of each spine-core link (three-tier; default: as --parallel)");
}

void AddInfiniBand(CLI::App& app, topology::InfiniBandFatTreeOptions* out) {
  app.add_option("--radix", out->radix, "Ports of a switch (fat-tree)")->capture_default_str();
  app.add_option("--tiers", out->tiers, "2 or 3 (fat-tree)")->capture_default_str();
  app.add_option("--lmc", out->lmc, "A NIC has 2^LMC LIDs (fat-tree)")->capture_default_str();
  app.add_option("--speed", out->speed, "Of one lane: SDR to XDR (fat-tree)")
      ->capture_default_str();
  app.add_option("--width", out->width, "Lanes of a link (fat-tree)")->capture_default_str();
}

std::optional<command::ExitCode> ParseOptions(const std::vector<std::string>& arguments,
                                              GenerateOptions* out) {
  command::Options options(kName, "Make the records of a fabric: names, addresses, links.");
  CLI::App& app = options.app();
  std::vector<std::string> names;
  std::vector<std::string> kinds;
  for (const Kind& kind : Kinds()) {
    names.emplace_back(kind.name);
    kinds.push_back(absl::StrCat(kind.name, ": ", kind.what));
  }
  std::vector<std::string> presets;
  for (const topology::FabricPreset& preset : topology::FabricPresets()) {
    presets.push_back(absl::StrCat(preset.name, ": ", preset.what));
  }
  app.add_option("KIND", out->kind, absl::StrJoin(kinds, "; "))
      ->required()
      ->check(CLI::IsMember(names))
      ->type_name("");
  app.add_option("NAME", out->preset, absl::StrCat("Of a preset. ", absl::StrJoin(presets, "; ")))
      ->type_name("");
  AddCounts(app, out);
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
  AddInfiniBand(app, &out->infiniband);
  options.AddOutput(&out->output);
  if (const auto exit = options.Parse(arguments)) return exit;
  out->has_core_rate = app.count("--core-rate") > 0;
  out->has_host_rate = app.count("--host-rate") > 0;
  if (out->kind != "preset" && !out->preset.empty()) {
    return command::UsageError(kName, absl::StrCat(out->preset, ": only a preset has a name"));
  }
  const auto kind = std::find(names.begin(), names.end(), out->kind) - names.begin();
  return CheckOptions(app, Kinds()[static_cast<size_t>(kind)]);
}

}  // namespace

command::ExitCode Generate(const std::vector<std::string>& arguments) {
  GenerateOptions options;
  if (const auto exit = ParseOptions(arguments, &options)) return *exit;
  const auto kind = std::find_if(Kinds().begin(), Kinds().end(),
                                 [&](const Kind& of) { return options.kind == of.name; });
  const absl::StatusOr<topology::Fabric> fabric = kind->generate(options);
  if (!fabric.ok()) return command::UsageError(kName, std::string(fabric.status().message()));

  const std::vector<topology::FabricRecord> records = fabric->ToRecords();
  const absl::Status written =
      topology::WriteRecords<topology::FabricRecord>(options.output, records);
  if (!written.ok()) return command::PrintError(kName, written);
  return command::ExitCode::kOk;
}

}  // namespace weft::topo
